package report

import (
	"fmt"
	"io"
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/request"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
	"tokscope/ui/say"
)

// printWarmup counts the requests before the measured ones; nil prints nothing.
func printWarmup(w io.Writer, x *loadstat.Warmup) {
	if x == nil {
		return
	}
	text := format.Plural(x.Requests, "request", "requests") + " before these, in no figure"
	if x.Output.OK {
		text += "; " + format.KnownOr(x.Prompt, format.Whole) + " tokens in, " + format.Whole(x.Output.V) + " out"
		if x.Output.N < x.Requests {
			text += " (counted for " + format.Count(x.Output.N) + ")"
		}
	} else {
		text += "; tokens – (" + format.Why(x.Output.Why) + ")"
	}
	if x.Cost.OK {
		text += ", " + format.Money(x.Cost.V) + " " + x.Currency
	}
	if x.Failed > 0 {
		var kinds []string
		for _, f := range x.Faults {
			kinds = append(kinds, format.Count(f.N)+"× "+string(f.Kind))
		}
		text += "; " + format.Count(x.Failed) + " failed: " + strings.Join(kinds, ", ")
	}
	if x.Cancelled > 0 {
		text += "; " + format.Count(x.Cancelled) + " " + say.Outcome(metrics.Cancelled)
	}
	row(w, "warm-up", "%s", sanitize.Line(text, 400))
}

// printList prints the requests that match f, one a line; nil prints nothing.
func printList(w io.Writer, runs []metrics.Run, f *request.Filter) {
	if f == nil || len(runs) == 0 {
		return
	}
	rows := make([]request.Row, len(runs))
	for i := range runs {
		rows[i] = request.RowOf(i+1, 1, &runs[i].Stream, &runs[i].Figures)
	}
	v := request.ViewOf(rows[0].Began, rows)
	var match request.Selection
	match.Select(&v, f)
	fmt.Fprintln(w)
	if len(match.Rows) == 0 {
		fmt.Fprintf(w, "none of %s matches --list\n", format.Plural(len(runs), "request", "requests"))
		return
	}
	table := [][]string{{"#", "sent", "TTFT", "TPOT", "longest gap", "total", "tokens", "ended"}}
	for _, i := range match.Rows {
		table = append(table, listRow(&v, v.Row(i)))
	}
	var b strings.Builder
	alignRight(&b, table)
	fmt.Fprint(w, b.String())
	if n := len(match.Rows); n < len(runs) {
		fmt.Fprintf(w, "  %s of %s\n", format.Count(n), format.Plural(len(runs), "request", "requests"))
	}
}

// listRow is a request of the list.
func listRow(v *request.View, r *request.Row) []string {
	sent := "–"
	if d, ok := r.Sent.Sub(v.Began); ok {
		sent = format.Ms(float64(d) / 1e6)
	}
	tokens := format.Known(r.Tokens.Value(), format.Whole)
	if r.Estimated && r.Tokens.Value().OK {
		tokens = "about " + tokens
	}
	end := "done"
	if !r.Good() {
		end = say.RequestEnded(r)
		if r.Status >= 300 {
			end = fmt.Sprintf("%d %s", r.Status, end)
		}
	}
	if text := say.RequestRemarks(r); text != "" {
		end += "; " + text
	}
	return []string{format.Count(r.N), sent,
		format.Known(r.TTFT.Value(), format.Ms), format.Known(r.TPOT.Value(), format.Ms),
		format.Known(r.Longest.Value(), format.Ms), format.Known(r.Total.Value(), format.Ms), tokens, sanitize.Line(end, 200)}
}

// alignRight writes a table whose columns but the last are numbers.
func alignRight(b *strings.Builder, table [][]string) {
	width := make([]int, len(table[0]))
	for _, r := range table {
		for i, c := range r {
			width[i] = max(width[i], draw.Width(c))
		}
	}
	for _, r := range table {
		for i, c := range r {
			if i == len(r)-1 {
				b.WriteString("  " + c)
				continue
			}
			b.WriteString("  " + strings.Repeat(" ", width[i]-draw.Width(c)) + c)
		}
		b.WriteByte('\n')
	}
}
