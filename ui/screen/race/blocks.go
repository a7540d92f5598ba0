package race

import (
	"math"

	"tokscope/metrics/figure"
	"tokscope/metrics/racestat"
	"tokscope/themes"
	"tokscope/ui/chart"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/say"
)

// settings draws a race between settings of a server below its sentence: what the lanes
// answer where there is room, the blocks, and the verdicts in so many rows.
func (p *picture) settings(r draw.Rect, verdicts int, tall bool) {
	top, low := r.SplitV(r.H - verdicts)
	if tall {
		var lanes draw.Rect
		lanes, top = top.SplitV(max(top.H*2/5, columnH+2))
		p.lanes(lanes)
	}
	half := top.W / 2
	p.blocks(draw.Rect{X: top.X, Y: top.Y, W: half, H: top.H}, 0)
	p.blocks(draw.Rect{X: top.X + half, Y: top.Y, W: top.W - half, H: top.H}, 1)
	p.verdicts(low)
}

// seriesRoles are those of the letters of lanes.
var seriesRoles = [racestat.MaxLanes]themes.Role{
	themes.PerUser, themes.Aggregate, themes.Accent, themes.Reading, themes.Burst, themes.Text,
}

// blocks draws number k of the figures that blocks are judged by: for each block the letter
// of its lane, in the order in which they run, which stands below. Of more blocks than
// columns it draws the newest.
func (p *picture) blocks(r draw.Rect, k int) {
	race, f, legend := &p.v.Race, racestat.Swapped[k], ""
	for i := range race.Lanes {
		legend = format.Join(", ", legend, say.RaceLetter(i)+" "+p.v.label(i, columnW))
	}
	in := p.Box(r, themes.Border, say.SwapPhase(f)+", ms", legend)
	now := len(race.Blocks) // the index of the one under way
	last := min(max(now+1, in.W-format.DurationWidth), len(race.BlockOrder))
	first := max(last-in.W+format.DurationWidth, 0)
	version := uint64(race.Began)<<8 + uint64(2*now) + format.Either[uint64](race.Running, 1, 0)
	p.charts[k].Draw(p.Grid, in, p.Glyphs, version, func(to *chart.Plot) {
		if race.Running {
			to.Rules = append(to.Rules, chart.Rule{At: float64(now) + 0.5, Vertical: true, Role: themes.Faint})
		}
		p.letters(to, f, first, last)
	})
	plot := p.charts[k].Inside(in)
	if plot.Empty() { // no room for it
		return
	}
	for i, lane := range race.BlockOrder[first:last] {
		x := int(math.Round((float64(i)+0.5)/float64(last-first)*float64(2*plot.W-1))) / 2 // that of the chart
		role := format.Either(first+i < now, themes.Axis, themes.Faint)
		p.Grid.Text(plot.X+x, plot.Bottom()+1, say.RaceLetter(lane), role, 1)
	}
	if now == 0 {
		p.Middle(plot, themes.Dim, "no block has ended yet")
	}
}

// leastRange is the least part of the largest value that an axis shows: smaller differences
// look small.
const leastRange = 0.1

// letters draws a figure of the blocks from first to last as the letters of their lanes, at the
// heights of their values. A block without one is a failure, longer than any success: a sign at
// the top.
func (p *picture) letters(to *chart.Plot, f figure.ID, first, last int) {
	to.X = chart.Axis{Min: float64(first), Max: float64(last)}
	blocks, lo, hi := p.v.Race.Blocks, math.Inf(1), 0.0
	for i := range blocks {
		if v := blocks[i].Values[f]; v.OK {
			lo, hi = min(lo, v.V), max(hi, v.V)
		}
	}
	if to.Left.Min, to.Left.Max, to.Left.Ticks = 0, 1, to.Left.Ticks[:0]; hi > 0 { // else without a number
		lo = min(lo, hi*(1-leastRange))
		step := chart.Nice((hi - lo) / 4)
		from, end := math.Floor(lo/step), math.Ceil(hi/step)
		to.Left.Span(from*step, end*step, int(end-from), chart.Number)
	}
	for i := range blocks[min(first, len(blocks)):] {
		b := &blocks[first+i]
		role, point := seriesRoles[b.Lane], chart.Point{X: float64(b.N) - 0.5, Y: b.Values[f].V}
		if point.Mark = rune(say.RaceLetter(b.Lane)[0]); !b.Values[f].OK {
			role, point.Y, point.Mark = themes.Bad, to.Left.Max, p.Glyphs.Fail
		}
		line := to.Line(role)
		line.Loose, line.Points = true, append(line.Points, point)
	}
}
