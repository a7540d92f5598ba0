package report

import (
	"cmp"
	"fmt"
	"io"
	"math"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
	"tokscope/ui/say"
)

// serverColumns are the figures of the server's own metrics: counters as
// their growth over the step, the others as they were at its end.
var serverColumns = []struct {
	above, name string // the heading in text
	csv         string
	heading     string // in Markdown
	of          func(*loadstat.ServerStep) metrics.Value
	text        func(float64) string
}{
	{"requests", "server", "server_requests", "requests, server",
		grown(func(c *loadstat.ServerCounts) metrics.Value { return c.Requests }), format.Whole},
	{"", "here", "requests_here", "requests, here",
		func(s *loadstat.ServerStep) metrics.Value { return metrics.Known(float64(s.Requests), 0) }, format.Whole},
	{"output tokens", "server", "server_output_tokens", "output tokens, server",
		grown(func(c *loadstat.ServerCounts) metrics.Value { return c.Output }), format.Whole},
	{"", "here", "output_tokens_here", "output tokens, here",
		func(s *loadstat.ServerStep) metrics.Value { return metrics.Known(s.Output, 0) }, format.Whole},
	{"prompt", "tokens", "server_prompt_tokens", "prompt tokens",
		grown(func(c *loadstat.ServerCounts) metrics.Value { return c.Prompt }), format.Whole},
	{"", "cached", "server_prefix_cache_hits", "of these cached",
		grown(func(c *loadstat.ServerCounts) metrics.Value { return c.CacheHits }), format.Whole},
	{"", "preempted", "server_preemptions", "preempted",
		grown(func(c *loadstat.ServerCounts) metrics.Value { return c.Preemptions }), format.Whole},
	{"at the end", "running", "server_running_at_end", "running at the end",
		func(s *loadstat.ServerStep) metrics.Value { return s.After.Running }, format.Whole},
	{"", "waiting", "server_waiting_at_end", "waiting at the end",
		func(s *loadstat.ServerStep) metrics.Value { return s.After.Waiting }, format.Whole},
}

func grown(of func(*loadstat.ServerCounts) metrics.Value) func(*loadstat.ServerStep) metrics.Value {
	return func(s *loadstat.ServerStep) metrics.Value { return s.Change(of) }
}

// serverFigure is one figure of a step; unknown where the server was not read.
func serverFigure(s *Step, of func(*loadstat.ServerStep) metrics.Value) metrics.Value {
	if s.Extra.Server.After.From == "" {
		return metrics.Unknown(metrics.WhyNoPage)
	}
	return of(&s.Extra.Server)
}

// readServer reports whether the server's metrics were read in any step.
func (r *Sweep) readServer() bool {
	for i := range r.Steps {
		if r.Steps[i].Extra.Server.After.From != "" {
			return true
		}
	}
	return false
}

// serverMissing says why the server's metrics were not read at all, "" where
// they were or where none were to be read.
func (r *Sweep) serverMissing() string {
	if r.ServerMetrics == "" || r.readServer() {
		return ""
	}
	for i := range r.Steps {
		if why := r.Steps[i].Extra.Server.Why; why != "" {
			return fmt.Sprintf("– (%s: %s)", r.ServerMetrics, why)
		}
	}
	return ""
}

// printServer prints the table of the server's own metrics.
func printServer(w io.Writer, r *Sweep) {
	fmt.Fprintf(w, "\nthe server's own metrics, from %s\n", sanitize.Line(r.ServerMetrics, 200))
	cols := []column{{name: "users", width: 5}}
	if r.Open {
		cols[0].name = "req/s"
	}
	for _, c := range serverColumns {
		cols = append(cols, column{above: c.above, name: c.name, width: 6})
	}
	for i := range r.Steps {
		s := &r.Steps[i]
		what := format.Count(s.Point.Users)
		if r.Open {
			what = format.Exact(s.Rate)
		}
		cells := []string{what}
		for _, c := range serverColumns {
			cells = append(cells, format.Known(serverFigure(s, c.of), c.text))
		}
		for k, c := range cells {
			cols[k].cells = append(cols[k].cells, c)
		}
	}
	printColumns(w, cols)
	fmt.Fprintln(w)
	for i := range r.Steps {
		if x := &r.Steps[i].Extra.Server; x.Why != "" {
			row(w, "server", "at %s: not read (%s)", r.Steps[i].Name(), sanitize.Line(x.Why, 200))
		}
	}
}

// Thresholds of the warnings.
const (
	// lengthOff is how far a mean length may be from the requested one.
	lengthOff = 0.1
	// countsOff is how far the server's count of tokens may be from ours, beside
	// the answers that were under way at the ends of the step.
	countsOff = 0.05
)

// Warnings are doubts about the figures that concern whole steps, each a
// sentence.
func (r *Sweep) Warnings() []string {
	var out []string
	for i := range r.Steps {
		s := &r.Steps[i]
		if why := say.ClientLimit(s.Extra.ClientLimits); why != "" {
			out = append(out, fmt.Sprintf("client-bound at %s: %s", s.Name(), sanitize.Line(why, 200)))
			break // the reason hardly changes with more load
		}
	}
	for i := range r.Steps {
		if w := countsDiffer(&r.Steps[i]); w != "" {
			out = append(out, w)
		}
	}
	return append(out, lengthsDiffer(r)...)
}

// countsDiffer says that the server counted other output tokens than arrived
// here, "" where both agree or one is unknown.
func countsDiffer(s *Step) string {
	x := &s.Extra
	server := x.Server.Change(func(c *loadstat.ServerCounts) metrics.Value { return c.Output })
	_, answer := x.Lengths.Answer()
	if !server.OK || !answer.OK {
		return ""
	}
	underWay := math.Max(float64(s.Point.Users), known(s.Point.Running)+known(s.Point.Waiting)) * answer.V
	if off := math.Abs(server.V - x.Server.Output); off <=
		math.Max((countsOff+x.Server.Blur())*x.Server.Output, underWay) {
		return ""
	}
	return fmt.Sprintf("counts disagree at %s: the server generated %s tokens, %s arrived here; "+
		"it may serve other clients too", s.Name(), format.Whole(server.V), format.Whole(x.Server.Output))
}

// lengthsDiffer says that prompts or answers were not as long as requested,
// over all steps.
func lengthsDiffer(r *Sweep) (out []string) {
	var all loadstat.Lengths
	for i := range r.Steps {
		all.Merge(&r.Steps[i].Extra.Lengths)
	}
	if asked, counted := all.Prompt(); asked.OK && math.Abs(counted.V/asked.V-1) > lengthOff {
		out = append(out, fmt.Sprintf("prompts have %s tokens by the server's count, %s were requested",
			format.Whole(counted.V), format.Whole(asked.V)))
	}
	if asked, counted := all.Answer(); asked.OK && math.Abs(counted.V/asked.V-1) > lengthOff {
		out = append(out,
			fmt.Sprintf("answers have %s tokens on average, their limit is %s: other lengths give other figures",
				format.Whole(counted.V), format.Whole(asked.V)))
	}
	return out
}

// printWarnings prints the warnings, and why this program limited the load at
// the end of the sweep where no step says it.
func printWarnings(w io.Writer, r *Sweep) {
	for _, text := range r.notes() {
		row(w, "note", "%s", sanitize.Line(text, 300))
	}
}

// notes are the warnings, with the limits at the end of the sweep where no
// step has any.
func (r *Sweep) notes() []string {
	bound := ""
	for i := range r.Steps {
		bound = cmp.Or(bound, say.ClientLimit(r.Steps[i].Extra.ClientLimits))
	}
	if r.Limits == "" || bound != "" {
		return r.Warnings()
	}
	return append([]string{r.Limits}, r.Warnings()...)
}
