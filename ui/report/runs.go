package report

import (
	"fmt"
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/verdict"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
	"tokscope/ui/say"
)

// summaryRuns is the largest number of runs in the exit summary; the file has
// them all.
const summaryRuns = 12

// Runs is the text in the scrollback after the interface has closed: the runs
// of the session, newest last, and the path of their data. It is "" without
// runs. A sentence says what the last of them shows. The Form's objectives are
// of no use here.
func Runs(runs []metrics.Run, form Form) string {
	if len(runs) == 0 {
		return ""
	}
	var b strings.Builder
	last := &runs[len(runs)-1]
	found := verdict.Of(verdict.Input{Stream: &last.Stream, Figures: &last.Figures,
		Now: last.Stream.Marks.End, Earlier: runs, Lens: form.Lens, Task: form.Task})
	said := fmt.Sprintf("Run %d, %s: %s", last.Stream.ID,
		sanitize.Line(last.Stream.Endpoint.Name, 24), say.Conclusion(found))
	for _, line := range format.Wrap(said, lineWidth) {
		fmt.Fprintln(&b, line)
	}
	sources := make([]string, 0, len(runs))
	for _, r := range runs {
		if r.Stream.Events > 0 {
			sources = append(sources, r.Stream.Stamps.String())
		}
	}
	fmt.Fprintf(&b, "tokscope: %s", format.Plural(len(runs), "run", "runs"))
	if left := len(runs) - summaryRuns; left > 0 {
		fmt.Fprintf(&b, ", the last %d", summaryRuns)
		runs = runs[left:]
	}
	fmt.Fprintf(&b, ", %s", say.Stamps(loadstat.JoinStamps(sources)))
	b.WriteString("\n\n")
	table := [][]string{{"run", "endpoint", "TTFT", "TPOT", "speed", "tokens", "ended"}}
	for _, r := range runs {
		table = append(table, summaryRow(r))
	}
	align(&b, table)
	b.WriteString("\n")
	row(&b, "  measured", "%s", ran(&last.Stream, form.By))
	if form.Path != "" {
		fmt.Fprintf(&b, "  data      %s\n", sanitize.Line(form.Path, 4096))
	}
	return b.String()
}

func summaryRow(r metrics.Run) []string {
	s, f := &r.Stream, &r.Figures
	tokens := format.Known(f.Tokens, format.Whole)
	if f.Tokens.OK && f.TokenSource == metrics.TokensEstimated {
		tokens = "about " + tokens
	}
	end := say.Outcome(s.State)
	if s.Fault != nil && s.State != metrics.Cancelled {
		end += ": " + s.Fault.Message
	}
	return []string{fmt.Sprint(s.ID), sanitize.Line(s.Endpoint.Name, 24),
		format.Known(f.TTFT, format.Ms), format.Known(f.TPOT, format.Ms),
		format.Known(f.Speed, format.Rate), tokens, sanitize.Line(end, 80)}
}

// align writes a table with two blanks between columns. Numbers are
// right-aligned.
func align(b *strings.Builder, table [][]string) {
	width := make([]int, len(table[0]))
	for _, r := range table {
		for i, c := range r {
			width[i] = max(width[i], draw.Width(c))
		}
	}
	for _, r := range table {
		for i, c := range r {
			pad := strings.Repeat(" ", width[i]-draw.Width(c))
			b.WriteString("  ")
			switch {
			case i == len(r)-1:
				b.WriteString(c)
			case i == 1:
				b.WriteString(c + pad)
			default:
				b.WriteString(pad + c)
			}
		}
		b.WriteByte('\n')
	}
}
