package cli

import (
	"fmt"

	"tokscope/metrics"
)

// SweepReport is a finished or interrupted sweep, as it is printed.
type SweepReport struct {
	Endpoint metrics.Endpoint
	Work     metrics.Workload
	// Input and Output are what each request draws; where they do not vary, Work
	// says the same.
	Input, Output metrics.Lengths
	Prompts       int    // sent in rotation; 0: that of Work
	Loop          string // Sweep.Loop
	Open          bool   // the steps are rates
	SLOs          []metrics.Objective
	Steps         []Step // finished ones, in order
	Planned       int    // steps asked for
	Stopped       string // why not all of them were run, "" when they were
	Budget        metrics.Budget
	Observer      metrics.Observer
	Limits        string // why this program itself limited the load, "" when it did not
	Resume        string // the file of finished steps, "" without
	// Fault is an example of why requests failed, nil without one.
	Fault *metrics.Fault
}

// SweepStep is one step of a sweep.
type Step struct {
	Rate    float64 // requests per second asked for; 0 in a closed loop
	Point   metrics.Point
	Resumed bool         // taken from the file of finished steps
	Lag     metrics.Dist // ms, open loop: how late requests were sent
}

// Name is the step in words: "8 users", "0.5 req/s".
func (s *Step) Name() string {
	if s.Rate > 0 {
		return fmt.Sprintf("%v req/s", s.Rate)
	}
	return plural(s.Point.Users, "user")
}

// Verdicts are what the steps say together; every text is "" or false when the
// steps cannot tell.
type Verdicts struct {
	Sentence   string // metrics.SummaryLine at the last step that is steady
	Knee       int    // index of the step, -1 when there is none
	Largest    int    // index of the largest step that meets the SLOs, -1
	Breaks     string // the SLO that breaks first
	BreaksStep int    // at that step, -1
}

// Verdicts asks metrics for what the steps say together: the same answers as
// on the screen.
func (r *SweepReport) Verdicts() Verdicts {
	v := Verdicts{Knee: -1, Largest: -1, BreaksStep: -1}
	if len(r.Steps) == 0 {
		return v
	}
	points := make([]metrics.Point, len(r.Steps))
	numbered := make([]metrics.Point, len(r.Steps)) // users stand for the step, so that rates have names too
	at := len(r.Steps) - 1
	var alone *metrics.Point
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
	v.Sentence = metrics.LoadSentence(&metrics.View{
		Work: r.Work, Endpoint: r.Endpoint, SLOs: r.SLOs, Users: points[at].Users, Target: points[at].Users,
		Live: points[at], Path: points, Alone: alone, Sent: points[at].Requests + points[at].Failed,
	})
	if i, ok := metrics.Knee(points); ok {
		v.Knee = i
	}
	if len(r.SLOs) > 0 {
		if n, ok := metrics.LargestMeeting(numbered, r.SLOs); ok {
			v.Largest = n - 1
		}
		if name, n, ok := metrics.BreaksFirst(numbered, r.SLOs); ok {
			v.Breaks, v.BreaksStep = name, n-1
		}
	}
	return v
}

// Code returns the exit code of a sweep: interrupted before anything else, then
// a step of which every request failed, then SLOs that no step meets.
func (r *SweepReport) Code(interrupted bool) int {
	if interrupted {
		return ExitInterrupted
	}
	good := 0
	code := ExitOK
	for i := range r.Steps {
		p := &r.Steps[i].Point
		good += p.Requests
		if p.Requests == 0 && code == ExitOK {
			code = ExitFailed
			for _, f := range p.Faults {
				if f.N > 0 {
					code = codeOfFault(&metrics.Fault{Kind: f.Kind})
					break
				}
			}
		}
	}
	switch {
	case code != ExitOK:
		return code
	case good == 0 && r.Fault != nil:
		return codeOfFault(r.Fault)
	case good == 0:
		return ExitFailed
	case len(r.SLOs) > 0 && r.Verdicts().Largest < 0:
		return ExitSLO
	}
	return ExitOK
}
