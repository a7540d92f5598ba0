package report

import (
	"cmp"
	"io"
	"strconv"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/ui/format"
	"tokscope/ui/say"
)

// CSV writes a line for each step. An open loop has the columns of its schedule and a
// ramp those of its slices, which are empty in others. A sweep over lengths has its own columns.
func (r *Sweep) CSV(w io.Writer) error {
	if r.Depth != nil {
		return (&depth{&r.Plan, r.Depth}).CSV(w)
	}
	return writeCSV(w, r.Steps, r.cells)
}

// cells adds the cells of a step, in the order in which they were published.
func (r *Sweep) cells(l *csvLine, s *loadstat.SweepStep) {
	p, open := &s.Point, r.open()
	window, ended := p.To.Sub(p.From)
	failed, _ := p.Failures()
	l.add("users", format.Either[any](open, "", p.Users))
	l.add("rate_req_per_s", format.Either[any](open, s.Rate, ""))
	l.add("steady", p.Steady)
	l.add("why_not", say.Unsteady(p.Why))
	l.add("window_s", format.Either[any](ended, window.Seconds(), ""))
	l.fields("*", p, "speed_tok_per_s", "speed_p5_tok_per_s", "throughput_tok_per_s")
	l.fields("ttft_*_ms", &p.TTFT, "p50", "p95", "p99")
	l.fields("tpot_*_ms", &p.TPOT, "p50", "p99")
	l.fields("gap_*_ms", &p.Gaps, "p50", "p95", "p99")
	l.fields("*", p, "running", "prefill", "waiting", "requests_per_s", "goodput_req_per_s", "goodput_share", "ended_well")
	l.add("failed", failed)
	l.fields("*", p, "output_tokens", "output_tokens_estimated")
	l.add("slo", format.SLOs(r.Plan.SLOs))
	l.add("workload", r.Plan.Work.Name)
	l.add("input_tokens_asked", cmp.Or(r.input(strconv.Itoa, ","), "0"))
	l.add("max_tokens", cmp.Or(r.output(strconv.Itoa, ","), "0"))
	l.add("endpoint", r.Endpoint.Name)
	l.fields("*", &r.Endpoint, "model", "url")
	r.fitCells(l, p.Fit)
	l.add("gap_mean_ms", p.Gaps.Mean)
	l.add("gap_known_share", metrics.Known(p.Gaps.KnownShare(), p.Gaps.N))
	l.boundsOfP99(&p.Gaps)
	l.add("stamps", cmp.Or(p.Stamps, r.stamps()))
	l.add("delay", string(p.Delay.Code))
	l.add("delay_p99_ms", format.Either[any](p.Delay.Code != "", p.Delay.P99, ""))
	l.add("delay_max_ms", format.Either[any](p.Delay.Code != "", p.Delay.Max, ""))
	l.fields("*", p, "peak_tok_per_s", "goodput_tok_per_s")
	l.fields("speed_*_tok_per_s", &p.SpeedInterval, "low", "high")
	l.fields("throughput_*_tok_per_s", &p.TotalInterval, "low", "high")
	l.fields("*", &r.Endpoint, "api")
	planned := format.Either(open, p, &loadstat.Point{})
	l.fields("*", planned, "arrivals_per_s")
	l.add("ends_per_s", planned.EndRate())
	l.fields("*", planned, "backlog")
	l.fields("ttft_from_schedule_*_ms", &planned.FromIntended, "p50", "p95", "p99")
	l.fields("ramp_*", p.Ramp, "from", "to")
	l.fields("ttft_from_schedule_*_at_least_ms", &planned.FromIntendedAtLeast, "p50", "p95", "p99")
	for _, c := range serverColumns {
		l.add(c.csv, serverFigure(s, c.of))
	}
	l.add("ttft_with_failures_p50_ms", failing(p.TTFTFailed.P50))
	l.add("ttft_with_failures_p90_ms", failing(p.TTFTFailed.P90))
	l.add("ttft_with_failures_p99_ms", failing(p.TTFTFailed.P99))
}

// fitCells adds TTFT over the prompt's length, empty where prompts do not vary.
func (r *Sweep) fitCells(l *csvLine, f *loadstat.TTFTFit) {
	l.fields("ttft_fit_*", f, "a_ms", "b_ms_per_token", "r2", "longest_off", "median_miss_ms")
	if f != nil && f.High <= 0 { // without a fit it has no range
		l.add("ttft_fit_prompt_tokens_min", "")
		l.add("ttft_fit_prompt_tokens_max", "")
	} else {
		l.fields("ttft_fit_*", f, "prompt_tokens_min", "prompt_tokens_max")
	}
	l.fields("ttft_fit_*", f, "n")
}

// failing is a percentile in which requests that failed count, "inf" among these and
// empty where none failed.
func failing(v metrics.Value) any {
	return format.Either[any](v.Why == metrics.WhyFailed, "inf", v)
}
