package svg

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"strings"
	"unicode/utf8"

	"tokscope/ui/format"
)

// Size of a cell and of the space around the screen, in px.
const (
	cellW, cellH = 8.4, 18.0
	margin       = 12.0
)

// Look is the terminal in a picture: its colors, as CSS writes them.
type Look struct{ Foreground, Background string }

// Looks of a dark and a light terminal.
var (
	Dark  = Look{"#d0d3d8", "#16181d"}
	Light = Look{"#24272e", "#fbfaf7"}
)

// Style is how a cell is drawn. Its colors are as CSS writes them; Bg is ""
// for the terminal's background.
type Style struct {
	Fg, Bg                        string
	Bold, Italic, Underline, Thin bool
}

// Cell is one cell of a screen. An empty Text is a blank. Width is 2 for the
// left half of a wide character; the cell to its right is not asked for.
type Cell struct {
	Text  string
	Width int
	Style Style
}

// Screen draws w by h cells on that background.
func Screen(w, h int, background string, at func(x, y int) Cell) []byte {
	var b bytes.Buffer
	Begin(&b, w, h, background)
	for y := range h {
		drawRow(&b, margin, margin+float64(y)*cellH, w, func(x int) Cell { return at(x, y) })
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// Begin writes the beginning of a picture of w by h cells, which "</svg>" ends.
func Begin(b *bytes.Buffer, w, h int, background string) {
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="0 0 %.1f %.1f" `+
		`font-family="'JetBrains Mono','DejaVu Sans Mono',Menlo,Consolas,monospace" font-size="14">`+"\n",
		2*margin+float64(w)*cellW, 2*margin+float64(h)*cellH, 2*margin+float64(w)*cellW, 2*margin+float64(h)*cellH)
	fmt.Fprintf(b, `<rect width="100%%" height="100%%" rx="6" fill="%s"/>`+"\n", background)
}

// Row draws cells at the origin, to be put where Place says.
func Row(cells []Cell) []byte {
	var b bytes.Buffer
	drawRow(&b, 0, 0, len(cells), func(x int) Cell { return cells[x] })
	return b.Bytes()
}

// Place returns where the cell of a picture is, and the size of w cells of a row, in px.
func Place(x, y, w int) (left, top, width, height float64) {
	return margin + float64(x)*cellW, margin + float64(y)*cellH, float64(w) * cellW, cellH
}

func drawRow(b *bytes.Buffer, left, top float64, w int, at func(x int) Cell) {
	r := row{b: b, left: left, top: top}
	for x := 0; x < w; {
		c := at(x)
		r.cell(x, c)
		x += max(c.Width, 1)
	}
	r.flush(w)
}

// row draws one row: backgrounds and shapes at once, text when a run of one
// style ends.
type row struct {
	b     *bytes.Buffer
	left  float64 // of column 0
	top   float64
	run   strings.Builder
	style Style
	begin int // column of the run
	cols  int // columns that the run fills
}

func (r *row) cell(x int, c Cell) {
	left, wide := r.left+float64(x)*cellW, float64(max(c.Width, 1))
	if c.Style.Bg != "" {
		fmt.Fprintf(r.b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>`+"\n",
			left, r.top, wide*cellW+.1, cellH+.1, c.Style.Bg)
	}
	text := cmp.Or(c.Text, " ")
	c.Style.Bg = "" // text of all backgrounds can share an element
	only, n := utf8.DecodeRuneInString(text)
	switch {
	case n == len(text) && shaped(only):
		r.flush(x)
		drawShape(r.b, only, left, r.top, c.Style)
		r.begin = x + 1
		return
	case text[0] >= utf8.RuneSelf:
		// A character that may come from another font, of another width, does not
		// move its neighbors.
		r.flush(x)
		r.style = c.Style
		r.add(text, max(c.Width, 1))
		r.flush(x + max(c.Width, 1))
		return
	}
	if r.style != c.Style {
		r.flush(x)
		r.style = c.Style
	}
	r.add(text, 1)
}

func (r *row) add(text string, cols int) {
	r.run.WriteString(text)
	r.cols += cols
}

// flush draws the run and begins another one in column end.
func (r *row) flush(end int) {
	text := r.run.String()
	if !r.style.Underline {
		text = strings.TrimRight(text, " ")
	}
	if text != "" {
		cols := r.cols - (r.run.Len() - len(text))
		fmt.Fprintf(r.b, `<text x="%.1f" y="%.1f" fill="%s" textLength="%.1f"%s xml:space="preserve">`,
			r.left+float64(r.begin)*cellW, r.top+13.5, r.style.Fg, float64(cols)*cellW, r.style.attributes())
		_ = xml.EscapeText(r.b, []byte(text)) // a buffer takes everything
		r.b.WriteString("</text>\n")
	}
	r.run.Reset()
	r.begin, r.cols = end, 0
}

// attributes are those of a text element beside its color.
func (s Style) attributes() string {
	return format.If(s.Bold, ` font-weight="bold"`) + format.If(s.Italic, ` font-style="italic"`) +
		format.If(s.Underline, ` text-decoration="underline"`) + format.If(s.Thin, ` fill-opacity="0.6"`)
}

// shaped reports whether r is drawn as a shape, not as text.
func shaped(r rune) bool {
	return r >= 0x2580 && r <= 0x259f || boxArms[r] != 0 || r >= 0x2800 && r <= 0x28ff
}

// drawShape draws a character that shaped knows.
func drawShape(b *bytes.Buffer, r rune, left, top float64, s Style) {
	if s.Thin {
		b.WriteString(`<g opacity="0.6">` + "\n")
		defer b.WriteString("</g>\n")
	}
	switch {
	case r >= 0x2800:
		drawBraille(b, r, left, top, s.Fg)
	case r >= 0x2580:
		drawBlock(b, r, left, top, s.Fg)
	default:
		drawBox(b, boxArms[r], left, top, s.Fg)
	}
}
