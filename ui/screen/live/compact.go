package live

import (
	"tokscope/themes"
	"tokscope/ui/draw"
)

// essentials is the screen where there is no room for panels: state, the
// figures, the text, the wait and the strip, as many of them as there are rows.
func (s *picture) essentials(p *canvas, r draw.Rect) {
	if r.Empty() {
		return
	}
	l := p.Row(r, 0)
	s.body.state(p, &l)
	l.Skip(2)
	l.Whole(themes.Dim, p.produced())
	if p.v.Frozen {
		l.Skip(1)
		l.Whole(themes.Warn, "frozen")
	}
	y := 1
	if r.H > y {
		s.pair(p, p.Row(r, y), p.ttft(), p.speed())
		y++
	}
	if r.H >= 6 {
		s.pair(p, p.Row(r, y), p.tpot(), figure{label: "READER", num: p.times(p.v.Figures.TimesReading), unit: p.paceName(), role: themes.Text})
		y++
	}
	strip, wait, race := 0, 0, 0
	switch {
	case r.H >= 16:
		strip, wait, race = 6, 2, 1
	case r.H >= 12:
		strip, wait = 4, 1
	case r.H >= 9:
		strip, wait = 3, 1
	case r.H >= 6:
		strip = 2
	}
	if p.v.Stream.Fault != nil && r.H < 16 {
		strip, wait = 0, 0 // the words of the failure need the rows
	}
	text, rest := draw.Rect{X: r.X, Y: r.Y + y, W: r.W, H: r.H - y}.SplitV(r.H - y - strip - wait - race)
	p.Grid.Target(draw.Rect{X: r.X, Y: r.Y, W: r.W, H: y}, onFigures)
	s.body.textBody(p, draw.Rect{X: text.X + 1, Y: text.Y, W: text.W - 2, H: text.H})
	var at draw.Rect
	at, rest = rest.SplitV(wait)
	if wait > 0 {
		s.waitRows(p, at)
	}
	at, rest = rest.SplitV(strip)
	if strip > 0 {
		p.Grid.Target(at, onGaps)
		s.gaps.gapsPlot(p, at)
	}
	if race > 0 {
		p.Grid.Target(rest, onReading)
		s.race.raceLine(p, rest)
	}
}

// pair is two figures in one row, in places that do not move.
func (s *picture) pair(p *canvas, l line, a, b figure) {
	half := l.X + l.Left()/2
	for i, f := range [...]figure{a, b} {
		end := l.End
		if i == 0 {
			l.End = half - 1
		} else {
			l.To(half)
		}
		l.Slot(themes.Dim, f.label, 6)
		f.write(p, &l, 5)
		l.End = end
	}
}

// waitRows is the phase bar without its box: bar and total, and the parts
// where there is a second row.
func (s *picture) waitRows(p *canvas, r draw.Rect) {
	all, total := s.wait.stretches(p)
	scale := nice(firstScale, total)
	f := p.ttft()
	l := p.Row(r, 0)
	text := p.Join("of ", p.tick(scale))
	if n := draw.Width(text); n+20 < l.Left() {
		p.Grid.Right(l.End, l.Y, text, themes.Axis, n)
		l.End -= 10
	}
	s.wait.phaseBar(p, l, all, scale, f.known.OK)
	if r.H > 1 {
		s.wait.phaseLegend(p, p.Row(r, 1), all, false, scale)
	}
}
