package ui

import (
	"time"

	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/keys"
	"tokscope/ui/screen"
)

// lateBad is the lag from which every figure is visibly wrong. From
// screen.LateWarn on, only the gaps of a fast model are.
const lateBad = 10 * time.Millisecond

// mostHints is how many keys the footer has beside the exit: more are not read, and
// help and palette have them all.
const mostHints = 12

// footerRow draws the row below the screens. It reuses its entries.
type footerRow struct{ hints []keys.Hint }

// draw draws the active keys of table, most important first and the exit
// last, and the lag at the right.
func (f *footerRow) draw(g *draw.Grid, r draw.Rect, table []keys.Binding, st *screen.Status, ascii bool) {
	if r.Empty() {
		return
	}
	right := f.observer(g, r, st, ascii)
	f.hints = keys.Hints(f.hints[:0], table, ascii)
	x, kept := r.X+1, f.hints[:0]
	var quit keys.Hint
	for _, h := range f.hints {
		w := draw.Width(h.Key) + 1 + draw.Width(h.Word)
		if x+w > right || len(kept) == mostHints && h.Binding.Do != keys.Quit {
			continue // a shorter one may fit
		}
		x += w + 2
		if h.Binding.Do == keys.Quit {
			quit = h
			continue
		}
		kept = append(kept, h)
	}
	if quit.Key != "" {
		kept = append(kept, quit)
	}
	x = r.X + 1
	for _, h := range kept {
		kw, ww := draw.Width(h.Key), draw.Width(h.Word)
		g.Text(x, r.Y, h.Key, themes.Key, kw)
		g.Text(x+kw+1, r.Y, h.Word, themes.KeyText, ww)
		g.Target(draw.Rect{X: x, Y: r.Y, W: kw + 1 + ww, H: 1}, h.Binding)
		x += kw + ww + 3
	}
}

// observer draws the lag of this program and returns the column where it
// begins.
func (f *footerRow) observer(g *draw.Grid, r draw.Rect, st *screen.Status, ascii bool) int {
	if !st.Observed(r.W) {
		return r.Right()
	}
	o := format.Either(st.Run.N > 0, st.Run, st.Observer)
	s, role := "lag "+format.Duration(o.LateP99), themes.Dim
	switch {
	case st.Untouched:
	case o.LateP99 >= lateBad:
		role = themes.Bad
	case o.LateP99 >= screen.LateWarn:
		role = themes.Warn
	}
	const w = len("lag 999.9 ms") // fixed: the keys must not move when a figure does
	if ascii {
		s = format.ASCII(s)
	}
	g.Right(r.Right(), r.Y, s, role, w)
	return r.Right() - w - 2
}
