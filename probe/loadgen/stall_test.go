package loadgen

import (
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

// At 256 users the prefill of some stretches the gaps of all, repeatedly. A
// batch works like that: hardly any slice of a lane is a stall, also while
// the users join.
func TestPrefillOfOthersIsNoStall(t *testing.T) {
	probetest.TakesTime(t, "a minute of virtual time with 256 users")
	synctest.Test(t, func(t *testing.T) {
		f := serve(t, sim.DefaultModel)
		l := modelLoad(f, Config{Seed: 7, Shape: Shape{Drive: loadstat.Drive{Users: 1}, Join: 4 * time.Second}}, 1000, 200)
		defer stopAll(l, f)
		time.Sleep(5 * time.Second)
		l.Resize(256)
		stalled, decoding := 0, 0
		for range 3 {
			time.Sleep(15 * time.Second)
			v := l.View()
			for _, n := range v.Lanes {
				for _, s := range n.Past[max(len(n.Past)-150, 0):] {
					switch s.State {
					case loadstat.LaneStalled:
						stalled++
					case loadstat.LaneDecoding:
						decoding++
					}
				}
			}
		}
		v := l.View()
		t.Logf("%d slices of %d stalled; gap p50 %.0f ms, p99 %.0f ms, stall after %v", stalled, decoding, v.Live.Gaps.P50.V,
			v.Live.Gaps.P99.V, v.StallAfter)
		testkit.That(t, decoding >= 10_000 && stalled*1000 <= decoding, "%d slices of %d are stalls", stalled, decoding)
	})
}

// A lane that stops while the others continue is soon a stall; so are all
// lanes when the whole server stops.
func TestStalls(t *testing.T) {
	l, streams, now := manual(&testing.B{}, 10)
	for range 200 {
		grow(streams, now, 2, sampleEvery)
		l.look()
	}
	states := func() (stalled int) {
		for i := range l.View().Lanes {
			if l.View().Lanes[i].State == loadstat.LaneStalled {
				stalled++
			}
		}
		return stalled
	}
	testkit.Is(t, states(), 0, "lanes stall although every gap is 25 ms")
	for range 6 { // 300 ms, twelve gaps
		grow(streams[1:], now, 2, sampleEvery)
		streams[0].v.Now = *now
		l.look()
	}
	if n := states(); n != 1 || l.pool.users[0].state != loadstat.LaneStalled {
		t.Errorf("%d lanes stall, the first is %v", n, l.pool.users[0].state)
	}
	for range 6 {
		grow(streams, now, 0, sampleEvery)
		l.look()
	}
	testkit.Is(t, states(), 10, "of 10 lanes stall while nothing comes at all")
}

// The warning about this program itself does not flicker around its limit.
func TestLimitsDoNotFlicker(t *testing.T) {
	var lag clientLag
	for i, x := range []struct {
		late time.Duration
		says bool
	}{{4900, false}, {5100, true}, {4900, true}, {5100, true}, {3600, true}, {3400, false}, {4900, false}, {9000, true}} {
		o := metrics.Observer{N: 500, LateP99: x.late * time.Microsecond}
		why := lag.limits(o, metrics.Known(2, 9), 50*time.Millisecond, &lagRing{}, 1)
		testkit.That(t, (why.Code != "") == x.says, "look %d, %v late: %+v", i, o.LateP99, why)
	}
}

// A lag is no limit where it changes no figure that is shown: it has to be a part of the
// time of a request.
func TestALagIsComparedWithRequests(t *testing.T) {
	for _, c := range []struct {
		request time.Duration
		says    bool
	}{{0, false}, {100 * time.Millisecond, true}, {5 * time.Second, false}} {
		var lag clientLag
		o := metrics.Observer{N: 500, LateP99: 12600 * time.Microsecond}
		if why := lag.limits(o, metrics.Known(6, 9), c.request, &lagRing{}, 8); (why.Code != "") != c.says {
			t.Errorf("12.6 ms of requests of %v: %+v", c.request, why)
		} else if c.says && math.Abs(why.Slower-12.6/112.6) > 1e-9 {
			t.Errorf("it costs at most %v of the throughput", why.Slower)
		}
	}
}
