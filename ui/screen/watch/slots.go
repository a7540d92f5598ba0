package watch

import (
	"time"

	"tokscope/metrics/history"
	"tokscope/metrics/watchstat"
	"tokscope/ui/format"
)

// span is the most time that the chart shows.
const span = 24 * time.Hour

// most is the largest number of slots. The chart mixes those of one column.
const most = 240

// charted is the figure of the history that a watched one is drawn as.
func charted(f watchstat.Figure) history.Figure {
	return format.Either(f == watchstat.Connect, history.TCP, f.ID())
}

// slots returns the probes of the last span as slots of one figure, and the ends of
// the axis. The slots are as wide as the interval, or wider.
func slots(points []watchstat.Point, f watchstat.Figure, every time.Duration,
	now time.Time) (out []history.Slot, from, to time.Time) {
	to = now.Add(every)
	from = to.Add(-span)
	for len(points) > 0 && points[0].At.Before(from) {
		points = points[1:]
	}
	if len(points) > 0 {
		from = points[0].At.Add(-every / 2)
	} else {
		from = to.Add(-20 * every)
	}
	width := max(every, to.Sub(from)/most)
	for len(points) > 0 {
		s := history.Slot{From: from.Add(points[0].At.Sub(from) / width * width), Width: width}
		var values []float64
		for len(points) > 0 && points[0].At.Before(s.From.Add(width)) {
			p := &points[0]
			if points = points[1:]; p.Failed {
				s.Failed++
			} else if v := p.Values[f]; v > 0 {
				values = append(values, float64(v))
			}
			s.N++
		}
		s.Figures[charted(f)] = history.QuantilesOf(values)
		out = append(out, s)
	}
	return out, from, to
}

// changes returns the change of a target as that of a figure, or where that has not
// changed as that of its head.
func changes(v *watchstat.View, f watchstat.Figure) []history.Change {
	c := v.Change
	if c == nil || v.State == watchstat.Learning {
		return nil
	}
	if !c.Rows[f].Changed {
		f = c.Head
	}
	if c.Rows[f].Ratio == 0 {
		return nil
	}
	out := c.Of(f)
	out.Figure = charted(f)
	return []history.Change{out}
}
