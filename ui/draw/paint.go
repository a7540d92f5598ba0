package draw

import (
	"bytes"
	"slices"
	"strings"

	"tokscope/themes"
)

// painter keeps the cells and the bytes of every row of the last frame.
// Unchanged rows are not painted again. If no row changed, Paint returns the
// previous string.
type painter struct {
	palette *themes.Palette
	w, h    int
	shown   []cell
	rows    [][]byte
	out     string
	valid   bool
}

// forget makes the next Paint paint every row.
func (p *painter) forget() { p.valid = false }

// Paint returns the grid as rows joined by "\n". Runs of one style share one
// sequence. A space joins the previous run if both styles look the same on
// it. Blanks at the end of a row are dropped, and every row ends in plain
// style. An unchanged grid returns the same string without allocating.
func (g *Grid) Paint(pal *themes.Palette) string {
	p := &g.paint
	fresh := !p.valid || p.palette != pal || p.w != g.w || p.h != g.h
	if fresh {
		p.palette, p.w, p.h, p.valid = pal, g.w, g.h, true
		p.shown = append(p.shown[:0], g.cells...)
		p.rows = slices.Grow(p.rows[:0], g.h)[:g.h]
	}
	changed := fresh
	for y := range g.h {
		now, old := g.cells[y*g.w:(y+1)*g.w], p.shown[y*g.w:(y+1)*g.w]
		if !fresh {
			if slices.Equal(now, old) {
				continue
			}
			copy(old, now)
			changed = true
		}
		p.rows[y] = g.row(p.rows[y][:0], now, pal, false)
	}
	if changed {
		p.out = join(p.rows)
	}
	return p.out
}

// row appends the painted cells of one row, see styleRun for placed.
func (g *Grid) row(b []byte, cells []cell, pal *themes.Palette, placed bool) []byte {
	p := newStyleRun()
	p.placed = placed
	b = g.write(b, cells, 0, inked(cells, pal), &p, pal)
	// The margin holds no text, but the theme's ground must reach its end.
	if g.margin > 0 && pal.ShowsOnBlank(themes.Text) {
		b = append(b, pal.SGR(themes.Text)...)
		for range g.margin {
			b = append(b, ' ')
		}
		p.styled = true
	}
	if p.styled {
		b = append(b, themes.Reset...)
	}
	return b
}

// inked returns the number of cells up to the last one that shows. It ends no
// wide cell in its middle.
func inked(cells []cell, pal *themes.Palette) int {
	end := len(cells)
	for end > 0 && blank(cells[end-1]) && !pal.ShowsOnBlank(cells[end-1].st) && cells[end-1].w != covered {
		end--
	}
	return end
}

// styleRun is the style in which a terminal writes.
type styleRun struct {
	st      themes.Role // of the run
	styled  bool        // a sequence is in force
	visible bool        // the run shows on blanks
	placed  bool        // it is on a terminal's own row, where the cursor can move
}

// newStyleRun returns the run of plain style.
func newStyleRun() styleRun { return styleRun{st: ^themes.Role(0)} }

// write appends the cells of a row from from up to end.
func (g *Grid) write(b []byte, cells []cell, from, end int, p *styleRun, pal *themes.Palette) []byte {
	for i := from; i < end; i++ {
		c := cells[i]
		if c.w == covered {
			continue
		}
		if c.st != p.st && !(blank(c) && !p.visible && !pal.ShowsOnBlank(c.st)) {
			p.st, p.visible = c.st, pal.ShowsOnBlank(c.st)
			sgr := pal.SGR(p.st)
			switch {
			case sgr != "":
				b = append(b, sgr...)
			case p.styled:
				b = append(b, themes.Reset...)
			}
			p.styled = sgr != ""
		}
		if c.loose && p.placed {
			b = g.clusters.place(b, c, i)
		} else {
			b = g.clusters.append(b, c)
		}
	}
	return b
}

func blank(c cell) bool { return c.r == ' ' || c.r == 0 }

func join(rows [][]byte) string {
	size := max(len(rows)-1, 0)
	for _, r := range rows {
		size += len(r)
	}
	var b strings.Builder
	b.Grow(size)
	for y, r := range rows {
		if y > 0 {
			b.WriteByte('\n')
		}
		b.Write(r)
	}
	return b.String()
}

// Plain returns the text of the grid, rows joined by "\n", without blanks at
// the ends of rows. Golden tests compare it.
func (g *Grid) Plain() string {
	var b []byte
	for y := range g.h {
		if y > 0 {
			b = append(b, '\n')
		}
		row := g.cells[y*g.w : (y+1)*g.w]
		start := len(b)
		for _, c := range row {
			if c.w != covered {
				b = g.clusters.append(b, c)
			}
		}
		b = append(b[:start], bytes.TrimRight(b[start:], " ")...)
	}
	return string(b)
}
