package sse

import "bytes"

// DefaultMaxLine is the longest line of a Cutter whose Max is 0.
const DefaultMaxLine = 1 << 20

// Cutter splits a body that arrives in arbitrary pieces into lines ending
// with LF, CRLF or CR. A line that ends with CR is complete at once. Waiting
// for an LF would delay it by a whole gap. The zero value is ready.
type Cutter struct {
	// Max is the longest line in bytes, without its end; 0 = DefaultMaxLine.
	Max int

	// Array: the body is one JSON array. Its elements are the lines, each complete with its
	// last brace: what stands between two of them arrives with the next.
	Array bool

	part        []byte // the start of an unfinished line
	depth       int    // of braces in it
	text, slash bool   // it ends within a string, and behind a backslash there
	extra       int    // bytes of line ends that count with the next line
	skipLF      bool   // the previous byte was a CR
	lineTooLong bool
}

// Next returns the first line that p completes, its size on the wire with its
// line end, and the rest of p. If p completes no line, ok is false and p is
// kept as the start of the next one. The line is valid until the next call
// and may be part of p.
func (c *Cutter) Next(p []byte) (line []byte, size int, rest []byte, ok bool) {
	if c.lineTooLong || len(p) == 0 {
		return nil, 0, nil, false
	}
	if c.Array {
		return c.element(p)
	}
	if c.skipLF {
		c.skipLF = false
		if p[0] == '\n' {
			c.extra++
			if p = p[1:]; len(p) == 0 {
				return nil, 0, nil, false
			}
		}
	}
	end, next := bytes.IndexByte(p, '\n'), 0
	head := p
	if end >= 0 {
		head, next = p[:end], end+1
	}
	if cr := bytes.IndexByte(head, '\r'); cr >= 0 {
		if cr+1 == end {
			next = end + 1
		} else {
			next = cr + 1
			c.skipLF = next == len(p)
		}
		end = cr
	}
	if end < 0 {
		c.keep(p)
		return nil, 0, nil, false
	}
	line, size = p[:end], next
	if len(c.part) > 0 || c.extra > 0 {
		size += len(c.part) + c.extra
		c.extra = 0
		if len(c.part) > 0 {
			c.part = append(c.part, line...)
			line = c.part
			c.part = c.part[:0]
		}
	}
	if len(line) > c.max() {
		c.lineTooLong = true
		return nil, 0, nil, false
	}
	return line, size, p[next:], true
}

// element is Next for the elements of an array.
func (c *Cutter) element(p []byte) (line []byte, size int, rest []byte, ok bool) {
	from := 0
	for i, b := range p {
		switch {
		case c.depth == 0 && b != '{':
			from = i + 1
			c.extra++
		case c.slash:
			c.slash = false
		case c.text:
			c.slash, c.text = b == '\\', b != '"'
		case b == '"':
			c.text = true
		case b == '{':
			c.depth++
		case b == '}':
			if c.depth--; c.depth > 0 {
				continue
			}
			c.keep(p[from : i+1])
			line, size, ok = c.Rest()
			return line, size, p[i+1:], ok
		}
	}
	if from < len(p) {
		c.keep(p[from:])
	}
	return nil, 0, nil, false
}

// keep stores the start of a line, unless it is already too long.
func (c *Cutter) keep(p []byte) {
	if len(c.part)+len(p) > c.max() {
		c.lineTooLong = true
		c.part = nil
		return
	}
	if need := len(c.part) + len(p); need > cap(c.part) {
		// Doubled, not grown by a quarter as append does for long slices: a line of
		// 1 MiB would allocate 6.
		grown := make([]byte, len(c.part), min(max(2*cap(c.part), need), c.max()))
		copy(grown, c.part)
		c.part = grown
	}
	c.part = append(c.part, p...)
}

func (c *Cutter) max() int {
	if c.Max > 0 {
		return c.Max
	}
	return DefaultMaxLine
}

// LineTooLong reports whether a line exceeded Max. After that Next returns no
// more lines.
func (c *Cutter) LineTooLong() bool { return c.lineTooLong }

// Rest returns the unfinished last line at the end of the body, and its size
// on the wire. ok is false if there is no such line; size is then that of what followed
// the last one.
func (c *Cutter) Rest() (line []byte, size int, ok bool) {
	if c.lineTooLong || len(c.part) == 0 {
		return nil, c.extra, false
	}
	line, size = c.part, len(c.part)+c.extra
	c.part, c.extra = c.part[:0], 0
	return line, size, true
}
