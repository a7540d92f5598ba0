package loadgen

import (
	"context"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
)

// TestCutRequestsCount checks that the prompt of a request counts from when it was
// sent, in tokens and cost, and that the end of a load which cuts requests changes
// neither.
func TestCutRequestsCount(t *testing.T) {
	for name, c := range map[string]struct {
		wait time.Duration
		want float64 // tokens after 2 s, with the chunks so far
	}{
		"all before the first token": {time.Minute, 4 * 2000},
		"all decode":                 {time.Second, 4 * (2000 + 100)},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFake(c.wait, 10*time.Millisecond)
				f.prompt = true
				l := start(context.Background(), Config{Work: metrics.Workload{InputTokens: 2000, MaxTokens: 500},
					Shape: Shape{Drive: loadstat.Drive{Users: 4}}, Seed: 3, Price: metrics.Price{In: 1, Out: 1}}, f.deps())
				time.Sleep(2 * time.Second)
				running := l.View().Budget
				end := finish(l)
				if got := running.Tokens; math.Abs(got-c.want) > 0.02*c.want || !running.Estimated {
					t.Errorf("%v tokens used while they run, want about %v: %+v", got, c.want, running)
				}
				if b := end.Budget; end.Cancelled != 4 || math.Abs(b.Tokens-running.Tokens) > 0.02*c.want || !b.Estimated ||
					math.Abs(b.Cost.V-b.Tokens/1e6) > 1e-9 {
					t.Errorf("%d canceled, %+v at the end, after %+v", end.Cancelled, b, running)
				}
			})
		})
	}
}

// TestChargedPrompts checks which requests without a count of the server are charged
// their prompt, and that the reserved tokens are free again.
func TestChargedPrompts(t *testing.T) {
	fault := func(k metrics.FaultKind) *metrics.Fault { return &metrics.Fault{Kind: k} }
	for name, c := range map[string]struct {
		sent  bool
		fault *metrics.Fault
		want  float64
	}{
		"canceled while it connects": {false, fault(metrics.FaultCancelled), 0},
		"no connection":              {false, fault(metrics.FaultConnect), 0},
		"canceled after it was sent": {true, fault(metrics.FaultCancelled), 1500},
		"timed out":                  {true, fault(metrics.FaultTimeout), 1500},
		"connection broke":           {true, fault(metrics.FaultReset), 1500},
		"rate limited":               {true, fault(metrics.FaultRateLimit), 0},
		"server error":               {true, fault(metrics.FaultHTTP), 0},
		"done, without usage":        {true, nil, 1500},
	} {
		b := newBudget(&Config{MaxTokens: 2000})
		b.lastPrompt = 1.5 // the last prompt was that much longer by the server's count
		u := &user{account: b.account}
		b.reserve(1600)
		u.reserve(1600)
		v := metrics.Stream{Work: metrics.Workload{InputTokens: 1000}, Marks: metrics.NewMarks(), Fault: c.fault}
		if c.sent {
			v.Marks.Sent = 1
		}
		b.charge(u, &v, &metrics.Figures{})
		if b.used != c.want || b.prompt != c.want || b.reserved != 0 || b.estimated != (c.want > 0) {
			t.Errorf("%s: used %v, reserved %v, estimated %v, want %v", name, b.used, b.reserved, b.estimated, c.want)
		}
		if refuses := b.refuse(600) != (metrics.Ending{}); refuses != (c.want > 0) {
			t.Errorf("%s: refuses the next: %v", name, refuses)
		}
	}
}
