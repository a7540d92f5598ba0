package secret

import (
	"bytes"
	"strings"
	"unsafe"
)

// Hit reports whether b holds a key known to s: in base64 or hexadecimal,
// reversed, without its first half, or unchanged, in any case, with JSON escapes
// or gaps. It allocates nothing, so it can check every event of a stream before
// the event is decoded or recorded.
func (s *Scrubber) Hit(b []byte) bool {
	if s == nil || len(b) == 0 {
		return false
	}
	list := s.needles.Load()
	if list == nil {
		return false
	}
	text := unsafe.String(unsafe.SliceData(b), len(b)) // read only and not kept
	escaped := hasEscape(b)
	for i := range *list {
		n := &(*list)[i]
		if n.form == base64Form {
			if strings.Contains(text, n.text) {
				return true
			}
			continue
		}
		if n.form == plainForm && escaped && hitEscaped(text, n.text) {
			return true
		}
		first := lower(n.text[0])
		other := first
		if 'a' <= first && first <= 'z' {
			other = first - 'a' + 'A'
		}
		if hitFrom(text, n, first) || other != first && hitFrom(text, n, other) {
			return true
		}
	}
	return false
}

// hitFrom reports whether n begins somewhere in text with the byte c.
func hitFrom(text string, n *needle, c byte) bool {
	for at := 0; ; at++ {
		i := strings.IndexByte(text[at:], c)
		if i < 0 {
			return false
		}
		if at += i; hasFold(text[at:], n.text) || n.form == plainForm && spaced(text, at, n.text) > 0 {
			return true
		}
	}
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
		return lower(s[0]) == lower(c) || s[0] == '\\'
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
