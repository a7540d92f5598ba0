package report

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/ui/sanitize"
)

// DepthMarkdown prints the rows for an issue: the workload, a table, and what
// must be known about it.
func DepthMarkdown(w io.Writer, r *Depth) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "%s, %s\n\n", markdown(r.target()), markdown(r.work()))
	if r.measured() > 0 {
		group, heads := "", make([]string, len(depthHeads))
		for i, h := range depthHeads {
			if h[0] != "" {
				group = h[0]
			}
			if heads[i] = group + " " + h[1]; h[1] == "n" {
				heads[i] = "n"
			}
		}
		fmt.Fprintf(b, "| %s |\n|%s\n", strings.Join(heads, " | "), strings.Repeat("---:|", len(heads)))
		for i := range r.Outcome.Rows {
			if d := &r.Outcome.Rows[i]; !d.TooLong {
				fmt.Fprintf(b, "| %s |\n", strings.Join(r.cells(d), " | "))
			}
		}
		fmt.Fprintln(b)
	}
	for _, f := range r.facts() {
		text := markdown(f.text)
		if f.name != "" && f.name != "columns" {
			text = f.name + ": " + text
		}
		fmt.Fprintf(b, "- %s\n", text)
	}
	return b.Flush()
}

// depthColumns are the columns of --csv. The names hold the units. An unknown
// figure is an empty cell.
var depthColumns = []struct {
	name string
	of   func(r *Depth, d *loadstat.DepthRow) string
}{
	{"depth_tokens", func(_ *Depth, d *loadstat.DepthRow) string { return strconv.Itoa(d.Depth) }},
	{"exceeds_context", func(_ *Depth, d *loadstat.DepthRow) string { return strconv.FormatBool(d.TooLong) }},
	{"cold_prompt_tokens", ofDepth(func(d *loadstat.DepthRow) metrics.Value { return d.Cold.Prompt })},
	{"cold_cached_tokens", ofDepth(func(d *loadstat.DepthRow) metrics.Value { return d.Cold.Cached })},
	{"cold_ttft_ms", ofDepth(func(d *loadstat.DepthRow) metrics.Value { return d.Cold.TTFT })},
	{"cold_prefill_tok_per_s", ofDepth(func(d *loadstat.DepthRow) metrics.Value { return d.Cold.Prefill })},
	{"cold_ended_well", func(_ *Depth, d *loadstat.DepthRow) string { return strconv.Itoa(d.Cold.Ended) }},
	{"cold_failed", func(_ *Depth, d *loadstat.DepthRow) string { return strconv.Itoa(d.Cold.Failed) }},
	{"warm_prompt_tokens", ofDepth(func(d *loadstat.DepthRow) metrics.Value { return d.Warm.Prompt })},
	{"warm_cached_tokens", ofDepth(func(d *loadstat.DepthRow) metrics.Value { return d.Warm.Cached })},
	{"warm_ttft_ms", ofDepth(func(d *loadstat.DepthRow) metrics.Value { return d.Warm.TTFT })},
	{"warm_prefill_tok_per_s", ofDepth(func(d *loadstat.DepthRow) metrics.Value { return d.Warm.Prefill })},
	{"warm_ended_well", func(_ *Depth, d *loadstat.DepthRow) string { return strconv.Itoa(d.Warm.Ended) }},
	{"warm_failed", func(_ *Depth, d *loadstat.DepthRow) string { return strconv.Itoa(d.Warm.Failed) }},
	{"tpot_ms", ofDepth(func(d *loadstat.DepthRow) metrics.Value { return d.TPOT })},
	{"speed_tok_per_s", ofDepth(func(d *loadstat.DepthRow) metrics.Value { return d.Speed })},
	{"tokens_estimated", func(_ *Depth, d *loadstat.DepthRow) string { return strconv.FormatBool(d.Estimated) }},
	{"users", func(r *Depth, _ *loadstat.DepthRow) string { return strconv.Itoa(max(r.Plan.Users, 1)) }},
	{"max_tokens", func(r *Depth, _ *loadstat.DepthRow) string { return strconv.Itoa(r.Plan.Work.MaxTokens) }},
	{"endpoint", func(r *Depth, _ *loadstat.DepthRow) string { return sanitize.CSV(r.Outcome.Endpoint.Name) }},
	{"model", func(r *Depth, _ *loadstat.DepthRow) string { return sanitize.CSV(r.Outcome.Endpoint.Model) }},
	{"url", func(r *Depth, _ *loadstat.DepthRow) string { return sanitize.CSV(r.Outcome.Endpoint.URL) }},
	{"ttft_fit_a_ms", func(r *Depth, _ *loadstat.DepthRow) string { return csvNumber(r.Outcome.Fit.A) }},
	{"ttft_fit_b_ms_per_token", func(r *Depth, _ *loadstat.DepthRow) string { return csvNumber(r.Outcome.Fit.B) }},
	{"ttft_fit_r2", func(r *Depth, _ *loadstat.DepthRow) string { return csvNumber(r.Outcome.Fit.R2) }},
	{"ttft_fit_longest_off", func(r *Depth, _ *loadstat.DepthRow) string { return csvNumber(r.Outcome.Fit.Longest) }},
	{"ttft_fit_n", func(r *Depth, _ *loadstat.DepthRow) string { return strconv.Itoa(r.Outcome.Fit.N) }},
}

// ofDepth returns a column of one figure.
func ofDepth(of func(*loadstat.DepthRow) metrics.Value) func(*Depth, *loadstat.DepthRow) string {
	return func(_ *Depth, d *loadstat.DepthRow) string { return csvNumber(of(d)) }
}

// DepthCSV prints a heading and a line for each depth.
func DepthCSV(w io.Writer, r *Depth) error {
	c := csv.NewWriter(w)
	cells := make([]string, len(depthColumns))
	for i, col := range depthColumns {
		cells[i] = col.name
	}
	_ = c.Write(cells)
	for i := range r.Outcome.Rows {
		for k, col := range depthColumns {
			cells[k] = col.of(r, &r.Outcome.Rows[i])
		}
		_ = c.Write(cells) // Error has its error
	}
	c.Flush()
	return c.Error()
}
