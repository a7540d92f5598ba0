package explain

import (
	"cmp"

	"tokscope/themes"
	"tokscope/ui/draw"
)

// essentials is the screen where there is no room for boxes: state, the knobs around
// the selected one, figures, the timeline, the step in a row each for what it is and
// what binds it, and in what is left the lesson's claim, or what took the step's time.
func (s *picture) essentials(p *canvas, r draw.Rect) {
	y := 0
	next := func(n int) (rows draw.Rect) {
		rows = draw.Rect{X: r.X, Y: r.Y + y, W: r.W, H: min(n, max(r.H-y, 0))}
		y += rows.H
		return rows
	}
	s.compactState(p, p.Row(next(1), 0))
	p.knobRows(next(1), 0, optionsShown(p.v))
	all := p.now.effects()
	p.figuresIn(p.Row(next(1), 0), all[:2])
	p.figuresIn(p.Row(next(1), 0), all[2:4])
	if why := p.broken(); why != "" {
		y += p.Wrapped(r, y, 3, themes.Bad, why)
	}
	if body := next(max(2, r.H/4)); body.H >= 2 && body.W > 1 {
		s.timeline.bare(p, body)
	} else {
		y -= body.H
	}
	text, rows := "", 0 // of the lesson
	if t := &p.v.Explain.Tour; t.On {
		text = cmp.Or(p.lesson(t.Verdict), p.lesson(t.Lesson.Claim), t.Lesson.Title)
		text = p.Join(p.Int(t.Lesson.Number), "/", p.Int(t.Lessons), " ", text)
		for range draw.Rows(p.Chrome(text), r.W) {
			rows++
		}
	}
	st := s.now.step
	if st == nil {
		l := p.Row(next(1), 0)
		l.Cut(themes.Dim, p.nothing())
	} else {
		l := p.Row(next(1), 0)
		l.Write(themes.Figure, p.Ms((st.End-st.Start)*1e3))
		l.Skip(1)
		l.Cut(themes.Text, p.batchWords(st, l.Left()))
		if y+1+rows <= r.H || rows == 0 { // a lesson's claim comes first
			l = p.Row(next(1), 0)
			l.Write(themes.Dim, "KV ")
			l.Write(themes.Text, p.Percent(st.KV))
			l.Skip(1)
			p.bound(&l, themes.Dim, st)
		}
	}
	if text != "" {
		p.Wrapped(r, y, r.H-y, themes.Accent, text)
	} else if rest := next(r.H); st != nil && rest.H >= 2 {
		rest.H -= 2
		p.uses(r, p.terms(rest, st)-r.Y, st)
	}
}

func (s *picture) compactState(p *canvas, l line) {
	p.running(&l)
	n := l.Left()
	switch {
	case slowed(&p.v.Explain):
		l.Whole(themes.Warn, p.overloaded(n))
	case n > 14:
		l.Field(themes.Dim, p.seconds(p.v.Explain.Clock), min(n, 19))
	}
}
