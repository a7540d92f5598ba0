package loadgen

import (
	"context"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/testkit"
	"tokscope/probe/probetest"
	"tokscope/probe/sim"
)

// Users join, reach a steady point, grow and shrink. Every view is
// consistent, and the received tokens equal the server's count.
func TestSliderUpAndDown(t *testing.T) {
	probetest.TakesTime(t, "a load until it is steady at three sizes")
	synctest.Test(t, func(t *testing.T) {
		e, target := virtualDemo(t, sim.Options{Speed: 8})
		l := Start(context.Background(), Config{
			Engine: e, Target: target, Work: metrics.Workload{Prompt: "Tell me of rivers.", InputTokens: 200, MaxTokens: 40},
			Shape: Shape{Drive: loadstat.Drive{Users: 1}}, MinWindow: time.Second, Seed: 7,
		})
		defer finish(l)
		one := until(t, l, "steady at 1", func(v *loadstat.View) bool { return v.Live.Steady })
		testkit.Given(t, one.Alone != nil && one.Alone.Speed.OK, "alone: %+v", one.Alone)
		l.Resize(12)
		many := until(t, l, "steady at 12", func(v *loadstat.View) bool { return v.Live.Steady && v.Live.Users == 12 })
		if !(many.Live.Total.V > 2*one.Live.Total.V) || !many.Live.Speed.OK || !(many.Live.TPOT.P50.V > 0) {
			t.Errorf("12 users: %.0f in total, TPOT %.2f; 1 user: %.0f, %.2f", many.Live.Total.V, many.Live.TPOT.P50.V,
				one.Live.Total.V, one.Live.TPOT.P50.V)
		}
		testkit.That(t, len(many.Lanes) == 12 && many.Lanes[11].User == 12, "%d lanes", len(many.Lanes))
		t.Log(many.Live.Total.V, many.Live.Speed.V)
		l.Resize(3)
		few := until(t, l, "steady at 3",
			func(v *loadstat.View) bool { return v.Live.Steady && v.Live.Users == 3 && v.Users == 3 })
		if few.Target != 3 || len(few.Path) != 2 || few.Path[0].Users != 1 || few.Path[1].Users != 12 || !few.Path[1].Steady {
			t.Errorf("path: %+v", few.Path)
		}
		l.Drain()
		l.Wait()
		end := l.View()
		if end.Running || end.InFlight != 0 || end.Sent != end.Done+end.Failed+end.Cancelled || end.Failed != 0 ||
			end.Cancelled != 0 {
			t.Errorf("at the end: %d sent, %d done, %d failed, %d cancelled, %d in flight", end.Sent, end.Done, end.Failed,
				end.Cancelled, end.InFlight)
		}
		testkit.That(t, len(end.Finishes) == 1 && end.Finishes["stop"]+end.Finishes["length"] == end.Done,
			"%d done: %v", end.Done, end.Finishes)
		if want := float64(40 * end.Done); math.Abs(end.TokensReceived-want) > 1e-6 {
			t.Errorf("received %v tokens, the server counted %v", end.TokensReceived, want)
		}
	})
}
