package explain

import (
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/say"
)

// essentials is the screen where there is no room for boxes: state, the knob
// that is selected, figures, the timeline, the step in a row each for what it
// is and what binds it, and in what is left the lesson's claim, or what took
// the step's time.
func (s *picture) essentials(p *canvas, r draw.Rect) {
	rows := [...]func(l *line){
		func(l *line) { s.compactState(p, l) },
		func(l *line) { s.compactKnob(p, l) },
		func(l *line) { s.compactTimes(p, l) },
		func(l *line) { s.compactSpeeds(p, l) },
	}
	y := 0
	for ; y < len(rows) && y < r.H; y++ {
		l := p.Row(r, y)
		rows[y](&l)
	}
	if why := p.broken(); why != "" && y < r.H {
		y += p.Wrapped(r, y, 3, themes.Bad, why)
	}
	if body := (draw.Rect{X: r.X, Y: r.Y + y, W: r.W, H: min(r.H-y, max(2, r.H/4))}); body.H >= 2 && body.W > 1 {
		e := p.now.shown(p.v)
		t := s.timeline.window(p.v, e, body)
		s.timeline.time = t
		p.Grid.Target(body, onTimeline)
		s.timeline.page = 0
		if t.pools {
			upper, lower := body.SplitV(body.H / 2)
			s.timeline.lane(p, &t, e, upper, "prefill")
			s.timeline.lane(p, &t, e, lower, "decode")
		} else {
			s.timeline.lane(p, &t, e, body, "")
		}
		y += body.H
	}
	st := s.now.step
	if st == nil {
		l := p.Row(r, y)
		l.Cut(themes.Dim, p.nothing())
		y++
	} else {
		l := p.Row(r, y)
		l.Write(themes.Figure, p.Ms((st.End-st.Start)*1e3))
		l.Skip(1)
		l.Cut(themes.Text, s.step.batchWords(p, st, l.Left()))
		l = p.Row(r, y+1)
		l.Write(themes.Dim, "KV ")
		l.Write(themes.Text, p.Percent(st.KV))
		l.Skip(1)
		if !l.Whole(themes.Dim, s.step.binds(p, st)) && st.Binds != "" {
			l.Whole(themes.Dim, p.Join(st.Binds, "-bound"))
		}
		y += 2
	}
	if t := &p.v.Explain.Tour; t.On && y < r.H {
		text := p.Join(p.Int(t.Lesson.Number), "/", p.Int(t.Lessons), " ", t.Lesson.Title)
		if t.Verdict != "" {
			text = p.Join(p.Int(t.Lesson.Number), "/", p.Int(t.Lessons), " ", p.lesson(t.Verdict))
		} else if t.Lesson.Claim != "" {
			text = p.Join(p.Int(t.Lesson.Number), "/", p.Int(t.Lessons), " ", p.lesson(t.Lesson.Claim))
		}
		p.Wrapped(r, y, r.H-y, themes.Accent, text)
		return
	}
	if st != nil && r.H-y >= 2 {
		s.step.uses(p, r, s.step.terms(p, draw.Rect{X: r.X, Y: r.Y + y, W: r.W, H: r.H - y - 2}, st)-r.Y, st)
	}
}

func (s *picture) compactState(p *canvas, l *line) {
	s.head.running(p, l)
	n := l.Left()
	switch {
	case slowed(&p.v.Explain):
		l.Whole(themes.Warn, s.head.overloaded(p, n))
	case n > 14:
		l.Field(themes.Dim, p.seconds(p.v.Explain.Clock), min(n, 19))
	}
}

func (s *picture) compactKnob(p *canvas, l *line) {
	k := p.v.Knob
	if int(k) >= len(dials) {
		return
	}
	from := l.X
	l.Set(themes.Selected, p.Glyphs.Ghost)
	l.Write(themes.Dim, dials[k].name)
	l.Skip(1)
	l.Write(themes.Figure, say.KnobPosition(k, &p.v.Explain.Knobs))
	p.Grid.Target(draw.Rect{X: from, Y: l.Y, W: l.X - from, H: 1}, onKnob(k))
	l.Skip(1)
	l.Cut(themes.Dim, p.v.Explain.Machine.Name)
}

func (s *picture) compactTimes(p *canvas, l *line) {
	all := s.now.readings()
	l.Write(themes.Dim, "TTFT ")
	l.Slot(themes.Strong, p.Duration(all[0].v), 9)
	l.Whole(themes.Dim, "TPOT ")
	l.Whole(themes.Strong, p.Duration(all[1].v))
}

func (s *picture) compactSpeeds(p *canvas, l *line) {
	all := s.now.readings()
	l.Write(themes.Dim, "per user ")
	l.Slot(themes.PerUser, p.NumberOf(all[2].v), 6)
	l.Whole(themes.Dim, "aggregate ")
	l.Whole(themes.Aggregate, p.NumberOf(all[3].v))
	l.Whole(themes.Unit, " tok/s")
}
