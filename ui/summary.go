package ui

import (
	"fmt"
	"strings"

	"tokscope/metrics"
	"tokscope/ui/draw"
	"tokscope/ui/sanitize"
)

// summaryRuns is how many runs the exit summary lists; the file has them all.
const summaryRuns = 12

// Summary is what stays in the scrollback after the interface is closed: the
// runs of the session, newest last, and where their data lies. It is "" when
// nothing was run. path is "" when nothing was recorded.
func Runs(runs []metrics.Run, path string) string {
	if len(runs) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "tokscope: %s", plural(len(runs), "run", "runs"))
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
	short := func(v metrics.Value, write func(metrics.Value) string) string {
		if !v.OK {
			return "–"
		}
		return write(v)
	}
	tokens := short(f.Tokens, func(v metrics.Value) string { return number(v.V) })
	if f.Tokens.OK && f.TokenSource == metrics.TokensEstimated {
		tokens = "about " + tokens
	}
	end := s.State.String()
	if s.Fault != nil && s.State != metrics.Cancelled {
		end += ": " + s.Fault.Message
	}
	return []string{fmt.Sprint(s.ID), sanitize.Line(s.Endpoint.Name, 24), short(f.TTFT, timeOf), short(f.TPOT, timeOf),
		short(f.Speed, speedOf), tokens, sanitize.Line(end, 80)}
}

// align writes a table with two blanks between columns; numbers are flush right.
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
