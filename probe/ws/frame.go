package ws

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"strings"
)

// Op is what a frame is.
type Op byte

// The frames of RFC 6455. Those from OpClose on are control frames.
const (
	opContinue Op = 0
	OpText     Op = 1
	OpBinary   Op = 2
	OpClose    Op = 8
	OpPing     Op = 9
	OpPong     Op = 10
)

// Codes with which an end closes the connection.
const (
	CloseNormal   = 1000
	CloseProtocol = 1002
	CloseData     = 1003 // a kind of message that is not read
	closeNone     = 1005 // never sent: a close frame without a code
	CloseUTF8     = 1007
	CloseTooBig   = 1009
)

const (
	bitFin, bitMask    = 0x80, 0x80
	bitRSV1, bitsRSV   = 0x40, 0x70
	bitsOp, bitsLength = 0x0f, 0x7f
	shortest2, in8     = 126, 127 // the length follows in 2 bytes, in 8
	// MostControl is the longest payload of a control frame, in bytes.
	MostControl = 125
)

// mostHead is the longest head of a frame.
const mostHead = 2 + 8 + 4

// codes are the registered meanings of close codes.
var codes = map[int]string{
	CloseNormal: "normal end", 1001: "going away", CloseProtocol: "protocol error", CloseData: "unsupported data",
	closeNone: "no code", CloseUTF8: "invalid data", 1008: "policy violation", CloseTooBig: "message too big",
	1010: "an extension is missing", 1011: "internal error", 1012: "service restart", 1013: "try again later",
	1014: "bad gateway",
}

// Closed is the error of a connection that the other end has closed with a frame.
type Closed struct {
	Code   int    // 1005 for none
	Reason string // as it was sent
}

func (c *Closed) Error() string {
	text := fmt.Sprint(c.Code)
	if words := codes[c.Code]; words != "" {
		text += " (" + words + ")"
	}
	if c.Reason != "" {
		text += ": " + c.Reason
	}
	return text
}

// Closing reads the payload of a close frame that a Reader has passed on.
func Closing(payload []byte) *Closed {
	if len(payload) < 2 {
		return &Closed{Code: closeNone}
	}
	return &Closed{int(binary.BigEndian.Uint16(payload)), string(payload[2:])}
}

// sendable reports whether a close frame may have that code.
func sendable(code int) bool {
	return code >= 3000 && code < 5000 || code != closeNone && codes[code] != ""
}

// AppendClose appends the payload of a close frame to b. The reason is cut to what fits.
func AppendClose(b []byte, code int, reason string) []byte {
	b = binary.BigEndian.AppendUint16(b, uint16(code))
	return append(b, strings.ToValidUTF8(reason[:min(len(reason), MostControl-2)], "")...)
}

// Append appends a frame that is a whole message, or a control frame, to b. A client must
// mask its frames, a server must not.
func Append(b []byte, op Op, payload []byte, mask bool) []byte {
	var masks byte
	if mask {
		masks = bitMask
	}
	b = append(b, bitFin|byte(op))
	switch n := len(payload); {
	case n < shortest2:
		b = append(b, masks|byte(n))
	case n < 1<<16:
		b = binary.BigEndian.AppendUint16(append(b, masks|shortest2), uint16(n))
	default:
		b = binary.BigEndian.AppendUint64(append(b, masks|in8), uint64(n))
	}
	if !mask {
		return append(b, payload...)
	}
	var key [4]byte
	_, _ = rand.Read(key[:]) // never fails
	b = append(b, key[:]...)
	from := len(b)
	b = append(b, payload...)
	unmask(b[from:], key, 0)
	return b
}

// unmask masks or unmasks bytes that begin at a place of the payload.
func unmask(p []byte, key [4]byte, at int) {
	for i := range p {
		p[i] ^= key[(at+i)&3]
	}
}
