package ui

import (
	"slices"
	"time"

	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/keys"
	"tokscope/ui/screen"
)

// The smallest header widths that show these parts.
const (
	brandFrom = 60
	helpFrom  = 30
	tabsFrom  = 70
	wholeFrom = 100 // the names of the screens in full
	colonFrom = 110
)

// header draws the row above the screens.
type header struct {
	g      *draw.Grid
	gl     *themes.Glyphs
	r      draw.Rect
	linked bool // parts are clickable
	x      int  // the next part at the right ends before this column
}

// onTab is a click target: a tab, or a screen's Aside in the header of
// others. Its value is the index of the screen.
type onTab int

// drawHeader draws brand, state, the shown screen's parts, tabs, marks and
// the keys of the command palette and the help. Without room it drops the
// workload first, then shortens parts, then cuts those without a short form. The
// brand is there in full or not. It never drops marks. The key of the palette is
// there where room is left.
func (m *Model) drawHeader(r draw.Rect) {
	if r.Empty() {
		return
	}
	st := &m.status
	h := header{m.surface.grid, m.look.Glyphs, r, m.stack.top() == nil, r.Right()}
	h.right(m)
	x, named := r.X+1, 0
	if len(st.Parts) > 0 {
		named = draw.Width(st.Parts[0].Text)
	}
	if r.W >= brandFrom && x+len("tokscope  ")+2+named <= h.x { // the endpoint's name comes first
		x += h.g.Text(x, r.Y, "tokscope", themes.Accent, h.x-x) + 2
	}
	if st.Sign != 0 {
		h.g.Set(x, r.Y, st.Sign, st.Role)
		x += 2
	}
	for _, p := range st.Parts {
		if p.Short != "" && x+draw.Width(p.Text) > h.x {
			if p.Text = p.Short; x+draw.Width(p.Text) > h.x {
				continue
			}
		}
		x = h.drawPart(x, h.x-x, p) + 2
	}
	for _, w := range st.Work {
		if w != "" && x+draw.Width(w)+1 <= h.x {
			x = h.drawPart(x, h.x-x, screen.Part{Text: w, Role: themes.Dim, Target: st.WorkTarget}) + 2
			break
		}
	}
	if colon := (screen.Part{Text: ": commands", Role: themes.KeyText, Target: keys.Commands}); r.W >= colonFrom &&
		x+draw.Width(colon.Text) <= h.x {
		h.before(colon)
		h.g.Set(h.x+2, r.Y, ':', themes.Key)
	}
}

// right draws the parts at the right, the outermost first.
func (h *header) right(m *Model) {
	if h.r.W >= helpFrom {
		help := screen.Part{Text: "? help", Role: themes.KeyText, Target: keys.Help}
		if h.r.W >= tabsFrom && h.r.W < wholeFrom && m.screens.several() {
			help.Text = "?" // beside five tabs an endpoint needs the room
		}
		h.before(help)
		if h.x < h.r.Right() {
			h.g.Set(h.x+2, h.r.Y, '?', themes.Key)
		}
	}
	h.tabs(&m.screens)
	for i, text := range m.screens.asides {
		// Two screens of one replay have the same aside.
		if i != m.screens.at && text != "" && text != m.screens.asides[m.screens.at] &&
			slices.Index(m.screens.asides, text) == i && !m.status.Alone {
			if i == m.screens.stops.at && h.r.W >= wholeFrom && m.screens.stopWord() != "" {
				text += ", x stops"
			}
			h.before(screen.Part{Text: " " + text + " ", Role: themes.Warn, Target: onTab(i)})
		}
	}
	for _, p := range m.status.Marks {
		h.before(p)
	}
}

// tabs draws the names of the screens, the last outermost. Each has
// its key before it.
func (h *header) tabs(s *screens) {
	if h.r.W < tabsFrom || !s.several() {
		return
	}
	for _, t := range slices.Backward(s.tabs) {
		label := format.Either(h.r.W < wholeFrom && t.Short != "", t.Short, t.Label)
		p := screen.Part{Text: " " + t.Key + " " + label + " ", Role: themes.KeyText, Target: onTab(t.first)}
		if t.Tab == s.shown().Tab() {
			p.Role, p.Target = themes.Badge, nil
		}
		h.before(p)
		h.x += 2 // tabs have no gap between them
	}
	h.x -= 2
}

// before draws p at the right if all of it fits.
func (h *header) before(p screen.Part) {
	w := draw.Width(p.Text)
	if h.x-w < h.r.X+8 {
		return
	}
	h.x -= w
	h.drawPart(h.x, w, p)
	h.x -= 2
}

// drawPart draws p in room columns from x on; it returns the column behind it.
func (h *header) drawPart(x, room int, p screen.Part) int {
	n := h.g.Name(x, h.r.Y, p.Text, h.gl, p.Role, room)
	if p.Target != nil && h.linked {
		h.g.Target(draw.Rect{X: x, Y: h.r.Y, W: n, H: 1}, p.Target)
	}
	return x + n
}

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
