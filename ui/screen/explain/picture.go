package explain

import (
	"cmp"
	"math"
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/serving"
	"tokscope/themes"
	"tokscope/ui/chart"
	"tokscope/ui/draw"
	"tokscope/ui/keys"
	"tokscope/ui/say"
	"tokscope/ui/screen"
)

// picture draws the Explain screen. It keeps the shown numbers until they may
// change, and which panels have a place. Its panels keep their own state. It
// belongs to one goroutine.
type picture struct {
	canvas canvas
	now    figures
	heard  heard

	slots    []slot
	lens     glass
	lensIs   LensAs
	switches bool // not all panels fit
	textCut  bool // the lesson's text does not fit its own panel

	timeline timeline
	roofline chart.Chart
	tail     tail // of the client
	whatIf   whatIf
	seesaw   chart.Chart
}

// Click targets, beside the bindings of keys that are named on the screen.
type (
	onTimeline struct{}
	onKnob     serving.Knob // the position of a knob
	onUser     int          // a request of the batch, 0 if it cannot be watched
)

// moment is what a person chose, and what the engine does: other figures are of
// another moment.
type moment struct {
	cursor                uint64
	zoom, marks           int
	tour                  int // lesson and stage; -1 without a tour
	paused, busy, running bool
	knobs                 serving.Knobs
	broken                metrics.Ending
}

// figures are the numbers of the screen. They change at most once in
// screen.FiguresEvery, so that they can be read, and at once after a person's
// action.
type figures struct {
	of      moment
	version uint64 // 0 before the first frame
	at      metrics.Stamp
	view    serving.View
	step    *serving.EngineStep // the step at the cursor
	back    int                 // steps behind the newest
	most    int                 // tokens at the top of the timeline's scale
	shares  shares              // of the steps' parts, on the machine of the step at the cursor

	ending draw.Memo[metrics.Ending, string]
}

// machine is the machine of the step at the cursor. Before the last change of
// a knob it may differ from the present one.
func (n *figures) machine() *serving.Machine {
	if n.step != nil && n.step.Machine != nil {
		return n.step.Machine
	}
	return &n.view.Machine
}

// Draw paints v into r. It covers everything in r and touches nothing
// outside. Any size works.
func (s *picture) Draw(g *draw.Grid, r draw.Rect, v *View) {
	s.timeline.time = track{}
	p := &s.canvas
	defer p.Open(g, r, v.Look.Glyphs)()
	p.v, p.now, p.heard = v, &s.now, &s.heard
	s.refresh(v)
	s.heard.see(&v.Explain.Watched)
	lay := s.layout(r, v)
	if lay.compact {
		s.switches = false
		s.essentials(p, r)
		return
	}
	s.look(p, s.lensIs)
	p.state(lay.state)
	p.knobs(lay.knobs)
	p.figureRows(lay.figures)
	switch s.lensIs {
	case LensLine:
		s.lens.panel.Line(&p.Canvas, lay.lens)
	case LensBox:
		s.lens.panel.Draw(&p.Canvas, lay.lens)
	}
	s.timeline.timeline(p, lay.timeline)
	s.tour(p, lay.tour)
	s.switches = false
	for panel := range Panels {
		s.switches = s.switches || s.hidden(v, panel)
	}
	for _, at := range s.slots {
		s.panel(p, at.r, at.panel)
		if s.switches && at.panel == s.turning(v) {
			s.more(p, at.r)
		}
	}
}

func (s *picture) panel(p *canvas, r draw.Rect, panel Panel) {
	if r.Empty() {
		return
	}
	border := p.border(panel.String())
	switch panel {
	case Step:
		p.stepPanel(r, border)
	case Roofline:
		p.rooflinePanel(&s.roofline, r, border)
	case KV:
		p.kvPanel(r, border)
	case Batch:
		p.batchPanel(r, border)
	case Client:
		s.tail.clientPanel(p, r, border)
	case WhatIf:
		s.whatIf.whatIf(p, r, border)
	case Seesaw:
		p.seesawPanel(&s.seesaw, r, border)
	case Lens:
		if s.lensIs == LensBoard {
			s.lens.board.Draw(&p.Canvas, r, p.v.Look.Lens, border)
		} else {
			s.lens.panel.Tile(&p.Canvas, r, border)
		}
	case Text:
		p.textPanel(r, border)
	}
}

// more says in the lower border of r which key shows another panel there.
func (s *picture) more(p *canvas, r draw.Rect) {
	b := keys.Of(p.v.Table, keys.NextPanel)
	if b == nil {
		return
	}
	key, text := b.Name(p.Glyphs.ASCII), " other panels "
	if r.W < len(key)+len(text)+8 {
		return
	}
	l := p.Line(r.Right()-len(key)-len(text)-4, r.Bottom()-1, len(key)+len(text)+2)
	l.Write(themes.Border, " ")
	l.Write(themes.Key, key)
	l.Write(themes.KeyText, text)
}

// refresh copies new numbers when they may change.
func (s *picture) refresh(v *View) {
	n, e := &s.now, &v.Explain
	of := moment{v.Cursor, v.Zoom, len(e.Marks), -1, e.Paused, e.Busy, e.Running, e.Knobs, e.Broken}
	if e.Tour.On {
		of.tour = e.Tour.Lesson.Number<<8 + e.Tour.Stage
	}
	if n.version > 0 && of == n.of && e.Now >= n.at && e.Now-n.at < screen.FiguresEvery && !e.Paused {
		return
	}
	if n.of.knobs != e.Knobs {
		n.most = 0
	}
	n.of = of
	n.most = max(n.most, mostTokens(e.Steps))
	if e.Doing != nil && e.Doing.Prefilled > n.most {
		n.most = max(n.most, mostTokens([]serving.EngineStep{*e.Doing}))
	}
	n.at, n.view = e.Now, *e
	n.version++
	n.step, n.back = v.step(), v.back()
	n.shares = shares{}
	if n.step != nil {
		n.shares = sharesOf(e.Steps, n.step.Machine)
	}
	s.timeline.zoom.update(v)
}

// Move moves the cursor by that many steps. At the newest step it follows
// again.
func (s *picture) Move(v *View, by int) {
	steps := v.Explain.Steps
	if len(steps) == 0 {
		v.Cursor = 0
		return
	}
	at, newest := v.at(), v.at()+v.back()
	if v.Cursor == 0 && v.underWay() != nil {
		at, newest = at+1, newest+1
	}
	if i := min(max(at+by, 0), newest); i < newest {
		v.Cursor = steps[i].Number
	} else {
		v.Cursor = 0
	}
}

// MovePage moves the cursor by half of the visible steps.
func (s *picture) MovePage(v *View, by int) { s.Move(v, by*max(s.timeline.page/2, 1)) }

// essentials is the screen where there is no room for boxes: state, the knobs around
// the selected one, figures, the timeline, the step in a row each for what it is and
// what binds it, and in what is left the lesson's claim, or what took the step's time.
func (s *picture) essentials(p *canvas, r draw.Rect) {
	all := r.H
	next := func(n int) (rows draw.Rect) {
		rows, r = r.SplitV(n)
		return rows
	}
	l := p.Row(next(1), 0)
	p.running(&l)
	if n := l.Left(); slowed(&p.v.Explain) {
		l.Whole(themes.Warn, p.overloaded(n))
	} else if n > 14 {
		l.Field(themes.Dim, p.seconds(p.v.Explain.Clock), min(n, 19))
	}
	p.knobRows(next(1), 0, optionsShown(p.v))
	figures := p.now.effects()
	p.figuresIn(p.Row(next(1), 0), figures[:2])
	p.figuresIn(p.Row(next(1), 0), figures[2:4])
	next(p.Wrapped(r, 0, 3, themes.Bad, p.broken()))
	if r.H >= 2 && r.W > 1 {
		s.timeline.bare(p, next(max(2, all/4)))
	}
	text, rows := "", 0 // of the lesson
	if t := &p.v.Explain.Tour; t.On {
		text = cmp.Or(p.lesson(t.Verdict), p.lesson(t.Lesson.Claim), t.Lesson.Title)
		text = p.Join(p.Int(t.Lesson.Number), "/", p.Int(t.Lessons), " ", text)
		rows = p.lines(text, r.W)
	}
	st := s.now.step
	if l = p.Row(next(1), 0); st == nil {
		l.Cut(themes.Dim, p.nothing())
	} else {
		l.Write(themes.Figure, p.Ms((st.End-st.Start)*1e3))
		l.Skip(1)
		l.Cut(themes.Text, p.batchWords(st, l.Left()))
		if rows < r.H || rows == 0 { // a lesson's claim comes first
			l = p.Row(next(1), 0)
			l.Write(themes.Dim, "KV ")
			l.Write(themes.Text, p.Percent(st.KV))
			l.Skip(1)
			p.bound(&l, themes.Dim, st)
		}
	}
	if text != "" {
		p.Wrapped(r, 0, r.H, themes.Accent, text)
	} else if st != nil && r.H >= 2 {
		rest, _ := r.SplitV(r.H - 2)
		p.uses(r, p.terms(rest, st)-r.Y, st)
	}
}

// canvas is what the panels draw with, the view they draw, and what several of
// them draw of: the figures that are shown and the chunks that were heard.
type canvas struct {
	draw.Canvas
	v     *View
	now   *figures
	heard *heard
}

type line = draw.Line

// broken returns why the engine does not run although it should, "" otherwise.
func (p *canvas) broken() string {
	return p.now.ending.Of(p.v.Explain.Broken, say.Ending)
}

// finite is v within printable limits, 0 for a value that is no number.
func finite(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return min(max(v, -1e15), 1e15)
}

// amount is Amount without "0 B": nothing is written as nothing.
func (p *canvas) amount(v float64, unit string) string {
	if !(v > 0) {
		return ""
	}
	return p.Amount(v, unit)
}

// lesson is a text of a lesson with its figures written.
func (p *canvas) lesson(text string) string {
	if strings.IndexByte(text, '{') < 0 {
		return text
	}
	return p.Keep(say.AppendLesson(p.Scratch(), text))
}
