//go:build !windows

package vterm

import (
	"bytes"
	"fmt"
	"html"
	"image/color"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
)

// Colors of a terminal with default settings, and the size of a cell in px.
const (
	cellW, cellH = 8.4, 18.0
	margin       = 12.0
)

// Look is the terminal in a picture.
type Look struct{ Foreground, Background string }

// Looks of a dark and a light terminal.
var (
	Dark  = Look{"#d0d3d8", "#16181d"}
	Light = Look{"#24272e", "#fbfaf7"}
)

// SVG draws the present screen.
func (x *Term) SVG(look Look) []byte {
	x.mu.Lock()
	defer x.mu.Unlock()
	w, h := x.vt.Width(), x.vt.Height()
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="0 0 %.1f %.1f" font-family="'JetBrains Mono','DejaVu Sans Mono',Menlo,Consolas,monospace" font-size="14">`+"\n",
		2*margin+float64(w)*cellW, 2*margin+float64(h)*cellH, 2*margin+float64(w)*cellW, 2*margin+float64(h)*cellH)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="6" fill="%s"/>`+"\n", look.Background)
	for y := range h {
		drawRow(&b, x.vt.CellAt, y, w, look)
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// style is the common style of a run of cells.
type style struct {
	fg, bg string
	bold   bool
}

// drawRow draws backgrounds and blocks as rectangles and the rest as text,
// one element for each run of a style.
func drawRow(b *bytes.Buffer, at func(x, y int) *uv.Cell, y, w int, look Look) {
	top := margin + float64(y)*cellH
	var run strings.Builder
	var have style
	begin := 0
	flush := func(end int) {
		text := strings.TrimRight(run.String(), " ")
		if text != "" {
			weight := ""
			if have.bold {
				weight = ` font-weight="bold"`
			}
			fmt.Fprintf(b, `<text x="%.1f" y="%.1f" fill="%s" textLength="%.1f"%s xml:space="preserve">%s</text>`+"\n",
				margin+float64(begin)*cellW, top+13.5, have.fg, float64(len([]rune(text)))*cellW, weight, html.EscapeString(text))
		}
		run.Reset()
		begin = end
	}
	for x := 0; x < w; x++ {
		c := at(x, y)
		content := " "
		st := style{fg: look.Foreground}
		if c != nil {
			if c.Content != "" {
				content = c.Content
			}
			st = styleOf(&c.Style, look)
		}
		left := margin + float64(x)*cellW
		if st.bg != "" {
			fmt.Fprintf(b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>`+"\n", left, top, cellW+.1, cellH+.1, st.bg)
		}
		if r := []rune(content); len(r) == 1 && r[0] >= 0x2580 && r[0] <= 0x259f {
			flush(x)
			drawBlock(b, r[0], left, top, st.fg)
			begin = x + 1
			continue
		}
		if r := []rune(content); len(r) == 1 && boxArms[r[0]] != 0 {
			flush(x)
			drawBox(b, boxArms[r[0]], left, top, st.fg)
			begin = x + 1
			continue
		}
		if r := []rune(content); len(r) == 1 && r[0] >= 0x2800 && r[0] <= 0x28ff {
			flush(x)
			drawBraille(b, r[0], left, top, st.fg)
			begin = x + 1
			continue
		}
		// A character that may come from another font, of another width, does not
		// move its neighbors.
		if content[0] >= 0x80 {
			flush(x)
			have = st
			run.WriteString(content)
			if c.Width > 1 {
				x += c.Width - 1
			}
			flush(x + 1)
			continue
		}
		if st.fg != have.fg || st.bold != have.bold {
			flush(x)
			have = st
		}
		run.WriteString(content)
	}
	flush(w)
}

func styleOf(s *uv.Style, look Look) style {
	st := style{fg: look.Foreground, bold: s.Attrs&uv.AttrBold != 0}
	if s.Fg != nil {
		st.fg = hex(s.Fg)
	}
	if s.Bg != nil {
		st.bg = hex(s.Bg)
	}
	if s.Attrs&uv.AttrReverse != 0 {
		if st.bg == "" {
			st.bg = look.Background
		}
		st.fg, st.bg = st.bg, st.fg
	}
	return st
}

func hex(c color.Color) string {
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

// Arms of a box-drawing character.
const (
	armUp = 1 << iota
	armDown
	armLeft
	armRight
)

// boxArms are the characters that are drawn as lines, so that boxes close
// with any font.
var boxArms = map[rune]int{
	'─': armLeft | armRight, '│': armUp | armDown, '╭': armDown | armRight, '╮': armDown | armLeft, '╰': armUp | armRight, '╯': armUp | armLeft,
	'┌': armDown | armRight, '┐': armDown | armLeft, '└': armUp | armRight, '┘': armUp | armLeft,
	'├': armUp | armDown | armRight, '┤': armUp | armDown | armLeft, '┬': armDown | armLeft | armRight, '┴': armUp | armLeft | armRight, '┼': armUp | armDown | armLeft | armRight,
}

func drawBox(b *bytes.Buffer, arms int, left, top float64, stroke string) {
	cx, cy := left+cellW/2, top+cellH/2
	for _, a := range []struct {
		arm  int
		x, y float64
	}{{armUp, cx, top}, {armDown, cx, top + cellH}, {armLeft, left, cy}, {armRight, left + cellW, cy}} {
		if arms&a.arm != 0 {
			fmt.Fprintf(b, `<path d="M%.1f %.1fL%.1f %.1f" stroke="%s"/>`+"\n", cx, cy, a.x, a.y, stroke)
		}
	}
}

// brailleDots are the places of a pattern's bits, as column and row.
var brailleDots = [8][2]float64{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}, {0, 3}, {1, 3}}

// drawBraille draws a braille pattern (U+2800 to U+28FF) as dots, because few
// fonts have one of the width of a cell.
func drawBraille(b *bytes.Buffer, r rune, left, top float64, fill string) {
	const size = 2.2
	if r == 0x2800 {
		return
	}
	b.WriteString(`<path d="`)
	for i, at := range brailleDots {
		if r&(1<<i) != 0 {
			x, y := left+(at[0]+.5)*cellW/2-size/2, top+(at[1]+.5)*cellH/4-size/2
			fmt.Fprintf(b, "M%.1f %.1fh%vv%vh-%vz", x, y, size, size, size)
		}
	}
	fmt.Fprintf(b, `" fill="%s"/>`+"\n", fill)
}

// drawBlock draws a block element (U+2580 to U+259F) as rectangles, so that
// bars have no seams with any font.
func drawBlock(b *bytes.Buffer, r rune, left, top float64, fill string) {
	rect := func(x, y, w, h, opacity float64) {
		fmt.Fprintf(b, `<rect x="%.2f" y="%.2f" width="%.2f" height="%.2f" fill="%s" fill-opacity="%.2f"/>`+"\n", left+x*cellW, top+y*cellH, w*cellW+.05, h*cellH+.05, fill, opacity)
	}
	switch {
	case r == 0x2580:
		rect(0, 0, 1, .5, 1)
	case r >= 0x2581 && r <= 0x2588:
		n := float64(r-0x2580) / 8
		rect(0, 1-n, 1, n, 1)
	case r >= 0x2589 && r <= 0x258f:
		rect(0, 0, float64(0x2590-r)/8, 1, 1)
	case r == 0x2590:
		rect(.5, 0, .5, 1, 1)
	case r >= 0x2591 && r <= 0x2593:
		rect(0, 0, 1, 1, float64(r-0x2590)/4)
	case r == 0x2594:
		rect(0, 0, 1, .125, 1)
	case r == 0x2595:
		rect(.875, 0, .125, 1, 1)
	default: // quadrants: lower left, lower right, upper left, upper right
		bits := map[rune][4]bool{
			0x2596: {true}, 0x2597: {false, true}, 0x2598: {false, false, true}, 0x2599: {true, true, true, false}, 0x259a: {false, true, true, false},
			0x259b: {true, false, true, true}, 0x259c: {false, true, true, true}, 0x259d: {false, false, false, true}, 0x259e: {true, false, false, true}, 0x259f: {true, true, false, true},
		}[r]
		for i, on := range bits {
			if on {
				rect(float64(i%2)*.5, .5-float64(i/2)*.5, .5, .5, 1)
			}
		}
	}
}
