package secret

import (
	"bytes"
	"strings"
	"unsafe"
)

// Hit reports whether b holds a key known to s: in base64, without its first half,
// or unchanged, with or without JSON escapes. It allocates nothing, so it can check
// every event of a stream before the event is decoded or recorded.
func (s *Scrubber) Hit(b []byte) bool {
	list := s.known()
	if len(list) == 0 || len(b) == 0 {
		return false
	}
	text := unsafe.String(unsafe.SliceData(b), len(b)) // read only and not kept
	escaped := hasEscape(b)
	for i := range list {
		n := &list[i]
		if strings.Contains(text, n.text) || n.form == plainForm && escaped && hitEscaped(text, n.text) {
			return true
		}
	}
	return false
}

// hitEscaped reports whether text holds key with JSON escapes.
func hitEscaped(text, key string) bool {
	for at := range len(text) {
		if beginsWith(text[at:], key[0]) && matchBy(text, at, key, jsonUnit, len(key)) > 0 {
			return true
		}
	}
	return false
}

// beginsWith reports whether s may begin with c, unchanged or escaped.
func beginsWith(s string, c byte) bool {
	if s[0] != '\\' || len(s) < 2 || s[1] != 'u' {
		return s[0] == c || s[0] == '\\'
	}
	return c >= 0x80 || c == '\\' || len(s) > 3 && s[2:4] == "00"
}

// hasEscape reports whether text holds \u00XX, \/, \" or \\.
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
