package cli

import (
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/slo"
	"tokscope/metrics/testkit"
	"tokscope/ui/report"
)

// judged is a sweep with a step for each count of the 40 requests that miss o.
func judged(o slo.Objective, missed ...int) *report.Sweep {
	r := &report.Sweep{Plan: loadstat.SweepPlan{SLOs: []slo.Objective{o}}}
	for i, n := range missed {
		r.Steps = append(r.Steps, loadstat.SweepStep{Point: loadstat.Point{
			Users: i + 1, Steady: true, Requests: 40, GoodShare: metrics.Known(1-float64(n)/40, 40), Misses: []loadstat.Miss{{SLO: o, N: n}},
		}})
	}
	return r
}

// A connection that could not be made in time is an endpoint that was not
// reached, at every stage of it; a slow answer is a failed request.
func TestCodeOfTimeouts(t *testing.T) {
	for bound, want := range map[string]int{"connect 10 s": ExitUnreachable, "TLS handshake 250 ms": ExitUnreachable, "first byte 120 s": ExitFailed, "idle 30 s": ExitFailed, "request": ExitFailed} {
		testkit.Is(t, codeOfFault(&metrics.Fault{Kind: metrics.FaultTimeout, Bound: bound}), want, bound, "exit code")
	}
}

func TestSweepCode(t *testing.T) {
	ttft := slo.Objective{Name: "ttft", Limit: 500}
	of := func(points ...loadstat.Point) *report.Sweep {
		r := &report.Sweep{}
		for _, p := range points {
			r.Steps = append(r.Steps, loadstat.SweepStep{Point: p, Extra: loadstat.StepExtra{AllFailed: len(p.Faults) > 0}})
		}
		return r
	}
	failed := func(kind metrics.FaultKind) *report.Sweep {
		return of(loadstat.Point{Users: 1, Failed: 3, Faults: []metrics.FaultCount{{Kind: kind, N: 3}}})
	}
	missed := judged(slo.Objective{Name: "speed", Limit: 1000, AtLeast: true}, 40)
	stopped, refused, plain := *missed, report.Sweep{}, judged(ttft, 0)
	stopped.Interrupted, refused.Fault, plain.Plan.SLOs = true, &metrics.Fault{Kind: metrics.FaultAuth}, nil
	unsteady := func(r *report.Sweep, ramp *loadstat.Ramp) *report.Sweep {
		if ramp != nil {
			r.Plan.Ramp = loadstat.Drive{Users: 1, To: 2, Within: 1}
		}
		for i := range r.Steps {
			r.Steps[i].Point.Steady, r.Steps[i].Point.Ramp = false, ramp
		}
		return r
	}
	depth := func(kind metrics.FaultKind, rows ...loadstat.DepthRow) *report.Sweep {
		return &report.Sweep{SweepOutcome: loadstat.SweepOutcome{Depth: &loadstat.DepthOutcome{Rows: rows, Fault: &metrics.Fault{Kind: kind}}}}
	}
	row := func(good, failed int) loadstat.DepthRow {
		return loadstat.DepthRow{TooLong: good+failed == 0, Cold: loadstat.DepthSide{Ended: good, Failed: failed}}
	}
	none := []loadstat.Point{{Users: 4}, {Users: 3, Requests: 4}}
	slice := &loadstat.Ramp{From: 1, To: 2}
	for _, x := range []struct {
		name string
		r    *report.Sweep
		want int
	}{
		{"well", plain, ExitOK},
		{"the SLOs are met for a while", judged(ttft, 0, 40), ExitOK},
		{"no step meets them", missed, ExitSLO},
		{"no step is steady", unsteady(judged(ttft, 0, 40), nil), ExitOK},
		{"a ramp meets them", unsteady(judged(ttft, 0, 0), slice), ExitOK},
		{"a ramp meets them for a while", unsteady(judged(ttft, 0, 40), slice), ExitOK},
		{"a ramp misses them", unsteady(judged(ttft, 40, 40), slice), ExitSLO},
		{"interrupted", &stopped, ExitInterrupted},
		{"the key is wrong", failed(metrics.FaultAuth), ExitConfig},
		{"too many open files", failed(metrics.FaultLocal), ExitConfig},
		{"nobody listens", failed(metrics.FaultConnect), ExitUnreachable},
		{"all are reset", failed(metrics.FaultReset), ExitFailed},
		{"some are reset", of(loadstat.Point{Users: 1, Requests: 1, Failed: 3}), ExitOK},
		{"nothing was sent", of(), ExitOK},
		{"nothing ended in a step", of(none...), ExitOK},
		{"nothing ended in a slice", unsteady(of(none...), slice), ExitOK},
		{"a failure before the first step", &refused, ExitConfig},
		{"a length is left out", depth("", row(3, 0), row(0, 0)), ExitOK},
		{"one of three at a length failed", depth(metrics.FaultAuth, row(2, 1)), ExitOK},
		{"a length failed", depth(metrics.FaultAuth, row(3, 0), row(0, 3)), ExitConfig},
		{"all lengths are left out", depth("", row(0, 0)), ExitFailed},
	} {
		testkit.Is(t, CodeOfSweep(x.r), x.want, x.name, "exit code")
	}
}
