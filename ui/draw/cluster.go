package draw

import (
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"tokscope/themes"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
)

// tableMax bounds the side table. No screen shows more different multi-rune
// clusters, and hostile text must not grow the table without end.
const tableMax = 1 << 14

// table keeps the text of clusters with several runes. A cell stays 8 bytes,
// and a known cluster costs no allocation.
type table struct {
	text  []string
	index map[string]int32
}

func (t *table) full() bool { return len(t.text) >= tableMax }

// id returns the cell's rune for cluster s: negative, or U+FFFD if the table
// is full.
func (t *table) id(s string) rune {
	if i, ok := t.index[s]; ok {
		return -1 - i
	}
	if t.full() {
		return utf8.RuneError
	}
	if t.index == nil {
		t.index = make(map[string]int32)
	}
	s = string(append([]byte(nil), s...)) // a copy: s may be part of a large text
	i := int32(len(t.text))
	t.text = append(t.text, s)
	t.index[s] = i
	return -1 - i
}

// append appends the text of c. A blank cell is a space.
func (t *table) append(b []byte, c cell) []byte {
	switch {
	case c.r > 0 && c.r < utf8.RuneSelf:
		return append(b, byte(c.r))
	case c.r == 0:
		return append(b, ' ')
	case c.r < 0:
		return append(b, t.text[-1-c.r]...)
	}
	return utf8.AppendRune(b, c.r)
}

// narrow reports whether a quick check finds r one printable column wide. It
// knows ASCII, Latin, box drawing, block elements, geometric shapes, braille,
// dashes, quotes, arrows, operators, ticks and crosses.
func narrow(r rune) bool {
	return r >= 0x20 && r < 0x7f || r >= 0xa1 && r < 0x300 && r != 0xad ||
		r >= 0x2500 && r < 0x25fd || r >= 0x2800 && r < 0x2900 ||
		r >= 0x2010 && r < 0x2028 || r >= 0x2190 && r < 0x2300 || r >= 0x270c && r < 0x2728
}

// proper returns the rune to store for r and its width, 1 or 2.
func proper(r rune) (rune, int) {
	var b [utf8.UTFMax]byte
	w := 0
	if r >= 0x20 && (r < 0x7f || r > 0x9f) {
		_, w = ansi.FirstGraphemeCluster(b[:utf8.EncodeRune(b[:], r)], ansi.GraphemeWidth)
	}
	if w < 1 || w > 2 {
		return utf8.RuneError, 1
	}
	return r, w
}

// first returns the first cluster of s: its rune if it has only one, the columns
// to keep for it (1 to 6) and its length in bytes. several reports more than one
// rune, loose that terminals may give it another width.
func first(s string) (r rune, w, n int, several, loose bool) {
	if c := s[0]; c >= 0x20 && c < 0x7f && (len(s) == 1 || s[1] < utf8.RuneSelf) {
		return rune(c), 1, 1, false, false
	}
	r, n = utf8.DecodeRuneInString(s)
	if narrow(r) {
		if n == len(s) || s[n] < utf8.RuneSelf {
			return r, 1, n, false, false
		}
		if after, _ := utf8.DecodeRuneInString(s[n:]); narrow(after) {
			return r, 1, n, false, false
		}
	}
	size, w, loose := sanitize.Cluster(s)
	switch {
	case w < 1 || r < 0x20 || r >= 0x7f && r <= 0x9f || r == utf8.RuneError:
		return utf8.RuneError, 1, size, false, false
	case size <= n:
		return r, w, n, false, loose
	}
	return r, w, size, true, true
}

// Cluster returns the length in bytes of the first grapheme cluster of s, the
// character that a person sees, and the columns that it has on the screen, 1 to 6.
// s is not empty.
func Cluster(s string) (n, w int) {
	_, w, n, _, _ = first(s)
	return n, w
}

// LastCluster returns the length in bytes of the last grapheme cluster of s, 0
// for "".
func LastCluster(s string) (n int) {
	for ; s != ""; s = s[n:] {
		n, _ = Cluster(s)
	}
	return n
}

// Fit returns the number of bytes of text that Text draws in w columns, cut at
// a blank if possible, and never inside a cluster. It does not allocate.
func Fit(text string, w int) int {
	used, blank := 0, 0
	for i := 0; i < len(text); {
		n, cw := Cluster(text[i:])
		space := text[i] == ' ' && n == 1
		if used += cw; used > w {
			if space || blank == 0 {
				return i
			}
			return blank
		}
		if space {
			blank = i
		}
		i += n
	}
	return len(text)
}

// Rows yields the rows of text in w columns, cut at blanks if possible, each with the
// text from there on. It ends where not even a cluster fits. It does not allocate.
func Rows(text string, w int) iter.Seq2[string, string] {
	return func(yield func(row, rest string) bool) {
		for text != "" {
			n := Fit(text, w)
			if n == 0 || !yield(text[:n], text) {
				return
			}
			text = strings.TrimLeft(text[n:], " ")
		}
	}
}

// Head returns the beginning of s that Text draws in w columns.
func Head(s string, w int) string {
	for i := 0; i < len(s); {
		n, cw := Cluster(s[i:])
		if w -= cw; w < 0 {
			return s[:i]
		}
		i += n
	}
	return s
}

// Width returns the number of columns that Text needs for s.
func Width(s string) int {
	total := 0
	for s != "" {
		n, w := Cluster(s)
		total += w
		s = s[n:]
	}
	return total
}

// FirstFit returns the first of texts that needs at most room columns, "" where none
// does.
func FirstFit(room int, texts ...string) string {
	for _, t := range texts {
		if Width(t) <= room {
			return t
		}
	}
	return ""
}

// Text writes s from x, y to the right and returns the columns used, at most
// max. Clusters stay whole: a wide one that does not fit ends the text.
// Columns left of the clip count but are not drawn. Columns right of it do
// neither. A row outside the clip returns 0.
func (g *Grid) Text(x, y int, s string, st themes.Role, max int) int {
	if y < g.clip.Y || y >= g.clip.Bottom() {
		return 0
	}
	used, right := 0, g.clip.Right()
	for s != "" && used < max && x+used < right {
		r, w, n, several, loose := first(s)
		if used+w > max {
			break
		}
		at := x + used
		switch {
		case at >= g.clip.X:
			if several {
				r = g.clusters.id(s[:n])
			}
			g.setCell(at, y, cell{r: r, st: st, w: uint8(w), loose: loose})
		default: // only the right of a wide cluster may be inside
			for i := g.clip.X; i < min(at+w, right); i++ {
				g.setCell(i, y, cell{r: ' ', st: st, w: 1})
			}
		}
		used += w
		s = s[n:]
	}
	return used
}

// Right writes s so that it ends before column x, and returns the columns
// used. A text wider than max is cut at its end.
func (g *Grid) Right(x, y int, s string, st themes.Role, max int) int {
	w := min(Width(s), max)
	return g.Text(x-w, y, s, st, w)
}

// Center writes s centered in columns x to x+w-1 and returns the columns
// used. A wider text is cut with an ellipsis.
func (g *Grid) Center(x, y, w int, s string, gl *themes.Glyphs, st themes.Role) int {
	return g.Cut(x+max(w-Width(s), 0)/2, y, s, gl, st, w)
}

// Cut is Text, with an ellipsis at the end if s is wider than max.
func (g *Grid) Cut(x, y int, s string, gl *themes.Glyphs, st themes.Role, max int) int {
	if max <= 0 {
		return 0
	}
	if Width(s) <= max {
		return g.Text(x, y, s, st, max)
	}
	n := g.Text(x, y, s, st, max-1)
	g.Set(x+n, y, gl.Ellipsis, st)
	return n + 1
}

// Name writes a name from outside, harmless; one wider than max loses its middle.
func (g *Grid) Name(x, y int, s string, gl *themes.Glyphs, st themes.Role, max int) int {
	whole := len(s) <= max
	if s = format.Name(s, max); gl.ASCII && !whole {
		s = strings.Replace(s, "…", string(gl.Ellipsis), 1)
	}
	return g.Text(x, y, s, st, max)
}
