package endpoint

import "strings"

// lines finds the line of every table and key of a TOML text that has already
// been parsed, by its dotted name in lower case. Keys within inline tables are
// not found; lineOf then gives the line of the key around them.
func lines(text string) map[string]int {
	s := &lineScanner{text: text, line: 1, found: map[string]int{}}
	table := ""
	for s.space(); !s.end(); s.space() {
		if s.text[s.at] == '[' {
			line := s.line
			for !s.end() && s.text[s.at] == '[' {
				s.at++
			}
			table = s.key()
			s.set(table, line)
			s.skipTo("\n")
			continue
		}
		line, from := s.line, s.at
		k := s.key()
		if table != "" {
			k = table + "." + k
		}
		s.set(k, line)
		s.value()
		if s.at == from {
			s.at++ // nothing that TOML knows: never stand still
		}
	}
	return s.found
}

// lineOf is the line of key or of the nearest table or key around it, 0 when
// there is none.
func lineOf(found map[string]int, key []string) int {
	for n := len(key); n > 0; n-- {
		if l := found[strings.ToLower(strings.Join(key[:n], "."))]; l > 0 {
			return l
		}
	}
	return 0
}

type lineScanner struct {
	text  string
	at    int
	line  int
	found map[string]int
}

func (j *lineScanner) end() bool { return j.at >= len(j.text) }

func (s *lineScanner) set(key string, line int) {
	if key = strings.ToLower(key); s.found[key] == 0 {
		s.found[key] = line
	}
}

// space skips white space, line ends and comments.
func (s *lineScanner) space() {
	for !s.end() {
		switch s.text[s.at] {
		case '\n':
			s.line++
			s.at++
		case ' ', '\t', '\r':
			s.at++
		case '#':
			s.skipTo("\n")
		default:
			return
		}
	}
}

// skipTo moves to the next byte of stop, or to the end.
func (s *lineScanner) skipTo(stop string) {
	for !s.end() && strings.IndexByte(stop, s.text[s.at]) < 0 {
		s.at++
	}
}

// key reads a dotted key up to "=", "]" or the line's end.
func (s *lineScanner) key() string {
	var parts []string
	var b strings.Builder
	for !s.end() {
		switch c := s.text[s.at]; c {
		case '=', ']', '\n', '#':
			return strings.Join(append(parts, b.String()), ".")
		case '.':
			parts = append(parts, b.String())
			b.Reset()
			s.at++
		case '"', '\'':
			from := s.at + 1
			s.str()
			b.WriteString(strings.TrimSuffix(s.text[from:s.at], string(c)))
		case ' ', '\t', '\r':
			s.at++
		default:
			b.WriteByte(c)
			s.at++
		}
	}
	return strings.Join(append(parts, b.String()), ".")
}

// value skips a value and what stands behind it to the end of its line, which
// for lists, tables and multi-line strings may be further down.
func (s *lineScanner) value() {
	depth := 0
	for !s.end() {
		switch s.text[s.at] {
		case '"', '\'':
			s.str()
			continue
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		case '#':
			s.skipTo("\n")
			continue
		case '\n':
			if depth <= 0 {
				return
			}
			s.line++
		}
		s.at++
	}
}

// str skips a string of any of TOML's four kinds.
func (s *lineScanner) str() {
	q := s.text[s.at : s.at+1]
	if long := strings.Repeat(q, 3); strings.HasPrefix(s.text[s.at:], long) {
		q = long
	}
	s.at += len(q)
	for !s.end() {
		switch c := s.text[s.at]; {
		case c == '\\' && q[0] == '"':
			s.at++
			if !s.end() && s.text[s.at] == '\n' {
				continue
			}
		case strings.HasPrefix(s.text[s.at:], q):
			s.at += len(q)
			return
		case c == '\n':
			if len(q) == 1 {
				return
			}
			s.line++
		}
		if !s.end() {
			s.at++
		}
	}
}
