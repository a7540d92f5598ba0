package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
	"tokscope/ui/say"
)

// Depth is a finished or interrupted sweep over prompt lengths, ready to print.
type Depth struct {
	Plan    loadstat.DepthPlan
	Outcome loadstat.DepthOutcome
}

// The explanations of the columns.
const (
	depthLegend  = "prefill is prompt tokens / TTFT, tok/s, cached ones included; warm sends the same prompt again"
	depthDecode  = "figures are medians; TPOT and tok/s per user are those of cold and warm requests"
	depthIsKnown = "the server had cold prompts in its cache: their TTFT is not that of a full prefill"
	depthGuessed = "the server did not count its tokens: TPOT and tok/s use estimates"
)

// DepthText prints the rows for a person: target and workload, the table, the
// fit, and what is unknown.
func DepthText(w io.Writer, r *Depth) error {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, sanitize.Line(r.target(), 240))
	fmt.Fprintln(b, sanitize.Line(r.work(), 240))
	fmt.Fprintln(b)
	if r.measured() > 0 {
		r.table(b)
		fmt.Fprintln(b)
	}
	for _, f := range r.facts() {
		row(b, f.name, "%s", sanitize.Line(f.text, 400))
	}
	return b.Flush()
}

// target names the endpoint.
func (r *Depth) target() string {
	return sweepTarget(&Sweep{Endpoint: r.Outcome.Endpoint, Model: r.Outcome.Model})
}

// work names the workload and the sequence of requests.
func (r *Depth) work() string {
	p := &r.Plan
	parts := []string{p.Work.Name}
	if p.Work.MaxTokens > 0 {
		parts = append(parts, "at most "+format.Count(p.Work.MaxTokens)+" out")
	}
	parts = append(parts, format.Plural(max(p.Users, 1), "user", "users"),
		format.Plural(p.Requests, "prompt", "prompts")+" a depth, cold then warm")
	return strings.Join(parts, " · ")
}

// measured returns the number of rows that were sent.
func (r *Depth) measured() (n int) {
	for i := range r.Outcome.Rows {
		if !r.Outcome.Rows[i].TooLong {
			n++
		}
	}
	return n
}

// depthHeads are the columns of text and Markdown: two lines of heading.
var depthHeads = [...][2]string{
	{"asked", "tokens"}, {"prompt", "tokens"},
	{"cold", "TTFT ms"}, {"", "prefill tok/s"}, {"", "cached"},
	{"warm", "TTFT ms"}, {"", "prefill tok/s"}, {"", "cached"},
	{"decode", "TPOT ms"}, {"", "tok/s"}, {"", "n"},
}

// cells are the texts of a row under depthHeads.
func (r *Depth) cells(d *loadstat.DepthRow) []string {
	out := []string{format.Count(d.Depth), format.Known(d.Cold.Prompt, format.Whole)}
	for _, s := range []*loadstat.DepthSide{&d.Cold, &d.Warm} {
		out = append(out, format.Known(s.TTFT, format.Number),
			format.Known(s.Prefill, format.Number), format.Known(s.Cached, format.Whole))
	}
	n := format.Count(d.Cold.Ended) + "+" + format.Count(d.Warm.Ended)
	if failed := d.Cold.Failed + d.Warm.Failed; failed > 0 {
		n += " +" + format.Count(failed) + " failed"
	}
	return append(out, format.Known(d.TPOT, format.Number), format.Known(d.Speed, format.Number), n)
}

// table prints a line for each depth that was sent.
func (r *Depth) table(w io.Writer) {
	cols := make([]column, len(depthHeads))
	for i, h := range depthHeads {
		cols[i] = column{above: h[0], name: strings.TrimSuffix(h[1], " tok/s"), width: 5}
	}
	for i := range r.Outcome.Rows {
		if d := &r.Outcome.Rows[i]; !d.TooLong {
			for k, c := range r.cells(d) {
				cols[k].cells = append(cols[k].cells, c)
			}
		}
	}
	printColumns(w, cols)
}

// facts are the lines below the table: the fit, the reasons of unknown figures,
// doubts, and how the sweep ended.
func (r *Depth) facts() (out []fact) {
	o := &r.Outcome
	if r.measured() > 0 {
		out = append(out, fact{"columns", depthLegend}, fact{"", depthDecode})
		out = append(out, fact{"ttft", "= a + b · prompt tokens, cold: " + fitText(&o.Fit)})
	}
	out = append(out, r.unknown()...)
	label := "note"
	for i := range o.Rows {
		d := &o.Rows[i]
		if p, c := d.Cold.Prompt, d.Cold.Cached; p.OK && c.OK && c.V > 0.1*p.V {
			out, label = append(out, fact{label, depthIsKnown}), ""
			break
		}
	}
	for i := range o.Rows {
		if o.Rows[i].Estimated {
			out, label = append(out, fact{label, depthGuessed}), ""
			break
		}
	}
	label = "left out"
	for i := range o.Rows {
		if d := &o.Rows[i]; d.TooLong {
			text := fmt.Sprintf("%s: with the answer they exceed the model's context of %s",
				format.Plural(d.Depth, "prompt token", "prompt tokens"), say.Tokens(float64(o.Context)))
			out, label = append(out, fact{label, text}), ""
		}
	}
	if f := o.Fault; f != nil {
		out = append(out, fact{"failed", "such as " + string(f.Kind) + ": " + f.Message})
		if f.Next != "" {
			out = append(out, fact{"", f.Next})
		}
	}
	used := format.Whole(o.Tokens) + " used, prompts included"
	if o.Cost.OK {
		used += ", cost " + strings.TrimSpace(format.Money(o.Cost.V)+" "+o.Currency)
	}
	out = append(out, fact{"tokens", used})
	if r.measured() > 0 {
		text := say.Stamps(o.Stamps)
		if o.Observer.N > 0 {
			text += "; " + lateness(&o.Observer)
		}
		out = append(out, fact{"lag", text})
	}
	if why := say.Ending(o.Stopped); why != "" {
		out = append(out, fact{"ended", fmt.Sprintf("after %d of %d depths: %s", r.finished(), len(r.Plan.Depths), why)})
	}
	return out
}

// unknown gives the reason of every dash of the table. A reason of several
// depths is printed once.
func (r *Depth) unknown() (out []fact) {
	seen := map[string]bool{}
	label := "unknown"
	for i := range r.Outcome.Rows {
		d := &r.Outcome.Rows[i]
		if d.TooLong {
			continue
		}
		for _, x := range figuresOf(d) {
			text := x.name + ": " + format.Reason(x.v)
			if !x.v.OK && !seen[text] {
				seen[text] = true
				out, label = append(out, fact{label, text}), ""
			}
		}
	}
	return out
}

// depthFigure is a figure with its name.
type depthFigure struct {
	name string
	v    metrics.Value
}

// figuresOf returns the figures of a row whose reasons are printed. A side
// without a request that ended well has one reason for all of its figures.
func figuresOf(d *loadstat.DepthRow) (out []depthFigure) {
	for i, s := range []*loadstat.DepthSide{&d.Cold, &d.Warm} {
		name := [...]string{"cold", "warm"}[i]
		if s.Ended == 0 {
			out = append(out, depthFigure{name, s.TTFT})
			continue
		}
		out = append(out, depthFigure{name + " prompt tokens", s.Prompt}, depthFigure{name + " TTFT", s.TTFT},
			depthFigure{name + " prefill", s.Prefill}, depthFigure{name + " cached tokens", s.Cached})
	}
	if d.Cold.Ended+d.Warm.Ended > 0 {
		out = append(out, depthFigure{"TPOT", d.TPOT})
	}
	return out
}

// finished returns the number of depths that are complete or left out.
func (r *Depth) finished() (n int) {
	for i := range r.Outcome.Rows {
		if d := &r.Outcome.Rows[i]; d.TooLong || d.Cold.Ended+d.Cold.Failed >= r.Plan.Requests {
			n++
		}
	}
	return n
}
