package cli

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"tokscope/ui/sanitize"
)

// PrintSweepMarkdown prints a sweep for a ticket: a sentence, the workload, and
// a table of the steps.
func SweepMarkdown(w io.Writer, r *SweepReport) error {
	b := bufio.NewWriter(w)
	v := r.Verdicts()
	if v.Sentence != "" {
		fmt.Fprintf(b, "**%s**\n\n", markdown(v.Sentence))
	}
	fmt.Fprintf(b, "%s, %s\n\n", markdown(sweepTarget(r)), markdown(sweepWork(r)))
	if len(r.Steps) > 0 {
		markdownTable(b, r)
	}
	if v.Knee >= 0 {
		fmt.Fprintf(b, "- knee at %s\n", r.Steps[v.Knee].Name())
	}
	if len(r.SLOs) > 0 {
		text := "missed at every step"
		if v.Largest >= 0 {
			text = "met up to " + r.Steps[v.Largest].Name()
		}
		if v.BreaksStep >= 0 {
			text += fmt.Sprintf("; %s breaks first, at %s", v.Breaks, r.Steps[v.BreaksStep].Name())
		}
		fmt.Fprintf(b, "- %s: %s\n", markdown(sloText(r.SLOs)), text)
	}
	for i := range r.Steps {
		if s := &r.Steps[i]; s.Point.Fit != nil {
			fmt.Fprintf(b, "- TTFT by prompt length at %s: %s\n", s.Name(), markdown(fitText(s.Point.Fit)))
		}
	}
	for i := range r.Steps {
		if s := &r.Steps[i]; !s.Point.Steady {
			fmt.Fprintf(b, "- not steady at %s: %s\n", s.Name(), markdown(s.Point.Why))
		}
	}
	if r.Limits != "" {
		fmt.Fprintf(b, "- %s\n", markdown(r.Limits))
	}
	if r.Stopped != "" {
		fmt.Fprintf(b, "- ended after %d of %d steps: %s\n", len(r.Steps), r.Planned, markdown(r.Stopped))
	}
	return b.Flush()
}

func markdownTable(w io.Writer, r *SweepReport) {
	heads := []string{"users", "each, tok/s", "in all, tok/s", "TTFT p50, ms", "TTFT p99, ms", "gap p50, ms", "gap p99, ms"}
	if r.Open {
		heads[0] = "req/s"
	}
	if len(r.SLOs) > 0 {
		heads = append(heads, "goodput, req/s", "goodput, share")
	}
	heads = append(heads, "ended well", "failed", "steady")
	fmt.Fprintf(w, "| %s |\n|%s\n", strings.Join(heads, " | "), strings.Repeat("---:|", len(heads)))
	for i := range r.Steps {
		s := &r.Steps[i]
		p := &s.Point
		what, steady := fmt.Sprint(p.Users), "no"
		if r.Open {
			what = fmt.Sprint(s.Rate)
		}
		if p.Steady {
			steady = "yes"
		}
		cells := []string{what, cell(p.Speed), cell(p.Total), cell(p.TTFT.P50), cell(p.TTFT.P99), cell(p.Gaps.P50), cell(p.Gaps.P99)}
		if len(r.SLOs) > 0 {
			cells = append(cells, cell(p.GoodRate), percent(p.GoodShare))
		}
		cells = append(cells, fmt.Sprint(p.Requests), fmt.Sprint(p.Failed), steady)
		fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | "))
	}
	fmt.Fprintln(w)
}

// markdownEscaper keeps text from being read as Markdown or HTML.
var markdownEscaper = strings.NewReplacer("\\", "\\\\", "|", "\\|", "`", "\\`", "*", "\\*", "_", "\\_",
	"<", "&lt;", ">", "&gt;", "[", "\\[", "]", "\\]", "#", "\\#", "@", "&#64;", "&", "&amp;")

// markdown is a text from outside as one harmless line of Markdown.
func markdown(s string) string { return markdownEscaper.Replace(sanitize.Line(s, 300)) }
