// Package ink is what all screens draw with: a Pen that knows the grid and the
// glyphs and writes boxes, texts and times (pen.go), Lines that fill a row from
// the left (line.go), and below them the room for the strings of one frame and
// the letters of a terminal that has only ASCII (ink.go).
package draw

import "unicode/utf8"

// IsASCII reports whether s needs no other letters.
func IsASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// AppendASCII appends one of our own texts in ASCII's letters. What has none
// becomes "?".
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

// letters replace the few characters beyond ASCII that our own texts use.
var letters = map[rune]string{
	'–': "-", '─': "-", '━': "=", '−': "-", '…': "~", '×': "x", '÷': "/", '·': ".", '→': ">", '←': "<", '↑': "^", '↓': "v", '▸': ">",
	'≤': "<=", '≥': ">=", '“': `"`, '”': `"`, 'µ': "u", '▲': "!", '✓': "+", '✗': "x", '┄': ".", '●': "*", '○': "o", '±': "+-", '²': "2",
	'▂': ".", '░': ".", '▒': ":", '▓': "%", '█': "#", '╎': ":",
}
