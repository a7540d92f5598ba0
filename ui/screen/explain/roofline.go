package explain

import (
	"math"

	"tokscope/metrics/serving"
	"tokscope/themes"
	"tokscope/ui/chart"
	"tokscope/ui/draw"
	"tokscope/ui/format"
)

// rooflinePanel shows the step as a dot below the roof of the hardware, with those
// before it as a trail.
func (p *canvas) rooflinePanel(drawn *chart.Chart, r draw.Rect, border themes.Role) {
	m := p.now.machine()
	now, right := &p.now.view.Machine, format.Either(m.Dataflow, "", "both axes log")
	if m.Peak != now.Peak || m.Bandwidth != now.Bandwidth {
		right = "previous setting"
	}
	in := p.Box(r, border, "roofline", right)
	switch {
	case m.Dataflow:
		p.noRoof(in)
		return
	case !(m.Peak >= 1 && m.Peak <= 1e20 && m.Bandwidth >= 1 && m.Bandwidth <= 1e20):
		p.Wrapped(in, in.H/3, 2, themes.Dim, "no machine runs")
		return
	}
	l := p.Row(in, 0)
	l.Write(themes.Axis, "FLOP/s")
	l.Whole(themes.Dim, p.Join(" roof ", p.Amount(m.Peak, "FLOP/s"), ", ", p.Amount(m.Bandwidth, "B/s")))
	drawn.Draw(p.Grid, draw.Rect{X: in.X, Y: in.Y + 1, W: in.W, H: in.H - 1}, p.Glyphs, p.now.version,
		func(to *chart.Plot) { plotRoof(p, to, m) })
	p.Grid.Text(in.X, in.Bottom()-1, "FLOP/B", themes.Axis, in.W)
}

// plotRoof plots the arithmetic rate of m for work of an intensity in FLOP per byte
// moved, and the last steps below it:
//
//	min(peak, intensity · bandwidth)
//
// The axes depend on the machine alone, so that only the dots move.
func plotRoof(p *canvas, to *chart.Plot, m *serving.Machine) {
	const least = 0.4 // FLOP per byte, at the left end
	ridge := m.Peak / m.Bandwidth
	most, top := max(ridge*30, 8192), m.Peak*2.5
	to.X.Powers(least, most, chart.Number)
	to.Left.Powers(min(least*m.Bandwidth/3, top/100), top, func(v float64) string { return format.Amount(v, "") })
	to.LeftRole = themes.Axis
	slope := to.Line(themes.Decode)
	slope.Points = append(slope.Points, chart.Point{X: least, Y: least * m.Bandwidth}, chart.Point{X: ridge, Y: m.Peak})
	flat := to.Line(themes.Prefill)
	flat.Points = append(flat.Points, chart.Point{X: ridge, Y: m.Peak}, chart.Point{X: most, Y: m.Peak})
	trail(p, to)
	to.Notes = append(to.Notes,
		chart.Note{X: ridge / 2, Y: m.Peak / 2, Role: themes.Decode, Left: true, Text: "bandwidth"},
		chart.Note{X: math.Sqrt(ridge * most), Y: m.Peak, Role: themes.Prefill, Text: "compute"})
}

// trail plots the last steps: the one that is looked at strong and named, those before
// it fading. A step of another machine had another roof.
func trail(p *canvas, to *chart.Plot) {
	steps := p.now.view.Steps
	if len(steps) == 0 {
		return
	}
	line := to.Line(themes.Dim)
	line.Loose = true
	end := len(steps) - 1 - min(p.now.back, len(steps)-1)
	for i := max(end-trailSteps, 0); i <= end; i++ {
		st := &steps[i]
		if st.Machine != steps[end].Machine {
			continue
		}
		q := spot(st)
		q.Mark = p.Glyphs.Bullet
		switch age := end - i; {
		case age == 0:
			q.Mark, q.Role = p.Glyphs.Dot, themes.Figure
			to.Notes = append(to.Notes, chart.Note{X: q.X, Y: q.Y, Role: themes.Strong,
				Text: format.Either(st.Prefilled > 0, "prefill", "decode")})
		case age > trailSteps*2/3:
			q.Role = themes.Faint
		case age < trailSteps/4:
			q.Mark, q.Role = p.Glyphs.Ring, format.Either(st.Prefilled > 0, themes.Prefill, themes.Decode)
		}
		line.Points = append(line.Points, q)
	}
}

// spot is the place of a step; of one that moved or computed nothing it is no place
// of the chart.
func spot(st *serving.EngineStep) chart.Point {
	var bytes, flops float64
	for _, t := range st.Cost() {
		bytes += t.Bytes
		flops += t.FLOPs
	}
	return chart.Point{X: flops / bytes, Y: flops / (st.End - st.Start)}
}

// noRoof says why a dataflow machine has none.
func (p *canvas) noRoof(in draw.Rect) {
	y := p.Wrapped(in, 0, in.H, themes.Text, "This machine has no roofline.")
	y += 1 +
		p.Wrapped(in, y+1, in.H, themes.Dim,
			"A dataflow machine keeps its weights next to the arithmetic. "+
				"The fixed time of each layer limits it, not bytes over bandwidth.")
	if st := p.now.step; st != nil && y+1 < in.H {
		p.Wrapped(in, y+1, 2, themes.Text, p.Join("This step took ", p.Ms((st.End-st.Start)*1e3), "."))
	}
}
