package dialect

import (
	"encoding/hex"
	"slices"
	"unicode/utf16"
	"unicode/utf8"
)

// maxDepth bounds the nesting of a document. A deeper one is malformed. Real
// chunks nest below 10, and encoding/json stops at 10000.
const maxDepth = 512

// scanner reads values of one JSON document without building a tree. Keys may
// have any order. A value that was not read before the next key or element is checked
// and skipped.
//
// It accepts every document that encoding/json accepts (up to maxDepth). It
// also accepts raw control characters in strings and the numbers NaN,
// Infinity and -Infinity, because servers write both. Once bad is set, every
// method returns at once.
//
// Returned slices point into the document or into scratch.
type scanner struct {
	b       []byte
	i       int
	value   int // where the value of the latest key or element begins
	depth   int // of the arrays and objects that skip is in
	bad     bool
	scratch []byte // unescaped texts
	below0  bool   // a count was negative, see tokens
}

// start begins a new document.
func (s *scanner) start(b []byte) {
	s.sub(b)
	s.below0, s.scratch = false, s.scratch[:0]
}

// sub begins a part of the document that raw returned, and keeps scratch.
func (s *scanner) sub(b []byte) {
	s.b, s.i, s.value, s.depth, s.bad = b, 0, -1, 0, false
}

// end reports whether the document was well-formed and completely read.
func (s *scanner) end() bool {
	s.blank()
	return !s.bad && s.i == len(s.b)
}

func (s *scanner) fail() {
	s.bad = true
	s.i = len(s.b)
}

func (s *scanner) blank() {
	for s.i < len(s.b) {
		switch s.b[s.i] {
		case ' ', '\n', '\r', '\t':
			s.i++
		default:
			return
		}
	}
}

// peek returns the first byte of the next value, 0 at the end.
func (s *scanner) peek() byte {
	if s.i < len(s.b) && s.b[s.i] > ' ' {
		return s.b[s.i] // servers write no blanks; this is short enough to be inlined
	}
	return s.peekBlank()
}

func (s *scanner) peekBlank() byte {
	s.blank()
	if s.i < len(s.b) {
		return s.b[s.i]
	}
	return 0
}

// begin notes that the value of a key or an element comes next.
func (s *scanner) begin() {
	s.peek()
	s.value = s.i
}

// pass skips the value of the latest key or element, unless that was read.
func (s *scanner) pass() {
	if s.i == s.value {
		s.skip()
	}
}

// keysOf is firstKey of a part of the document, see sub.
func (s *scanner) keysOf(b []byte) (key []byte, more bool) {
	s.sub(b)
	return s.firstKey()
}

// firstKey enters an object and returns its first key. more is false for an empty
// object, and for any other value, which is skipped.
func (s *scanner) firstKey() (key []byte, more bool) {
	if s.peek() != '{' {
		s.skip()
		return nil, false
	}
	s.i++
	if s.peek() == '}' {
		s.i++
		return nil, false
	}
	return s.key()
}

// nextKey returns the next key of the object, or leaves the object.
func (s *scanner) nextKey() (key []byte, more bool) {
	s.pass()
	switch s.peek() {
	case ',':
		s.i++
		return s.key()
	case '}':
		s.i++
	default:
		s.fail()
	}
	return nil, false
}

func (s *scanner) key() ([]byte, bool) {
	if s.peek() != '"' {
		s.fail()
		return nil, false
	}
	k := s.quoted()
	if s.peek() != ':' {
		s.fail()
		return nil, false
	}
	s.i++
	s.begin()
	return k, !s.bad
}

// elemsOf is firstElem of a part of the document, see sub.
func (s *scanner) elemsOf(b []byte) bool {
	s.sub(b)
	return s.firstElem()
}

// firstElem enters an array and reports whether it has an element. Any other value is
// skipped.
func (s *scanner) firstElem() bool {
	if s.peek() != '[' {
		s.skip()
		return false
	}
	s.i++
	if s.peek() == ']' {
		s.i++
		return false
	}
	s.begin()
	return !s.bad
}

// nextElem moves to the next element of the array, or leaves the array.
func (s *scanner) nextElem() bool {
	s.pass()
	switch s.peek() {
	case ',':
		s.i++
		s.begin()
		return true
	case ']':
		s.i++
	default:
		s.fail()
	}
	return false
}

// field reads the next value, an object, and returns the value of the last key that has one of
// the names, nil without one.
func (s *scanner) field(names ...string) (raw []byte) {
	for k, more := s.firstKey(); more; k, more = s.nextKey() {
		if slices.Contains(names, string(k)) {
			raw = s.raw()
		}
	}
	return raw
}

// fieldText is field for a text.
func (s *scanner) fieldText(names ...string) (t []byte) {
	for k, more := s.firstKey(); more; k, more = s.nextKey() {
		if slices.Contains(names, string(k)) {
			t, _ = s.text()
		}
	}
	return t
}

// text reads the next value if that is a string, else ok is false.
func (s *scanner) text() (t []byte, ok bool) {
	if s.peek() != '"' {
		return nil, false
	}
	t = s.quoted()
	return t, !s.bad
}

// raw returns the next value unchanged, nil for null.
func (s *scanner) raw() []byte {
	s.blank()
	from := s.i
	s.skip()
	if s.bad || s.b[from] == 'n' {
		return nil
	}
	return s.b[from:s.i]
}

// tokens reads the next value as asCount does, and notices a negative one.
func (s *scanner) tokens() int {
	raw := s.raw()
	s.below0 = s.below0 || len(raw) > 1 && raw[0] == '-'
	return asCount(raw)
}

// count returns the number of elements of the next value, an array, or -1.
func (s *scanner) count() int {
	if s.peek() != '[' {
		return -1
	}
	n := 0
	for more := s.firstElem(); more; more = s.nextElem() {
		n++
	}
	return n
}

// quoted reads a string whose opening quote is next. It returns unescaped
// valid UTF-8.
func (s *scanner) quoted() []byte {
	b, from := s.b, s.i+1
	i := toQuote(b, from, highs)
	if i < len(b) && b[i] == '"' { // keys and most texts: ASCII without escapes
		s.i = i + 1
		return b[from:i:i]
	}
	if i = toQuote(b, i, 0); i == len(b) {
		s.fail()
		return nil
	}
	if t := b[from:i:i]; b[i] == '"' && utf8.Valid(t) {
		s.i = i + 1
		return t
	}
	s.i = from
	return s.unescape()
}

// unescape is the slow path of quoted. It writes the text to scratch.
func (s *scanner) unescape() []byte {
	b, i := s.b, s.i
	out := s.scratch
	begin := len(out)
	for i < len(b) {
		c := b[i]
		switch {
		case c == '"':
			s.i = i + 1
			s.scratch = out
			return out[begin:len(out):len(out)]
		case c == '\\':
			if i+1 == len(b) {
				s.fail()
				return nil
			}
			i += 2
			switch e := b[i-1]; e {
			case '"', '\\', '/':
				out = append(out, e)
			case 'b':
				out = append(out, '\b')
			case 'f':
				out = append(out, '\f')
			case 'n':
				out = append(out, '\n')
			case 'r':
				out = append(out, '\r')
			case 't':
				out = append(out, '\t')
			case 'u':
				r := hex4(b, i)
				if r < 0 {
					s.fail()
					return nil
				}
				i += 4
				if utf16.IsSurrogate(r) {
					low := rune(-1)
					if i+1 < len(b) && b[i] == '\\' && b[i+1] == 'u' {
						low = hex4(b, i+2)
					}
					// A lone surrogate becomes U+FFFD, and the text after it is read
					// again.
					if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
						i += 6
					}
				}
				out = utf8.AppendRune(out, r)
			default:
				s.fail()
				return nil
			}
		case c < utf8.RuneSelf:
			out = append(out, c)
			i++
		default:
			r, n := utf8.DecodeRune(b[i:])
			out = utf8.AppendRune(out, r)
			i += n
		}
	}
	s.fail()
	return nil
}

// hex4 returns the value of four hexadecimal digits at i, or -1.
func hex4(b []byte, i int) rune {
	if i+4 > len(b) {
		return -1
	}
	var of [2]byte
	if _, err := hex.Decode(of[:], b[i:i+4]); err != nil {
		return -1
	}
	return rune(of[0])<<8 | rune(of[1])
}
