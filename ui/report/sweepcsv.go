package report

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
	"tokscope/ui/say"
)

// csvColumn is one column: its heading, and its cell in the line of a step.
type csvColumn struct {
	name string
	of   func(r *Sweep, s *Step) string
}

// csvColumns are the columns of --csv. The names hold the units. An unknown
// figure is an empty cell.
var csvColumns = []csvColumn{
	{"users", func(r *Sweep, s *Step) string {
		if r.Open {
			return ""
		}
		return strconv.Itoa(s.Point.Users)
	}},
	{"rate_req_per_s", func(r *Sweep, s *Step) string {
		if !r.Open {
			return ""
		}
		return csvNumber(metrics.Known(s.Rate, 0))
	}},
	{"steady", func(_ *Sweep, s *Step) string { return strconv.FormatBool(s.Point.Steady) }},
	{"why_not", func(_ *Sweep, s *Step) string { return sanitize.CSV(say.Unsteady(s.Point.Why)) }},
	{"window_s", func(_ *Sweep, s *Step) string { return csvNumber(windowOf(&s.Point)) }},
	{"speed_tok_per_s", ofPoint(func(p *loadstat.Point) metrics.Value { return p.Speed })},
	{"speed_p5_tok_per_s", ofPoint(func(p *loadstat.Point) metrics.Value { return p.SpeedP5 })},
	{"throughput_tok_per_s", ofPoint(func(p *loadstat.Point) metrics.Value { return p.Total })},
	{"ttft_p50_ms", ofPoint(func(p *loadstat.Point) metrics.Value { return p.TTFT.P50 })},
	{"ttft_p95_ms", ofPoint(func(p *loadstat.Point) metrics.Value { return p.TTFT.P95 })},
	{"ttft_p99_ms", ofPoint(func(p *loadstat.Point) metrics.Value { return p.TTFT.P99 })},
	{"tpot_p50_ms", ofPoint(func(p *loadstat.Point) metrics.Value { return p.TPOT.P50 })},
	{"tpot_p99_ms", ofPoint(func(p *loadstat.Point) metrics.Value { return p.TPOT.P99 })},
	{"gap_p50_ms", ofPoint(func(p *loadstat.Point) metrics.Value { return p.Gaps.P50 })},
	{"gap_p95_ms", ofPoint(func(p *loadstat.Point) metrics.Value { return p.Gaps.P95 })},
	{"gap_p99_ms", ofPoint(func(p *loadstat.Point) metrics.Value { return p.Gaps.P99 })},
	{"running", ofPoint(func(p *loadstat.Point) metrics.Value { return p.Running })},
	{"prefill", ofPoint(func(p *loadstat.Point) metrics.Value { return p.Prefill })},
	{"waiting", ofPoint(func(p *loadstat.Point) metrics.Value { return p.Waiting })},
	{"requests_per_s", ofPoint(func(p *loadstat.Point) metrics.Value { return p.Rate })},
	{"goodput_req_per_s", ofPoint(func(p *loadstat.Point) metrics.Value { return p.GoodRate })},
	{"goodput_share", ofPoint(func(p *loadstat.Point) metrics.Value { return p.GoodShare })},
	{"ended_well", func(_ *Sweep, s *Step) string { return strconv.Itoa(s.Point.Requests) }},
	{"failed", func(_ *Sweep, s *Step) string { n, _ := s.Point.Failures(); return strconv.Itoa(n) }},
	{"output_tokens", func(_ *Sweep, s *Step) string { return csvNumber(metrics.Known(s.Point.Tokens, 0)) }},
	{"output_tokens_estimated", func(_ *Sweep, s *Step) string { return strconv.FormatBool(s.Point.Estimated) }},
	{"slo", func(r *Sweep, _ *Step) string { return format.SLOs(r.SLOs) }},
	{"workload", func(r *Sweep, _ *Step) string { return sanitize.CSV(r.Work.Name) }},
	{"input_tokens_asked", func(r *Sweep, _ *Step) string { return cmp.Or(r.input(strconv.Itoa), "0") }},
	{"max_tokens", func(r *Sweep, _ *Step) string { return cmp.Or(r.output(strconv.Itoa), "0") }},
	{"endpoint", func(r *Sweep, _ *Step) string { return sanitize.CSV(r.Endpoint.Name) }},
	{"model", func(r *Sweep, _ *Step) string { return sanitize.CSV(r.Endpoint.Model) }},
	{"url", func(r *Sweep, _ *Step) string { return sanitize.CSV(r.Endpoint.URL) }},
	{"ttft_fit_a_ms", ofFit(func(f *loadstat.TTFTFit) metrics.Value { return f.A })},
	{"ttft_fit_b_ms_per_token", ofFit(func(f *loadstat.TTFTFit) metrics.Value { return f.B })},
	{"ttft_fit_r2", ofFit(func(f *loadstat.TTFTFit) metrics.Value { return f.R2 })},
	{"ttft_fit_longest_off", ofFit(func(f *loadstat.TTFTFit) metrics.Value { return f.Longest })},
	{"ttft_fit_median_miss_ms", ofFit(func(f *loadstat.TTFTFit) metrics.Value { return f.Off })},
	{"ttft_fit_prompt_tokens_min", ofFit(func(f *loadstat.TTFTFit) metrics.Value { return seen(f, f.Low) })},
	{"ttft_fit_prompt_tokens_max", ofFit(func(f *loadstat.TTFTFit) metrics.Value { return seen(f, f.High) })},
	{"ttft_fit_n", ofFit(func(f *loadstat.TTFTFit) metrics.Value { return metrics.Known(float64(f.N), f.N) })},
	{"gap_mean_ms", ofPoint(func(p *loadstat.Point) metrics.Value { return p.Gaps.Mean })},
	{"gap_known_share",
		ofPoint(func(p *loadstat.Point) metrics.Value { return metrics.Known(p.Gaps.KnownShare(), p.Gaps.N) })},
	{"gap_p99_low_ms", ofPoint(func(p *loadstat.Point) metrics.Value {
		return boundOf(p.Gaps.P99, p.Gaps.Missing.P99.Low, p.Gaps.Missing.N)
	})},
	{"gap_p99_high_ms", ofPoint(func(p *loadstat.Point) metrics.Value {
		return boundOf(p.Gaps.P99, p.Gaps.Missing.P99.High, p.Gaps.Missing.N)
	})},
	{"stamps", func(r *Sweep, s *Step) string { return cmp.Or(s.Point.Stamps, r.stamps()) }},
	{"delay", func(_ *Sweep, s *Step) string { return string(s.Point.Delay.Code) }},
	{"delay_p99_ms", ofPoint(func(p *loadstat.Point) metrics.Value { return delayed(&p.Delay, p.Delay.P99) })},
	{"delay_max_ms", ofPoint(func(p *loadstat.Point) metrics.Value { return delayed(&p.Delay, p.Delay.Max) })},
	{"peak_tok_per_s", ofPoint(func(p *loadstat.Point) metrics.Value { return p.Peak })},
	{"goodput_tok_per_s", ofPoint(func(p *loadstat.Point) metrics.Value { return p.GoodTokens })},
	{"speed_low_tok_per_s", ofPoint(func(p *loadstat.Point) metrics.Value { return p.SpeedInterval.Low })},
	{"speed_high_tok_per_s", ofPoint(func(p *loadstat.Point) metrics.Value { return p.SpeedInterval.High })},
	{"throughput_low_tok_per_s", ofPoint(func(p *loadstat.Point) metrics.Value { return p.TotalInterval.Low })},
	{"throughput_high_tok_per_s", ofPoint(func(p *loadstat.Point) metrics.Value { return p.TotalInterval.High })},
}

// boundOf is the bound of a percentile: itself where no gap is missing.
func boundOf(v metrics.Value, bound float64, missing int) metrics.Value {
	if v.OK && missing > 0 {
		v.V = bound
	}
	return v
}

// delayed is a figure of d, unknown where no lateness shows.
func delayed(d *metrics.Delay, ms float64) metrics.Value {
	if d.Code == "" {
		return metrics.Unknown(metrics.WhyNoValues)
	}
	return metrics.Known(ms, 0)
}

// serverCSV are the columns of the server's own metrics.
func serverCSV() (out []csvColumn) {
	for _, c := range serverColumns {
		out = append(out, csvColumn{c.csv, func(_ *Sweep, s *Step) string { return csvNumber(serverFigure(s, c.of)) }})
	}
	return out
}

// SweepCSV prints a heading and a line for each step.
func SweepCSV(w io.Writer, r *Sweep) error {
	c := csv.NewWriter(w)
	columns := slices.Concat(csvColumns, scheduleCSV(), serverCSV())
	cells := make([]string, len(columns))
	for i, col := range columns {
		cells[i] = col.name
	}
	if err := c.Write(cells); err != nil {
		return err
	}
	for i := range r.Steps {
		for k, col := range columns {
			cells[k] = col.of(r, &r.Steps[i])
		}
		if err := c.Write(cells); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

// ofPoint returns a column of one figure of a point.
func ofPoint(of func(*loadstat.Point) metrics.Value) func(*Sweep, *Step) string {
	return func(_ *Sweep, s *Step) string { return csvNumber(of(&s.Point)) }
}

// ofFit returns a column of TTFT over the prompt's length, empty where
// prompts do not vary.
func ofFit(of func(*loadstat.TTFTFit) metrics.Value) func(*Sweep, *Step) string {
	return func(_ *Sweep, s *Step) string {
		if s.Point.Fit == nil {
			return ""
		}
		return csvNumber(of(s.Point.Fit))
	}
}

// seen is a limit of the prompts behind a fit, unknown without a fit.
func seen(f *loadstat.TTFTFit, v float64) metrics.Value {
	if f.High <= 0 {
		return f.B
	}
	return metrics.Known(v, f.N)
}

// csvNumber writes v with six figures, "" when it is unknown.
func csvNumber(v metrics.Value) string {
	if !v.OK || math.IsNaN(v.V) || math.IsInf(v.V, 0) {
		return ""
	}
	if v.V == math.Trunc(v.V) && math.Abs(v.V) < 1e15 {
		return strconv.FormatFloat(v.V, 'f', 0, 64)
	}
	if math.Abs(v.V) >= 1e-3 && math.Abs(v.V) < 1e9 {
		return fmt.Sprintf("%.6g", v.V)
	}
	return strconv.FormatFloat(v.V, 'g', 6, 64)
}

// windowOf is the length of the point's window, in seconds.
func windowOf(p *loadstat.Point) metrics.Value {
	d, ok := p.To.Sub(p.From)
	if !ok {
		return metrics.Unknown(metrics.WhyNoBounds)
	}
	return metrics.Known(d.Seconds(), 0)
}
