package draw

import (
	"bytes"

	"tokscope/themes"
)

// row appends the painted cells of one row. Runs of one style share one sequence. A
// space joins the previous run if both styles look the same on it. Blanks at the end
// are dropped, and the row ends in plain style.
func (g *Grid) row(b []byte, cells []cell, pal *themes.Palette) []byte {
	p := newStyleRun()
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
		if c.loose {
			b = g.clusters.place(b, c, i)
		} else {
			b = g.clusters.append(b, c)
		}
	}
	return b
}

func blank(c cell) bool { return c.r == ' ' || c.r == 0 }

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
