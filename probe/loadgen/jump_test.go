package loadgen

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/testkit"
	"tokscope/probe/probetest"
	"tokscope/probe/sim"
)

// Large jumps of the slider, at once or key by key (with TOKSCOPE_LONG=1 both). Every steady point
// agrees with the engine's own clock for that window, and is close to the
// long-run values. A burst mistaken for the steady state would be ten times
// off.
//
// The bounds on the median are wide for two reasons. Prompts that meet are
// answered in groups, and the median jumps from one group to the next (48 and
// 65 ms at 64 users). Users with short answers of one length drift towards
// each other for minutes, too slowly for a window to detect, while throughput
// is constant.
func TestJumpsAreNotCalledSteadyTooEarly(t *testing.T) {
	probetest.TakesTime(t, "ten minutes of virtual time")
	seed := testkit.Seed(t)
	for k, x := range []struct {
		out   int
		drift float64 // of TTFT p50, long run relative to a steady point
	}{{60, 0.6}, {200, 0.5}} {
		for i, jump := range [][2]int{{1, 64}, {1, 256}, {64, 1}} {
			for _, keys := range []bool{false, true} {
				if !testkit.Long() && keys != (i%2 == k) {
					continue
				}
				t.Run(fmt.Sprintf("%d to %d of %d tokens, key by key %v", jump[0], jump[1], x.out, keys), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) { jumps(t, seed+uint64(i), jump, x.out, keys, x.drift) })
				})
			}
		}
	}
}

func jumps(t *testing.T, seed uint64, jump [2]int, out int, keys bool, drift float64) {
	rng := rand.New(rand.NewPCG(seed, uint64(out)))
	f := serve(t, sim.DefaultModel)
	l := modelLoad(f, Config{Seed: seed, Shape: Shape{Drive: loadstat.Drive{Users: jump[0]}, Join: 4 * time.Second}},
		1000, out)
	defer stopAll(l, f)
	time.Sleep(time.Duration(8000+rng.IntN(4000)) * time.Millisecond)
	for n := 2 * jump[0]; keys && n < jump[1]; n *= 2 {
		l.Resize(n)
		time.Sleep(time.Duration(50+rng.IntN(400)) * time.Millisecond)
	}
	l.Resize(jump[1])
	var steady []loadstat.Point
	for range 4 * 100 {
		time.Sleep(250 * time.Millisecond)
		if p := l.View().Live; p.Steady && p.Users == jump[1] && (len(steady) == 0 || p.To != steady[len(steady)-1].To) {
			steady = append(steady, p)
		}
	}
	if len(steady) == 0 {
		t.Fatalf("nothing was steady in 100 s: %+v", l.View().Live.Why)
	}
	now := f.now()
	long, all := f.truth(now-metrics.Stamp(50*time.Second), now)
	if off := worstOff(steady, func(p *loadstat.Point) (float64,
		float64) {
		return p.TTFT.P50.V, long.P50.V
	}); off > drift {
		t.Errorf("TTFT p50 of a steady point is %.0f %% off the long run's %.1f ms (first %.1f)", 100*off, long.P50.V,
			steady[0].TTFT.P50.V)
	}
	if off := worstOff(steady, func(p *loadstat.Point) (float64, float64) { return p.Total.V, all }); off > 0.2 {
		t.Errorf("throughput of a steady point is %.0f %% off the long run's %.0f tok/s", 100*off, all)
	}
	if off := worstOff(steady, func(p *loadstat.Point) (float64, float64) {
		engine, _ := f.truth(p.From, p.To)
		return p.TTFT.Mean.V, engine.Mean.V
	}); off > 0.1 {
		t.Errorf("mean TTFT of a steady point is %.0f %% off what the engine did in its own window", 100*off)
	}
}

// worstOff is the largest relative distance of a figure from the truth.
func worstOff(points []loadstat.Point, of func(*loadstat.Point) (have, want float64)) (worst float64) {
	for i := range points {
		have, want := of(&points[i])
		worst = max(worst, math.Abs(have-want)/want)
	}
	return worst
}

// truth returns the values of the engine's own clock for from..to. These are
// the TTFT, ms, of the requests sent and ended in that time, and the tokens
// per second of those ended.
func (f *served) truth(from, to metrics.Stamp) (ttft metrics.Dist, total float64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []float64
	tokens := 0
	for _, r := range f.ended {
		if metrics.Stamp(r.Arrive*1e9) >= from && metrics.Stamp(r.Last*1e9) < to {
			all = append(all, r.TTFT()*1000)
		}
		if at := metrics.Stamp(r.Last * 1e9); at >= from && at < to {
			tokens += r.Produced
		}
	}
	return metrics.Distribution(all), float64(tokens) / (float64(to-from) / 1e9)
}
