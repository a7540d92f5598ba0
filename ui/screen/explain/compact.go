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
