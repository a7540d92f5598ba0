package report

import (
	"fmt"
	"slices"

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
	if i, ok := loadstat.Knee(points); ok {
		v.Knee = i
	}
	if len(r.Plan.SLOs) > 0 {
		if n, ok := loadstat.LargestMeeting(numbered, r.Plan.SLOs); ok {
			v.Largest = n - 1
		}
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
