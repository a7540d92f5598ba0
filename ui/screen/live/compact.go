package live

import (
	"tokscope/themes"
	"tokscope/ui/draw"
)

// essentials is the screen where there is no room for panels: state, the
// figures, the text, the wait and the scope, as many of them as there are rows.
func (s *picture) essentials(p *canvas, r draw.Rect) {
	if r.Empty() {
		return
	}
	l := p.Row(r, 0)
	s.body.state(p, &l)
	l.Skip(2)
	if p.v.Other != "" && l.Whole(themes.Dim, p.Join("last run: ", p.v.Other)) {
		l.Skip(2)
	}
	l.Whole(themes.Dim, p.produced())
	if p.v.Frozen {
		l.Skip(1)
		l.Whole(themes.Warn, "frozen")
	}
	y := 1
	early := failedEarly(&p.v.Stream) // there are no figures: the words need the rows
	if r.H > y && !early {
		p.pair(p.Row(r, y), p.ttft(), p.speed())
		y++
	}
	switch {
	case early:
	case r.H >= 6 && p.cursor >= 0:
		s.scope.chunkLine(p, p.Row(r, y))
		y++
	case r.H >= 6:
		p.pair(p.Row(r, y), p.tpot(),
			headline{label: "READER", num: p.times(p.v.Figures.TimesReading), unit: p.paceName(), role: themes.Text})
		y++
	}
	scope, wait, race := 0, 0, 0
	switch {
	case r.H >= 16:
		scope, wait, race = 7, 1, 1
	case r.H >= 12:
		scope = 5
	case r.H >= 9:
		scope = 4
	case r.H >= 6:
		scope = 2
	}
	if p.v.Stream.Fault != nil && r.H < 16 {
		scope = 0 // the words of the failure need the rows
	}
	text, rest := draw.Rect{X: r.X, Y: r.Y + y, W: r.W, H: r.H - y}.SplitV(r.H - y - scope - wait - race)
	p.Grid.Target(draw.Rect{X: r.X, Y: r.Y, W: r.W, H: y}, onFigures)
	s.body.textBody(p, draw.Rect{X: text.X + 1, Y: text.Y, W: text.W - 2, H: text.H})
	var at draw.Rect
	at, rest = rest.SplitV(wait)
	if wait > 0 {
		s.scope.wait.line(p, p.Line(at.X+1, at.Y, at.W-1))
	}
	if at, rest = rest.SplitV(scope); scope > 0 {
		s.scope.plot(p, at, draw.Rect{})
	}
	if race > 0 {
		p.Grid.Target(rest, onReading)
		p.raceLine(rest)
	}
}

// pair is two figures in one row, in places that do not move.
func (p *canvas) pair(l line, a, b headline) {
	half := l.Left() / 2
	left, right := p.Line(l.X, l.Y, half-1), p.Line(l.X+half, l.Y, l.Left()-half)
	left.Slot(themes.Dim, a.label, 6)
	a.write(p, &left, 5)
	right.Slot(themes.Dim, b.label, 6)
	b.write(p, &right, 5)
}
