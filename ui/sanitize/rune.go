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

	zwnj, zwj = 0x200c, 0x200d // tell whether two characters are drawn as one
	blackFlag = 0x1f3f4        // tags behind it make it that of a region
)

// invisible reports whether r has no shape, or no known one. That is
// everything except letters, marks, numbers, punctuation, symbols and spaces,
// and of these the default-ignorable ones.
func invisible(r rune) bool {
	return !unicode.IsGraphic(r) ||
		unicode.Is(unicode.Variation_Selector, r) ||
		unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
}

// controls reports whether the invisible r controls what is around it: the
// direction of a text, or where its lines end.
func controls(r rune) bool {
	return unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp)
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

const (
	// clusterMax is the maximum length in bytes of a character of several code
	// points. A kiss of two people with skin tones has 35, a conjunct of six
	// consonants with its vowel 36.
	clusterMax = 64
	// marksMax is the maximum number of combining marks in a row. A letter of the
	// Hebrew Bible has four.
	marksMax = 4
	// widthMax is the maximum width of a character, in columns. Terminals that count
	// code points give a conjunct one for each of its letters.
	widthMax = 6
)

// Cluster returns the length in bytes of the first character of s that a person
// sees (a grapheme cluster), and the columns to keep for it, at most 6. That is 0 for
// one without a column, as a mark at the beginning of s. loose reports
// that terminals may give it more or fewer columns, as they count either whole
// characters or code points: what follows must then be placed by itself. Where the
// character is wide in itself that second count is not kept for it: it has the parts of
// an emoji side by side, and the first of them is enough.
func Cluster(s string) (n, w int, loose bool) {
	c, w := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
	r, size := utf8.DecodeRuneInString(c)
	if len(c) == size && alone(r) {
		return size, w, false
	}
	points := ansi.StringWidthWc(c)
	loose = len(c) > size || points != w
	if w < 2 {
		w = min(max(w, points), widthMax)
	}
	return len(c), w, loose
}

// size returns the number of bytes of the first character of b.
func size(b []byte) int {
	first, _ := ansi.FirstGraphemeCluster(b, ansi.GraphemeWidth)
	return len(first)
}

// cluster is the last written character, which the next code point may join.
type cluster struct {
	b     [clusterMax]byte
	n     int // 0: nothing to join
	marks int // combining marks at its end
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

// shapedBy reports whether the invisible r tells how the character is drawn: a
// joiner between parts of an emoji or letters of scripts that join, a variation of a
// symbol or an ideograph, the region of a flag. Behind others it would only hide
// something.
func (c *cluster) shapedBy(r rune) bool {
	first, _ := utf8.DecodeRune(c.b[:c.n])
	last, _ := utf8.DecodeLastRune(c.b[:c.n])
	joining := first >= 0x590 // behind Latin, Greek, Cyrillic and Armenian
	switch {
	case c.n == 0:
		return false
	case r == zwnj || r == zwj:
		return joining && last != zwnj && last != zwj
	case unicode.Is(unicode.Variation_Selector, r):
		return !invisible(last) && (joining || !unicode.IsLetter(first) && first != ' ')
	}
	return first == blackFlag && r > 0xe0000 && r < 0xe0080
}

// add adds r to the character if it stays within bounds.
func (c *cluster) add(r rune) bool {
	mark := unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Me, r)
	if mark && c.marks == marksMax || c.n+utf8.RuneLen(r) > len(c.b) {
		return false
	}
	c.n += utf8.EncodeRune(c.b[c.n:], r)
	if c.marks++; !mark {
		c.marks = 0
	}
	return true
}
