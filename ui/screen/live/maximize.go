package live

import (
	"cmp"

	"tokscope/ui/draw"
	"tokscope/ui/format"
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
	s.view.Max = cmp.Or(s.focus, format.Either(failedEarly(&s.view.Stream), TextPanel, ScopePanel))
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

// alone divides r where one panel fills it, below the conclusion; the definitions stand
// beside all figures, and the line of the cursor's chunk below the scope.
func alone(r draw.Rect, panel Panel, cursor bool) (p plan) {
	p.chunkLine = true
	if r.W > say.ShortConclusion && r.H >= saidH {
		p.said, r = r.SplitV(1)
	}
	switch panel {
	case TextPanel:
		p.text = r
	case NowPanel:
		if p.now = r; r.W >= besideTable {
			p.now, p.means = r.SplitH(2*tableColumns + boxSides)
		}
	case RunsPanel:
		p.runs = r
	default:
		if p.scope = r; cursor && r.H > 4 {
			p.scope, p.chunk = r.SplitV(-1)
		}
	}
	return p
}
