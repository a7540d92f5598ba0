package explain

import (
	"tokscope/metrics"
	"tokscope/themes"
	cell "tokscope/ui/draw"
	"tokscope/ui/lens"
)

// glass is the workload lens: one use where a person chose it, all of them side
// by side where the lesson is about that. It judges what the engine measured
// since the last turn, in the engine's time, and holds it against what the
// model predicts.
type glass struct {
	panel lens.Panel
	board lens.Board
	known bool
	seen  uint64 // version of the figures that they were made of
	as    LensAs
	now   metrics.LensFigures
	past  metrics.LensFigures
}

// LensAs is how a lens is shown.
type LensAs uint8

const (
	LensNone  LensAs = iota
	LensLine         // a row below the figures
	LensTile         // in the place of a panel that says less to a user
	LensBox          // a box in its own row of the screen, as on Live
	LensBoard        // all lenses side by side, as a panel
)

// twoRows reports whether r has room for two rows of panels.
func twoRows(r cell.Rect, v *View) bool {
	return r.H-3-timelineHeight(r.H, v.Explain.Tour.On)-1 >= 2*panelH
}

// LensAs is how the lens of v is shown on a terminal of w by h. The root keeps a
// row above and one below, and a column.
func (s *Screen) LensAs(w, h int, v *View) LensAs {
	return s.lensAs(cell.Rect{W: w - 1, H: h - 2}, v)
}

// look brings the lens up to date with the figures that are shown.
func (s *Screen) look(p *pen, as LensAs) {
	if as == LensNone {
		return
	}
	l, n := &s.lens, &s.now
	if !l.known || l.seen != n.version || l.as != as {
		l.known, l.seen, l.as = true, n.version, as
		l.now, l.past = metrics.LensOfEngine(&n.view.Figures, n.view.Knobs.Output), metrics.LensFigures{}
		if !n.view.Busy && (as == LensBox || n.view.Figures.Requests == 0) { // while it is computed it is of the knobs before
			l.past = metrics.LensOfPrediction(&n.view.Present)
		}
	}
	if as == LensBoard {
		l.board.Update(p.v.Task, l.now, l.past, p.Glyphs)
		return
	}
	l.panel.Update(p.v.Lens, p.v.Task, l.now, l.past, p.Glyphs)
}

// lensBar draws the lens in a place of its own.
func (s *Screen) lensBar(p *pen, r cell.Rect, as LensAs) {
	switch as {
	case LensLine:
		s.place("lens", r, 0)
		s.lens.panel.Line(p.Grid, r, p.Glyphs)
	case LensBox:
		s.place("lens", r, 0)
		s.lens.panel.Draw(p.Grid, r, p.Glyphs)
	}
}

// lensPanel draws the lens as one of the panels.
func (s *Screen) lensPanel(p *pen, r cell.Rect, border themes.Role) {
	if s.lensIs == LensBoard {
		s.lens.board.Draw(p.Grid, r, p.v.Lens, p.Glyphs, border)
		return
	}
	s.lens.panel.Tile(p.Grid, r, p.Glyphs, border)
}
