package explain

import (
	"math"
	"slices"

	"tokscope/metrics"
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

// side is one of the two lines of the curve, with its axis.
type side struct {
	axis, short string
	role        themes.Role
	of          func(*serving.CurvePoint) metrics.Value
	percent     bool // of all
}

// What each user has and what all have together, or the share of requests that met
// both objectives and the rate of these. The left axis comes first.
var (
	speedSides = [2]side{
		{"per user, tok/s", "per user", themes.PerUser,
			func(q *serving.CurvePoint) metrics.Value { return q.Speed }, false},
		{"aggregate, tok/s", "aggregate", themes.Aggregate,
			func(q *serving.CurvePoint) metrics.Value { return q.Total }, false},
	}
	goodSides = [2]side{
		{"meet both, %", "both met", themes.PerUser, func(q *serving.CurvePoint) metrics.Value {
			v := q.Good
			v.V *= 100
			return v
		}, true},
		{"goodput, req/s", "goodput", themes.Aggregate,
			func(q *serving.CurvePoint) metrics.Value { return q.GoodRate }, false},
	}
)

// seesawPanel is the curve of a lesson over users, with a full mark where the running
// engine measured it, and a hollow one where the model predicts.
func (p *canvas) seesawPanel(drawn *chart.Chart, r draw.Rect, border themes.Role) {
	curve := p.now.view.Tour.Curve
	title, sides := "per user falls, aggregate rises", &speedSides
	if slices.ContainsFunc(curve, func(q serving.CurvePoint) bool { return q.Good.OK }) {
		title, sides = "goodput over users", &goodSides
	}
	in := p.Box(r, border, title, "")
	if len(curve) == 0 || in.H < chart.LeastH+2 {
		return
	}
	l := p.Row(in, 0)
	left, right := sides[0].axis, sides[1].axis
	// The unit of a short one is that of the other.
	l.Write(sides[0].role, format.Either(len(left)+len(right) < in.W, left, sides[0].short))
	p.Grid.Right(in.Right(), in.Y, right, sides[1].role, len(right))
	drawn.Draw(p.Grid, draw.Rect{X: in.X, Y: in.Y + 1, W: in.W, H: in.H - 2}, p.Glyphs, p.now.version,
		func(to *chart.Plot) { plotSides(p, to, curve, sides) })
	l = p.Row(in, in.H-1)
	text := p.Join(string(p.Glyphs.Dot), " measured  ", string(p.Glyphs.Ring), " predicted")
	if !l.Whole(themes.Dim, p.Join(text, "  over users, doubling")) {
		l.Whole(themes.Dim, text)
	}
}

// plotSides plots both lines, each with its name: they differ without color. The marks
// of the running engine's users stand out.
func plotSides(p *canvas, to *chart.Plot, curve []serving.CurvePoint, sides *[2]side) {
	users := 0
	for i := range curve {
		users = max(users, curve[i].Users)
	}
	to.X.Doublings(2, users)
	to.LeftRole, to.RightRole = sides[0].role, sides[1].role
	for k := len(sides) - 1; k >= 0; k-- {
		of, right := sides[k].of, k == 1
		line, top, best := to.Line(sides[k].role), 0.0, 0
		line.Right = right
		for i := range curve {
			q := &curve[i]
			v := of(q)
			if !v.OK {
				v.V = -1 // it breaks the line
			}
			if v.V > top {
				top, best = v.V, i
			}
			mark := chart.Point{X: float64(q.Users), Y: v.V, Mark: format.Either(q.Measured, p.Glyphs.Dot, p.Glyphs.Ring)}
			if q.Users == p.now.view.Knobs.Users {
				mark.Role = themes.Figure
			}
			line.Points = append(line.Points, mark)
		}
		if axis := format.Either(right, &to.Right, &to.Left); sides[k].percent {
			axis.Span(0, 100, 2, chart.Number)
		} else {
			axis.Linear(top, chart.Number)
		}
		first := format.Either(right, best/2, min(2, len(curve)-1)) // where it rises, or begins
		for i, at := range line.Points[first:min(first+2, len(curve))] {
			to.Notes = append(to.Notes, chart.Note{X: at.X, Y: at.Y, Right: right, Left: right, Role: line.Role,
				Text: sides[k].short, Else: i > 0})
		}
	}
}
