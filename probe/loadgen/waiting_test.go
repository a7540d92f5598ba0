package loadgen

import (
	"context"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/probe/probetest"
)

// byHand reads the lower bounds of TTFT from the schedule at now out of the list of
// all requests, in the order of sending. began is when the present rate began.
func byHand(f *fake, p *loadstat.Point, warm bool, began, now metrics.Stamp,
	scheduled func(int) metrics.Stamp) metrics.AtLeast {
	var ended, running, lasting []float64
	ms := func(d metrics.Stamp) float64 { return float64(d) / 1e6 }
	asOf := min(p.To, now-metrics.Stamp(settled))
	for i := 0; scheduled(i) < asOf; i++ {
		if i >= len(f.all) {
			lasting = append(lasting, ms(asOf-scheduled(i)))
			continue
		}
		v := f.all[i].Snapshot()
		first := metrics.NoStamp
		if len(v.Chunks) > 0 {
			first = v.Chunks[0].At
		}
		switch {
		case v.Marks.End.Known():
			if warm && v.Marks.Sent >= p.From {
				ended = append(ended, ms(first-scheduled(i)))
			}
		case v.Marks.Sent >= began && first.Known() && first < asOf:
			running = append(running, ms(first-scheduled(i)))
		case v.Marks.Sent >= began:
			lasting = append(lasting, ms(asOf-scheduled(i)))
		}
	}
	return metrics.AtLeastOf(ended, running, lasting)
}

// At ten times its capacity an endpoint answers almost nothing for long. The wait
// of those that are due is a lower bound of TTFT from the schedule from the first
// moment on, and equals a reading of all requests by hand.
func TestWaitsInOverload(t *testing.T) {
	probetest.TakesTime(t, "minutes of virtual time")
	const before, rate = 4.0, 10 * overloadCapacity
	change := metrics.Stamp(5 * time.Second)
	for _, users := range []int{0, 16} {
		synctest.Test(t, func(t *testing.T) {
			f := newFake(overloadPrefill, overloadGap)
			f.slots = make(chan struct{}, overloadSlots)
			shape := Shape{Drive: loadstat.Drive{Rate: before, Users: users}}
			l := start(context.Background(), Config{Work: metrics.Workload{Prompt: "x", MaxTokens: overloadTokens},
				Shape: shape, Seed: 1, Window: 2 * time.Minute}, f.deps())
			scheduled := func(i int) metrics.Stamp { // 20 at the first rate, the last of them at the change
				if i < 20 {
					return evenly(before)(i)
				}
				return change + evenly(rate)(i-20)
			}
			bounds := 0
			var last loadstat.Point
			look := func(d time.Duration, began metrics.Stamp) {
				time.Sleep(d)
				synctest.Wait()
				l.mu.Lock()
				defer l.mu.Unlock()
				now := l.deps.now()
				last = l.window.point(l.phase(now))
				want := byHand(f, &last, l.window.warm, began, now, scheduled)
				if last.FromIntendedAtLeast != want {
					t.Errorf("%d users, at %v: %+v; by hand %+v", users, time.Duration(now), last.FromIntendedAtLeast, want)
				}
				if want.P50.OK {
					bounds++
				}
			}
			for range 4 {
				look(1100*time.Millisecond, 0)
			}
			if last.FromIntendedAtLeast != (metrics.AtLeast{}) || !last.FromIntended.P50.OK {
				t.Errorf("%d users: below capacity the bounds are %+v of %+v", users, last.FromIntendedAtLeast, last.FromIntended)
			}
			time.Sleep(time.Duration(change-l.deps.now()) + time.Nanosecond)
			l.SetDrive(loadstat.Drive{Users: users, Rate: rate})
			for range 40 {
				look(777*time.Millisecond, change+1)
			}
			if b := last.FromIntendedAtLeast; bounds < 40 || !b.P50.OK || !b.P99.OK || b.P50.V < 15_000 || b.P99.V < b.P50.V {
				t.Errorf("%d users: after 31 s of overload %+v, %d bounds", users, b, bounds)
			}
			t.Logf("%d users, 31 s at %.0f/s against %.0f/s: %d ended in the window with p50 %v; p50 at least %.0f ms, p99 "+
				"at least %.0f ms, n=%d",
				users, rate, overloadCapacity, last.FromIntended.N, math.Round(last.FromIntended.P50.V),
				last.FromIntendedAtLeast.P50.V, last.FromIntendedAtLeast.P99.V, last.FromIntendedAtLeast.P50.N)
			finish(l)
			if v := l.View(); !v.Live.FromIntendedAtLeast.P50.OK {
				t.Errorf("%d users: once it was stopped the load has the bounds %+v", users, v.Live.FromIntendedAtLeast)
			}
		})
	}
}
