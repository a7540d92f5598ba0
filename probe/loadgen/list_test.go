package loadgen

import (
	"testing"
	"testing/synctest"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/testkit"
)

// TestList holds that every ended request of a load is in its list once, with
// the figures of its stream, and that its stream can be opened after the load.
func TestList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(200*time.Millisecond, 10*time.Millisecond)
		f.wait = func(i int) time.Duration {
			if i == 5 {
				return 3 * time.Second
			}
			return 200 * time.Millisecond
		}
		f.fault = func(i int) *metrics.Fault {
			if i == 7 {
				return &metrics.Fault{Kind: metrics.FaultHTTP, Status: 503, Message: "overloaded"}
			}
			return nil
		}
		l := start(t.Context(), Config{List: true, Shape: Shape{Drive: loadstat.Drive{Users: 3}},
			Work: metrics.Workload{Prompt: "x", MaxTokens: 20}, Seed: 1}, f.deps())
		time.Sleep(10 * time.Second)
		finish(l)
		v, list := l.View(), l.Requests()
		if list.Len() != v.Done+v.Failed+v.Cancelled || list.Ended != list.Len() || v.Failed != 1 || v.Cancelled == 0 {
			t.Fatalf("the list has %d of %d done, %d failed, %d canceled", list.Len(), v.Done, v.Failed, v.Cancelled)
		}
		seen := map[int]bool{}
		for i := range list.Len() {
			r := list.Row(i)
			testkit.Given(t, !seen[r.N] && r.N >= 1 && r.N <= v.Sent && r.User >= 1 && r.User <= 3,
				"row %+v of %d sent", r, v.Sent)
			seen[r.N] = true
			s, ok := l.Request(r.ID)
			testkit.Given(t, ok && s.ID == r.ID && s.State == r.State,
				"request %d: %v, %v; the row says %v", r.ID, s.State, ok, r.State)
			figures := metrics.Measure(&s, metrics.Options{})
			if figures.TTFT.OK != r.TTFT.OK || figures.TTFT.V != r.TTFT.V || figures.TPOT.V != r.TPOT.V {
				t.Errorf("request %d: TTFT %+v, TPOT %+v; the row says %+v", r.N, figures.TTFT, figures.TPOT, r)
			}
			testkit.That(t, r.N != 6 || figures.TTFT.V == 3000, "request 6 has TTFT %+v, want 3 s", figures.TTFT)
			testkit.That(t, !r.Bad() || r.Status == 503, "the failed request has status %d", r.Status)
		}
		testkit.That(t, seen[6], "request 6 is not in the list")
	})
}
