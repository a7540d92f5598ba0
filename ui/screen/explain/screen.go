package explain

import (
	"tokscope/metrics"
	"tokscope/themes"
	cell "tokscope/ui/draw"
)

// Screen draws the Explain screen. It keeps the numbers that are shown until
// they may change again, the scale of the timeline, and where everything was
// drawn. It belongs to one goroutine.
type Screen struct {
	pen   pen
	now   figures
	zoom  zoom
	dots  dots // of the roofline
	text  tail // of the client's panel
	heard heard
	lens  glass

	cols  []column // of the timeline, while it is dense
	slots []slot

	lensIs   LensAs
	switches bool // not all panels have room
	textCut  bool // the lesson's text has no room in its panel
	page     int  // steps in view

	hits []hit
	time track // of the timeline, for StepAt
}

// hit is a part of the screen and where it was drawn; n is a knob or a user.
type hit struct {
	id string
	r  cell.Rect
	n  int
}

// New returns a screen at rest.
func New() *Screen { return &Screen{} }

// Draw paints v into r. Nothing outside r is touched, and what r held before
// is covered. Any size will do.
func (s *Screen) Draw(g *cell.Grid, r cell.Rect, v *View) {
	s.hits, s.time = s.hits[:0], track{}
	if r.Empty() {
		return
	}
	defer g.Clip(r)()
	g.Fill(r, ' ', themes.Ink)
	p := &s.pen
	p.begin(g, v)
	s.refresh(v)
	s.heard.see(&v.Explain.Watched)
	lay := s.layout(r, v)
	s.slots = lay.slots
	if lay.compact {
		s.switches, s.slots = false, s.slots[:0]
		s.essentials(p, r)
		return
	}
	s.look(p, s.lensIs)
	s.state(p, lay.state)
	s.knobs(p, lay.knobs)
	s.figureRows(p, lay.figures)
	s.lensBar(p, lay.lens, s.lensIs)
	s.timeline(p, lay.timeline)
	s.tour(p, lay.tour)
	s.switches = false
	for panel := range Panels {
		s.switches = s.switches || s.hidden(v, panel)
	}
	for _, at := range lay.slots {
		s.panel(p, at.r, at.panel)
		if s.switches && at.panel == s.turning(v) {
			s.more(p, at.r)
		}
	}
}

// panel draws one of the panels.
func (s *Screen) panel(p *pen, r cell.Rect, panel Panel) {
	if r.Empty() {
		return
	}
	s.place(panel.String(), r, 0)
	border := themes.Border
	if marked(p.v, panel.String()) {
		border = themes.BorderFocus
	}
	switch panel {
	case Step:
		s.stepPanel(p, r, border)
	case Roofline:
		s.roofline(p, r, border)
	case KV:
		s.kvPanel(p, r, border)
	case Batch:
		s.batchPanel(p, r, border)
	case Client:
		s.clientPanel(p, r, border)
	case WhatIf:
		s.whatIf(p, r, border)
	case Seesaw:
		s.seesaw(p, r, border)
	case Lens:
		s.lensPanel(p, r, border)
	case Text:
		s.textPanel(p, r, border)
	}
}

// more says in the lower border of r which key shows another panel there.
func (s *Screen) more(p *pen, r cell.Rect) {
	key, text := p.v.Keys.Panel, " other panels "
	if key == "" || r.W < len(key)+len(text)+8 {
		return
	}
	l := p.Line(r.Right()-len(key)-len(text)-4, r.Bottom()-1, len(key)+len(text)+2)
	l.Write(themes.Border, " ")
	l.Write(themes.Key, key)
	l.Write(themes.KeyText, text)
}

// refresh takes over new numbers when they may change.
func (s *Screen) refresh(v *View) {
	n, e := &s.now, &v.Explain
	tour := e.Tour.Lesson.Number<<8 + e.Tour.Stage
	if !e.Tour.On {
		tour = -1
	}
	same := n.known && n.cursor == v.Cursor && n.zoom == v.Zoom && n.tour == tour && n.marks == len(e.Marks) && n.paused == e.Paused &&
		n.view.Knobs == e.Knobs && n.view.Busy == e.Busy && n.view.Broken == e.Broken && n.view.Running == e.Running
	if same && e.Now >= n.at && e.Now-n.at < figuresEvery && !e.Paused {
		return
	}
	n.known, n.cursor, n.zoom, n.tour, n.marks, n.paused = true, v.Cursor, v.Zoom, tour, len(e.Marks), e.Paused
	if n.view.Knobs != e.Knobs {
		n.most = 0
	}
	n.most = max(n.most, mostTokens(e.Steps))
	if e.Doing != nil && e.Doing.Prefilled > n.most {
		n.most = max(n.most, mostTokens([]metrics.EngineStep{*e.Doing}))
	}
	n.at, n.view = e.Now, *e
	n.version++
	n.step, n.back = v.step(), v.back()
	n.groups = groupsOf(e.Steps)
	s.zoom.update(v)
}

// lensAs is how the lens of v is shown in r. A lesson about it shows it by
// itself, and so does a person who asks for that panel.
func (s *Screen) lensAs(r cell.Rect, v *View) LensAs {
	switch {
	case r.W < compactW || r.H < compactH:
		return LensNone
	case s.shown(v) == Lens:
		return LensBoard
	case v.Lens == "":
		return LensNone
	case r.W >= bigW && r.H >= bigH:
		return LensBox
	case twoRows(r, v):
		return LensTile
	}
	return LensLine
}

// Animating reports whether the picture changes by time alone.
func (s *Screen) Animating(v *View) bool { return v.Explain.Running && !v.Explain.Paused }

// Move moves the cursor by so many steps; moved to the newest it follows.
func (s *Screen) Move(v *View, by int) {
	steps := v.Explain.Steps
	if len(steps) == 0 {
		v.Cursor = 0
		return
	}
	i := min(max(v.at()+by, 0), len(steps)-1)
	if v.Cursor = steps[i].Number; i == len(steps)-1 {
		v.Cursor = 0
	}
}

// MovePage moves the cursor by half of the steps in view.
func (s *Screen) MovePage(v *View, by int) { s.Move(v, by*max(s.page/2, 1)) }

func (g *Screen) place(id string, r cell.Rect, n int) {
	if !r.Empty() {
		g.hits = append(g.hits, hit{id, r, n})
	}
}

// Hit names what is at x, y of the last frame: "knob", "timeline", "request",
// "tour", of its last row "stage", "next", "back" and "leave", "state",
// "figures", or the name of a Panel (the lens also where it is none).
func (s *Screen) Hit(x, y int) (id string, ok bool) {
	h := s.hit(x, y)
	if h == nil {
		return "", false
	}
	return h.id, true
}

func (g *Screen) hit(x, y int) *hit {
	for i := len(g.hits) - 1; i >= 0; i-- {
		if g.hits[i].r.Contains(x, y) {
			return &g.hits[i]
		}
	}
	return nil
}

// KnobAt is the knob that is drawn at x, y.
func (s *Screen) KnobAt(x, y int) (metrics.Knob, bool) {
	if h := s.hit(x, y); h != nil && h.id == "knob" {
		return metrics.Knob(h.n), true
	}
	return 0, false
}

// UserAt is the user whose request is drawn at x, y of the batch.
func (s *Screen) UserAt(x, y int) (int, bool) {
	if h := s.hit(x, y); h != nil && h.id == "request" && h.n > 0 {
		return h.n, true
	}
	return 0, false
}
