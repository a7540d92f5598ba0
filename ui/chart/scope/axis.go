package scope

import (
	"math"

	"tokscope/themes"
	"tokscope/ui/chart"
	"tokscope/ui/draw"
	"tokscope/ui/format"
)

// axes draws both axes with their numbers.
func (s *Scope) axes(p *draw.Canvas, foot int, d *Data) {
	x := s.plot.X - 1
	p.Grid.Down(x, s.plot.Y, s.plot.H, p.Glyphs.AxisV, themes.Axis)
	if s.y.Max > s.y.Min && d.Zoom != Wait {
		s.gapNumbers(p)
	}
	if foot == 0 {
		return
	}
	p.Grid.Set(x, s.plot.Bottom(), p.Glyphs.BL, themes.Axis)
	p.Grid.Across(s.plot.X, s.plot.Bottom(), s.plot.W, p.Glyphs.H, themes.Axis)
	s.times(p, foot)
}

// gapNumbers prints the numbers of the gaps in their colors, each with a mark in the row
// of dots that its value has in the plot. On an axis of less than a decade they are
// multiples of a round step.
func (s *Scope) gapNumbers(p *draw.Canvas) {
	step := 0.0
	switch {
	case !s.y.Log:
		step = chart.Round.At(chart.Round.Below((s.y.Max - s.y.Min) / max(float64(s.y.Rows-1)/2, 2)))
	case s.y.Max < 10*s.y.Min:
		step = chart.Round.At(chart.Round.Below(s.y.Min / 2))
	}
	s.y.Numbers(step, func(ms float64, row int) {
		text := p.Keep(format.AppendLimit(p.Scratch(), ms))
		if ms < 1 {
			text = p.Join(p.Keep(format.AppendExact(p.Scratch(), ms*1e3)), " µs")
		}
		if text = p.Chrome(text); draw.Width(text) > AxisWidth-2 {
			return
		}
		p.Grid.Right(s.plot.X-2, s.plot.Y+row, text, heat(ms), AxisWidth-2)
		if dot, _ := s.y.Dot(ms); p.Glyphs.ASCII {
			p.Grid.Set(s.plot.X-1, s.plot.Y+row, p.Glyphs.AxisTick, themes.Axis)
		} else {
			p.Grid.Set(s.plot.X-2, s.plot.Y+row, draw.Dot(0, 1, 3-dot%4), heat(ms))
		}
	})
}

// tickRoom is the least distance of two numbers of the axis of time.
const tickRoom = 12

// times prints the numbers of the axis of time, 1-2-5. 0 is the moment the
// request was sent.
func (s *Scope) times(p *draw.Canvas, foot int) {
	step := chart.Nice(2 * s.win.Step * tickRoom)
	if step >= 20e3 { // minutes are round, too
		step = chart.Nice(step/60e3) * 60e3
	}
	y := s.plot.Bottom()
	end := s.plot.X - 1
	for i := math.Ceil(s.win.from()/step - 1e-9); i*step < s.win.to(); i++ {
		x := s.plot.X + s.win.column(i*step+s.win.Step*1e-6)/2
		if x >= s.plot.Right() {
			break
		}
		p.Grid.Set(x, y, p.Glyphs.TeeB, themes.Axis)
		s.edges.floor.hold(x-s.plot.X, 0, 1)
		if foot < 2 {
			continue
		}
		text := s.zero
		if i != 0 {
			text = p.Chrome(p.Keep(format.AppendLimit(p.Scratch(), i*step)))
			if step < 20e3 && math.Abs(i*step) >= 60e3 { // none of them in minutes
				text = p.Join(p.Keep(format.AppendExact(p.Scratch(), i*step/1e3)), " s")
			}
		}
		if n := draw.Width(text); x > end && x+n <= s.plot.Right() {
			p.Grid.Text(x, y+1, text, themes.Axis, n)
			end = x + n
		}
	}
}

// signs marks the columns with an unknown gap.
func (s *Scope) signs(p *draw.Canvas, foot int) {
	for x := range s.sweep.cols {
		if foot > 0 && s.sweep.cols[x].burst {
			p.Grid.Set(s.plot.X+x/2, s.plot.Bottom(), p.Glyphs.Burst, themes.Burst)
			s.edges.floor.hold(x/2, 0, 1)
		}
	}
}
