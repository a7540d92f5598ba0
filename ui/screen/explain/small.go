package explain

import (
	"tokscope/themes"
	"tokscope/ui/cell"
)

// essentials is the screen where there is no room for boxes: state, the knob
// that is selected, figures, the timeline, the step in a row each for what it
// is and what binds it, and in what is left the lesson's claim, or what took
// the step's time.
func (s *Screen) essentials(p *pen, r cell.Rect) {
	rows := [...]func(l *line){
		func(l *line) { s.smallState(p, l) },
		func(l *line) { s.smallKnob(p, l) },
		func(l *line) { s.smallTimes(p, l) },
		func(l *line) { s.smallSpeeds(p, l) },
	}
	y := 0
	for ; y < len(rows) && y < r.H; y++ {
		l := p.row(r, y)
		rows[y](&l)
	}
	s.place("state", cell.Rect{X: r.X, Y: r.Y, W: r.W, H: min(r.H, 1)}, 0)
	if why := p.v.Explain.Broken; why != "" && y < r.H {
		y += p.wrapped(r, y, 3, themes.Bad, why)
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
		l := p.row(r, y)
		l.cut(themes.Dim, s.nothing(p))
		y++
	} else {
		l := p.row(r, y)
		l.put(themes.Figure, p.fine((st.End-st.Start)*1e3))
		l.skip(1)
		l.cut(themes.Ink, s.batchWords(p, st, l.left()))
		l = p.row(r, y+1)
		l.put(themes.Dim, "KV ")
		l.put(themes.Ink, p.percent(st.KV))
		l.skip(1)
		if !l.whole(themes.Dim, s.binds(p, st)) && st.Binds != "" {
			l.whole(themes.Dim, p.join(st.Binds, " binds"))
		}
		y += 2
	}
	if t := &p.v.Explain.Tour; t.On && y < r.H {
		text := p.join(p.int(t.Lesson.Number), "/", p.int(t.Lessons), " ", t.Lesson.Title)
		if t.Verdict != "" {
			text = p.join(p.int(t.Lesson.Number), "/", p.int(t.Lessons), " ", t.Verdict)
		} else if t.Lesson.Claim != "" {
			text = p.join(p.int(t.Lesson.Number), "/", p.int(t.Lessons), " ", t.Lesson.Claim)
		}
		s.place("tour", cell.Rect{X: r.X, Y: r.Y + y, W: r.W, H: r.H - y}, 0)
		p.wrapped(r, y, r.H-y, themes.Accent, text)
		return
	}
	if st != nil && r.H-y >= 2 {
		s.terms(p, cell.Rect{X: r.X, Y: r.Y + y, W: r.W, H: r.H - y - 2}, st)
		s.use(p, p.row(r, r.H-2), "bandwidth", st.Bandwidth, st.Binds == "bandwidth")
		s.use(p, p.row(r, r.H-1), "compute", st.Compute, st.Binds == "compute")
	}
}

func (s *Screen) smallState(p *pen, l *line) {
	s.running(p, l)
	if n := l.left(); n > 14 {
		l.field(themes.Dim, p.seconds(p.v.Explain.Clock), min(n, 19))
	}
}

func (s *Screen) smallKnob(p *pen, l *line) {
	k := p.v.Knob
	if int(k) >= len(dials) {
		return
	}
	from := l.x
	l.set(themes.Selected, p.gl.Ghost)
	l.put(themes.Dim, dials[k].name)
	l.skip(1)
	l.put(themes.Figure, KnobValue(&p.v.Explain.Knobs, k))
	s.place("knob", cell.Rect{X: from, Y: l.y, W: l.x - from, H: 1}, int(k))
	l.skip(1)
	l.cut(themes.Dim, p.v.Explain.Machine.Name)
}

func (s *Screen) smallTimes(p *pen, l *line) {
	all := s.now.readings()
	l.put(themes.Dim, "TTFT ")
	l.slot(themes.Strong, p.duration(all[0].v), 9)
	l.whole(themes.Dim, "TPOT ")
	l.whole(themes.Strong, p.duration(all[1].v))
}

func (s *Screen) smallSpeeds(p *pen, l *line) {
	all := s.now.readings()
	l.put(themes.Dim, "each ")
	l.slot(themes.PerUser, p.speed(all[2].v), 6)
	l.whole(themes.Dim, "in all ")
	l.whole(themes.InTotal, p.speed(all[3].v))
	l.whole(themes.Unit, " tok/s")
}
