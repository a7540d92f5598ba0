package explain

import (
	"tokscope/themes"
	cell "tokscope/ui/draw"
)

// essentials is the screen where there is no room for boxes: state, the knob
// that is selected, figures, the timeline, the step in a row each for what it
// is and what binds it, and in what is left the lesson's claim, or what took
// the step's time.
func (s *Screen) essentials(p *pen, r cell.Rect) {
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
	s.place("state", cell.Rect{X: r.X, Y: r.Y, W: r.W, H: min(r.H, 1)}, 0)
	if why := p.v.Explain.Broken; why != "" && y < r.H {
		y += p.Wrapped(r, y, 3, themes.Bad, why)
	}
	if body := (cell.Rect{X: r.X, Y: r.Y + y, W: r.W, H: min(r.H-y, max(2, r.H/4))}); body.H >= 2 && body.W > 1 {
		e := s.shownNow(p.v)
		t := s.window(p.v, e, body)
		s.time = t
		s.place("timeline", body, 0)
		s.page = 0
		if t.pools {
			upper, lower := body.SplitV(body.H / 2)
			s.lane(p, &t, e, upper, "prefill")
			s.lane(p, &t, e, lower, "decode")
		} else {
			s.lane(p, &t, e, body, "")
		}
		y += body.H
	}
	st := s.now.step
	if st == nil {
		l := p.Row(r, y)
		l.Cut(themes.Dim, s.nothing(p))
		y++
	} else {
		l := p.Row(r, y)
		l.Write(themes.Figure, p.fine((st.End-st.Start)*1e3))
		l.Skip(1)
		l.Cut(themes.Ink, s.batchWords(p, st, l.Left()))
		l = p.Row(r, y+1)
		l.Write(themes.Dim, "KV ")
		l.Write(themes.Ink, p.percent(st.KV))
		l.Skip(1)
		if !l.Whole(themes.Dim, s.binds(p, st)) && st.Binds != "" {
			l.Whole(themes.Dim, p.Join(st.Binds, " binds"))
		}
		y += 2
	}
	if t := &p.v.Explain.Tour; t.On && y < r.H {
		text := p.Join(p.Int(t.Lesson.Number), "/", p.Int(t.Lessons), " ", t.Lesson.Title)
		if t.Verdict != "" {
			text = p.Join(p.Int(t.Lesson.Number), "/", p.Int(t.Lessons), " ", t.Verdict)
		} else if t.Lesson.Claim != "" {
			text = p.Join(p.Int(t.Lesson.Number), "/", p.Int(t.Lessons), " ", t.Lesson.Claim)
		}
		s.place("tour", cell.Rect{X: r.X, Y: r.Y + y, W: r.W, H: r.H - y}, 0)
		p.Wrapped(r, y, r.H-y, themes.Accent, text)
		return
	}
	if st != nil && r.H-y >= 2 {
		s.terms(p, cell.Rect{X: r.X, Y: r.Y + y, W: r.W, H: r.H - y - 2}, st)
		s.use(p, p.Row(r, r.H-2), "bandwidth", st.Bandwidth, st.Binds == "bandwidth")
		s.use(p, p.Row(r, r.H-1), "compute", st.Compute, st.Binds == "compute")
	}
}

func (s *Screen) compactState(p *pen, l *line) {
	s.running(p, l)
	if n := l.Left(); n > 14 {
		l.Field(themes.Dim, p.seconds(p.v.Explain.Clock), min(n, 19))
	}
}

func (s *Screen) compactKnob(p *pen, l *line) {
	k := p.v.Knob
	if int(k) >= len(dials) {
		return
	}
	from := l.X
	l.Set(themes.Selected, p.Glyphs.Ghost)
	l.Write(themes.Dim, dials[k].name)
	l.Skip(1)
	l.Write(themes.Figure, KnobValue(&p.v.Explain.Knobs, k))
	s.place("knob", cell.Rect{X: from, Y: l.Y, W: l.X - from, H: 1}, int(k))
	l.Skip(1)
	l.Cut(themes.Dim, p.v.Explain.Machine.Name)
}

func (s *Screen) compactTimes(p *pen, l *line) {
	all := s.now.readings()
	l.Write(themes.Dim, "TTFT ")
	l.Slot(themes.Strong, p.Duration(all[0].v), 9)
	l.Whole(themes.Dim, "TPOT ")
	l.Whole(themes.Strong, p.Duration(all[1].v))
}

func (s *Screen) compactSpeeds(p *pen, l *line) {
	all := s.now.readings()
	l.Write(themes.Dim, "each ")
	l.Slot(themes.PerUser, p.speed(all[2].v), 6)
	l.Whole(themes.Dim, "in all ")
	l.Whole(themes.InTotal, p.speed(all[3].v))
	l.Whole(themes.Unit, " tok/s")
}
