package explain

import (
	"tokscope/metrics/slo"
	"tokscope/ui/draw"
	"tokscope/ui/lens"
)

// glass is the workload lens: the chosen one, or all side by side in a lesson
// about them. It judges what the engine measured since the last change, in
// the engine's time. It compares this with the model's predictions.
type glass struct {
	panel lens.Panel
	board lens.Board
	seen  uint64 // version of the figures used; 0 before any
	as    LensAs
	now   slo.LensFigures
	past  slo.LensFigures
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

// lensAs is how the lens of v is shown in r. A lesson about lenses shows it
// without a choice, and so does the choice of that panel.
func (s *picture) lensAs(r draw.Rect, v *View) LensAs {
	switch {
	case r.W < compactW || r.H < compactH:
		return LensNone
	case s.shown(v) == Lens:
		return LensBoard
	case v.Look.Lens == "":
		return LensNone
	case r.W >= bigW && r.H >= bigH:
		return LensBox
	case r.H-3-timelineHeight(r.H, v.Explain.Tour.On)-1 >= 2*panelH: // two rows of panels
		return LensTile
	}
	return LensLine
}

// look brings the lens up to date with the figures that are shown.
func (s *picture) look(p *canvas, as LensAs) {
	if as == LensNone {
		return
	}
	l, n := &s.lens, &s.now
	if l.seen != n.version || l.as != as {
		l.seen, l.as = n.version, as
		l.now, l.past = slo.LensOfEngine(&n.view.Figures, n.view.Knobs.Output), slo.LensFigures{}
		// during computation it belongs to the previous knobs
		if !n.view.Busy && (as == LensBox || n.view.Figures.Requests == 0) {
			l.past = slo.LensOfPrediction(&n.view.Present)
		}
	}
	if as == LensBoard {
		l.board.Update(p.v.Look.Task, l.now, l.past, p.Glyphs)
		return
	}
	l.panel.Update(p.v.Look.Lens, p.v.Look.Task, l.now, l.past, p.Glyphs)
}
