package sse

import "encoding/json"

// matcher reports whether a growing text is one complete JSON object. It
// reads every byte once.
type matcher struct {
	pos    int  // read so far
	depth  int  // open braces and brackets
	str    bool // within a string
	esc    bool // after a backslash within a string
	closed bool // the outermost object was closed
	dead   bool // can never become a complete object
}

// complete continues with b, of which b[:m.pos] was already read. It reports
// whether b is now a complete object.
func (m *matcher) complete(b []byte) bool {
	for ; m.pos < len(b) && !m.dead; m.pos++ {
		m.step(b[m.pos])
	}
	if !m.closed || m.dead {
		return false
	}
	if !json.Valid(b) {
		m.dead = true // a complete but wrong object stays wrong
		return false
	}
	return true
}

func (m *matcher) step(c byte) {
	switch {
	case m.esc:
		m.esc = false
	case m.str:
		m.esc = c == '\\'
		m.str = c != '"'
	case c == ' ' || c == '\t' || c == '\n' || c == '\r':
	case m.closed, m.depth == 0 && c != '{':
		m.dead = true
	case c == '"':
		m.str = true
	case c == '{' || c == '[':
		m.depth++
	case c == '}' || c == ']':
		m.depth--
		m.closed = m.depth == 0
	}
}
