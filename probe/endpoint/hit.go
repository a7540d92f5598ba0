package endpoint

import (
	"bytes"
	"unsafe"
)

// Hit reports whether b holds a key that s was told of, as it is, in base64, or
// written with JSON's escapes. It allocates nothing, so that every event of a
// stream can be asked about before it is decoded or recorded.
func (s *Scrubber) Hit(b []byte) bool {
	if s == nil || len(b) == 0 {
		return false
	}
	list := s.needles.Load()
	if list == nil {
		return false
	}
	text := unsafe.String(unsafe.SliceData(b), len(b)) // only read, and not kept
	for i := range *list {
		n := (*list)[i].text
		if bytes.Contains(b, unsafe.Slice(unsafe.StringData(n), len(n))) {
			return true
		}
	}
	// Only text with an escape that can stand for a visible ASCII character
	// needs the slow way.
	if !hasEscape(b) {
		return false
	}
	for i := range *list {
		n := &(*list)[i]
		if n.form {
			continue
		}
		for at := range len(text) {
			if begins(text[at:], n.text[0]) && matchBy(text, at, n.text, jsonUnit, len(n.text)) > 0 {
				return true
			}
		}
	}
	return false
}

// begins reports whether s may begin with c: as it is, or escaped.
func begins(text string, c byte) bool {
	if text[0] != '\\' || len(text) < 2 || text[1] != 'u' {
		return text[0] == c || text[0] == '\\'
	}
	return c >= 0x80 || c == '\\' || len(text) > 3 && text[2:4] == "00"
}

// hasEscape finds \u00XX, \/ , \" and \\ .
func hasEscape(b []byte) bool {
	for {
		i := bytes.IndexByte(b, '\\')
		if i < 0 || i+1 >= len(b) {
			return false
		}
		switch b[i+1] {
		case '/', '"', '\\', '\'':
			return true
		case 'u':
			if bytes.HasPrefix(b[i+2:], []byte("00")) {
				return true
			}
		}
		b = b[i+2:]
	}
}
