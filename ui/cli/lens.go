package cli

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"tokscope/metrics"
)

// Lens is the workload lens that a probe is looked at through; the zero value
// is none.
type Lens struct {
	Key  string
	Task metrics.AgentTask
}

// On reports whether a lens is set.
func (o *Lens) On() bool { return o.Key != "" }

// Of returns it, nil when there is none.
func (o *Lens) Of() *metrics.Lens { return metrics.LensByKey(o.Key) }

func (o *Lens) flags(fs *pflag.FlagSet) {
	fs.StringVar(&o.Key, "lens", "", "judge the figures for a use: "+lensNames())
	fs.IntVar(&o.Task.Steps, "agent-steps", metrics.DefaultAgentTask.Steps, "steps of the task of --lens agent")
	fs.IntVar(&o.Task.Tokens, "agent-tokens", metrics.DefaultAgentTask.Tokens, "output tokens of each of its steps")
}

// lensNames lists the lenses, for a flag's help and its error.
func lensNames() string {
	var keys []string
	for _, l := range metrics.Lenses() {
		keys = append(keys, l.Key)
	}
	return strings.Join(keys, ", ")
}

// check refuses what cannot be meant, with the next step.
func (o *Lens) check(fs *pflag.FlagSet) error {
	switch {
	case o.Key == "" && fs.Changed("lens"), o.Key != "" && o.Of() == nil:
		return Usage("--lens %q: give one of %s", o.Key, lensNames())
	case o.Key != "agent" && (fs.Changed("agent-steps") || fs.Changed("agent-tokens")):
		return Usage("--agent-steps and --agent-tokens belong to --lens agent")
	case !o.Task.OK():
		return Usage("--agent-steps %d and --agent-tokens %d: give 1 to %d and 1 to %d", o.Task.Steps, o.Task.Tokens, metrics.MaxAgentSteps, metrics.MaxAgentTokens)
	}
	return nil
}

// Print prints the verdict table of the lens, nothing when there is none: what
// was measured, what the use needs and why, how the two stand to each other;
// for an agent the time of its task; the sources.
func (o *Lens) Print(w io.Writer, runs []metrics.Run) error {
	l := o.Of()
	if l == nil || len(runs) == 0 {
		return nil
	}
	b := bufio.NewWriter(w)
	sum := metrics.Summarize(runs)
	f := metrics.LensOfSummary(&sum)
	verdicts := l.Judge(f, o.Task)
	fmt.Fprintln(b)
	row(b, "lens", "%s: %s%s", l.Key, l.About, basis(&f))
	rows := [][]string{{"", "measured", "budget", "verdict", "", ""}}
	for _, v := range verdicts {
		measured := "–"
		if v.Measured.OK {
			measured = metrics.LensNumber(v.Metric, v.Measured.V)
			if v.Estimated {
				measured = "~" + measured
			}
		}
		budget := "no limit"
		if v.Budget.Limit > 0 {
			budget = "≤ " + metrics.LensNumber(v.Metric, v.Budget.Limit)
			if v.Budget.AtLeast {
				budget = "≥ " + metrics.LensNumber(v.Metric, v.Budget.Limit)
			}
		}
		rows = append(rows, []string{metrics.LensLabel(v.Metric), measured, budget, v.Grade.String(), v.Short, v.Budget.Why})
	}
	columns(b, rows)
	if l.Key == "agent" {
		row(b, "task", "%s", o.Task.Cost(f.TTFT.Typical, f.TPOT.Typical).Say)
	}
	var sources []string
	for _, v := range verdicts {
		if !slices.Contains(sources, v.Budget.Source) {
			sources = append(sources, v.Budget.Source)
		}
	}
	row(b, "sources", "%s", strings.Join(sources, "; "))
	return b.Flush()
}

// basis says of how many requests the figures are.
func basis(f *metrics.LensFigures) string {
	switch {
	case f.Requests == 0:
		return ""
	case f.Requests == 1:
		return " (one request)"
	case f.TTFT.Tail.OK:
		return fmt.Sprintf(" (medians of %d requests; close when one in twenty is beyond the budget)", f.Requests)
	}
	return fmt.Sprintf(" (medians of %d requests)", f.Requests)
}

// columns prints rows in columns: the first is as wide as the labels, the
// second, of numbers, stands at its right edge.
func columns(w io.Writer, rows [][]string) {
	width := make([]int, len(rows[0]))
	for _, r := range rows {
		for i, c := range r {
			width[i] = max(width[i], utf8.RuneCountInString(c))
		}
	}
	width[0] = labelWidth
	for _, r := range rows {
		line := ""
		for i, c := range r {
			pad := strings.Repeat(" ", width[i]-utf8.RuneCountInString(c))
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
