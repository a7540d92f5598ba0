package live

import (
	"cmp"

	"tokscope/metrics"
	"tokscope/metrics/slo"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/lens"
	"tokscope/ui/say"
)

// plan holds the place of every part. It depends on the size and on the modes
// that the person has switched on, never on a value, so that nothing jumps.
type plan struct {
	compact bool // no boxes

	said, text, now, lens, scope, runs, chunk draw.Rect
	answer, means                             draw.Rect // the response's head and the definitions, where both fit

	// one row each instead of a box; the runs have that of the chunk where both are true
	chunkLine, runsLine, lensLine bool
}

// Sizes at which the layout changes.
const (
	compactW, compactH = 72, 17  // below one of them: no boxes, and no row for session and lens
	saidH              = 22      // from here on: a row for the conclusion; the heights below are those under it
	tallH              = 29      // from here on: boxes for the session, big figures
	wideW              = 99      // from here on: the wide now panel; a terminal of 100 columns has it
	besideW            = 112     // from here on: a box for a chunk beside the session
	roomyH             = 16      // from here on: rows for text and scope without boxes
	hugeW, hugeH       = 160, 42 // from here on: a wider now panel
	vastW, vastH       = 240, 60 // from here on: a third column for response and definitions
	textMost           = 110     // columns of text there: longer lines are hard to read
	answerRowsMost     = 18      // rows of the response there
	chunkMost          = 80      // columns of the box for a chunk
)

// layout divides r. The lens takes its room from the scope, which is readable
// at half its height.
func layout(r draw.Rect, lensed bool) plan {
	if r.W < compactW || r.H < compactH {
		return bareLayout(r)
	}
	var p plan
	if r.W > say.ShortConclusion && r.H >= saidH {
		p.said, r = r.SplitV(1)
	}
	glass := 0
	if lensed {
		if glass = 1; r.H >= tallH+lens.Rows {
			glass = lens.Rows
		}
		p.lensLine = glass == 1
	}
	scope, foot := scopeHeight(r.H)
	upper, low := r.SplitV(r.H - scope - foot)
	p.lens, p.scope = low.SplitV(glass)
	p.scope, p.runs = p.scope.SplitV(scope - glass)
	p.text, p.now = upper.SplitH(r.W - nowWidth(r))
	if r.W >= vastW && r.H >= vastH {
		p.text, p.now = upper.SplitH(min((r.W-80)/2+10, textMost))
		p.now, p.answer = p.now.SplitH(p.now.W - min(p.now.W*2/5, 82))
		p.answer, p.means = p.answer.SplitV(min(answerRowsMost, p.answer.H/2))
	}
	switch {
	case r.H < tallH:
		p.chunk, p.chunkLine, p.runsLine = p.runs, true, true
	case r.W < besideW:
		p.chunk, p.runs = p.runs.SplitV(1)
		p.chunkLine = true
	default:
		p.runs, p.chunk = p.runs.SplitH(r.W - min(r.W-p.text.W, chunkMost))
	}
	return p
}

// scopeHeight is the height of lens and scope in h rows, and of what is below them.
func scopeHeight(h int) (scope, foot int) {
	switch {
	case h >= 2*tallH:
		return 32, 11
	case h >= hugeH:
		return 21, 7
	case h >= 37:
		return 18, 7
	case h >= 34:
		return 17, 5
	case h >= tallH:
		return 13, 5
	case h >= 20:
		return 12, 1
	}
	return 11, 1
}

// bareLayout divides r where there is no room for boxes: the figures, the text below its
// title and the scope, as many of them as there are rows.
func bareLayout(r draw.Rect) plan {
	now, scope := 0, 0
	switch {
	case r.H >= roomyH:
		now, scope = 3, 9
	case r.H >= 12:
		now, scope = 3, 5
	case r.H >= 9:
		now, scope = 3, 3
	case r.H >= 6:
		now, scope = 2, 2
	case r.H >= 4:
		now = 2
	}
	p := plan{compact: true, chunkLine: true, runsLine: true}
	p.now, p.text = r.SplitV(now)
	p.text, p.scope = p.text.SplitV(p.text.H - scope)
	return p
}

// nowWidth is the width of the now panel in r. Big figures need 49 columns inside: two
// of four digits beside each other are one number where less than three columns
// separate them. Without them each figure has a row.
func nowWidth(r draw.Rect) int {
	switch {
	case r.W >= hugeW && r.H >= hugeH:
		return min(r.W*2/5, 110)
	case r.W >= wideW:
		return 53
	}
	return 33
}

// LensAt reports how a terminal of w by h shows a lens: as a box, as a line,
// or not at all. The root takes one row above, one below, and one column.
func LensAt(w, h int) (box, line bool) {
	p := layout(draw.Rect{W: w - 1, H: h - 2}, true)
	return !p.compact && !p.lensLine, p.lensLine
}

// glass is the lens, and the medians of earlier runs for comparison.
type glass struct {
	panel lens.Panel
	past  slo.LensFigures
	runs  []*metrics.Run
}

// lensPanel draws the lens where the plan has room for it.
func (s *picture) lensPanel(p *canvas, lay plan) {
	if lay.lens.Empty() {
		return
	}
	v, l := p.v, &s.lens
	l.panel.Update(v.Lens, v.Task, slo.LensOfStream(&v.Stream, &v.Figures, v.Now), l.past, p.Glyphs)
	if lay.lensLine {
		l.panel.Line(&p.Canvas, lay.lens)
	} else {
		l.panel.Draw(&p.Canvas, lay.lens)
	}
}

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
