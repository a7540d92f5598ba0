package report

import (
	"slices"
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/slo"
	"tokscope/ui/format"
	"tokscope/ui/say"
)

// Lens lists the verdicts of a lens: each measured figure, the limit of the use
// with its reason, and the comparison. For an agent it adds the time of its task.
// The sources follow.
func Lens(runs []metrics.Run, l *slo.Lens, task slo.AgentTask) *Doc {
	d := &Doc{}
	sum := metrics.Summarize(runs)
	f := slo.LensOfSummary(&sum)
	d.fact("lens", l.Key+": "+say.LensAbout(l.Key)+basis(&f))
	t := &Table{Cols: slices.Concat(words(""), figures("measured"), words("budget", "verdict", "", ""))}
	var sources []string
	for _, v := range l.Judge(f, task) {
		measured := format.Either(v.Measured.OK,
			format.If(v.Estimated, "~")+say.LensFigure(v.Metric, v.Measured.V), format.Unknown)
		budget := format.Either(v.Budget.Limit > 0,
			format.Either(v.Budget.AtLeast, "≥ ", "≤ ")+say.LensLimit(v.Metric, v.Budget.Limit), "no limit")
		why, source := say.LensBudget(&v.Budget)
		t.row(say.LensLabel(v.Metric), measured, budget, v.Grade.String(), say.VerdictShort(&v), why)
		if !slices.Contains(sources, source) {
			sources = append(sources, source)
		}
	}
	d.table(t)
	switch {
	case l.Key == "agent":
		cost := task.Cost(f.TTFT.Typical, f.TPOT.Typical)
		d.fact("task", say.AgentCost(&cost))
	case l.Key == "voice" && !f.Sounds():
		voice := slo.VoiceOfRuns(runs)
		d.fact("voice", say.Voice(&voice)+basis(&f))
	}
	d.fact("sources", strings.Join(sources, "; "))
	return d
}

// basis writes how many requests the figures cover.
func basis(f *slo.LensFigures) string {
	several := " (medians of " + format.Count(f.Requests) + " requests" +
		format.If(f.TTFT.Tail.OK, "; close: one in twenty misses the budget") + ")"
	return format.If(f.Requests > 0, format.Either(f.Requests == 1, " (one request)", several))
}
