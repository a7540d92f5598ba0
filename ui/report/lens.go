package report

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/slo"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/say"
)

// Lens prints the verdict table of a lens: each measured figure, the limit of
// the use with its reason, and the comparison. For an agent it adds the time
// of its task. The sources follow.
func Lens(w io.Writer, runs []metrics.Run, l *slo.Lens, task slo.AgentTask) error {
	b := bufio.NewWriter(w)
	sum := metrics.Summarize(runs)
	f := slo.LensOfSummary(&sum)
	verdicts := l.Judge(f, task)
	fmt.Fprintln(b)
	row(b, "lens", "%s: %s%s", l.Key, say.LensAbout(l.Key), basis(&f))
	rows := [][]string{{"", "measured", "budget", "verdict", "", ""}}
	for _, v := range verdicts {
		measured := "–"
		if v.Measured.OK {
			measured = say.LensFigure(v.Metric, v.Measured.V)
			if v.Estimated {
				measured = "~" + measured
			}
		}
		budget := "no limit"
		if v.Budget.Limit > 0 {
			budget = "≤ " + say.LensLimit(v.Metric, v.Budget.Limit)
			if v.Budget.AtLeast {
				budget = "≥ " + say.LensLimit(v.Metric, v.Budget.Limit)
			}
		}
		rows = append(rows, []string{say.LensLabel(v.Metric), measured, budget,
			v.Grade.String(), say.VerdictShort(&v), say.LensWhy(&v.Budget)})
	}
	columns(b, rows)
	if l.Key == "agent" {
		cost := task.Cost(f.TTFT.Typical, f.TPOT.Typical)
		row(b, "task", "%s", say.AgentCost(&cost))
	}
	if l.Key == "voice" {
		voice := slo.VoiceOfRuns(runs)
		row(b, "voice", "%s%s", say.Voice(&voice), basis(&f))
	}
	var sources []string
	for _, v := range verdicts {
		if source := say.LensSource(&v.Budget); !slices.Contains(sources, source) {
			sources = append(sources, source)
		}
	}
	row(b, "sources", "%s", strings.Join(sources, "; "))
	return b.Flush()
}

// basis writes how many requests the figures cover.
func basis(f *slo.LensFigures) string {
	switch {
	case f.Requests == 0:
		return ""
	case f.Requests == 1:
		return " (one request)"
	case f.TTFT.Tail.OK:
		return fmt.Sprintf(" (medians of %s requests; close: one in twenty misses the budget)", format.Count(f.Requests))
	}
	return fmt.Sprintf(" (medians of %s requests)", format.Count(f.Requests))
}

// columns prints rows in columns. The first is as wide as the labels; the
// second holds right-aligned numbers.
func columns(w io.Writer, rows [][]string) {
	width := make([]int, len(rows[0]))
	for _, r := range rows {
		for i, c := range r {
			width[i] = max(width[i], draw.Width(c))
		}
	}
	width[0] = labelWidth
	for _, r := range rows {
		line := ""
		for i, c := range r {
			pad := strings.Repeat(" ", width[i]-draw.Width(c))
			switch i {
			case 0:
				line += c + pad
			case 1:
				line += pad + c
			default:
				line += "   " + c + pad
			}
		}
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
}
