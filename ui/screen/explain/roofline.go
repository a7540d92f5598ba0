package explain

import (
	"math"

	"tokscope/metrics/serving"
	"tokscope/themes"
	"tokscope/ui/draw"
)

// roof is the roofline of a machine: its arithmetic rate for work of an
// intensity in FLOP per byte moved.
//
//	min(peak, intensity · bandwidth)
type roof struct {
	peak, bandwidth float64
	x0, x1          float64 // log10 of FLOP per byte at the ends
	y0, y1          float64 // log10 of FLOP/s at the ends
	r               draw.Rect
}

// newRoof is the roof of m over r. Its axes depend on the machine alone, so
// that only the dots move.
func newRoof(m *serving.Machine, r draw.Rect) (f roof, ok bool) {
	if !(m.Peak > 0) || !(m.Bandwidth > 0) || m.Peak > 1e20 || m.Bandwidth > 1e20 {
		return f, false
	}
	ridge := m.Peak / m.Bandwidth
	f = roof{peak: m.Peak, bandwidth: m.Bandwidth, r: r, x0: math.Log10(0.4), x1: math.Log10(max(ridge*30, 8192))}
	f.y1 = math.Log10(m.Peak * 2.5)
	f.y0 = min(math.Log10(0.4*m.Bandwidth)-0.5, f.y1-2)
	return f, f.x1 > f.x0
}

// at is the dot for an intensity and a rate, counted from the upper left. ok
// is false outside.
func (f *roof) at(intensity, rate float64) (x, y int, ok bool) {
	if !(intensity > 0) || !(rate > 0) {
		return 0, 0, false
	}
	fx := (math.Log10(intensity) - f.x0) / (f.x1 - f.x0)
	fy := (math.Log10(rate) - f.y0) / (f.y1 - f.y0)
	if !(fx >= -1e-9 && fx <= 1+1e-9 && fy >= -1e-9 && fy <= 1+1e-9) {
		return 0, 0, false
	}
	return int(fx*float64(2*f.r.W-1) + 0.5), int((1-fy)*float64(4*f.r.H-1) + 0.5), true
}

// of is the place of a step. ok is false for a step that moved or computed
// nothing.
func (f *roof) of(st *serving.EngineStep) (x, y int, ok bool) {
	var bytes, flops float64
	for _, t := range st.Cost() {
		bytes += t.Bytes
		flops += t.FLOPs
	}
	d := st.End - st.Start
	if !(d > 0) || !(bytes > 0) {
		return 0, 0, false
	}
	return f.at(flops/bytes, flops/d)
}

// roofline is the panel of the step under the hardware's roof.
type roofline struct{ dots dots }

// roofline shows the step as a dot below the roof of the hardware, with those
// before it as a trail.
func (s *roofline) roofline(p *canvas, r draw.Rect, border themes.Role) {
	m := p.now.machine()
	now, right := &p.now.view.Machine, draw.Either(m.Dataflow, "", "both axes log")
	if m.Peak != now.Peak || m.Bandwidth != now.Bandwidth {
		right = "previous setting"
	}
	in := p.Box(r, border, "roofline", right)
	if m.Dataflow {
		s.noRoof(p, in)
		return
	}
	const gut = 8 // "989 T ┤"
	plot := draw.Rect{X: in.X + gut, Y: in.Y + 1, W: in.W - gut, H: in.H - 3}
	f, ok := newRoof(m, plot)
	if !ok || plot.W < 10 || plot.H < 3 {
		p.Wrapped(in, in.H/3, 2, themes.Dim, draw.Either(ok, "", "no machine runs"))
		return
	}
	s.roofAxes(p, in, &f)
	s.dots.reset(plot.W, plot.H)
	ridge := f.peak / f.bandwidth
	x0, y0, ok0 := f.at(math.Pow(10, f.x0), math.Pow(10, f.x0)*f.bandwidth)
	xr, yr, okr := f.at(ridge, f.peak)
	x1, y1, ok1 := f.at(math.Pow(10, f.x1), f.peak)
	if ok0 && okr {
		s.dots.line(x0, y0, xr, yr, themes.Decode)
	}
	if okr && ok1 {
		s.dots.line(xr, yr, x1, y1, themes.Prefill)
	}
	s.dots.draw(p, plot)
	dot := -1 // the row of the step's dot
	if st := p.now.step; st != nil {
		if _, y, ok := f.of(st); ok {
			dot = y / 4
		}
	}
	s.roofWords(p, &f, xr/2, yr/4, dot)
	s.trail(p, &f)
}

// roofWords name the two sides of the ridge: under the slope memory binds,
// under the flat arithmetic.
func (s *roofline) roofWords(p *canvas, f *roof, col, row, dot int) {
	r, low := f.r, row+3
	if low == dot {
		low++
	}
	if row == dot {
		row++
	}
	left := p.Line(r.X+1, r.Y+row, col-3)
	if row < r.H && !left.Whole(themes.Decode, "bandwidth-bound") {
		left.Whole(themes.Decode, "bandwidth")
	}
	for _, text := range [...]string{"compute-bound", "compute"} {
		right := p.Line(r.X+col+1, r.Y+low, r.W-col-1)
		if n := len(text); n <= right.Left() && low < r.H {
			right.X = right.End - n
			right.Write(themes.Prefill, text)
			return
		}
	}
}

// trail draws the last steps: the one that is looked at strong, those before
// it fading.
func (s *roofline) trail(p *canvas, f *roof) {
	steps := p.now.view.Steps
	if len(steps) == 0 {
		return
	}
	end := len(steps) - 1 - min(p.now.back, len(steps)-1)
	for i := max(end-trail, 0); i <= end; i++ {
		st := &steps[i]
		x, y, ok := f.of(st)
		if !ok || st.Machine != steps[end].Machine { // it had another roof
			continue
		}
		glyph, role := p.Glyphs.Bullet, themes.Dim
		switch age := end - i; {
		case age == 0:
			glyph, role = p.Glyphs.Dot, themes.Figure
		case age > trail*2/3:
			role = themes.Faint
		case age < trail/4:
			glyph, role = p.Glyphs.Ring, kind(st)
		}
		p.Grid.Set(f.r.X+x/2, f.r.Y+y/4, glyph, role)
	}
	st := &steps[end]
	if x, y, ok := f.of(st); ok {
		text := draw.Either(st.Prefilled > 0, "prefill", "decode")
		at := f.r.X + x/2 + 2
		if at+len(text) > f.r.Right() {
			at = f.r.X + x/2 - 1 - len(text)
		}
		p.Grid.Text(at, f.r.Y+y/4, text, themes.Strong, len(text))
	}
}

// kind is the color of a step.
func kind(st *serving.EngineStep) themes.Role {
	if st.Prefilled > 0 {
		return themes.Prefill
	}
	return themes.Decode
}

// roofAxes prints both axes: decades, and the two limits of the datasheet.
func (s *roofline) roofAxes(p *canvas, in draw.Rect, f *roof) {
	r := f.r
	l := p.Row(in, 0)
	l.Write(themes.Axis, "FLOP/s")
	l.To(r.X)
	l.Whole(themes.Dim, p.Join("roof ", p.Amount(f.peak, "FLOP/s"), ", ", p.Amount(f.bandwidth, "B/s")))
	for y := range r.H {
		p.Grid.Set(r.X-1, r.Y+y, p.Glyphs.AxisV, themes.Axis)
	}
	for x := range r.W {
		p.Grid.Set(r.X+x, r.Bottom(), p.Glyphs.H, themes.Axis)
	}
	p.Grid.Set(r.X-1, r.Bottom(), p.Glyphs.BL, themes.Axis)
	last := r.Bottom()
	for d := int(math.Ceil(f.y0)); float64(d) <= f.y1; d++ {
		_, y, ok := f.at(math.Pow(10, f.x0), math.Pow(10, float64(d)))
		if !ok || r.Y+y/4 >= last-1 && last != r.Bottom() {
			continue
		}
		last = r.Y + y/4
		p.Grid.Set(r.X-1, last, p.Glyphs.AxisTick, themes.Axis)
		p.Grid.Right(r.X-2, last, p.Amount(math.Pow(10, float64(d)), ""), themes.Axis, 6)
	}
	free := r.X
	for d := 0; float64(d) <= f.x1; d++ {
		x, _, ok := f.at(math.Pow(10, float64(d)), math.Pow(10, f.y1))
		if !ok {
			continue
		}
		at := r.X + x/2
		p.Grid.Set(at, r.Bottom(), p.Glyphs.TeeT, themes.Axis)
		text := p.Count(int(math.Pow(10, float64(min(d, 15)))))
		if d > 3 {
			text = p.Amount(math.Pow(10, float64(d)), "")
		}
		if at >= free && at+len(text) <= r.Right() {
			p.Grid.Text(at, r.Bottom()+1, text, themes.Axis, len(text))
			free = at + len(text) + 1
		}
	}
	const name = "FLOP a byte"
	if r.Right()-free > len(name) {
		p.Grid.Right(r.Right(), r.Bottom()+1, name, themes.Axis, len(name))
	} else {
		p.Grid.Text(in.X, r.Bottom()+1, "FLOP/B", themes.Axis, 6)
	}
}

// noRoof says why a dataflow machine has none.
func (s *roofline) noRoof(p *canvas, in draw.Rect) {
	y := p.Wrapped(in, 0, in.H, themes.Text, "This machine has no roofline.")
	y += 1 +
		p.Wrapped(in, y+1, in.H, themes.Dim,
			"A dataflow machine keeps its weights next to the arithmetic. "+
				"The fixed time of each layer limits it, not bytes over bandwidth.")
	if st := p.now.step; st != nil && y+1 < in.H {
		p.Wrapped(in, y+1, 2, themes.Text, p.Join("This step took ", p.Ms((st.End-st.Start)*1e3), "."))
	}
}
