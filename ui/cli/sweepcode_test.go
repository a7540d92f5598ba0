package cli

import (
	"testing"

	"tokscope/metrics"
)

func TestSweepCode(t *testing.T) {
	failed := func(kind metrics.FaultKind) *SweepReport {
		return &SweepReport{Steps: []Step{{Point: metrics.Point{Users: 1, Failed: 3, Faults: []metrics.FaultCount{{Kind: kind, N: 3}}}}}}
	}
	missed := reportOf(t, "speed=1000")
	for i := range missed.Steps {
		p := &missed.Steps[i].Point
		p.Misses = []metrics.Miss{{SLO: missed.SLOs[0], N: p.GoodShare.N}}
	}
	for _, x := range []struct {
		name        string
		r           *SweepReport
		interrupted bool
		want        int
	}{
		{"well", reportOf(t, ""), false, ExitOK},
		{"the SLOs are met for a while", reportOf(t, "ttft=500ms,tpot=50ms"), false, ExitOK},
		{"no step meets them", missed, false, ExitSLO},
		{"interrupted", missed, true, ExitInterrupted},
		{"the key is wrong", failed(metrics.FaultAuth), false, ExitConfig},
		{"nobody listens", failed(metrics.FaultConnect), false, ExitUnreachable},
		{"all are reset", failed(metrics.FaultReset), false, ExitFailed},
		{"nothing was sent", &SweepReport{}, false, ExitFailed},
	} {
		if have := x.r.Code(x.interrupted); have != x.want {
			t.Errorf("%s: exit code %d, want %d", x.name, have, x.want)
		}
	}
}
