package metrics_test

import (
	"math"
	"slices"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/stats"
	"tokscope/metrics/testkit"
)

// wait is a wait as it will turn out, and the part of it that has passed. runs: its
// request has not ended, even if the wait is over.
type wait struct {
	whole, passed float64
	runs          bool
}

func (w wait) finished() bool { return w.passed >= w.whole }

// boundByHand reads the lower bound of the q-quantile out of a list of waits, as
// its definition says: the values in order, counted one by one.
func boundByHand(waits []wait, q float64, least int) (bound float64, ok bool) {
	var ended, passed []float64
	for _, w := range waits {
		if w.finished() {
			passed = append(passed, w.whole)
		}
		if w.finished() && !w.runs {
			ended = append(ended, w.whole)
		}
	}
	slices.Sort(ended)
	slices.Sort(passed)
	at := func(sorted []float64) float64 { return stats.Quantile(sorted, q) }
	all, counted := slices.Clone(passed), 0
	for _, w := range waits {
		if !w.finished() && (len(ended) == 0 || w.passed > at(ended)) {
			all, counted = append(all, w.passed), counted+1
		}
	}
	if counted == 0 || len(all) < least {
		return 0, false
	}
	slices.Sort(all)
	bound = at(all)
	reached := len(passed) > 0 && float64(len(all)-1)*q <= float64(len(passed)-1)
	return bound, !reached || bound > 1.1*at(passed)
}

// Lower bounds agree with a reading by hand, and hold once every wait has ended.
func TestAtLeast(t *testing.T) {
	rng := testkit.Rand(t, 17)
	given, withheld := 0, 0
	for range 3000 {
		n := 1 + rng.IntN(250)
		patience := rng.ExpFloat64()
		var waits []wait
		var ended, running, lasting []float64
		for range n {
			w := wait{math.Round(1000 * rng.ExpFloat64()), math.Round(1000 * patience * rng.ExpFloat64()), rng.IntN(3) == 0}
			switch waits = append(waits, w); {
			case !w.finished():
				lasting = append(lasting, w.passed)
			case w.runs:
				running = append(running, w.whole)
			default:
				ended = append(ended, w.whole)
			}
		}
		have := metrics.AtLeastOf(ended, running, lasting)
		for _, l := range []struct {
			q     float64
			least int
			have  metrics.Value
		}{{0.50, metrics.MinP50, have.P50}, {0.90, metrics.MinP90, have.P90}, {0.95, metrics.MinP95, have.P95},
			{0.99, metrics.MinP99, have.P99}} {
			want, ok := boundByHand(waits, l.q, l.least)
			if l.have.OK != ok || ok && math.Abs(l.have.V-want) > 1e-9*want {
				t.Fatalf("%d ended, %d run, %d last: the %g-quantile is at least %+v; by hand %v, %v", len(ended), len(running),
					len(lasting), l.q, l.have, want, ok)
			}
			if !ok {
				withheld++
				continue
			}
			given++
			slices.Sort(ended)
			var whole []float64
			for _, w := range waits {
				if w.finished() || len(ended) == 0 || w.passed > stats.Quantile(ended, l.q) {
					whole = append(whole, w.whole)
				}
			}
			slices.Sort(whole)
			if turned := stats.Quantile(whole, l.q); len(whole) != l.have.N || turned < l.have.V-1e-9 {
				t.Fatalf("the %g-quantile of %d waits turns out as %v, below the bound %+v", l.q, len(whole), turned, l.have)
			}
		}
	}
	testkit.Given(t, given >= 500 && withheld >= 500, "%d bounds and %d without: the test was not tried", given, withheld)
}

// Where requests end as fast as they come, the few that wait change nothing. Where
// none has ended, the median is at least the median of the waits.
func TestAtLeastIsRare(t *testing.T) {
	var ended, young, old []float64
	for i := range 300 {
		ended = append(ended, 900+float64(i))
	}
	for i := range 12 {
		young, old = append(young, 100*float64(i)), append(old, 1000*float64(i+1))
	}
	testkit.Is(t, metrics.AtLeastOf(ended, nil, young), metrics.AtLeast{}, "12 young waits of 312 give")
	if have := metrics.AtLeastOf(ended, nil, old); have.P50.OK || !have.P99.OK || have.P99.V < 8000 {
		t.Errorf("12 long waits of 312 give %+v", have)
	}
	if have := metrics.AtLeastOf(nil, nil, old); have.P50 != metrics.Known(6500, 12) || !have.P90.OK || have.P95.OK ||
		have.P99.OK {
		t.Errorf("12 waits, none ended: %+v", have)
	}
	testkit.Is(t, metrics.AtLeastOf(ended, ended, nil), metrics.AtLeast{}, "nothing waits")
}
