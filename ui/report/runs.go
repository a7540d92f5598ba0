package report

import (
	"fmt"
	"strings"

	"tokscope/metrics"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
)

// summaryRuns is the largest number of runs in the exit summary; the file has
// them all.
const summaryRuns = 12

// Runs is the text in the scrollback after the interface has closed: the runs
// of the session, newest last, and the path of their data. It is "" without
// runs. path is "" without a recording.
func Runs(runs []metrics.Run, path string) string {
	if len(runs) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "tokscope: %s", format.Plural(len(runs), "run", "runs"))
	if left := len(runs) - summaryRuns; left > 0 {
		fmt.Fprintf(&b, ", the last %d:", summaryRuns)
		runs = runs[left:]
	}
	b.WriteString("\n\n")
	table := [][]string{{"run", "endpoint", "TTFT", "TPOT", "speed", "tokens", "ended"}}
	for _, r := range runs {
		table = append(table, summaryRow(r))
	}
	align(&b, table)
	if path != "" {
		fmt.Fprintf(&b, "\n  data: %s\n", sanitize.Line(path, 4096))
	}
	return b.String()
}

func summaryRow(r metrics.Run) []string {
	s, f := &r.Stream, &r.Figures
	tokens := format.Known(f.Tokens, format.Whole)
	if f.Tokens.OK && f.TokenSource == metrics.TokensEstimated {
		tokens = "about " + tokens
	}
	end := s.State.String()
	if s.Fault != nil && s.State != metrics.Cancelled {
		end += ": " + s.Fault.Message
	}
	return []string{fmt.Sprint(s.ID), sanitize.Line(s.Endpoint.Name, 24), format.Known(f.TTFT, format.Ms), format.Known(f.TPOT, format.Ms),
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
