package race

import (
	"iter"
	"math"

	"tokscope/metrics"
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
		to.X = chart.Axis{Min: float64(first), Max: float64(last)}
		valueAxis(&to.Left, func(yield func(metrics.Value) bool) {
			for i := range race.Blocks {
				if !yield(race.Blocks[i].Values[f]) {
					return
				}
			}
		})
		if race.Running {
			to.Rules = append(to.Rules, chart.Rule{At: float64(now) + 0.5, Vertical: true, Role: themes.Faint})
		}
		for i := range race.Blocks {
			b := &race.Blocks[i]
			point := chart.Point{X: float64(i) + 0.5, Y: b.Values[f].V, Mark: rune(say.RaceLetter(b.Lane)[0])}
			if !b.Values[f].OK {
				point.Y, point.Mark = to.Left.Min, p.Glyphs.Fail
			}
			line := to.Line(format.Either(b.Values[f].OK, seriesRoles[b.Lane], themes.Bad))
			line.Loose, line.Points = true, append(line.Points, point)
		}
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

// valueAxis makes a the axis of values. It widens as they come.
func valueAxis(a *chart.Axis, values iter.Seq[metrics.Value]) {
	lo, hi := math.Inf(1), 0.0
	for v := range values {
		if v.OK {
			lo, hi = min(lo, v.V), max(hi, v.V)
		}
	}
	if hi == 0 {
		*a = chart.Axis{Max: 1} // without a number
		return
	}
	lo = min(lo, hi*(1-leastRange))
	step := chart.Nice((hi - lo) / 4)
	from, to := math.Floor(lo/step), math.Ceil(hi/step)
	a.Span(from*step, to*step, int(to-from), chart.Number)
}
