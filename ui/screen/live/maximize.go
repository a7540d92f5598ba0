package live

import (
	"tokscope/ui/draw"
	"tokscope/ui/say"
)

// Panel is a panel that can fill the screen.
type Panel uint8

const (
	// NoPanel: all panels have their places.
	NoPanel Panel = iota
	ScopePanel
	TextPanel
	NowPanel
	RunsPanel
	// Panels is the number of panels.
	Panels
)

// panelOf is the panel that owns a click target.
var panelOf = map[target]Panel{onScope: ScopePanel, onText: TextPanel, onFigures: NowPanel}

// toggleMax lets the focused panel fill the screen, or gives all panels their
// places again. The focus is on the panel that was clicked or maximized last.
// At first it is on the scope, or on the answer of a request that failed
// before its first chunk.
func (s *Screen) toggleMax() {
	if s.view.Max != NoPanel {
		s.view.Max = NoPanel
		return
	}
	s.view.Max = s.focus
	if s.focus == NoPanel {
		s.view.Max = ScopePanel
	}
	if failedEarly(&s.view.Stream) && s.focus == NoPanel {
		s.view.Max = TextPanel
	}
}

// besideTable is the width from which on the definitions stand beside all
// figures. boxSides are the columns of a box beside its inside.
const besideTable, boxSides = 180, 4

// nextMax maximizes the next panel. The first one has all figures.
func (s *Screen) nextMax() {
	if s.view.Max == NoPanel {
		s.view.Max = TextPanel
	}
	s.view.Max = s.view.Max%(Panels-1) + 1
	s.focus = s.view.Max
}

// maximized reports whether one panel fills the screen.
func (s *Screen) maximized() bool { return s.view.Max != NoPanel }

// panelRank is the rank of the key of the next panel now, 0 for the usual one.
func (s *Screen) panelRank() int {
	switch {
	case s.listed():
		return 9
	case s.maximized():
		return 18
	}
	return 0
}

// maximized draws the panel of v.Max over all of r, below the conclusion.
func (s *picture) maximized(p *canvas, r draw.Rect) {
	v := p.v
	if r.W > say.ShortConclusion && r.H >= saidH {
		var said draw.Rect
		said, r = r.SplitV(1)
		s.said.draw(p, said)
	}
	s.prepare(v, max(r.Inner().W, 1))
	switch v.Max {
	case TextPanel:
		s.body.textPanel(p, r)
	case NowPanel: // with what they mean, where there is room
		table, means := r, draw.Rect{}
		if r.W >= besideTable {
			table, means = r.SplitH(2*tableColumns + boxSides)
		}
		p.Grid.Target(table, onFigures)
		s.all.panel(p, table)
		if !means.Empty() {
			s.meaning(p, means)
		}
	case RunsPanel:
		if s.list != nil {
			s.list.Draw(&p.Canvas, r)
		} else {
			s.runs.runsPanel(p, r)
		}
	default:
		s.maximizedScope(p, r)
	}
}

// maximizedScope draws the scope, and below it the line of the cursor's chunk.
func (s *picture) maximizedScope(p *canvas, r draw.Rect) {
	if p.cursor >= 0 && r.H > 4 {
		var row draw.Rect
		r, row = r.SplitV(r.H - 1)
		s.scope.chunkLine(p, p.Line(row.X+1, row.Y, row.W-1))
	}
	s.scope.panel(p, r)
}
