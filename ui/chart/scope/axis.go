package scope

import (
	"math"

	"tokscope/metrics"
	"tokscope/metrics/stats"
	"tokscope/themes"
	"tokscope/ui/chart"
	"tokscope/ui/draw"
	"tokscope/ui/format"
)

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

const (
	leastSpan = 3.0 // the largest gap on the axis is at least so many times the smallest
	// loose is how many times wider than needed the axis may be while chunks arrive,
	// so that it changes rarely.
	loose = 1.6
	// leftOut is the share of the gaps beyond each end of the axis, at least one gap.
	leftOut = 0.01
)

// ranges keeps the ends of the axis of gaps.
type ranges struct {
	lo, hi  float64
	spreads [2 + MostPast]spread // of the stream, the pinned run, the earlier ones
}

// choose returns the scale for a plot of that many rows of cells: it holds the middle
// of the gaps of the stream and of the pinned run, and before there is one those of the
// earlier runs. Without any it has no length.
func (k *ranges) choose(d *Data, rows int) chart.Scale {
	lo, hi := k.spreads[0].middle(d.Stream)
	hold := func(i int, s *metrics.Stream) {
		switch l, h := k.spreads[i].middle(s); {
		case hi == 0:
			lo, hi = l, h
		case h > 0:
			lo, hi = min(lo, l), max(hi, h)
		}
	}
	if d.Pinned != nil {
		hold(1, &d.Pinned.Stream)
	}
	if past := latest(d.Past); !(hi > 0) {
		for i, r := range past {
			hold(2+i, &r.Stream)
		}
	}
	if !(hi > 0) {
		return chart.Scale{Min: 1, Max: 1, Log: true, Rows: rows}
	}
	needLo, needHi := lo, hi
	if hi < leastSpan*lo {
		mid := math.Sqrt(lo * hi)
		lo, hi = mid/math.Sqrt(leastSpan), mid*math.Sqrt(leastSpan)
	}
	held := k.lo <= needLo && needHi <= k.hi && k.hi/k.lo <= loose*hi/lo
	if !held || d.Stream.State.Ended() {
		k.lo, k.hi = lo, hi
	}
	return chart.Scale{Min: k.lo, Max: k.hi, Log: !d.Linear, Rows: rows}
}

// latest are the earlier runs that are drawn.
func latest(past []*metrics.Run) []*metrics.Run { return past[max(len(past)-MostPast, 0):] }

// spreadBins are those of a spread, in ms: from a microsecond to an hour.
var spreadBins = stats.Octaves{Low: -10, High: 22, Per: 32}

// spread counts the known gaps of a stream by their length. Each is counted once.
type spread struct {
	id, done, n int
	zero        metrics.Stamp
	bins        []int32
}

// middle is the range of the gaps without the outermost ones at both ends, to the
// edges of the bins: all of them while they are two. hi is 0 without a gap.
func (c *spread) middle(s *metrics.Stream) (lo, hi float64) {
	if c.id != s.ID || c.zero != s.Marks.Sent || c.done > len(s.Chunks) || c.bins == nil {
		*c = spread{id: s.ID, zero: s.Marks.Sent, bins: c.bins}
		if c.bins == nil {
			c.bins = make([]int32, spreadBins.Len())
		}
		clear(c.bins)
	}
	for ; c.done < len(s.Chunks); c.done++ {
		if ms, ok := s.Gap(c.done); ok && ms > 0 {
			c.bins[spreadBins.Bin(ms)]++
			c.n++
		}
	}
	if c.n == 0 {
		return 0, 0
	}
	out := format.Either(c.n > 2, int32(math.Ceil(leftOut*float64(c.n))), 0)
	first, last, left := 0, len(c.bins)-1, out
	for ; c.bins[first] <= left; first++ {
		left -= c.bins[first]
	}
	for left = out; c.bins[last] <= left; last-- {
		left -= c.bins[last]
	}
	half := math.Exp2(0.5 / float64(spreadBins.Per)) // of a bin
	return spreadBins.Middle(first) / half, spreadBins.Middle(last) * half
}
