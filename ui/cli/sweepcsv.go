package cli

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"tokscope/metrics"
	"tokscope/ui/sanitize"
)

// csvColumns are the columns of --csv. Units are in the names; a figure that
// is not known is an empty cell.
var csvColumns = []struct {
	name string
	of   func(r *SweepReport, s *Step) string
}{
	{"users", func(r *SweepReport, s *Step) string {
		if r.Open {
			return ""
		}
		return strconv.Itoa(s.Point.Users)
	}},
	{"rate_req_per_s", func(r *SweepReport, s *Step) string {
		if !r.Open {
			return ""
		}
		return csvNumber(metrics.Known(s.Rate, 0))
	}},
	{"steady", func(_ *SweepReport, s *Step) string { return strconv.FormatBool(s.Point.Steady) }},
	{"why_not", func(_ *SweepReport, s *Step) string { return sanitize.CSV(s.Point.Why) }},
	{"window_s", func(_ *SweepReport, s *Step) string { return csvNumber(windowOf(&s.Point)) }},
	{"speed_tok_per_s", ofPoint(func(p *metrics.Point) metrics.Value { return p.Speed })},
	{"speed_p5_tok_per_s", ofPoint(func(p *metrics.Point) metrics.Value { return p.SpeedP5 })},
	{"throughput_tok_per_s", ofPoint(func(p *metrics.Point) metrics.Value { return p.Total })},
	{"ttft_p50_ms", ofPoint(func(p *metrics.Point) metrics.Value { return p.TTFT.P50 })},
	{"ttft_p95_ms", ofPoint(func(p *metrics.Point) metrics.Value { return p.TTFT.P95 })},
	{"ttft_p99_ms", ofPoint(func(p *metrics.Point) metrics.Value { return p.TTFT.P99 })},
	{"tpot_p50_ms", ofPoint(func(p *metrics.Point) metrics.Value { return p.TPOT.P50 })},
	{"tpot_p99_ms", ofPoint(func(p *metrics.Point) metrics.Value { return p.TPOT.P99 })},
	{"gap_p50_ms", ofPoint(func(p *metrics.Point) metrics.Value { return p.Gaps.P50 })},
	{"gap_p95_ms", ofPoint(func(p *metrics.Point) metrics.Value { return p.Gaps.P95 })},
	{"gap_p99_ms", ofPoint(func(p *metrics.Point) metrics.Value { return p.Gaps.P99 })},
	{"running", ofPoint(func(p *metrics.Point) metrics.Value { return p.Running })},
	{"prefill", ofPoint(func(p *metrics.Point) metrics.Value { return p.Prefill })},
	{"waiting", ofPoint(func(p *metrics.Point) metrics.Value { return p.Waiting })},
	{"requests_per_s", ofPoint(func(p *metrics.Point) metrics.Value { return p.Rate })},
	{"goodput_req_per_s", ofPoint(func(p *metrics.Point) metrics.Value { return p.GoodRate })},
	{"goodput_share", ofPoint(func(p *metrics.Point) metrics.Value { return p.GoodShare })},
	{"ended_well", func(_ *SweepReport, s *Step) string { return strconv.Itoa(s.Point.Requests) }},
	{"failed", func(_ *SweepReport, s *Step) string { return strconv.Itoa(s.Point.Failed) }},
	{"output_tokens", func(_ *SweepReport, s *Step) string { return csvNumber(metrics.Known(s.Point.Tokens, 0)) }},
	{"output_tokens_estimated", func(_ *SweepReport, s *Step) string { return strconv.FormatBool(s.Point.Estimated) }},
	{"slo", func(r *SweepReport, _ *Step) string { return sloText(r.SLOs) }},
	{"workload", func(r *SweepReport, _ *Step) string { return sanitize.CSV(r.Work.Name) }},
	{"input_tokens_asked", func(r *SweepReport, _ *Step) string { return cmp.Or(r.input(), "0") }},
	{"max_tokens", func(r *SweepReport, _ *Step) string { return cmp.Or(r.output(), "0") }},
	{"endpoint", func(r *SweepReport, _ *Step) string { return sanitize.CSV(r.Endpoint.Name) }},
	{"model", func(r *SweepReport, _ *Step) string { return sanitize.CSV(r.Endpoint.Model) }},
	{"url", func(r *SweepReport, _ *Step) string { return sanitize.CSV(r.Endpoint.URL) }},
	{"ttft_fit_a_ms", ofFit(func(f *metrics.TTFTFit) metrics.Value { return f.A })},
	{"ttft_fit_b_ms_per_token", ofFit(func(f *metrics.TTFTFit) metrics.Value { return f.B })},
	{"ttft_fit_r2", ofFit(func(f *metrics.TTFTFit) metrics.Value { return f.R2 })},
	{"ttft_fit_median_miss_ms", ofFit(func(f *metrics.TTFTFit) metrics.Value { return f.Off })},
	{"ttft_fit_prompt_tokens_min", ofFit(func(f *metrics.TTFTFit) metrics.Value { return seen(f, f.Low) })},
	{"ttft_fit_prompt_tokens_max", ofFit(func(f *metrics.TTFTFit) metrics.Value { return seen(f, f.High) })},
	{"ttft_fit_n", ofFit(func(f *metrics.TTFTFit) metrics.Value { return metrics.Known(float64(f.N), f.N) })},
}

// PrintSweepCSV prints a heading and a line for each step.
func SweepCSV(w io.Writer, r *SweepReport) error {
	c := csv.NewWriter(w)
	cells := make([]string, len(csvColumns))
	for i, col := range csvColumns {
		cells[i] = col.name
	}
	if err := c.Write(cells); err != nil {
		return err
	}
	for i := range r.Steps {
		for k, col := range csvColumns {
			cells[k] = col.of(r, &r.Steps[i])
		}
		if err := c.Write(cells); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

// ofPoint makes a column of one figure of a point.
func ofPoint(of func(*metrics.Point) metrics.Value) func(*SweepReport, *Step) string {
	return func(_ *SweepReport, s *Step) string { return csvNumber(of(&s.Point)) }
}

// ofFit makes a column of TTFT over the length of the prompt, empty where
// prompts do not vary.
func ofFit(of func(*metrics.TTFTFit) metrics.Value) func(*SweepReport, *Step) string {
	return func(_ *SweepReport, s *Step) string {
		if s.Point.Fit == nil {
			return ""
		}
		return csvNumber(of(s.Point.Fit))
	}
}

// seen is a bound of the prompts behind a fit, unknown without one.
func seen(f *metrics.TTFTFit, v float64) metrics.Value {
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

// windowOf is how long the point's window was, in seconds.
func windowOf(p *metrics.Point) metrics.Value {
	d, ok := p.To.Sub(p.From)
	if !ok {
		return metrics.Unknown("the window has no bounds")
	}
	return metrics.Known(d.Seconds(), 0)
}

// sloText writes objectives as --slo takes them.
func sloText(slos []metrics.Objective) string {
	parts := make([]string, len(slos))
	for i, o := range slos {
		parts[i] = o.String()
	}
	return strings.Join(parts, ",")
}
