package loadgen

import (
	"context"
	"math"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/testkit"
	"tokscope/probe/probetest"
	"tokscope/probe/sim"
)

// A third of the requests is refused with 429, a tenth reset in the middle,
// and one user stalls permanently. Each is counted under its name, and the
// figures are those of the others.
func TestFaultsUnderLoad(t *testing.T) {
	t.Parallel() // most of it is waiting
	probetest.TakesTime(t, "a load in real time until it is steady")
	var n, refused, reset, stalled atomic.Int64
	wrap := func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodPost {
				h.ServeHTTP(w, r)
				return
			}
			i := n.Add(1)
			switch {
			case i == 5:
				stalled.Add(1)
				r.Header.Set("X-Sim-Scenario", "after 3 stall 10m")
			case i%3 == 0:
				refused.Add(1)
				w.Header().Set("Retry-After", "0.05")
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusTooManyRequests)
				_, _ = w.Write([]byte(`{"error":{"message":"slow down","type":"rate_limit"}}`))
				return
			case i%10 == 0:
				reset.Add(1)
				r.Header.Set("X-Sim-Scenario", "after 7 reset")
			}
			h.ServeHTTP(w, r)
		})
	}
	e, target := demo(t, sim.Options{Speed: 4}, wrap)
	l := Start(context.Background(), Config{
		Engine: e, Target: target, Work: metrics.Workload{Prompt: "Tell me of rivers.", MaxTokens: 20},
		Shape: Shape{Drive: loadstat.Drive{Users: 6}}, MinWindow: time.Second, Window: 5 * time.Second, Seed: 11,
	})
	v := until(t, l, "steady in spite of it", func(v *loadstat.View) bool { return v.Live.Steady && v.Done > 60 })
	lanes := v.Lanes
	v = finish(l)
	kinds := map[metrics.FaultKind]int{}
	for _, f := range v.Faults {
		kinds[f.Kind] = f.N
	}
	// Requests cancelled by the stop may also have been refused or reset.
	if d := int(refused.Load()) - kinds[metrics.FaultRateLimit]; d < 0 || d > 6 {
		t.Errorf("%d refused, counted %+v", refused.Load(), v.Faults)
	}
	if d := int(reset.Load()) - kinds[metrics.FaultReset]; d < 0 || d > 6 {
		t.Errorf("%d reset, counted %+v", reset.Load(), v.Faults)
	}
	if v.Failed != kinds[metrics.FaultRateLimit]+kinds[metrics.FaultReset] || v.Sent != v.Done+v.Failed+v.Cancelled ||
		v.Cancelled < 1 {
		t.Errorf("%d sent, %d done, %d failed, %d cancelled; %+v", v.Sent, v.Done, v.Failed, v.Cancelled, v.Faults)
	}
	p := v.Live
	testkit.That(t, stalled.Load() == 1 && p.TTFT.N != 0 && p.TTFT.N <= p.Requests && p.Failed != 0 && len(p.Faults) != 0,
		"the point: %d measured of %d, %d failed, %+v", p.TTFT.N, p.Requests, p.Failed, p.Faults)
	testkit.That(t, p.GoodShare.OK && p.GoodShare.V < 0.9 && p.GoodShare.V > 0.2,
		"share %+v: a failed request is not good", p.GoodShare)
	// The stalled user's gap of minutes does not enter any figures.
	testkit.That(t, p.TPOT.Max.V < 1000 && p.Gaps.Max.V < 10_000,
		"TPOT up to %v, gaps up to %v ms", p.TPOT.Max.V, p.Gaps.Max.V)
	stalls := 0
	for _, n := range lanes {
		if n.State == loadstat.LaneStalled {
			stalls++
		}
		for _, s := range n.Past {
			testkit.Given(t, !math.IsNaN(float64(s.Gap)) && s.Gap >= 0, "lane %d: slice %+v", n.User, s)
		}
	}
	testkit.That(t, stalls != 0, "no lane is stalled: %+v", lanes)
}

// Without a listener the load stops by itself, with a reason.
func TestNobodyListens(t *testing.T) {
	e, target := demo(t, sim.Options{}, nil)
	target.URL = "http://" + probetest.Refuses(t) + "/v1"
	l := Start(context.Background(), Config{Engine: e, Target: target, Work: metrics.Workload{Prompt: "x", MaxTokens: 5},
		Shape: Shape{Drive: loadstat.Drive{Users: 16}}, Seed: 1})
	l.Wait()
	if v := l.View(); v.Broken.Code != metrics.EndingFailures || v.Running || v.Failed < hopelessAfter ||
		v.Faults[0].Kind != metrics.FaultConnect || v.LastFault == nil || v.LastFault.Kind != metrics.FaultConnect {
		t.Errorf("%+v: %d failed, %+v, the last %+v", v.Broken, v.Failed, v.Faults, v.LastFault)
	}
}

// The end of a context stops the load, and so does closing the engine.
func TestOutsideEnds(t *testing.T) {
	t.Parallel() // most of it is waiting
	e, target := demo(t, sim.Options{}, nil)
	ctx, cancel := context.WithCancel(context.Background())
	c := Config{Engine: e, Target: target, Work: metrics.Workload{Prompt: "x", MaxTokens: 4000},
		Shape: Shape{Drive: loadstat.Drive{Users: 8}}, Seed: 1}
	one := Start(ctx, c)
	until(t, one, "decoding", func(v *loadstat.View) bool { return v.Decoding > 0 })
	cancel()
	one.Wait()
	if v := one.View(); v.Running || v.Cancelled == 0 || v.Failed != 0 || v.Stopped.Code != "" {
		t.Errorf("after the context: %d cancelled, %d failed, %+v", v.Cancelled, v.Failed, v.Stopped)
	}
	two := Start(context.Background(), c)
	until(t, two, "decoding", func(v *loadstat.View) bool { return v.Decoding > 0 })
	e.Close()
	two.Wait()
	if v := two.View(); v.Running || v.Stopped.Code != metrics.EndingClosing {
		t.Errorf("after the engine: %+v", v.Stopped)
	}
}

// A lane opens as a stream, while it runs and after.
func TestOpenLane(t *testing.T) {
	e, target := demo(t, sim.Options{Speed: 8}, nil)
	l := Start(context.Background(), Config{Engine: e, Target: target, Work: metrics.Workload{Prompt: "x", MaxTokens: 30},
		Shape: Shape{Drive: loadstat.Drive{Users: 2}}, Seed: 1})
	if _, ok := l.Stream(99); ok {
		t.Error("user 99 has a stream")
	}
	until(t, l, "six answers", func(v *loadstat.View) bool { return v.Done >= 6 })
	l.Drain()
	l.Wait()
	s, ok := l.Stream(2)
	testkit.That(t, ok && s.State == metrics.Done && len(s.Chunks) != 0 && s.ID == l.View().Lanes[1].Stream,
		"lane 2: %v, state %v", ok, s.State)
}
