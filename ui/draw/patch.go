package draw

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/charmbracelet/x/ansi"

	"tokscope/themes"
)

// Patch knows what a terminal shows, and makes the bytes that change it into
// another grid. It compares all cells and writes those that changed.
// BenchmarkPatch compares it with Bubble Tea's renderer, which parses the whole
// frame again.
//
// The zero value knows nothing: its first bytes write every cell.
type Patch struct {
	palette *themes.Palette
	w, h    int
	margin  int
	fills   int // of the grid's table of clusters
	shown   []cell
	known   bool
}

const (
	// apart is the number of unchanged cells that separate two runs of changed
	// ones. Moving the cursor takes about as many bytes.
	apart = 6
	// erased is the number of blanks at the end of a row from which erasing is
	// shorter than writing them.
	erased = 8
	// eraseRight blanks the cells from the cursor on, in plain style.
	eraseRight = themes.Reset + "\x1b[K"
	// noWrap and wrap say whether text goes on in the next row.
	noWrap, wrap = ansi.ResetModeAutoWrap, ansi.SetModeAutoWrap
)

// Forget makes the next Append write every cell. Call it when something else
// was written to the terminal.
func (p *Patch) Forget() { p.known = false }

// Append appends to b what makes the terminal show g in pal. It appends nothing
// if the terminal shows that already. The bytes begin and end in plain style and
// leave the cursor anywhere.
func (p *Patch) Append(b []byte, g *Grid, pal *themes.Palette) []byte {
	if !p.known || p.palette != pal || p.w != g.w || p.h != g.h || p.margin != g.margin || p.fills != g.fills {
		*p = Patch{palette: pal, w: g.w, h: g.h, margin: g.margin,
			fills: g.fills, shown: append(p.shown[:0], g.cells...), known: true}
		for y := range g.h {
			b = g.whole(b, y, pal)
		}
		return b
	}
	run := newStyleRun()
	for y := range g.h {
		now, old := g.cells[y*g.w:(y+1)*g.w], p.shown[y*g.w:(y+1)*g.w]
		if slices.Equal(now, old) {
			continue
		}
		for x := 0; x < g.w; x++ {
			if now[x] == old[x] {
				continue
			}
			end := x + 1 // behind the last changed cell of the run
			for i := end; i < g.w && i-end < apart; i++ {
				if now[i] != old[i] {
					end = i + 1
				}
			}
			for now[x].w == covered {
				x--
			}
			if slices.ContainsFunc(now[x:end], func(c cell) bool { return c.loose }) {
				if run.styled {
					b = append(b, themes.Reset...)
				}
				run = newStyleRun()
				b = g.whole(b, y, pal) // the terminal may give it columns up to the edge
				break
			}
			b = g.run(b, y, x, end, &run, pal)
			x = end
		}
		copy(old, now)
	}
	if run.styled {
		b = append(b, themes.Reset...)
	}
	return b
}

// whole appends row y. What a terminal shows to its right is erased.
func (g *Grid) whole(b []byte, y int, pal *themes.Palette) []byte {
	row := g.cells[y*g.w : (y+1)*g.w]
	b = AppendMove(b, 0, y)
	b = g.row(b, row, pal)
	// After the terminal's last column there is nothing to erase, and the
	// cursor would still stand in it.
	if g.margin > 0 && pal.ShowsOnBlank(themes.Text) || g.margin == 0 && inked(row, pal) == g.w {
		return b
	}
	return append(b, eraseRight...)
}

// run appends the cells from x to end of row y, and the rest of a wide cell that end
// cuts.
func (g *Grid) run(b []byte, y, x, end int, p *styleRun, pal *themes.Palette) []byte {
	row := g.cells[y*g.w : (y+1)*g.w]
	b = AppendMove(b, x, y)
	last := max(inked(row, pal), x)
	if end-last < erased {
		return g.write(b, row, x, end, p, pal)
	}
	b = g.write(b, row, x, last, p, pal)
	*p = newStyleRun()
	return append(b, eraseRight...)
}

// place appends what shows the loose cell c, in column x of the terminal's row, in
// the columns kept for it, whatever the terminal thinks it needs: these are
// blanked, c is written without leaving the row, and the cursor moves behind
// them. A joiner at its end would join what follows.
func (t *table) place(b []byte, c cell, x int) []byte {
	b = append(b, noWrap...)
	for range c.w {
		b = append(b, ' ')
	}
	b = appendColumn(b, x)
	b = bytes.TrimSuffix(t.append(b, c), []byte("\u200d"))
	b = append(b, wrap...)
	return appendColumn(b, x+int(c.w))
}

// appendColumn appends the sequence that moves the cursor to column x of its row.
func appendColumn(b []byte, x int) []byte {
	return append(strconv.AppendInt(append(b, "\x1b["...), int64(x+1), 10), 'G')
}

// AppendMove appends the sequence that moves the terminal's cursor to column x
// of row y, both from 0.
func AppendMove(b []byte, x, y int) []byte {
	b = strconv.AppendInt(append(b, "\x1b["...), int64(y+1), 10)
	b = strconv.AppendInt(append(b, ';'), int64(x+1), 10)
	return append(b, 'H')
}

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
