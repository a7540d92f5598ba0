package sanitize

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Block returns the sanitized s, which may have several lines.
func Block(s string) string {
	if plain(s) {
		return s
	}
	return string(new(Decoder).Append(nil, []byte(s), true))
}

// Line returns the sanitized s as one line of at most max columns. A longer
// one ends with "…". Line breaks with surrounding blanks become one space,
// and none at the ends. A max of 0 or less returns "".
func Line(s string, max int) string {
	if max <= 0 {
		return ""
	}
	if len(s) <= max && plain(s) {
		return s
	}
	// Bound the work by the result: a column holds at most one character, and a
	// character at most clusterMax bytes.
	cut := false
	if most := (max + 2) * clusterMax; most > 0 && len(s) > most {
		s, cut = s[:most], true
	}
	return truncate(oneLine(Block(s)), max, cut)
}

// truncate cuts the sanitized line s to max columns. With always it adds the
// ellipsis even if s fits.
func truncate(s string, max int, always bool) string {
	used, keep := 0, 0 // keep is the end of the part that leaves room for the ellipsis
	for i := 0; i < len(s); {
		n, w, _ := Cluster(s[i:])
		used += w
		i += n
		if used < max {
			keep = i
		}
		if used > max {
			always = true
			break
		}
	}
	if !always {
		return s
	}
	return s[:keep] + "…"
}

// oneLine joins the lines of s with one space.
func oneLine(s string) string {
	if strings.IndexByte(s, '\n') < 0 {
		return s
	}
	var b strings.Builder
	for line := range strings.SplitSeq(s, "\n") {
		if line = trim(line); line == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(line)
	}
	return b.String()
}

// trim removes blanks from both ends of a sanitized line, except a blank that
// is the base of a combining mark.
func trim(line string) string {
	short := strings.Trim(line, " ")
	if first, _ := utf8.DecodeRuneInString(short); len(short) < len(line) && unicode.Is(unicode.M, first) {
		return " " + short
	}
	return short
}

// plain reports whether s is one line of printable ASCII.
func plain(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] >= 0x7f {
			return false
		}
	}
	return len(s) <= MaxLine
}

// CSV returns the faithfully sanitized s, of one or more lines, for a cell of a
// spreadsheet. A text that a spreadsheet would run as a formula gets a
// leading apostrophe. It begins, after blanks, with = + - @ or their
// full-width forms. encoding/csv does the quoting. Do not pass the program's
// own numbers.
func CSV(s string) string {
	if !plain(s) {
		s = string((&Decoder{Faithful: true}).Append(nil, []byte(s), true))
	}
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(s, " \n"))
	switch r {
	case '=', '+', '-', '@', '＝', '＋', '－', '＠':
		return "'" + s
	}
	return s
}
