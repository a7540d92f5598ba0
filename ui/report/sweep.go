package report

import (
	"fmt"
	"slices"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/slo"
	"tokscope/ui/say"
)

// Sweep is a finished or interrupted sweep, ready to print.
type Sweep struct {
	Endpoint metrics.Endpoint
	Model    string // that answered last, by the server's name; "" for unknown
	Work     metrics.Workload
	// Input and Output are the lengths that each request draws. Where they do
	// not vary, Work says the same.
	Input, Output metrics.Lengths
	Prompts       int    // sent in rotation; 0: that of Work
	Loop          string // Sweep.Loop
	Open          bool   // the steps are rates
	SLOs          []slo.Objective
	Steps         []Step // finished ones, in order
	Planned       int    // steps asked for
	Stopped       string // why not all of them were run, "" when they were
	Missed        string // the SLO that ended the sweep at its last step, "" for none
	Budget        loadstat.Budget
	Observer      metrics.Observer
	Stamps        string // who took them, as loadstat.View.Stamps
	Limits        string // why this program itself limited the load, "" when it did not
	Resume        string // the file of finished steps, "" without
	Ramp          bool   // the steps are slices of a ramp
	// Faults are all failures of this run, those in its steps included; Done is the
	// number of requests that ended well.
	Faults []metrics.FaultCount
	Done   int
	// Fault is an example of a failure, nil without one.
	Fault *metrics.Fault
	// ServerMetrics is the address of the server's page of metrics, "" where
	// it was not to be read.
	ServerMetrics string
	RequestLines  string // the file of request lines, "" without
}

// Step is one step of a sweep.
type Step struct {
	Rate    float64 // requested requests per second; 0 in a closed loop
	Point   loadstat.Point
	Resumed bool         // taken from the file of finished steps
	Lag     metrics.Dist // ms, open loop: how late requests were sent
	Extra   loadstat.StepExtra
}

// Name describes the step in words: "8 users", "0.5 requests/s", and a slice of
// a ramp "14.5–16 users".
func (s *Step) Name() string {
	if r := s.Point.Ramp; r != nil {
		return say.Slice(r, s.Rate > 0)
	}
	return say.Step(metrics.LoadStep{Users: s.Point.Users, Rate: s.Rate})
}

// Verdicts are the conclusions from all steps.
type Verdicts = loadstat.SweepVerdicts

// Verdicts computes the conclusions from all steps, the same as on the
// screen.
func (r *Sweep) Verdicts() Verdicts {
	v := Verdicts{Knee: -1, Largest: -1, BreaksStep: -1}
	if len(r.Steps) == 0 {
		return v
	}
	points := make([]loadstat.Point, len(r.Steps))
	numbered := make([]loadstat.Point, len(r.Steps)) // users number the steps, so that rates have names too
	at := -1
	var alone *loadstat.Point
	steady := false
	for i := range r.Steps {
		p := &r.Steps[i].Point
		points[i], numbered[i] = *p, *p
		numbered[i].Users = i + 1
		if !r.Open && p.Users == 1 && p.Steady {
			alone = p
		}
		if p.Steady || !steady && !r.Steps[i].Extra.AllFailed {
			at, steady = i, p.Steady
		}
	}
	if at < 0 {
		at = len(r.Steps) - 1
	}
	v.Sentence = say.LoadSentence(&loadstat.View{
		Work: r.Work, Endpoint: r.Endpoint, SLOs: r.SLOs, Users: points[at].Users, Target: points[at].Users,
		Live: points[at], Path: points, Alone: alone, Sent: 1, // a step has sent
	})
	if failed := r.allFailed(); failed != "" {
		v.Sentence = failed
	}
	if i, ok := loadstat.Knee(points); ok {
		v.Knee = i
	}
	if len(r.SLOs) > 0 {
		if n, ok := loadstat.LargestMeeting(numbered, r.SLOs); ok {
			v.Largest = n - 1
		}
		r.judge(&v)
	}
	return v
}

// allFailed says that every request of the sweep failed, and of which kind; ""
// where it is not so.
func (r *Sweep) allFailed() string {
	faults := slices.Clone(r.Faults)
	seen := r.Done > 0
	for i := range r.Steps {
		s := &r.Steps[i]
		seen = seen || s.Point.Requests > 0 || s.Point.Tokens > 0 && !s.Extra.AllFailed
		if len(r.Faults) == 0 {
			_, of := s.Point.Failures()
			for _, f := range of {
				faults = metrics.AddFaults(faults, f)
			}
		}
	}
	if seen || len(faults) == 0 {
		return ""
	}
	return "every request failed: " + kinds(faults)
}

// otherFaults returns the failures of this run that no step has: of a step that is
// left out, and those between steps.
func (r *Sweep) otherFaults() []metrics.FaultCount {
	out := slices.Clone(r.Faults)
	for i := range r.Steps {
		if s := &r.Steps[i]; !s.Resumed {
			_, faults := s.Point.Failures()
			for _, f := range faults {
				out = metrics.AddFaults(out, metrics.FaultCount{Kind: f.Kind, N: -f.N})
			}
		}
	}
	return out
}

// judge fills the verdicts on the objectives, step by step. The steps of a sweep
// rise. The slices of a ramp are in the order of time, and their requests decide.
func (r *Sweep) judge(v *Verdicts) {
	last := len(r.Steps) - 1
	for i := range r.Steps {
		p := &r.Steps[i].Point
		name, known := p.Breaks(r.SLOs)
		if i == last && r.Missed != "" { // judged while the sweep ran, steady or not
			name, known = r.Missed, true
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
func (r *Sweep) sloVerdict(v *Verdicts) string {
	n, text := len(r.Steps), ""
	switch {
	case v.Met+v.Missed == 0 && r.ramp():
		return "not known: no slice had enough requests"
	case v.Met+v.Missed == 0 && r.steady() == 0:
		return "not known: no step was steady"
	case v.Met+v.Missed == 0:
		return "not known: no steady step could be judged"
	case r.ramp() && v.Missed == n:
		text = "MISSED in every slice"
	case r.ramp() && v.Met == 0:
		text = fmt.Sprintf("MISSED in %d of %d slices", v.Missed, n)
	case r.ramp() && v.Met == n:
		text = "met in every slice"
	case r.ramp():
		text = fmt.Sprintf("met in %d of %d slices", v.Met, n)
		if v.Missed == 0 {
			text += "; the others had too few requests"
		}
	case v.Largest >= 0:
		text = "met up to " + r.Steps[v.Largest].Name()
	case v.Missed == n:
		text = "MISSED at every step"
	default:
		text = fmt.Sprintf("MISSED at %d of %d steps", v.Missed, n)
	}
	if v.BreaksStep >= 0 {
		text += fmt.Sprintf("; %s, at %s", say.BreaksFirst(v.Breaks), r.Steps[v.BreaksStep].Name())
	}
	return text
}

// steady returns the number of steady steps.
func (r *Sweep) steady() (n int) {
	for i := range r.Steps {
		if r.Steps[i].Point.Steady {
			n++
		}
	}
	return n
}
