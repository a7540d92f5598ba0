package report

import (
	"cmp"
	"io"
	"strconv"
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/pick"
	"tokscope/ui/format"
	"tokscope/ui/say"
)

// stepRow is a line of the CSV of a sweep.
type stepRow struct {
	r *Sweep
	s *loadstat.SweepStep
	p *loadstat.Point // of s
}

// stepColumns are the columns of `sweep --csv` that every sweep has.
var stepColumns = []csvColumn[stepRow]{
	{"users", func(x stepRow) any { return format.Either[any](x.r.open(), "", x.p.Users) }},
	{"rate_req_per_s", func(x stepRow) any { return format.Either[any](x.r.open(), x.s.Rate, "") }},
	{"steady", func(x stepRow) any { return x.p.Steady }},
	{"why_not", func(x stepRow) any { return say.Unsteady(x.p.Why) }},
	{"window_s", func(x stepRow) any {
		d, ok := x.p.To.Sub(x.p.From)
		return format.Either[any](ok, d.Seconds(), "")
	}},
	{"speed_tok_per_s", func(x stepRow) any { return x.p.Speed }},
	{"speed_p5_tok_per_s", func(x stepRow) any { return x.p.SpeedP5 }},
	{"throughput_tok_per_s", func(x stepRow) any { return x.p.Total }},
	{"ttft_p50_ms", func(x stepRow) any { return x.p.TTFT.P50 }},
	{"ttft_p95_ms", func(x stepRow) any { return x.p.TTFT.P95 }},
	{"ttft_p99_ms", func(x stepRow) any { return x.p.TTFT.P99 }},
	{"tpot_p50_ms", func(x stepRow) any { return x.p.TPOT.P50 }},
	{"tpot_p99_ms", func(x stepRow) any { return x.p.TPOT.P99 }},
	{"gap_p50_ms", func(x stepRow) any { return x.p.Gaps.P50 }},
	{"gap_p95_ms", func(x stepRow) any { return x.p.Gaps.P95 }},
	{"gap_p99_ms", func(x stepRow) any { return x.p.Gaps.P99 }},
	{"running", func(x stepRow) any { return x.p.Running }},
	{"prefill", func(x stepRow) any { return x.p.Prefill }},
	{"waiting", func(x stepRow) any { return x.p.Waiting }},
	{"requests_per_s", func(x stepRow) any { return x.p.Rate }},
	{"goodput_req_per_s", func(x stepRow) any { return x.p.GoodRate }},
	{"goodput_share", func(x stepRow) any { return x.p.GoodShare }},
	{"ended_well", func(x stepRow) any { return x.p.Requests }},
	{"failed", func(x stepRow) any { n, _ := x.p.Failures(); return n }},
	{"output_tokens", func(x stepRow) any { return x.p.Tokens }},
	{"output_tokens_estimated", func(x stepRow) any { return x.p.Estimated }},
	{"slo", func(x stepRow) any { return format.SLOs(x.r.Plan.SLOs) }},
	{"workload", func(x stepRow) any { return x.r.Plan.Work.Name }},
	{"input_tokens_asked", func(x stepRow) any { return cmp.Or(x.r.input(strconv.Itoa, ","), "0") }},
	{"max_tokens", func(x stepRow) any { return cmp.Or(x.r.output(strconv.Itoa, ","), "0") }},
	{"endpoint", func(x stepRow) any { return x.r.Endpoint.Name }},
	{"model", func(x stepRow) any { return x.r.Endpoint.Model }},
	{"url", func(x stepRow) any { return x.r.Endpoint.URL }},
	{"ttft_fit_a_ms", ofFit(func(f *loadstat.TTFTFit) metrics.Value { return f.A })},
	{"ttft_fit_b_ms_per_token", ofFit(func(f *loadstat.TTFTFit) metrics.Value { return f.B })},
	{"ttft_fit_r2", ofFit(func(f *loadstat.TTFTFit) metrics.Value { return f.R2 })},
	{"ttft_fit_longest_off", ofFit(func(f *loadstat.TTFTFit) metrics.Value { return f.Longest })},
	{"ttft_fit_median_miss_ms", ofFit(func(f *loadstat.TTFTFit) metrics.Value { return f.Off })},
	{"ttft_fit_prompt_tokens_min", ofFit(func(f *loadstat.TTFTFit) metrics.Value { return seen(f, f.Low) })},
	{"ttft_fit_prompt_tokens_max", ofFit(func(f *loadstat.TTFTFit) metrics.Value { return seen(f, f.High) })},
	{"ttft_fit_n", ofFit(func(f *loadstat.TTFTFit) metrics.Value { return metrics.Known(float64(f.N), f.N) })},
	{"gap_mean_ms", func(x stepRow) any { return x.p.Gaps.Mean }},
	{"gap_known_share",
		func(x stepRow) any { return metrics.Known(x.p.Gaps.KnownShare(), x.p.Gaps.N) }},
	{"gap_p99_low_ms", func(x stepRow) any { return boundOfP99(&x.p.Gaps, x.p.Gaps.Missing.P99.Low) }},
	{"gap_p99_high_ms", func(x stepRow) any { return boundOfP99(&x.p.Gaps, x.p.Gaps.Missing.P99.High) }},
	{"stamps", func(x stepRow) any { return cmp.Or(x.p.Stamps, x.r.stamps()) }},
	{"delay", func(x stepRow) any { return string(x.p.Delay.Code) }},
	{"delay_p99_ms", func(x stepRow) any { return format.Either[any](x.p.Delay.Code != "", x.p.Delay.P99, "") }},
	{"delay_max_ms", func(x stepRow) any { return format.Either[any](x.p.Delay.Code != "", x.p.Delay.Max, "") }},
	{"peak_tok_per_s", func(x stepRow) any { return x.p.Peak }},
	{"goodput_tok_per_s", func(x stepRow) any { return x.p.GoodTokens }},
	{"speed_low_tok_per_s", func(x stepRow) any { return x.p.SpeedInterval.Low }},
	{"speed_high_tok_per_s", func(x stepRow) any { return x.p.SpeedInterval.High }},
	{"throughput_low_tok_per_s", func(x stepRow) any { return x.p.TotalInterval.Low }},
	{"throughput_high_tok_per_s", func(x stepRow) any { return x.p.TotalInterval.High }},
	{"api", func(x stepRow) any { return x.r.Endpoint.API }},
}

// failureColumns are TTFT with the requests that failed, empty where none did.
var failureColumns = []csvColumn[stepRow]{
	{"ttft_with_failures_p50_ms", func(x stepRow) any { return failing(x.p.TTFTFailed.P50) }},
	{"ttft_with_failures_p90_ms", func(x stepRow) any { return failing(x.p.TTFTFailed.P90) }},
	{"ttft_with_failures_p99_ms", func(x stepRow) any { return failing(x.p.TTFTFailed.P99) }},
}

// failing is a percentile in which requests that failed count, "inf" among these.
func failing(v metrics.Value) any {
	return format.Either[any](v.Why == metrics.WhyFailed, "inf", v)
}

// boundOfP99 is that bound of a p99: itself where no gap is missing.
func boundOfP99(d *metrics.Dist, bound float64) metrics.Value {
	v := d.P99
	if v.OK && d.Missing.N > 0 {
		v.V = bound
	}
	return v
}

// CSV writes a line for each step. An open loop has the columns of its schedule and a
// ramp those of its slices, which are empty in others.
func (r *Sweep) CSV(w io.Writer) error {
	columns := stepColumns
	open := func(name string, of func(*loadstat.Point) metrics.Value) {
		columns = append(columns,
			csvColumn[stepRow]{name, func(x stepRow) any { return format.Either[any](x.r.open(), of(x.p), "") }})
	}
	for _, c := range scheduleColumns {
		open(c.csv, c.of)
	}
	columns = append(columns, ofRamp("ramp_from", func(r *loadstat.Ramp) float64 { return r.From }),
		ofRamp("ramp_to", func(r *loadstat.Ramp) float64 { return r.To }))
	for _, c := range scheduleColumns {
		if c.atLeast != nil {
			open(strings.Replace(c.csv, "_ms", "_at_least_ms", 1), c.atLeast)
		}
	}
	for _, c := range serverColumns {
		columns = append(columns, csvColumn[stepRow]{c.csv, func(x stepRow) any { return serverFigure(x.s, c.of) }})
	}
	columns = append(columns, failureColumns...)
	return writeCSV(w, columns, pick.Each(r.Steps, func(s *loadstat.SweepStep) stepRow { return stepRow{r, s, &s.Point} }))
}

// ofRamp is a column of the slices of a ramp, empty without one.
func ofRamp(name string, of func(*loadstat.Ramp) float64) csvColumn[stepRow] {
	return csvColumn[stepRow]{name, func(x stepRow) any {
		if x.p.Ramp == nil {
			return ""
		}
		return of(x.p.Ramp)
	}}
}

// ofFit returns a column of TTFT over the prompt's length, empty where
// prompts do not vary.
func ofFit(of func(*loadstat.TTFTFit) metrics.Value) func(stepRow) any {
	return func(x stepRow) any {
		if x.p.Fit == nil {
			return ""
		}
		return of(x.p.Fit)
	}
}

// seen is a limit of the prompts behind a fit, unknown without a fit.
func seen(f *loadstat.TTFTFit, v float64) metrics.Value {
	return format.Either(f.High > 0, metrics.Known(v, f.N), f.B)
}
