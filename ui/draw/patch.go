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
