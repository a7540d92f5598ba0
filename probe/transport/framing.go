package transport

import (
	"bytes"
	"strconv"
)

// walker follows the framing of one HTTP/1.1 response through bytes in
// arbitrary pieces. It handles interim responses, status line and headers,
// then a body that is chunked, of known length, or ended by the connection.
// It is lenient; net/http above it is strict and decides on errors.
type walker struct {
	state  walkState
	line   []byte // beginning of an unfinished header or trailer line
	remain int64  // bytes of the body or chunk still to come
	digits int    // digits of a chunk's size
	cr     bool   // the previous byte was the CR after a chunk or its size

	limit  int  // longest header block; 0 = none
	socket bool // the request asks for a WebSocket
	head   int  // size of the header block so far
	status int
	old    bool // HTTP/1.0, which has no chunks
	// odd is set when net/http might reject this response or end it earlier,
	// because of a folded header or an invalid line end. The transport then
	// stops withholding bytes from net/http.
	odd      bool
	extended bool // the size of a chunk had an extension or blanks behind it
	chunked  bool
	length   int64 // Content-Length, -1 unknown
	plain    bool  // no Content-Encoding
	stream   bool  // a 2xx whose body may be an event stream
	unsaid   bool  // the same, and its content type does not say so: its first bytes decide
	whole    wholeChunks
}

// wholeChunks are the chunks of a body's framing that lie whole within the bytes of
// the last feed: its bytes from..to. Without any, from and to are equal.
type wholeChunks struct {
	from, to int
	begun    bool  // from and to are set: a chunk ends or begins within those bytes
	before   int64 // bytes of the body up to from
	n        int64 // between from and to
	after    int64 // behind to, or in all of the feed
}

// boundary notes that a chunk ends, or the feed begins between two of them, at a
// place in the bytes of the feed.
func (w *walker) boundary(at int) {
	k := &w.whole
	if k.begun {
		k.to, k.n = at, k.n+k.after
	} else {
		k.from, k.to, k.before, k.begun = at, at, k.after, true
	}
	k.after = 0
}

type walkState uint8

const (
	inStatus walkState = iota
	inHeader
	inLength
	inClose
	inChunkSize
	inChunkPad
	inChunkExt
	inChunk
	inChunkEnd
	inTrailer
	walkDone
	walkLost // not understood: net/http will report the error
	inFrames // of a WebSocket, which the connection stays
)

// walkEvents receives a walker's reports, in the order of the bytes.
type walkEvents interface {
	responseBegins()  // first byte of a response, including interim ones
	responseHeaders() // last byte of the final response's header block
	responseBody([]byte)
	responseEnds()
}

func (w *walker) feed(p []byte, to walkEvents) {
	size := len(p)
	if w.whole = (wholeChunks{}); w.state == inChunkSize && w.digits == 0 {
		w.boundary(0)
	}
	for len(p) > 0 {
		switch w.state {
		case inStatus, inHeader:
			p = w.header(p, to)
		case inLength, inChunk:
			n := min(int64(len(p)), w.remain)
			to.responseBody(p[:n])
			p = p[n:]
			w.whole.after += n
			if w.remain -= n; w.remain == 0 {
				if w.state == inLength {
					w.end(to)
				} else {
					w.state = inChunkEnd
				}
			}
		case inClose, inFrames:
			to.responseBody(p)
			return
		case inChunkSize, inChunkPad, inChunkExt:
			p = w.chunkSize(p)
		case inChunkEnd:
			w.endOfLine(p[0])
			if p[0] == '\n' {
				w.state, w.remain, w.digits = inChunkSize, 0, 0
				w.boundary(size - len(p) + 1)
			} else if p[0] != '\r' {
				w.state = walkLost
			}
			p = p[1:]
		case inTrailer:
			line, rest, ok := w.cut(p)
			if p = rest; ok && len(line) == 0 {
				w.end(to)
			}
		default:
			return
		}
	}
}

func (w *walker) end(to walkEvents) {
	w.state = walkDone
	to.responseEnds()
}

// cut returns the next header line without its end.
func (w *walker) cut(p []byte) (line, rest []byte, ok bool) {
	i := bytes.IndexByte(p, '\n')
	if i < 0 {
		w.head += len(p)
		if w.limit <= 0 || w.head <= w.limit {
			w.line = append(w.line, p...)
		}
		return nil, nil, false
	}
	w.head += i + 1
	line = p[:i]
	if len(w.line) > 0 {
		w.line = append(w.line, line...)
		line = w.line
		w.line = w.line[:0]
	}
	return bytes.TrimSuffix(line, []byte{'\r'}), p[i+1:], true
}

func (w *walker) header(p []byte, to walkEvents) []byte {
	if w.state == inStatus && w.head == 0 {
		to.responseBegins()
	}
	line, rest, ok := w.cut(p)
	if w.limit > 0 && w.head > w.limit {
		w.state = walkLost
		return nil
	}
	switch {
	case !ok:
	case w.state == inStatus:
		w.statusLine(line)
	case len(line) > 0:
		w.field(line)
	case w.status >= 100 && w.status < 200 && w.status != 101:
		*w = walker{limit: w.limit, line: w.line, socket: w.socket}
	default:
		w.head = 0
		to.responseHeaders()
		w.body(to)
	}
	return rest
}

func (w *walker) statusLine(line []byte) {
	w.state, w.length, w.plain, w.stream = inHeader, -1, true, true
	proto, after, ok := bytes.Cut(line, []byte{' '})
	if ok && bytes.HasPrefix(proto, []byte("HTTP/1.")) && len(after) >= 3 {
		if n, err := strconv.Atoi(string(after[:3])); err == nil {
			w.status, w.old = n, string(proto) == "HTTP/1.0"
			return
		}
	}
	w.state = walkLost
}

func (w *walker) field(line []byte) {
	w.odd = w.odd || line[0] == ' ' || line[0] == '\t'
	name, value, ok := bytes.Cut(line, []byte{':'})
	if !ok {
		return
	}
	value = bytes.TrimSpace(value)
	switch string(bytes.ToLower(name)) {
	case "transfer-encoding":
		w.chunked = bytes.EqualFold(value, []byte("chunked"))
	case "content-length":
		if n, err := strconv.ParseInt(string(value), 10, 64); err == nil && n >= 0 {
			w.length = n
		}
	case "content-encoding":
		w.plain = !encoded(string(value))
	case "content-type":
		w.stream = streamable(string(value))
	}
}

// body determines how the body ends.
func (w *walker) body(to walkEvents) {
	ok := w.plain && w.status >= 200 && w.status < 300
	w.stream, w.unsaid = w.stream && ok, !w.stream && ok
	switch {
	case w.status == 101 && w.socket:
		w.state = inFrames
	case w.status == 101 || w.status == 204 || w.status == 304:
		w.end(to)
	case w.chunked && !w.old:
		w.state = inChunkSize
	case w.length == 0:
		w.end(to)
	case w.length > 0:
		w.state, w.remain = inLength, w.length
	default:
		w.state = inClose
	}
}

// endOfLine checks the position of c, in or after a chunk's size or after its
// data. net/http accepts LF only after CR, and CR nowhere else.
func (w *walker) endOfLine(c byte) {
	w.odd = w.odd || w.cr != (c == '\n')
	w.cr = c == '\r'
}

// chunkSize reads the hexadecimal size line of a chunk, including extensions.
func (w *walker) chunkSize(p []byte) []byte {
	for i, c := range p {
		d := int64(-1)
		w.endOfLine(c)
		switch {
		case c == '\n':
			switch {
			case w.digits == 0:
				w.state = walkLost
			case w.remain == 0:
				w.state = inTrailer
			default:
				w.state = inChunk
			}
			return p[i+1:]
		case w.state == inChunkExt:
			continue
		case c == ' ' || c == '\t':
			w.state = inChunkPad
			continue
		case w.state == inChunkPad || c == ';' || c == '\r':
			w.odd = w.odd || w.state == inChunkPad && c != '\r'
			w.extended = w.extended || c != '\r' || w.state == inChunkPad
			w.state = inChunkExt
			continue
		case c >= '0' && c <= '9':
			d = int64(c - '0')
		case c >= 'a' && c <= 'f':
			d = int64(c-'a') + 10
		case c >= 'A' && c <= 'F':
			d = int64(c-'A') + 10
		}
		if d < 0 || w.digits >= 15 {
			w.state = walkLost
			return nil
		}
		w.remain, w.digits = w.remain<<4|d, w.digits+1
	}
	return nil
}
