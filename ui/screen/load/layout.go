package load

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics/loadstat"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/screen"
)

// plan holds the place of every part. It depends on the size, and on whether the lanes
// need the second row of the sentence.
type plan struct {
	compact bool // no boxes: the essentials in rows

	users, each, total  draw.Rect // the slider and the two big figures; boxes when tall
	sentence            draw.Rect
	chart, lanes        draw.Rect
	goodput, comparison draw.Rect
	second, third       draw.Rect // the other charts, where they fit

	bigHead bool
}

// Sizes at which the layout changes.
const (
	compactW, compactH = 72, 17  // below one of them: essentials
	tallH              = 30      // from here on: the head with big figures
	bigW               = 117     // … and only from here on: below, the state of the load does not fit in it
	wideW              = 100     // from here on: the wide lanes
	hugeW, hugeH       = 160, 43 // from here on: all charts at once
)

// layout divides r. Without big figures the sentence has said rows. Before a load there
// are no figures: the slider, the chart and what stands beside it have all of the room.
func layout(r draw.Rect, said int, idle bool) plan {
	if r.W < compactW || r.H < compactH {
		return plan{compact: true}
	}
	var p plan
	var head, body, left, right draw.Rect
	if r.H >= tallH && r.W >= bigW {
		p.bigHead = true
		head, body = r.SplitV(6)
		const w = 29
		if p.users = head; !idle {
			p.users, p.each = head.SplitH(r.W - 2*w)
			p.each, p.total = p.each.SplitH(w - 2)
		}
		p.sentence, body = body.SplitV(1)
	} else {
		p.sentence, body = r.SplitV(said)
		p.users, body = body.SplitV(2)
	}
	left, right = body.SplitH(r.W - format.Either(r.W >= wideW, r.W*2/5, r.W*9/20))
	if idle {
		p.chart, p.lanes = left, right
		return p
	}
	low := 5
	switch {
	case r.H >= hugeH:
		low = 10
	case r.H >= tallH:
		low = 8
	case r.H >= 20:
		low = 6
	}
	p.lanes, p.comparison = right.SplitV(-low)
	p.chart, p.goodput = left.SplitV(format.Either(r.H >= tallH, -6, -5))
	if r.W >= hugeW && r.H >= hugeH {
		p.chart, p.second = p.chart.SplitV(p.chart.H * 3 / 5)
		p.second, p.third = p.second.SplitH(p.second.W / 2)
	}
	return p
}

// Panel is a panel that can fill the screen.
type Panel uint8

const (
	// NoPanel: all panels have their places.
	NoPanel Panel = iota
	ChartPanel
	LanesPanel
	RequestsPanel
	GoodputPanel
	ComparisonPanel
)

func (s *Screen) maximized() bool { return s.view.Max != NoPanel }

// toggleMax lets the focused panel fill the screen, or gives all panels their
// places again. The focus is on the panel that was clicked or maximized last,
// at first on the chart.
func (s *Screen) toggleMax() {
	s.view.Max = format.Either(s.maximized(), NoPanel, max(s.focus, ChartPanel))
}

// backOut removes the filter of the list, leaves the maximized panel, else closes
// the recording and shows the screen before.
func (s *Screen) backOut() tea.Cmd {
	switch {
	case s.list.Leave():
		return nil
	case s.maximized():
		s.view.Max = NoPanel
		return nil
	case s.rec != nil && s.host.Came() != screen.Replay: // its requests need it
		s.rec.CloseReplay()
	}
	return s.host.Back()
}

// nextView shows the next chart. While a panel fills the screen it goes through
// all charts and panels.
func (s *Screen) nextView() {
	v := &s.view
	switch v.Max {
	case NoPanel:
		s.nextChart()
		return
	case ChartPanel:
		before := v.Kind
		if s.nextChart(); v.Kind <= before {
			v.Max = format.Either(v.Replay != nil, RequestsPanel, LanesPanel)
		}
	case ComparisonPanel:
		v.Max = ChartPanel
	default:
		v.Max++
	}
	s.focus = v.Max
}

// nextChart shows the next chart on which there can be something.
func (s *Screen) nextChart() {
	v := &s.view
	v.Kind = (v.Kind + 1) % Kinds
	for !v.has(v.Kind) {
		v.Kind = (v.Kind + 1) % Kinds
	}
}

// has reports whether there can be something on a chart of that kind: over users or
// over the rate where these were, or are to be, of the load. A recording has no seconds.
func (v *View) has(k Kind) bool {
	switch k {
	case Curve, Rates:
		open := k == Rates
		return v.Open == open || v.Replay == nil && slices.ContainsFunc(v.Load.Path,
			func(p loadstat.Point) bool { return p.Setup == v.Load.Setup && p.Asked > 0 == open })
	case Queue:
		return v.Open && v.Replay == nil // else nothing arrives by a schedule
	}
	return v.Replay == nil || !k.timed()
}

// maximized draws the panel of v.Max over r, below the slider and the sentence.
func (s *picture) maximized(p *canvas, r draw.Rect) {
	var users, said draw.Rect
	if r.W >= compactW && r.H >= compactH {
		said, r = r.SplitV(2)
		users, r = r.SplitV(2)
		s.head.slider(p, users)
		s.head.sentence(p, said)
	}
	if p.v.idle() && p.v.Max != RequestsPanel && p.v.Max != ChartPanel {
		s.lanes.promise(p, p.Box(r, themes.Border, promised, ""))
		return
	}
	switch p.v.Max {
	case LanesPanel:
		s.lanes.warns = true
		s.lanes.lanesPanel(p, r)
	case RequestsPanel:
		s.requests.Draw(&p.Canvas, r)
	case GoodputPanel:
		p.goodput(r)
	case ComparisonPanel:
		p.comparison(r)
	default:
		s.charts.chartPanel(p, r, p.v.Kind%Kinds)
	}
}
