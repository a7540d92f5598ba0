package race

import (
	"math"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/figure"
	"tokscope/metrics/racestat"
	"tokscope/metrics/testkit"
)

// TestHeatsAreWhole holds that the requests of a round can be shown again: all lanes of one
// round that counts, the newest, or the one nearest to the medians of those that are kept.
func TestHeatsAreWhole(t *testing.T) {
	slow := func(lane, n int) answer { // pair 5 is the median one, the others are far off
		far := math.Exp(0.1 * math.Abs(float64(n-5)) * []float64{-1, 1}[n%2])
		return answer{ttft: 100 * far, tpot: 10 * far * float64(1+lane), tokens: 10}
	}
	var r *Race
	v, _ := play(t, 2, racestat.Plan{Bounds: racestat.Bounds{Pairs: 12}, Endless: true, Seed: 7}, slow, func(x *Race) {
		r = x
		if n, s := r.Heat(false); n != 0 || s != nil {
			t.Errorf("before any round: %d, %v", n, s)
		}
		time.Sleep(450 * time.Millisecond) // in the dropped round
		if n, _ := r.Heat(true); n != 0 {
			t.Errorf("the dropped round is shown again: %d", n)
		}
	})
	for nearest, want := range map[bool]int{false: 13, true: 6} {
		n, streams := r.Heat(nearest)
		testkit.Given(t, n == want && len(streams) == 2 && len(r.heats) <= mostHeats,
			"nearest %v: round %d of %d kept, want %d", nearest, n, len(r.heats), want)
		for lane := range streams {
			f := metrics.Measure(&streams[lane], metrics.Options{})
			have := v.Rounds[n-1].Results[lane].Values[figure.Total]
			testkit.That(t, have.V == f.Total.V, "round %d, lane %d: total %v, and in its pair %v", n, lane, f.Total, have)
		}
	}
}

// TestFailuresAreNotShownAgain holds that a round in which nothing came is no replay.
func TestFailuresAreNotShownAgain(t *testing.T) {
	var r *Race
	refused := func(lane, n int) answer { return answer{fault: &metrics.Fault{Kind: metrics.FaultConnect}} }
	v, _ := play(t, 2, racestat.Plan{Bounds: racestat.Bounds{Pairs: 3}, Seed: 7}, refused, func(x *Race) { r = x })
	n, _ := r.Heat(true)
	testkit.That(t, n == 0 && len(v.Rounds) > 0, "round %d of %d is shown again", n, len(v.Rounds))
}

// TestAStopKeepsWhatWasMeasured holds that after a stop within a block each lane shows its
// last request that was not cut, with its TTFT.
func TestAStopKeepsWhatWasMeasured(t *testing.T) {
	swap := racestat.Swap{Blocks: 6, Requests: 5}
	server := &fakeServer{takes: 10 * time.Second}
	var r *Race
	v, _ := swapped(t, 2, swap, 3, server, steady(1, 100, 100), func(x *Race) {
		r = x
		time.Sleep(38500 * time.Millisecond) // within the third request of the second block
		r.Stop()
	})
	testkit.Given(t, v.Ended == racestat.EndStopped && len(v.Blocks) == 1,
		"ended %q after %d blocks", v.Ended, len(v.Blocks))
	for lane := range 2 {
		s, ok := r.Stream(lane)
		if f := metrics.Measure(&s, metrics.Options{}); ok && (!f.TTFT.OK || s.State != metrics.Done) {
			t.Errorf("lane %d: %v, TTFT %v", lane, s.State, f.TTFT)
		} else if !ok && lane == v.Block.Lane {
			t.Errorf("lane %d has no request", lane)
		}
	}
}
