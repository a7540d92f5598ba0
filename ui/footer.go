package ui

import (
	"time"

	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/keys"
)

// Lateness of this program that is worth a colour: at 1 ms a gap of a fast
// model is visibly wrong, at 10 ms every figure is.
const (
	lateWarn = time.Millisecond
	lateBad  = 10 * time.Millisecond
)

// drawFooter draws what the keys do now, most important first, the way out
// last, and the observer at the right.
func (f *Model) drawFooter(r draw.Rect) {
	if r.Empty() {
		return
	}
	g := f.grid
	right := f.observer(r)
	f.hints = keys.Hints(f.hints[:0], f.context(), f.state(), f.glyphs.ASCII)
	x, kept := r.X+1, f.hints[:0]
	var quit keys.Hint
	for _, h := range f.hints {
		w := draw.Width(h.Key) + 1 + draw.Width(h.Word)
		if x+w > right {
			continue // a shorter one may fit
		}
		x += w + 2
		if h.Binding == keys.Quit {
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
		f.places = append(f.places, place{draw.Rect{X: x, Y: r.Y, W: kw + 1 + ww, H: 1}, h.Binding})
		x += kw + ww + 3
	}
}

// observed reports whether a footer of w columns shows the observer. On Explain
// the words are the guide: there a good one yields to them.
func (s *Model) observed(w int) bool {
	o := &s.view.Observer
	return w >= 60 && o.N > 0 && (!s.explain.on || w >= wideFrom || o.LateP99 >= lateWarn)
}

// drawObserver draws how late this program is, and returns where it begins.
func (m *Model) observer(r draw.Rect) int {
	o := m.view.Observer
	if !m.observed(r.W) {
		return r.Right()
	}
	e := m.view.Stream.Observer
	onLive := !m.load.on && !m.explain.on
	if onLive && m.phase.Ended() && e.N > 0 {
		o = e // the screen says how late we were for this request: so does the footer
	}
	s, role := "observer "+ms(o.LateP99.Seconds()*1e3), themes.Dim
	switch {
	case onLive && e.UserStamps == 0 && (e.KernelStamps > 0 || m.phase.Ended()):
		// The kernel took every stamp, or nothing was stamped: our lateness did not touch one.
	case o.LateP99 >= lateBad:
		role = themes.Bad
	case o.LateP99 >= lateWarn:
		role = themes.Warn
	}
	const w = len("observer 999.9 ms") // fixed: the keys must not move when a figure does
	m.grid.Right(r.Right(), r.Y, s, role, w)
	return r.Right() - w - 2
}
