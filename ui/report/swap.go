package report

import (
	"fmt"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/figure"
	"tokscope/metrics/racestat"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
	"tokscope/ui/say"
)

// raceBlock is the line of the newest block, with the head of the table above the first;
// "" before any.
func raceBlock(v *racestat.View) string {
	if len(v.Blocks) == 0 {
		return ""
	}
	b, failed, label := &v.Blocks[len(v.Blocks)-1], "", 0
	for i := range v.Lanes {
		label = max(label, len(v.Lanes[i].Label))
	}
	if b.Failed > 0 {
		failed = "  " + format.Count(b.Failed) + " of " + format.Count(len(b.Results)) + " failed: " + b.Fault.Error()
	}
	row := func(cells ...any) string { return fmt.Sprintf("%5s  %s %-*s  %9s %9s %9s%s\n", cells...) }
	return format.If(b.N == 1, row("block", " ", label, "", "restart", "TTFT", "TPOT", "")) +
		row(format.Count(b.N), say.RaceLetter(b.Lane), label, v.Lanes[b.Lane].Label, format.Duration(b.Ready-b.Began),
			format.Known(b.Values[figure.TTFT], format.Ms), format.Known(b.Values[figure.TPOT], format.Ms),
			sanitize.Line(failed, 200))
}

// raceRestarts writes how long the restarts of each lane took.
func raceRestarts(v *racestat.View) string {
	text := format.Join(", ", ofLanes(v, func(lane int, _ *racestat.Lane) string {
		var m metrics.Middle
		for i := range v.Blocks {
			if b := &v.Blocks[i]; b.Lane == lane {
				m.Add(metrics.Known(float64(b.Ready-b.Began)/float64(time.Millisecond), 1))
			}
		}
		return laneMedian(lane, m.Median(metrics.WhyNoneEnded))
	})...)
	return format.If(text != "", text+", from the command until the model answered")
}
