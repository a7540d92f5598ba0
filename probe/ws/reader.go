package ws

import (
	"encoding/binary"
	"fmt"
	"unicode/utf8"
)

// DefaultMax is the longest message of a Reader whose Max is 0, in bytes.
const DefaultMax = 16 << 20

// keptBytes is the memory that a Reader keeps from message to message.
const keptBytes = 64 << 10

// Sink takes what a Reader finds, in the order of the bytes. Data are valid until it returns.
type Sink interface {
	// Begins is called at the first byte of a message.
	Begins()
	// Message takes a whole message, OpText or OpBinary.
	Message(op Op, data []byte)
	// Control takes a control frame, which may stand between the frames of a message.
	Control(op Op, payload []byte)
}

// Error says how the bytes break the protocol or pass a bound. Code is the one to close with.
type Error struct {
	Code int
	Text string
}

func (e *Error) Error() string { return e.Text }

// Reader finds messages and control frames in the bytes of one direction of a connection.
// The zero value reads those of a server, without compression.
type Reader struct {
	// Max is the longest message in bytes, also when inflated; 0 = DefaultMax.
	Max int
	// Client: the bytes are a client's, whose frames must be masked.
	Client bool
	// Inflater reads compressed messages; nil where no compression was agreed.
	Inflater *Inflater

	head   [mostHead]byte
	have   int  // bytes of head
	inBody bool // the head is complete
	op     Op   // of the frame
	fin    bool
	key    [4]byte
	left   int // bytes of the payload still to come
	at     int // bytes of the payload so far

	message    Op // that is not complete; opContinue: none
	compressed bool
	data       []byte // of it
	control    []byte
	closed     bool
	err        *Error
}

// Feed reads the next bytes and reports what they complete. After an error, which is an
// *Error, and after a close frame it reads no more.
func (r *Reader) Feed(p []byte, to Sink) error {
	for len(p) > 0 && r.err == nil && !r.closed {
		if r.inBody {
			p = r.payload(p, to)
		} else {
			p = r.headOf(p, to)
		}
	}
	if r.err != nil { // not a nil pointer in the interface
		return r.err
	}
	return nil
}

func (r *Reader) fail(code int, format string, args ...any) {
	r.err, r.data = &Error{code, fmt.Sprintf(format, args...)}, nil
}

func (r *Reader) max() int {
	if r.Max > 0 {
		return r.Max
	}
	return DefaultMax
}

// headOf takes bytes of a frame's head.
func (r *Reader) headOf(p []byte, to Sink) []byte {
	need := 2
	if r.have >= 2 {
		need = r.headLength()
	}
	n := copy(r.head[r.have:need], p)
	r.have += n
	switch {
	case r.have < need:
	case need == 2:
		r.begin(to)
		if r.err == nil && r.headLength() == 2 {
			r.headEnds(to)
		}
	default:
		r.headEnds(to)
	}
	return p[n:]
}

// headLength returns the length of a head by its first two bytes.
func (r *Reader) headLength() int {
	n := 2
	switch r.head[1] & bitsLength {
	case shortest2:
		n += 2
	case in8:
		n += 8
	}
	if r.head[1]&bitMask != 0 {
		n += 4
	}
	return n
}

// begin checks the first two bytes of a frame.
func (r *Reader) begin(to Sink) {
	first, second := r.head[0], r.head[1]
	r.op, r.fin = Op(first&bitsOp), first&bitFin != 0
	rsv := first & bitsRSV
	opens := r.op == OpText || r.op == OpBinary
	if opens && r.Inflater != nil {
		rsv &^= bitRSV1
	}
	switch {
	case rsv != 0:
		r.fail(CloseProtocol, "a frame has reserved bits set, which no extension explains")
	case second&bitMask != 0 != r.Client:
		r.fail(CloseProtocol, "a frame is %s", map[bool]string{true: "not masked", false: "masked by the server"}[r.Client])
	case r.op >= OpClose && r.op <= OpPong:
		if !r.fin || second&bitsLength > MostControl {
			r.fail(CloseProtocol, "a control frame is fragmented or longer than %d B", MostControl)
		}
	case opens && r.message != opContinue:
		r.fail(CloseProtocol, "a message begins within another")
	case r.op == opContinue && r.message == opContinue:
		r.fail(CloseProtocol, "a frame continues no message")
	case opens:
		r.message, r.compressed = r.op, first&bitRSV1 != 0
		to.Begins()
	case r.op != opContinue:
		r.fail(CloseProtocol, "a frame has the unknown opcode %d", r.op)
	}
}

// headEnds takes length and mask from a complete head.
func (r *Reader) headEnds(to Sink) {
	length, rest := uint64(r.head[1]&bitsLength), r.head[2:]
	switch length {
	case shortest2:
		length, rest = uint64(binary.BigEndian.Uint16(rest)), rest[2:]
	case in8:
		length, rest = binary.BigEndian.Uint64(rest), rest[8:]
	}
	copy(r.key[:], rest)
	r.have, r.at = 0, 0
	if room := r.max() - len(r.data); r.op < OpClose && length > uint64(room) {
		r.fail(CloseTooBig, "a message is longer than %d B", r.max())
		return
	}
	r.left, r.inBody = int(length), true
	if r.left == 0 {
		r.ends(nil, to)
	}
}

// payload takes bytes of a frame's payload.
func (r *Reader) payload(p []byte, to Sink) []byte {
	n := min(len(p), r.left)
	part := p[:n]
	r.left -= n
	if whole := r.at == 0 && r.left == 0; whole && !r.Client && (r.op >= OpClose || r.fin && r.op != opContinue) {
		r.ends(part, to) // as it came, without a copy
		return p[n:]
	}
	into := &r.data
	if r.op >= OpClose {
		into = &r.control
	}
	from := len(*into)
	*into = append(grown(*into, n, r.left), part...)
	if r.Client {
		unmask((*into)[from:], r.key, r.at)
	}
	if r.at += n; r.left == 0 {
		r.ends(nil, to)
	}
	return p[n:]
}

// grown returns b with room for n bytes, of which left are still to come behind them. Memory
// is doubled by what has come, never taken for a length alone.
func grown(b []byte, n, left int) []byte {
	need := len(b) + n
	if need <= cap(b) {
		return b
	}
	to := make([]byte, len(b), min(max(2*cap(b), need), need+left))
	copy(to, b)
	return to
}

// ends ends a frame. part is its payload where nothing of it was kept.
func (r *Reader) ends(part []byte, to Sink) {
	r.inBody = false
	if r.op >= OpClose {
		if part == nil {
			part = r.control
		}
		r.controlEnds(part, to)
		r.control = r.control[:0]
		return
	}
	if !r.fin {
		return
	}
	if part == nil {
		part = r.data
	}
	r.messageEnds(part, to)
	r.message = opContinue
	if r.data = r.data[:0]; cap(r.data) > keptBytes {
		r.data = nil
	}
}

func (r *Reader) messageEnds(data []byte, to Sink) {
	if r.compressed {
		var err *Error
		if data, err = r.Inflater.message(data, r.max()); err != nil {
			r.err = err
			return
		}
	}
	if r.message == OpText && !utf8.Valid(data) {
		r.fail(CloseUTF8, "a text message is not UTF-8")
		return
	}
	to.Message(r.message, data)
}

func (r *Reader) controlEnds(payload []byte, to Sink) {
	if r.op == OpClose {
		switch c := Closing(payload); {
		case len(payload) == 1 || len(payload) > 0 && !sendable(c.Code):
			r.fail(CloseProtocol, "a close frame has no valid code")
			return
		case !utf8.ValidString(c.Reason):
			r.fail(CloseUTF8, "the reason of a close frame is not UTF-8")
			return
		}
		r.closed = true
	}
	to.Control(r.op, payload)
}
