package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"tokscope/metrics/loadstat"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
	"tokscope/ui/say"
)

// SweepMarkdown prints a sweep for an issue: a sentence, the workload, and a
// table of the steps.
func SweepMarkdown(w io.Writer, r *Sweep) error {
	b := bufio.NewWriter(w)
	v := r.Verdicts()
	if v.Sentence != "" {
		fmt.Fprintf(b, "**%s**\n\n", markdown(v.Sentence))
	}
	fmt.Fprintf(b, "%s, %s\n\n", markdown(sweepTarget(r)), markdown(sweepWork(r)))
	if len(r.Steps) > 0 {
		markdownTable(b, r)
	}
	if r.readServer() {
		markdownServer(b, r)
	}
	if v.Knee >= 0 {
		fmt.Fprintf(b, "- knee at %s\n", r.Steps[v.Knee].Name())
	}
	if len(r.SLOs) > 0 {
		fmt.Fprintf(b, "- %s: %s\n", markdown(format.SLOs(r.SLOs)), r.sloVerdict(&v))
	}
	for i := range r.Steps {
		if s := &r.Steps[i]; s.Point.Fit != nil {
			fmt.Fprintf(b, "- TTFT by prompt length at %s: %s\n", s.Name(), markdown(fitText(s.Point.Fit)))
		}
	}
	if r.ramp() {
		fmt.Fprintf(b, "- not steady: %s\n", markdown(say.Unsteady(loadstat.Unsteady{Code: loadstat.UnsteadyRamp})))
	}
	for i := range r.Steps {
		if s := &r.Steps[i]; !s.Point.Steady && !r.ramp() {
			fmt.Fprintf(b, "- not steady at %s: %s\n", s.Name(), markdown(say.Unsteady(s.Point.Why)))
		}
	}
	for _, why := range rangeReasons(r) {
		fmt.Fprintf(b, "- unknown: %s\n", markdown(why))
	}
	if lost := r.otherFaults(); len(lost) > 0 {
		fmt.Fprintf(b, "- failed %s: %s\n", r.beside(), markdown(kinds(lost)))
	}
	for _, text := range r.notes() {
		fmt.Fprintf(b, "- %s\n", markdown(text))
	}
	for _, q := range r.quality() {
		fmt.Fprintf(b, "- %s\n", markdown(q.text))
	}
	if why := r.serverMissing(); why != "" {
		fmt.Fprintf(b, "- the server's own metrics: %s\n", markdown(why))
	}
	if r.Stopped != "" {
		fmt.Fprintf(b, "- ended after %d of %d %s: %s\n", len(r.Steps), r.Planned, r.parts(), markdown(r.Stopped))
	}
	return b.Flush()
}

func markdownTable(w io.Writer, r *Sweep) {
	heads := append(loadHeads(r), "per user, tok/s", "95 %", "aggregate, tok/s",
		"95 %", "peak, tok/s", "TTFT p50, ms", "TTFT p99, ms", "gap p50, ms", "gap p99, ms")
	if r.Open {
		for _, c := range scheduleColumns {
			heads = append(heads, c.heading)
		}
	}
	if len(r.SLOs) > 0 {
		heads = append(heads, "goodput, req/s", "goodput, share", "goodput, tok/s")
	}
	heads = append(heads, "ended well", "failed", "steady")
	fmt.Fprintf(w, "| %s |\n|%s\n", strings.Join(heads, " | "), strings.Repeat("---:|", len(heads)))
	for i := range r.Steps {
		s := &r.Steps[i]
		p := &s.Point
		steady := "no"
		if p.Steady {
			steady = "yes"
		}
		cells := append(loadCells(r, s), format.Known(p.Speed, format.Number), interval(&p.SpeedInterval),
			format.Known(p.Total, format.Number), interval(&p.TotalInterval), format.Known(p.Peak, format.Number),
			format.Known(p.TTFT.P50, format.Number), format.Known(p.TTFT.P99, format.Number), format.Bounded(p.Gaps.P50,
				p.Gaps.Missing.P50, format.Number), format.Bounded(p.Gaps.P99, p.Gaps.Missing.P99, format.Number))
		if r.Open {
			for _, c := range scheduleColumns {
				cells = append(cells, scheduleCell(c.of, c.atLeast, p))
			}
		}
		if len(r.SLOs) > 0 {
			cells = append(cells, format.Known(p.GoodRate, format.Number),
				format.Known(p.GoodShare, format.Percent), format.Known(p.GoodTokens, format.Number))
		}
		failed, _ := p.Failures()
		cells = append(cells, format.Count(p.Requests), format.Count(failed), steady)
		fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | "))
	}
	fmt.Fprintln(w)
}

// markdownServer prints the table of the server's own metrics.
func markdownServer(w io.Writer, r *Sweep) {
	heads := []string{"users"}
	if r.Open {
		heads[0] = "req/s"
	}
	for _, c := range serverColumns {
		heads = append(heads, c.heading)
	}
	fmt.Fprintf(w, "The server's own metrics:\n\n| %s |\n|%s\n",
		strings.Join(heads, " | "), strings.Repeat("---:|", len(heads)))
	for i := range r.Steps {
		s := &r.Steps[i]
		cells := []string{format.Count(s.Point.Users)}
		if r.Open {
			cells[0] = format.Exact(s.Rate)
		}
		for _, c := range serverColumns {
			cells = append(cells, format.Known(serverFigure(s, c.of), c.text))
		}
		fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | "))
	}
	fmt.Fprintln(w)
}

// markdown converts a text from outside to one harmless line of Markdown.
func markdown(s string) string { return escape(sanitize.Line(s, outsideMost)) }
