package dialect

// skip skips the next value and checks that it is well-formed.
func (s *scanner) skip() {
	switch c := s.peek(); c {
	case '"':
		s.skipQuoted()
	case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		s.number()
	default:
		s.skipAny()
	}
}

// skipAny is skip for arrays and objects. It does not recurse: hostile
// nesting cannot exhaust the stack.
func (s *scanner) skipAny() {
	var kinds [maxDepth / 64]uint64 // one bit per level: 1 for an object
	depth := 0
	for {
		// One value, or the opening of one.
		switch c := s.peek(); c {
		case '"':
			s.skipQuoted()
		case '{', '[':
			if depth == maxDepth {
				s.fail()
				return
			}
			s.i++
			bit := uint64(1) << (depth % 64)
			if c == '{' {
				kinds[depth/64] |= bit
			} else {
				kinds[depth/64] &^= bit
			}
			depth++
			if s.peek() != c+2 { // '}' and ']' are two after their opening characters
				if c == '{' {
					s.skipKey()
				}
				if s.bad {
					return
				}
				continue
			}
		case 't':
			s.word("true")
		case 'f':
			s.word("false")
		case 'n':
			s.word("null")
		case 'N':
			s.word("NaN")
		case 'I':
			s.word("Infinity")
		default:
			s.number()
		}
		// After the value: closing brackets, then a comma and the next value.
		for {
			if s.bad || depth == 0 {
				return
			}
			object := kinds[(depth-1)/64]&(1<<((depth-1)%64)) != 0
			c := s.peek()
			s.i++
			if c == ',' {
				if object {
					s.skipKey()
				}
				if s.bad {
					return
				}
				break
			}
			if object && c != '}' || !object && c != ']' {
				s.fail()
				return
			}
			depth--
		}
	}
}

func (s *scanner) skipKey() {
	if s.peek() != '"' {
		s.fail()
		return
	}
	s.skipQuoted()
	if s.peek() != ':' {
		s.fail()
		return
	}
	s.i++
}

// skipQuoted skips a string whose opening quote is next.
func (s *scanner) skipQuoted() {
	b := s.b
	for i := toQuote(b, s.i+1); i < len(b); i = toQuote(b, i) {
		if b[i] == '"' {
			s.i = i + 1
			return
		}
		if i+1 == len(b) {
			break
		}
		switch b[i+1] {
		case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			i += 2
		case 'u':
			if hex4(b, i+2) < 0 {
				s.fail()
				return
			}
			i += 6
		default:
			s.fail()
			return
		}
	}
	s.fail()
}

func (s *scanner) word(w string) {
	if len(s.b)-s.i < len(w) || string(s.b[s.i:s.i+len(w)]) != w {
		s.fail()
		return
	}
	s.i += len(w)
}

// number skips a number of the JSON grammar, or -Infinity.
func (s *scanner) number() {
	b, i := s.b, s.i
	if i < len(b) && b[i] == '-' {
		i++
		if i < len(b) && b[i] == 'I' {
			s.i = i
			s.word("Infinity")
			return
		}
	}
	ok := true
	if i < len(b) && b[i] == '0' {
		i++
	} else if i, ok = digits(b, i); !ok {
		s.fail()
		return
	}
	if i < len(b) && b[i] == '.' {
		if i, ok = digits(b, i+1); !ok {
			s.fail()
			return
		}
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		if i, ok = digits(b, i); !ok {
			s.fail()
			return
		}
	}
	s.i = i
}

// digits returns the end of the digits that start at i. ok is false without
// any.
func digits(b []byte, i int) (end int, ok bool) {
	from := i
	for i < len(b) && b[i]-'0' <= 9 {
		i++
	}
	return i, i > from
}
