package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/pick"
	"tokscope/ui/format"
	"tokscope/ui/say"
)

// Sweep is a finished or interrupted sweep, ready to print.
type Sweep struct {
	Plan loadstat.SweepPlan
	Loop string // cli.Sweep.Loop
	loadstat.SweepOutcome
	Merged []string // doubts about the figures of merged shards
}

// stepName describes a step in words: "8 users", "0.5 requests/s", and a slice of a
// ramp "14.5–16 users".
func stepName(s *loadstat.SweepStep) string {
	if r := s.Point.Ramp; r != nil {
		return say.Slice(r, s.Rate > 0)
	}
	return say.Step(metrics.LoadStep{Users: s.Point.Users, Rate: s.Rate})
}

// open reports whether the steps are rates, ramp whether they are slices of a ramp.
func (r *Sweep) open() bool { return len(r.Plan.Rates) > 0 }
func (r *Sweep) ramp() bool { return r.Plan.Ramp.Ramps() }

// Verdicts computes the conclusions from all steps, the same as on the
// screen.
func (r *Sweep) Verdicts() loadstat.SweepVerdicts {
	v := loadstat.SweepVerdicts{Knee: -1, Largest: -1, BreaksStep: -1}
	if len(r.Steps) == 0 {
		return v
	}
	points, numbered := r.points(), r.points()
	at := -1
	var alone *loadstat.Point
	steady := false
	for i := range r.Steps {
		p := &r.Steps[i].Point
		numbered[i].Users = i + 1 // rates have names too
		if !r.open() && p.Users == 1 && p.Steady {
			alone = p
		}
		if p.Steady || !steady && !r.Steps[i].Extra.AllFailed {
			at, steady = i, p.Steady
		}
	}
	if at < 0 {
		at = len(r.Steps) - 1
	}
	shown := loadstat.View{
		Work: r.Plan.Work, Endpoint: r.Endpoint, SLOs: r.Plan.SLOs, Users: points[at].Users, Target: points[at].Users,
		Live: points[at], Path: points, Alone: alone, Sent: 1, // a step has sent
	}
	shown.Done, shown.Failed, shown.Faults = r.outcomes()
	v.Sentence = say.Load(&shown).String()
	v.Knee = loadstat.Knee(points)
	if len(r.Plan.SLOs) > 0 {
		v.Largest, _, _ = loadstat.Meeting(numbered, r.Plan.SLOs)
		r.judge(&v)
	}
	return v
}

// outcomes returns how many requests of the sweep ended well and failed, and of which
// kinds: all of this run, and those of the steps that an earlier one had finished.
func (r *Sweep) outcomes() (done, failed int, faults []metrics.FaultCount) {
	done, faults = r.View.Done, slices.Clone(r.View.Faults)
	counted := done > 0 || len(faults) > 0
	for _, s := range pick.All(r.Steps) {
		if !s.Resumed && counted {
			continue
		}
		done += s.Point.Requests
		_, of := s.Point.Failures()
		for _, f := range of {
			faults = metrics.AddFaults(faults, f)
		}
	}
	for _, f := range faults {
		failed += f.N
	}
	return done, failed, faults
}

// otherFaults returns the failures of this run that no step has: of a step that is
// left out, and those between steps.
func (r *Sweep) otherFaults() []metrics.FaultCount {
	out := slices.Clone(r.View.Faults)
	for i := range r.Steps {
		if s := &r.Steps[i]; !s.Resumed {
			_, faults := s.Point.Failures()
			for _, f := range faults {
				f.N = -f.N
				out = metrics.AddFaults(out, f)
			}
		}
	}
	return out
}

// judge fills the verdicts on the objectives, step by step. The steps of a sweep
// rise. The slices of a ramp are in the order of time, and their requests decide.
func (r *Sweep) judge(v *loadstat.SweepVerdicts) {
	last := len(r.Steps) - 1
	for i := range r.Steps {
		p := &r.Steps[i].Point
		name, known := p.Breaks(r.Plan.SLOs)
		if i == last && r.Stopped.Code == metrics.EndingMissed { // judged while the sweep ran, steady or not
			name, known = r.Stopped.SLO, true
		} else if !p.Steady && p.Ramp == nil {
			continue
		}
		switch {
		case !known:
		case name == "":
			v.Met++
		default:
			if v.Missed++; v.BreaksStep < 0 {
				v.Breaks, v.BreaksStep = name, i
			}
		}
	}
}

// Misses reports whether the sweep misses its objectives at every load: a step
// or slice missed them, and no largest load and no slice met them.
func (r *Sweep) Misses() bool {
	v := r.Verdicts()
	return v.Missed > 0 && v.Largest < 0 && (v.Met == 0 || !r.ramp())
}

// sloVerdict writes whether the objectives were met, and where they broke first.
func (r *Sweep) sloVerdict(v *loadstat.SweepVerdicts) string {
	n, judged, text := len(r.Steps), v.Met+v.Missed, ""
	at, part := "at", "step"
	if r.ramp() {
		at, part = "in", "slice"
	}
	switch {
	case judged == 0 && r.ramp():
		return "not known: no slice had enough requests"
	case judged == 0 && r.steady() == 0:
		return "not known: no step was steady"
	case judged == 0:
		return "not known: no steady step could be judged"
	case r.ramp() && v.Met > 0:
		text = format.Either(v.Met == n, "met in every slice", fmt.Sprintf("met in %d of %d slices", v.Met, n)) +
			format.If(v.Met < n && v.Missed == 0, "; the others had too few requests")
	case !r.ramp() && v.Largest >= 0:
		text = "met up to " + stepName(&r.Steps[v.Largest])
	case v.Missed == n:
		text = "MISSED " + at + " every " + part
	default:
		text = fmt.Sprintf("MISSED %s %d of %d %ss", at, v.Missed, n, part)
	}
	if v.BreaksStep >= 0 {
		text += fmt.Sprintf("; %s, at %s", say.BreaksFirst(v.Breaks), stepName(&r.Steps[v.BreaksStep]))
	}
	return text
}

// steady returns the number of steady steps.
func (r *Sweep) steady() int {
	return pick.Count(r.Steps, func(s *loadstat.SweepStep) bool { return s.Point.Steady })
}

// CSV writes a line for each step. An open loop has the columns of its schedule and a
// ramp those of its slices, which are empty in others. A sweep over lengths has its own columns.
func (r *Sweep) CSV(w io.Writer) error {
	if r.Depth != nil {
		return (*depth)(r).CSV(w)
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
