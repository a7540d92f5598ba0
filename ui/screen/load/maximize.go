package load

import (
	tea "charm.land/bubbletea/v2"

	"tokscope/ui/draw"
	"tokscope/ui/format"
)

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

// maximized reports whether one panel fills the screen.
func (s *Screen) maximized() bool { return s.view.Max != NoPanel }

// toggleMax lets the focused panel fill the screen, or gives all panels their
// places again. The focus is on the panel that was clicked or maximized last,
// at first on the chart.
func (s *Screen) toggleMax() {
	if s.maximized() {
		s.view.Max = NoPanel
		return
	}
	s.view.Max = max(s.focus, ChartPanel)
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
	case s.rec != nil:
		return s.close()
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

// nextChart shows the next chart. Its slider comes into use: that of the X axis,
// elsewhere that of the load.
func (s *Screen) nextChart() {
	v := &s.view
	open := v.Load.Rate > 0 && (v.Load.Running || v.Load.Sent > 0)
	v.Kind = (v.Kind + 1) % Kinds
	for !v.has(v.Kind, open) {
		v.Kind = (v.Kind + 1) % Kinds
	}
	switch {
	case v.Replay != nil:
	case v.Kind == Curve:
		v.Open = false
	case v.Kind == Rates, v.Kind == Queue:
		v.Open = true
	default:
		v.Open = open
	}
}

// has reports whether there can be something on a chart of that kind, of an open
// loop or not. A recording has no seconds, and one axis of the load.
func (v *View) has(k Kind, open bool) bool {
	if v.Replay != nil {
		return !k.timed() && k != format.Either(v.Open, Curve, Rates)
	}
	return k != Queue || open // else nothing arrives by a schedule
}

// maximized draws the panel of v.Max over r, below the slider and the sentence.
func (s *picture) maximized(p *canvas, r draw.Rect) {
	var users, said draw.Rect
	if r.W >= compactW && r.H >= compactH {
		said, r = r.SplitV(1)
		users, r = r.SplitV(2)
		s.head.slider(p, users)
		s.head.sentence(p, said)
	}
	switch p.v.Max {
	case LanesPanel:
		s.lanes.warns = true
		s.lanes.lanesPanel(p, r)
	case RequestsPanel:
		s.list(p, r)
	case GoodputPanel:
		p.goodput(r)
	case ComparisonPanel:
		p.comparison(r)
	default:
		s.charts.chartPanel(p, r, p.v.Kind%Kinds)
	}
}
