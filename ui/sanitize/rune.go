package sanitize

import (
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// dot replaces a character that is not printed. Screens may draw every dot
// dim: a real one stays readable.
const dot = '·'

const (
	picture   = 0x2400 // U+2400+c is the picture of control character c
	pictureCR = picture + '\r'
	pictureDE = 0x2421 // the picture of DEL

	flagA, flagZ = 0x1F1E6, 0x1F1FF // regional indicators, the letters of flags
)

// invisible reports whether r has no shape, or no known one. That is
// everything except letters, marks, numbers, punctuation, symbols and spaces,
// and of these the default-ignorable ones.
func invisible(r rune) bool {
	return !unicode.IsGraphic(r) ||
		unicode.Is(unicode.Variation_Selector, r) ||
		unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
}

// alone reports whether r never joins the previous character and is one
// character of undisputed width. It knows most of the world's text by its
// block, without the Unicode tables. It may return false for such a rune.
func alone(r rune) bool {
	switch {
	case r < 0x300:
		return r >= 0x20 && r < 0x7f || r > 0xa0 && r != 0xad
	case r < 0x400: // Greek
		return r >= 0x391 && r <= 0x3e1 && r != 0x3a2
	case r < 0x483: // Cyrillic
		return true
	case r < 0x2010:
		return false
	case r <= 0x2027: // dashes, quotes, bullets
		return true
	case r < 0x2500:
		return false
	case r < 0x25a0: // box drawing, blocks
		return true
	case r < 0x3001:
		return false
	case r <= 0x3029: // punctuation
		return true
	case r < 0x3041:
		return false
	case r <= 0x3096, r >= 0x30a1 && r <= 0x30fa: // kana
		return true
	case r < 0x4e00:
		return false
	case r < 0xa000, r >= 0xac00 && r <= 0xd7a3: // CJK, Hangul
		return true
	}
	return r >= 0xff01 && r <= 0xff60 // full-width ASCII
}

// standing reports whether r may be a character by itself. Its width is
// undisputed, it does not join the previous character, and the next one does
// not join it. A few signs of Indic scripts fail the last test.
func standing(r rune) bool {
	var b [utf8.UTFMax + 2]byte
	b[0] = 'a'
	n := 1 + utf8.EncodeRune(b[1:], r)
	b[n] = 'a'
	return agreed(b[1:n]) && size(b[:n]) == 1 && size(b[1:n+1]) == n-1
}

// size returns the number of bytes of the first character of b.
func size(b []byte) int {
	first, _ := ansi.FirstGraphemeCluster(b, ansi.GraphemeWidth)
	return len(first)
}

// jamo reports whether r is a part of a decomposed Hangul syllable. Vowels
// and finals have no column on most terminals and one on others. An initial
// joins the next syllable.
func jamo(r rune) bool {
	return r >= 0x1100 && r <= 0x11ff || r >= 0xa960 && r <= 0xa97c || r >= 0xd7b0 && r <= 0xd7fb
}

// agreed reports whether b is one character for which both ways of counting
// give the same width, 1 or 2.
func agreed(b []byte) bool {
	c, w := ansi.FirstGraphemeCluster(b, ansi.GraphemeWidth)
	_, wc := ansi.FirstGraphemeCluster(b, ansi.WcWidth)
	return len(c) == len(b) && w == wc && (w == 1 || w == 2)
}

// clusterMax is the maximum length in bytes of a character of several code
// points.
const clusterMax = 32

// cluster is the last written character, which the next code point may join.
type cluster struct {
	b     [clusterMax]byte
	n     int // 0: nothing to join
	marks int // combining marks in it
}

func (c *cluster) none() { c.n, c.marks = 0, 0 }

// start makes r the character.
func (c *cluster) start(r rune) { c.n, c.marks = utf8.EncodeRune(c.b[:], r), 0 }

// joins reports whether r and the current character form one character.
func (c *cluster) joins(r rune) bool {
	if c.n == 0 {
		return false
	}
	var b [clusterMax + utf8.UTFMax]byte
	n := copy(b[:], c.b[:c.n])
	n += utf8.EncodeRune(b[n:], r)
	return size(b[:n]) == n
}

// add adds r to the character if the result may be printed.
func (c *cluster) add(r rune) bool {
	mark := unicode.Is(unicode.M, r)
	if mark && c.marks == 2 || c.n+utf8.RuneLen(r) > len(c.b) {
		return false
	}
	var b [clusterMax]byte
	n := copy(b[:], c.b[:c.n])
	n += utf8.EncodeRune(b[n:], r)
	if !agreed(b[:n]) {
		return false
	}
	c.b, c.n = b, n
	if mark {
		c.marks++
	}
	return true
}
