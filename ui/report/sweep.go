package report

import (
	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/slo"
	"tokscope/ui/format"
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
	Budget        loadstat.Budget
	Observer      metrics.Observer
	Stamps        string // who took them, as loadstat.View.Stamps
	Limits        string // why this program itself limited the load, "" when it did not
	Resume        string // the file of finished steps, "" without
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

// Name describes the step in words: "8 users", "0.5 requests/s".
func (s *Step) Name() string {
	return format.Step(metrics.LoadStep{Users: s.Point.Users, Rate: s.Rate})
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
	at := len(r.Steps) - 1
	var alone *loadstat.Point
	steady := false
	for i := range r.Steps {
		p := &r.Steps[i].Point
		points[i], numbered[i] = *p, *p
		numbered[i].Users = i + 1
		if !r.Open && p.Users == 1 && p.Steady {
			alone = p
		}
		if p.Steady || !steady {
			at, steady = i, p.Steady
		}
	}
	v.Sentence = format.LoadSentence(&loadstat.View{
		Work: r.Work, Endpoint: r.Endpoint, SLOs: r.SLOs, Users: points[at].Users, Target: points[at].Users,
		Live: points[at], Path: points, Alone: alone, Sent: points[at].Requests + points[at].Failed,
	})
	if i, ok := loadstat.Knee(points); ok {
		v.Knee = i
	}
	if len(r.SLOs) > 0 {
		if n, ok := loadstat.LargestMeeting(numbered, r.SLOs); ok {
			v.Largest = n - 1
		}
		if name, n, ok := loadstat.BreaksFirst(numbered, r.SLOs); ok {
			v.Breaks, v.BreaksStep = name, n-1
		}
	}
	return v
}
