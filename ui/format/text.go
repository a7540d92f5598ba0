package format

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"tokscope/ui/sanitize"
)

// Plural is a count with its noun: "1 chunk", "12,345 chunks".
func Plural(n int, one, many string) string {
	return Count(n) + " " + Either(n == 1, one, many)
}

// Either is a where is is true, else b.
func Either[T any](is bool, a, b T) T {
	if is {
		return a
	}
	return b
}

// If is text where is is true, else "".
func If(is bool, text string) string { return Either(is, text, "") }

// Written are the texts that are not "".
func Written(texts ...string) []string {
	return slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return text == "" })
}

// Join joins the parts that are not empty with sep.
func Join(sep string, parts ...string) string { return strings.Join(Written(parts...), sep) }

// Few are the first of parts, at most so many, and how many more there are.
func Few(parts []string, most int) []string {
	if more := len(parts) - most; more > 0 {
		return append(parts[:most:most], Count(more)+" more")
	}
	return parts
}

// List joins names: "TTFT", "TTFT and TPOT", "TTFT, TPOT and total".
func List(names []string, and string) string {
	last := max(len(names)-1, 0)
	return Join(" "+and+" ", strings.Join(names[:last], ", "), strings.Join(names[last:], ""))
}

// Tie is a blank at which Wrap does not break a row: a number stays with its
// name and its unit. It is written as a blank.
const Tie = "\u00a0"

// Wrap breaks a text between words into rows of at most w columns. A longer
// word gets a longer row, so that a path or an address can be copied. The
// result has at least one row. It does not use ansi.Wrap, which breaks after
// every hyphen, and so within a flag, a model's name and a negative number.
func Wrap(s string, w int) []string {
	var out []string
	row, used := "", 0
	for word := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == ' ' || r == '\n' || r == '\t' }) {
		word = strings.ReplaceAll(word, Tie, " ")
		n := ansi.StringWidth(word)
		switch {
		case row == "":
			row, used = word, n
		case used+1+n <= w:
			row += " " + word
			used += 1 + n
		default:
			out = append(out, row)
			row, used = word, n
		}
	}
	return append(out, row)
}

// Clauses returns the longest beginning of text for which fits is true: the whole
// text, or without its last clauses. A clause ends before "; " or " · ", and where
// no such beginning fits before ", ", each outside of parentheses. "" is none.
func Clauses(text string, fits func(string) bool) string {
	if fits(text) {
		return text
	}
	for _, ends := range [][]string{{"; ", " · "}, {", "}} {
		longest, depth := "", 0
		for i := range len(text) {
			switch text[i] {
			case '(':
				depth++
			case ')':
				depth--
			}
			for _, end := range ends {
				if depth == 0 && i > 0 && strings.HasPrefix(text[i:], end) && fits(text[:i]) {
					longest = text[:i]
				}
			}
		}
		if longest != "" {
			return longest
		}
	}
	return ""
}

// IsASCII reports whether s is all ASCII.
func IsASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}

// AppendASCII appends one of the program's own texts in ASCII. A character
// without a replacement becomes "?".
func AppendASCII(dst []byte, s string) []byte {
	for _, r := range s {
		switch to, ok := letters[r]; {
		case ok:
			dst = append(dst, to...)
		case r < utf8.RuneSelf:
			dst = append(dst, byte(r))
		default:
			dst = append(dst, '?')
		}
	}
	return dst
}

// ASCII is AppendASCII as a string.
func ASCII(s string) string {
	if IsASCII(s) {
		return s
	}
	return string(AppendASCII(nil, s))
}

// letters replace the characters beyond ASCII in the program's own texts.
var letters = map[rune]string{
	'–': "-", '─': "-", '━': "=", '−': "-", '…': "~", '×': "x",
	'÷': "/", '·': ".", '→': ">", '←': "<", '↑': "^", '↓': "v", '▸': ">",
	'≤': "<=", '≥': ">=", '“': `"`, '”': `"`, 'µ': "u", '▲': "!",
	'✓': "+", '✗': "x", '┄': ".", '●': "*", '○': "o", '±': "+-", '²': "2",
	'▂': ".", '░': ".", '▒': ":", '▓': "%", '█': "#", '╎': ":", '\u00a0': " ",
}

// Name returns a name from outside, harmless, as one line of at most w columns. A longer
// one loses its middle, an address before that its scheme: names of one kind differ at their
// ends, addresses by their port.
func Name(s string, w int) string {
	if s = sanitize.Line(s, nameMost); len(s) <= w || w < leastName {
		return sanitize.Line(s, w)
	}
	if scheme, address, ok := strings.Cut(s, "://"); ok && !strings.Contains(scheme, " ") && ansi.StringWidth(s) > w {
		s = address
	}
	width := ansi.StringWidth(s)
	if width <= w {
		return s
	}
	head, before, after := 0, (w-1)/2, w/2
	for i, used := 0, 0; ; {
		n, columns, _ := sanitize.Cluster(s[i:])
		if used <= before {
			head = i
		}
		if width-used <= after {
			return s[:head] + "…" + s[i:]
		}
		i, used = i+n, used+columns
	}
}

// nameMost bounds what Name reads of a name. Below leastName columns it has no middle.
const nameMost, leastName = 400, 5
