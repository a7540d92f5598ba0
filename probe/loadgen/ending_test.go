package loadgen

import (
	"testing"
	"testing/synctest"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/slo"
	"tokscope/metrics/testkit"
)

// An ending load reports it, and keeps its last figures: those of fewer and
// fewer users would not be comparable.
func TestEndingKeepsTheFigures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(100*time.Millisecond, 100*time.Millisecond)
		l := closed(f, Shape{Drive: loadstat.Drive{Users: 8}, Join: 8 * time.Second}, 100) // a request takes 10 s
		time.Sleep(15 * time.Second)
		before := l.View()
		testkit.Given(t, !before.Live.Steady && before.Live.Total.OK, "before: %+v", before.Live)
		l.Drain()
		time.Sleep(7 * time.Second)
		v := l.View()
		testkit.That(t, v.Running && v.Target == 0 && v.Users == 8 && v.InFlight < 8,
			"ending: running %v, target %d, %d users, %d in flight", v.Running, v.Target, v.Users, v.InFlight)
		l.Wait()
		after := l.View()
		for _, p := range []float64{v.Live.Total.V, after.Live.Total.V, after.Path[len(after.Path)-1].Total.V} {
			d := p/before.Live.Total.V - 1
			testkit.That(t, d <= 0.05 && d >= -0.05, "%.1f tok/s aggregate, before it ended %.1f", p, before.Live.Total.V)
		}
	})
}

// The end of a load does not turn an unsteady point into a steady one.
func TestEndingIsNotSteady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(100*time.Millisecond, 100*time.Millisecond)
		l := closed(f, Shape{Drive: loadstat.Drive{Users: 8}, Join: 800 * time.Millisecond}, 100) // a request takes 10 s
		time.Sleep(15 * time.Second)
		at := l.deps.now()
		l.Drain()
		l.Wait()
		v := l.View()
		for _, p := range []loadstat.Point{v.Live, v.Path[len(v.Path)-1]} {
			testkit.That(t, !p.Steady && p.To <= at, "steady %v, up to %v after the end began at %v", p.Steady, p.To, at)
		}
	})
}

// A hold, and a falling number of users, give no points of the path. A load
// that ends on hold shows its earlier point.
func TestHoldAndLeavingAreNoPoints(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(100*time.Millisecond, 50*time.Millisecond)
		l := closed(f, Shape{Drive: loadstat.Drive{Users: 8}}, 200) // a request takes 10 s
		time.Sleep(15 * time.Second)
		l.Resize(2)
		time.Sleep(3 * time.Second) // six still leave
		l.Resize(8)
		time.Sleep(15 * time.Second)
		l.Hold(true)
		time.Sleep(20 * time.Second)
		l.Drain()
		l.Wait()
		v := l.View()
		if len(v.Path) != 2 || v.Path[0].Users != 8 || v.Path[1].Users != 8 {
			for _, p := range v.Path {
				t.Logf("%d users, %v tok/s", p.Users, p.Total)
			}
			t.Errorf("%d points", len(v.Path))
		}
		testkit.That(t, v.Live.Users == 8 && v.Live.Total.V >= 100,
			"at the end: %d users, %v tok/s", v.Live.Users, v.Live.Total)
	})
}

// Requests that were sent again are counted, in the load and in its window, and
// do not count as failed.
func TestRetriedAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(10*time.Millisecond, 10*time.Millisecond)
		f.retried = 1
		l := closed(f, Shape{Drive: loadstat.Drive{Users: 4}}, 10)
		time.Sleep(5 * time.Second)
		l.Drain()
		l.Wait()
		v := l.View()
		if v.Done < 20 || v.Retried != v.Done || v.Failed != 0 || v.Live.Retried == 0 || v.Live.Retried != v.Live.Requests {
			t.Errorf("%d done, %d retried, %d failed; window: %d done, %d retried", v.Done, v.Retried, v.Failed,
				v.Live.Requests, v.Live.Retried)
		}
	})
}

// Answers that waited for an end marker are counted in the window.
func TestLeftOpenAreCounted(t *testing.T) {
	for _, open := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			f := newFake(10*time.Millisecond, 10*time.Millisecond)
			f.leftOpen = open
			l := closed(f, Shape{Drive: loadstat.Drive{Users: 4}}, 10)
			time.Sleep(5 * time.Second)
			l.Drain()
			l.Wait()
			if p := l.View().Live; p.TTFT.N == 0 || (p.LeftOpen == p.TTFT.N) != open || (p.LeftOpen == 0) == open {
				t.Errorf("open %v: %d of %d", open, p.LeftOpen, p.TTFT.N)
			}
		})
	}
}

// An empty answer is a failure of the load, and meets no objective.
func TestEmptyAnswersMeetNoObjective(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(10*time.Millisecond, 10*time.Millisecond)
		f.fault = func(i int) *metrics.Fault {
			if i%4 == 3 {
				return &metrics.Fault{Kind: metrics.FaultEmpty, Message: "the answer is empty"}
			}
			return nil
		}
		l := closed(f, Shape{Drive: loadstat.Drive{Users: 4}}, 10)
		l.SetSLOs([]slo.Objective{{Name: "ttft", Limit: 1000}})
		time.Sleep(10 * time.Second)
		l.Drain()
		l.Wait()
		v := l.View()
		if v.Failed == 0 || len(v.Faults) != 1 || v.Faults[0].Kind != metrics.FaultEmpty || !v.Live.GoodShare.OK ||
			v.Live.GoodShare.V > 0.95 {
			t.Errorf("%d done, %d failed: %+v, goodput %+v", v.Done, v.Failed, v.Faults, v.Live.GoodShare)
		}
	})
}

// TestAServerThatFailsItsSlowHalfIsNotFast plays servers in virtual time that answer after
// 100 ms and fail their slow requests after two seconds: the plain percentiles are those
// of the fast ones, those with failures lie among the failures.
func TestAServerThatFailsItsSlowHalfIsNotFast(t *testing.T) {
	for every, kind := range map[int]metrics.FaultKind{2: metrics.FaultTimeout, 3: metrics.FaultReset,
		5: metrics.FaultHTTP} {
		synctest.Test(t, func(t *testing.T) {
			f := newFake(0, 10*time.Millisecond)
			slow := func(i int) bool { return i%every == 0 }
			f.wait = func(i int) time.Duration {
				if slow(i) {
					return 2 * time.Second
				}
				return 100 * time.Millisecond
			}
			f.fault = func(i int) *metrics.Fault {
				if slow(i) {
					return &metrics.Fault{Kind: kind, Message: "slow"}
				}
				return nil
			}
			l := closed(f, Shape{Drive: loadstat.Drive{Users: 4}}, 10)
			time.Sleep(20 * time.Second)
			l.Drain()
			l.Wait()
			v := l.View()
			p := &v.Live
			w := &p.TTFTFailed
			testkit.That(t, p.TTFT.P90.OK && p.TTFT.P90.V == 100 && w.P90.Why == metrics.WhyFailed,
				"one of %d: TTFT p90 %v, with failures %+v", every, p.TTFT.P90, w)
			if share := 1 / float64(every); w.Share() < share-0.15 || w.Share() > share+0.15 {
				t.Errorf("one of %d: %.2f failed", every, w.Share())
			}
		})
	}
}
