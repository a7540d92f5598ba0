package dialect

// skip skips the next value and checks that it is well-formed.
func (s *scanner) skip() {
	switch s.peek() {
	case '"':
		kept := len(s.scratch)
		s.quoted()
		s.scratch = s.scratch[:kept]
	case '{':
		s.enter()
		for _, more := s.firstKey(); more; {
			_, more = s.nextKey()
		}
		s.depth--
	case '[':
		s.enter()
		for more := s.firstElem(); more; {
			more = s.nextElem()
		}
		s.depth--
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
}

// enter counts a level of nesting. Hostile nesting cannot exhaust the stack.
func (s *scanner) enter() {
	if s.depth++; s.depth > maxDepth {
		s.fail()
	}
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
