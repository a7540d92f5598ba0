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
)

// Constant arrivals keep their distances, independently of the endpoint.
func TestConstantArrivals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(3*time.Second, 10*time.Millisecond)
		l := start(context.Background(), Config{Work: metrics.Workload{MaxTokens: 4},
			Shape: Shape{Drive: loadstat.Drive{Rate: 5}}, Seed: 1}, f.deps())
		time.Sleep(10*time.Second + time.Millisecond)
		v := l.View()
		finish(l)
		testkit.Need(t, len(f.starts), 50, "requests in 10 s at 5 a second")
		for i, at := range f.starts {
			if want := metrics.Stamp(i+1) * metrics.Stamp(200*time.Millisecond); at != want {
				t.Fatalf("request %d left at %v, want %v", i, time.Duration(at), time.Duration(want))
			}
		}
		testkit.That(t, v.ScheduleLag.Max.OK && v.ScheduleLag.Max.V == 0 && v.ClientLimits.Code == "",
			"lag %+v, limits %+v", v.ScheduleLag.Max, v.ClientLimits)
	})
}

// Poisson arrivals: mean and deviation of the distances are 1/rate, and the
// same seed gives the same schedule.
func TestPoissonArrivals(t *testing.T) {
	probetest.TakesTime(t, "minutes of virtual time")
	schedule := func(seed uint64, long time.Duration) (out []float64) {
		synctest.Test(t, func(t *testing.T) {
			f := newFake(time.Millisecond, time.Millisecond)
			l := start(context.Background(), Config{Work: metrics.Workload{MaxTokens: 1},
				Shape: Shape{Drive: loadstat.Drive{Rate: 100, Poisson: true}}, Seed: seed}, f.deps())
			time.Sleep(long)
			finish(l)
			for i := 1; i < len(f.starts); i++ {
				out = append(out, float64(f.starts[i]-f.starts[i-1])/1e6)
			}
		})
		return out
	}
	const seed = 42
	a := schedule(seed, 20*time.Second)
	d := metrics.Distribution(a)
	testkit.That(t, len(a) >= 1800 && len(a) <= 2200 && math.Abs(d.Mean.V-10) <= 0.6 && math.Abs(d.StdDev.V-10) <= 0.8,
		"seed %d: %d distances, mean %.2f ms, deviation %.2f ms; want 10 and 10", seed, len(a), d.Mean.V, d.StdDev.V)
	for i, again := range schedule(seed, 2*time.Second) {
		testkit.Need(t, a[i], again, "seed", seed, "distance", i)
	}
}

// When all users are busy, requests leave late. The lag has the delay, the
// time from the scheduled moment includes it, and the client is named as the
// limit.
func TestNoCoordinatedOmission(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(100*time.Millisecond, 100*time.Millisecond) // two users serve 4 a second at most
		l := start(context.Background(), Config{Work: metrics.Workload{MaxTokens: 5},
			Shape: Shape{Drive: loadstat.Drive{Rate: 8, Users: 2}}, Seed: 1}, f.deps())
		// A look exactly when a request ends, with a user briefly free, must give
		// the same result.
		time.Sleep(30 * time.Second)
		v := l.View()
		finish(l)
		testkit.Is(t, f.most, 2, "requests at once, two users")
		if !(v.ScheduleLag.Max.V > 10_000) || v.ClientLimits.Code != loadstat.LimitSchedule || v.ClientLimits.Users != 2 {
			t.Errorf("lag %+v, limits %+v", v.ScheduleLag.Max, v.ClientLimits)
		}
		if p := v.Live; math.Abs(p.TTFT.P50.V-100) > 1 || !(p.FromIntended.P50.V > 5000) {
			t.Errorf("TTFT %v ms, from the intended time %v ms", p.TTFT.P50.V, p.FromIntended.P50.V)
		}
		testkit.That(t, !v.Live.Steady, "a queue that grows is not steady")
	})
}

// An open loop that the endpoint can serve becomes steady at its rate.
func TestOpenLoopSteady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(50*time.Millisecond, 10*time.Millisecond)
		l := start(context.Background(), Config{Work: metrics.Workload{MaxTokens: 20},
			Shape: Shape{Drive: loadstat.Drive{Rate: 10}}, Seed: 1}, f.deps())
		p := l.MeasureStep(context.Background(), Step{Rate: 10, Min: 5 * time.Second, Max: time.Minute})
		q := l.MeasureStep(context.Background(), Step{Rate: 20, Min: 5 * time.Second, Max: time.Minute})
		finish(l)
		for _, c := range []struct {
			p    loadstat.Point
			rate float64
		}{{p, 10}, {q, 20}} {
			if !c.p.Steady || c.p.Asked != c.rate || math.Abs(c.p.Rate.V-c.rate) > 0.5 || math.Abs(c.p.Total.V-20*c.rate) > 20 {
				t.Errorf("at %v/s: steady %v (%+v), rate %+v, total %+v", c.rate, c.p.Steady, c.p.Why, c.p.Rate, c.p.Total)
			}
		}
	})
}

// TestNoneOfThisRateEnded checks what a step shows whose own requests have not
// ended yet: those of the rate before end in its window and are counted.
func TestNoneOfThisRateEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(50*time.Millisecond, 200*time.Millisecond) // an answer takes 4 s
		l := start(context.Background(), Config{Work: metrics.Workload{MaxTokens: 20},
			Shape: Shape{Drive: loadstat.Drive{Rate: 2}}, Seed: 1}, f.deps())
		l.MeasureStep(context.Background(), Step{Rate: 2, Max: 6 * time.Second})
		p := l.MeasureStep(context.Background(), Step{Rate: 5, Max: 3 * time.Second})
		finish(l)
		testkit.That(t, p.Why.Code == loadstat.UnsteadyNoneEnded && p.Requests != 0 && p.TTFT.N == 0,
			"%d ended, %d of them sent at this rate, %+v", p.Requests, p.TTFT.N, p.Why)
	})
}

// On hold the schedule pauses; missed requests are not sent later.
func TestHoldStopsTheSchedule(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(time.Millisecond, time.Millisecond)
		l := start(context.Background(), Config{Work: metrics.Workload{MaxTokens: 2},
			Shape: Shape{Drive: loadstat.Drive{Rate: 10}}, Seed: 1}, f.deps())
		time.Sleep(1050 * time.Millisecond)
		l.Hold(true)
		time.Sleep(10 * time.Second)
		held := len(f.starts)
		l.Hold(false)
		time.Sleep(time.Second + time.Millisecond)
		finish(l)
		testkit.That(t, held == 10 && len(f.starts) == 20,
			"%d requests before the end of the hold, %d after a second more; want 10 and 20", held, len(f.starts))
	})
}
