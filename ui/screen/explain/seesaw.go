package explain

import (
	"math"

	"tokscope/metrics"
	"tokscope/metrics/serving"
	"tokscope/themes"
	"tokscope/ui/draw"
)

// seesaw is the panel of a lesson's curve over users.
type seesaw struct{ dots dots }

// seesaw is the curve of a lesson over users: what each has and what all have
// together, or the share of requests that met both objectives; solid where
// the running engine measured it, hollow where the model predicts.
func (s *seesaw) seesaw(p *canvas, r draw.Rect, border themes.Role) {
	curve := p.now.view.Tour.Curve
	good := false
	for i := range curve {
		good = good || curve[i].Good.OK
	}
	in := p.Box(r, border, draw.Either(good, "goodput over users", "per user falls, aggregate rises"), "")
	plot := draw.Rect{X: in.X + 7, Y: in.Y + 1, W: in.W - 14, H: in.H - 4}
	if len(curve) == 0 || plot.W < 8 || plot.H < 3 {
		return
	}
	left := func(q *serving.CurvePoint) metrics.Value { return q.Speed }
	right := func(q *serving.CurvePoint) metrics.Value { return q.Total }
	names := [2]string{"per user, tok/s", "aggregate, tok/s"}
	if in.W < 33 {
		names[0] = "per user" // the unit is that of the other axis
	}
	if good {
		left = func(q *serving.CurvePoint) metrics.Value {
			if !q.Good.OK {
				return q.Good
			}
			return metrics.Known(q.Good.V*100, q.Good.N)
		}
		right = func(q *serving.CurvePoint) metrics.Value { return q.GoodRate }
		names = [2]string{"meet both, %", "goodput, req/s"}
	}
	l := p.Row(in, 0)
	l.Write(themes.PerUser, names[0])
	p.Grid.Right(in.Right(), in.Y, names[1], themes.Aggregate, len(names[1]))
	s.dots.reset(plot.W, plot.H)
	lo, hi := usersRange(curve)
	s.series(p, plot, curve, right, lo, hi, themes.Aggregate, true)
	s.series(p, plot, curve, left, lo, hi, themes.PerUser, false)
	s.dots.draw(p, plot)
	s.seriesMarks(p, plot, curve, right, lo, hi, themes.Aggregate)
	s.seriesMarks(p, plot, curve, left, lo, hi, themes.PerUser)
	s.seriesNames(p, plot, curve, left, right, lo, hi,
		draw.Either(good, "both met", "per user"), draw.Either(good, "goodput", "aggregate"))
	s.usersAxis(p, plot, curve, lo, hi)
	l = p.Row(in, in.H-1)
	text := p.Join(string(p.Glyphs.Dot), " measured  ", string(p.Glyphs.Ring), " predicted")
	if !l.Whole(themes.Dim, p.Join(text, "  over users, doubling")) {
		l.Whole(themes.Dim, text)
	}
}

func usersRange(curve []serving.CurvePoint) (lo, hi float64) {
	lo, hi = math.Inf(1), 0
	for i := range curve {
		n := math.Log2(float64(max(curve[i].Users, 1)))
		lo, hi = min(lo, n), max(hi, n)
	}
	if hi <= lo {
		hi = lo + 1
	}
	return lo, hi
}

// top is the end of a scale: slightly above the largest value.
func top(curve []serving.CurvePoint, of func(*serving.CurvePoint) metrics.Value) float64 {
	t := 0.0
	for i := range curve {
		if v := of(&curve[i]); v.OK {
			t = max(t, finite(v.V))
		}
	}
	return t * 1.08
}

// spot is the dot of a point.
func spot(plot draw.Rect, q *serving.CurvePoint, v metrics.Value, lo, hi, top float64) (x, y int, ok bool) {
	if !v.OK || !(v.V >= 0) || !(top > 0) {
		return 0, 0, false
	}
	fx := (math.Log2(float64(max(q.Users, 1))) - lo) / (hi - lo)
	fy := min(finite(v.V)/top, 1)
	return int(fx*float64(2*plot.W-1) + 0.5), int((1-fy)*float64(4*plot.H-1) + 0.5), true
}

func (s *seesaw) series(p *canvas, plot draw.Rect, curve []serving.CurvePoint,
	of func(*serving.CurvePoint) metrics.Value, lo, hi float64, role themes.Role, right bool) {
	t := top(curve, of)
	bx, by, joined := 0, 0, false
	for i := range curve {
		x, y, ok := spot(plot, &curve[i], of(&curve[i]), lo, hi, t)
		if ok && joined {
			s.dots.line(bx, by, x, y, role)
		}
		bx, by, joined = x, y, ok
	}
	for row := range plot.H {
		x := plot.X - 1
		if right {
			x = plot.Right()
		}
		p.Grid.Set(x, plot.Y+row, p.Glyphs.AxisV, themes.Axis)
	}
	text := p.Number(t / 1.08)
	if right {
		p.Grid.Text(plot.Right()+1, plot.Y, text, role, 6)
		p.Grid.Text(plot.Right()+1, plot.Bottom()-1, "0", role, 6)
	} else {
		p.Grid.Right(plot.X-1, plot.Y, text, role, 6)
		p.Grid.Right(plot.X-1, plot.Bottom()-1, "0", role, 6)
	}
}

func (s *seesaw) seriesMarks(p *canvas, plot draw.Rect, curve []serving.CurvePoint,
	of func(*serving.CurvePoint) metrics.Value, lo, hi float64, role themes.Role) {
	t := top(curve, of)
	for i := range curve {
		q := &curve[i]
		if x, y, ok := spot(plot, q, of(q), lo, hi, t); ok {
			p.Grid.Set(plot.X+x/2, plot.Y+y/4, draw.Either(q.Measured, p.Glyphs.Dot, p.Glyphs.Ring), role)
		}
	}
}

// seriesNames labels both lines, so that they differ without color: below the
// begin of the left one, above the rise of the right one.
func (s *seesaw) seriesNames(p *canvas, plot draw.Rect, curve []serving.CurvePoint,
	left, right func(*serving.CurvePoint) metrics.Value, lo, hi float64, a, b string) {
	if x, y, ok := spot(plot, &curve[0], left(&curve[0]), lo, hi, top(curve, left)); ok && y/4+2 < plot.H {
		p.Grid.Text(plot.X+x/2, plot.Y+y/4+2, a, themes.PerUser, plot.W-x/2)
	}
	t, best := top(curve, right), -1
	for i := range curve {
		if v := right(&curve[i]); v.OK && (best < 0 || v.V > right(&curve[best]).V) {
			best = i
		}
	}
	if best < 0 {
		return
	}
	half := &curve[best/2]
	if x, y, ok := spot(plot, half, right(half), lo, hi, t); ok && x/2 > len(b) && y/4 > 0 {
		p.Grid.Text(plot.X+x/2-len(b), plot.Y+y/4-1, b, themes.Aggregate, len(b))
	}
}

func (s *seesaw) usersAxis(p *canvas, plot draw.Rect, curve []serving.CurvePoint, lo, hi float64) {
	for x := range plot.W {
		p.Grid.Set(plot.X+x, plot.Bottom(), p.Glyphs.H, themes.Axis)
	}
	free, now := plot.X-2, p.now.view.Knobs.Users
	for i := range curve {
		f := (math.Log2(float64(max(curve[i].Users, 1))) - lo) / (hi - lo)
		text := p.Int(curve[i].Users)
		x := min(max(plot.X+int(f*float64(plot.W-1)+0.5)-(len(text)-1)/2, plot.X), plot.Right()-len(text))
		if x < free {
			continue
		}
		role := themes.Axis
		if curve[i].Users == now {
			role = themes.Figure
		}
		p.Grid.Text(x, plot.Bottom()+1, text, role, len(text))
		free = x + len(text) + 1
	}
}
