package cli

import (
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/slo"
	"tokscope/ui/report"
)

// judged is a sweep with a step for each count of the 40 requests that miss o.
func judged(o slo.Objective, missed ...int) *report.Sweep {
	r := &report.Sweep{SLOs: []slo.Objective{o}}
	for i, n := range missed {
		r.Steps = append(r.Steps, report.Step{Point: loadstat.Point{
			Users: i + 1, Steady: true, Requests: 40, GoodShare: metrics.Known(1-float64(n)/40, 40), Misses: []loadstat.Miss{{SLO: o, N: n}},
		}})
	}
	return r
}

// A connection that could not be made in time is an endpoint that was not
// reached, at every stage of it; a slow answer is a failed request.
func TestCodeOfTimeouts(t *testing.T) {
	for bound, want := range map[string]int{"connect 10 s": ExitUnreachable, "TLS handshake 250 ms": ExitUnreachable, "first byte 120 s": ExitFailed, "idle 30 s": ExitFailed, "request": ExitFailed} {
		if got := codeOfFault(&metrics.Fault{Kind: metrics.FaultTimeout, Bound: bound}); got != want {
			t.Errorf("%s: exit code %d, want %d", bound, got, want)
		}
	}
}

func TestSweepCode(t *testing.T) {
	ttft := slo.Objective{Name: "ttft", Limit: 500}
	failed := func(kind metrics.FaultKind) *report.Sweep {
		return &report.Sweep{Steps: []report.Step{{Point: loadstat.Point{Users: 1, Failed: 3, Faults: []metrics.FaultCount{{Kind: kind, N: 3}}}, Extra: loadstat.StepExtra{AllFailed: true}}}}
	}
	missed := judged(slo.Objective{Name: "speed", Limit: 1000, AtLeast: true}, 40)
	unsteady := func(r *report.Sweep, ramp *loadstat.Ramp) *report.Sweep {
		for i := range r.Steps {
			r.Steps[i].Point.Steady, r.Steps[i].Point.Ramp = false, ramp
		}
		return r
	}
	slice := &loadstat.Ramp{From: 1, To: 2}
	for _, x := range []struct {
		name        string
		r           *report.Sweep
		interrupted bool
		want        int
	}{
		{"well", &report.Sweep{Steps: judged(ttft, 0).Steps}, false, ExitOK},
		{"the SLOs are met for a while", judged(ttft, 0, 40), false, ExitOK},
		{"no step meets them", missed, false, ExitSLO},
		{"no step is steady", unsteady(judged(ttft, 0, 40), nil), false, ExitOK},
		{"a ramp meets them", unsteady(judged(ttft, 0, 0), slice), false, ExitOK},
		{"a ramp meets them for a while", unsteady(judged(ttft, 0, 40), slice), false, ExitOK},
		{"a ramp misses them", unsteady(judged(ttft, 40, 40), slice), false, ExitSLO},
		{"interrupted", missed, true, ExitInterrupted},
		{"the key is wrong", failed(metrics.FaultAuth), false, ExitConfig},
		{"too many open files", failed(metrics.FaultLocal), false, ExitConfig},
		{"nobody listens", failed(metrics.FaultConnect), false, ExitUnreachable},
		{"all are reset", failed(metrics.FaultReset), false, ExitFailed},
		{"some are reset", &report.Sweep{Steps: []report.Step{{Point: loadstat.Point{Users: 1, Requests: 1, Failed: 3}}}}, false, ExitOK},
		{"nothing was sent", &report.Sweep{}, false, ExitOK},
		{"nothing ended in a step", &report.Sweep{Steps: []report.Step{{Point: loadstat.Point{Users: 4}}, {Point: loadstat.Point{Users: 3, Requests: 4}}}}, false, ExitOK},
		{"nothing ended in a slice", unsteady(&report.Sweep{Steps: []report.Step{{Point: loadstat.Point{Users: 4}}, {Point: loadstat.Point{Users: 3, Requests: 4}}}}, slice), false, ExitOK},
		{"a failure before the first step", &report.Sweep{Fault: &metrics.Fault{Kind: metrics.FaultAuth}}, false, ExitConfig},
	} {
		if have := CodeOfSweep(x.r, x.interrupted); have != x.want {
			t.Errorf("%s: exit code %d, want %d", x.name, have, x.want)
		}
	}
}
