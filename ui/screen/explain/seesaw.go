package explain

import (
	"slices"

	"tokscope/metrics"
	"tokscope/metrics/serving"
	"tokscope/themes"
	"tokscope/ui/chart"
	"tokscope/ui/draw"
	"tokscope/ui/format"
)

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
