package loadgen

import (
	"context"
	"math"
	"os"
	"runtime"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/testkit"
	"tokscope/probe/probetest"
	"tokscope/probe/sim"
)

// A slider moves at random, up to 200 users. No goroutine and no memory
// leaks, no request fails, and every token counted by the server was
// received. It runs for two seconds, or for the duration in TOKSCOPE_SOAK
// (such as 10m), and logs its observations.
func TestSoak(t *testing.T) {
	probetest.TakesTime(t, "two seconds of a load in real time")
	long, speed := 2*time.Second, 8.0
	if s := os.Getenv("TOKSCOPE_SOAK"); s != "" {
		d := testkit.Must(time.ParseDuration(s))(t)
		long, speed = d, 1
	}
	rng := testkit.Rand(t, 1)
	e, target := demo(t, sim.Options{Speed: speed}, nil)
	output := metrics.Lengths{Low: 40, High: 200}
	l := Start(context.Background(), Config{
		Engine: e, Target: target, Work: metrics.Workload{Prompt: "Tell me of rivers."}, Input: metrics.Lengths{Low: 50,
			High: 600}, Output: output,
		Shape: Shape{Drive: loadstat.Drive{Users: 200}}, Seed: testkit.Seed(t),
	})
	begin := time.Now()
	var early, late uint64
	for time.Since(begin) < long {
		time.Sleep(min(long/8, time.Duration(rng.IntN(int(12*time.Second)))))
		v := l.View()
		switch rng.IntN(8) {
		case 0:
			l.Cut()
		case 1:
			l.Hold(true)
			time.Sleep(long / 40)
			l.Hold(false)
		case 2:
			l.Resize(1 + rng.IntN(4))
		default:
			l.Resize(1 + rng.IntN(200))
		}
		heap := heapNow()
		if long > 10*time.Second {
			t.Logf("%4.0f s  heap %3d MB  %d goroutines  %d done  %.0f tok/s  observer p99 %v %+v", time.Since(begin).Seconds(),
				heap>>20,
				runtime.NumGoroutine(), v.Done, v.Live.Total.V, v.Observer.LateP99, v.ClientLimits)
		}
		if early == 0 && time.Since(begin) > long/4 {
			early = heap
		}
		late = heap
		if v.TokensReceived < 0 || v.Live.Total.OK && math.IsNaN(v.Live.Total.V) || v.Users > 200+200 || v.Failed > 0 {
			t.Fatalf("after %v: %+v, faults %+v", time.Since(begin), v.Live, v.Faults)
		}
	}
	l.Drain()
	l.Wait()
	v := l.View()
	testkit.That(t, v.Sent == v.Done+v.Cancelled && v.Failed == 0 && v.InFlight == 0,
		"%d sent, %d done, %d cancelled, %d failed", v.Sent, v.Done, v.Cancelled, v.Failed)
	if want := l.budgetOutput(); math.Abs(v.TokensReceived-want) > 1e-6*want {
		t.Errorf("received %.1f tokens, counted %.1f", v.TokensReceived, want)
	}
	// Temporary garbage is up to 60 MB here; a leak of every ended stream would
	// be far more in ten minutes.
	testkit.That(t, late <= 2*early+64<<20, "the heap grew from %d to %d MB", early>>20, late>>20)
}

// budgetOutput returns the sum of the servers' counts of all ended requests.
func (l *Load) budgetOutput() float64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.budget.output
}

func heapNow() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
