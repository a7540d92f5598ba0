package scope

import (
	"math"

	"tokscope/themes"
	"tokscope/ui/chart"
	"tokscope/ui/draw"
	"tokscope/ui/format"
)

// axes draws both axes with their numbers and the signs of bursts and stalls.
func (s *Scope) axes(p *draw.Canvas, foot int, d *Data) {
	x := s.plot.X - 1
	p.Grid.Down(x, s.plot.Y, s.plot.H, p.Glyphs.AxisV, themes.Axis)
	s.gapNumbers(p)
	if foot == 0 {
		return
	}
	p.Grid.Set(x, s.plot.Bottom(), p.Glyphs.BL, themes.Axis)
	p.Grid.Across(s.plot.X, s.plot.Bottom(), s.plot.W, p.Glyphs.H, themes.Faint)
	s.times(p, foot)
	s.signs(p, d)
}

// gapNumbers prints the numbers of the gaps in the colors of their rows.
func (s *Scope) gapNumbers(p *draw.Canvas) {
	step := chart.Nice((s.y.Max - s.y.Min) / max(float64(s.y.Rows-1)/2, 1))
	s.y.Numbers(step, func(ms float64, row int) {
		p.Grid.Right(s.plot.X-2, s.plot.Y+row,
			p.Chrome(p.Keep(format.AppendLimit(p.Scratch(), ms))), s.roles[row], AxisWidth-2)
		p.Grid.Set(s.plot.X-1, s.plot.Y+row, p.Glyphs.AxisTick, themes.Axis)
	})
}

// tickRoom is the least distance of two numbers of the axis of time.
const tickRoom = 12

// times prints the numbers of the axis of time, 1-2-5. 0 is the moment the
// request was sent.
func (s *Scope) times(p *draw.Canvas, foot int) {
	step := chart.Nice(2 * s.win.Step * tickRoom)
	y := s.plot.Bottom()
	end := s.plot.X - 1
	for i := math.Ceil(s.win.from()/step - 1e-9); i*step < s.win.to(); i++ {
		x := s.plot.X + s.win.column(i*step+s.win.Step*1e-6)/2
		if x >= s.plot.Right() {
			break
		}
		p.Grid.Set(x, y, p.Glyphs.TeeB, themes.Axis)
		if foot < 2 {
			continue
		}
		text := "sent"
		if i != 0 {
			text = p.Chrome(p.Keep(format.AppendLimit(p.Scratch(), i*step)))
		}
		if n := draw.Width(text); x > end && x+n <= s.plot.Right() {
			p.Grid.Text(x, y+1, text, themes.Axis, n)
			end = x + n
		}
	}
}

// signs marks the columns with an unknown gap and those with a stall.
func (s *Scope) signs(p *draw.Canvas, d *Data) {
	y := s.plot.Bottom()
	for x := range s.sweep.cols {
		if s.sweep.cols[x].burst {
			p.Grid.Set(s.plot.X+x/2, y, p.Glyphs.Burst, themes.Burst)
		}
	}
	for i := range d.Figures.Stalls {
		if x, ok := s.placeOf(d, d.Figures.Stalls[i].Chunk); ok {
			p.Grid.Set(s.plot.X+x/2, y, p.Glyphs.Stall, themes.Stall)
		}
	}
}

// labels writes the length of stalls and of the gap under way above them, the
// name of the reading pace, and an arrow where a gap lies outside the axis.
func (s *Scope) labels(p *draw.Canvas, d *Data) {
	if d.Open > 0 {
		s.label(p, s.win.column(sinceMs(d.Now, s.sweep.zero)), d.Open, themes.Stall)
	}
	for i := len(d.Figures.Stalls) - 1; i >= 0; i-- {
		if x, ok := s.placeOf(d, d.Figures.Stalls[i].Chunk); ok {
			s.label(p, x, d.Figures.Stalls[i].Ms, themes.Stall)
		}
	}
	s.arrows(p)
	s.readingLabel(p, d)
	s.legend(p, d)
	s.answerLabels(p, d)
}

// put writes a text into the first of some places, each a column and a row of cells,
// where nothing crosses it. It reports whether there was one.
func (s *Scope) put(p *draw.Canvas, text string, st themes.Role, places ...[2]int) bool {
	text = p.Chrome(text)
	n := draw.Width(text)
	for _, at := range places {
		if s.dots.free(at[0], at[1], n) {
			s.dots.hold(at[0], at[1], n)
			p.Grid.Text(s.plot.X+at[0], s.plot.Y+at[1], text, st, n)
			return true
		}
	}
	return false
}

// legend explains the signs, at the first free place: above at the right or at
// the left, where only the longest gaps reach.
func (s *Scope) legend(p *draw.Canvas, d *Data) {
	if n := draw.Width(d.Signs); n > 0 && s.plot.H >= 4 {
		right := s.plot.W - n - 2
		s.put(p, d.Signs, themes.Dim, [2]int{right, 0}, [2]int{2, 0}, [2]int{right, 1}, [2]int{2, 1})
	}
}

// label writes a time above the dot at its height, or beside it in the first
// row, where the cells are free.
func (s *Scope) label(p *draw.Canvas, x int, ms float64, st themes.Role) {
	if x < 0 || x >= s.win.Columns {
		return
	}
	row, _ := s.y.Row(ms)
	text := p.Chrome(p.Ms(ms))
	n := draw.Width(text)
	for _, at := range [...][2]int{{x/2 - n/2, row - 1}, {x/2 - n - 1, row}, {x/2 + 2, row}} {
		left := min(max(at[0], 0), s.plot.W-n)
		if at[1] == row {
			left = at[0]
		}
		from := max(left-1, 0) // a blank on both sides
		if s.dots.free(left, at[1], n) && s.dots.free(from, at[1], min(left+n+1, s.plot.W)-from) {
			s.dots.hold(left, at[1], n)
			p.Grid.Text(s.plot.X+left, s.plot.Y+at[1], text, st, n)
			return
		}
	}
}

// arrows mark columns with a gap above or below the axis. Its dot is at the
// edge.
func (s *Scope) arrows(p *draw.Canvas) {
	for x := range s.sweep.cols {
		c := &s.sweep.cols[x]
		if c.known == 0 {
			continue
		}
		if c.highOff > 0 {
			s.dots.hold(x/2, 0, 1)
			p.Grid.Set(s.plot.X+x/2, s.plot.Y, p.Glyphs.Up, themes.Stall)
		}
		if c.lowOff < 0 && s.plot.H > 1 {
			s.dots.hold(x/2, s.plot.H-1, 1)
			p.Grid.Set(s.plot.X+x/2, s.plot.Bottom()-1, p.Glyphs.Down, s.roles[s.plot.H-1])
		}
	}
}

// readingLabel names the line of the reading pace where nothing crosses it: at
// the right end, or else at the left one.
func (s *Scope) readingLabel(p *draw.Canvas, d *Data) {
	row, off := s.y.Row(d.Reading)
	if !(d.Reading > 0) || off != 0 {
		return
	}
	for _, text := range [...]string{p.Join(" ", d.Label, " ", p.Ms(d.Reading), " "), p.Join(" ", p.Ms(d.Reading), " ")} {
		n := draw.Width(text)
		if n+8 <= s.plot.W && s.put(p, text, themes.Reading, [2]int{s.plot.W - n - 3, row}, [2]int{3, row}) {
			return
		}
	}
}
