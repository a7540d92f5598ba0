package loadgen

import (
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
)

// TestWaitsAreOfTheLast30s holds that the chart's percentiles are of the requests
// whose first chunk came in the 30 s before, and withheld where those are few.
func TestWaitsAreOfTheLast30s(t *testing.T) {
	const second = metrics.Stamp(1e9)
	var w series
	for i := range 200 { // four a second, TTFT rises by 1 ms a request
		w.answered(metrics.Stamp(i)*second/4, float64(i+1))
	}
	at := w.quantiles(40 * second) // 42 to 161 ms came after 10 s and up to 40 s
	for k, want := range [...]float64{101.5, 155.05, 159.81} {
		if !at[k].OK || at[k].V < want-1 || at[k].V > want+1 || at[k].N != 120 {
			t.Errorf("percentile %d is %+v, want about %v of 120", k, at[k], want)
		}
	}
	late := w.quantiles(75 * second) // those after 45 s: 182 to 200 ms
	testkit.That(t, late[0].OK && late[0].N == 19 && !late[1].OK && late[1].Why == metrics.Needs(20) && !late[2].OK,
		"of 19 requests: %+v", late)
	none := w.quantiles(500 * second)
	testkit.That(t, !none[0].OK && none[0].Why == metrics.WhyNoFirstChunk, "of none: %+v", none)
	for range 5 * recordsKept {
		w.answered(700*second, 1)
	}
	n := w.quantiles(700 * second)[0].N
	testkit.That(t, n == recordsKept && cap(w.waits) <= 4*recordsKept, "%d requests count, %d have room", n, cap(w.waits))
}

// TestWaitsOfThePresentWork holds that a request that was sent before a change of
// the work does not count after it.
func TestWaitsOfThePresentWork(t *testing.T) {
	w := newWindow(&Config{}, newTimeline(0, longWindow))
	in := newIntake(0, &w)
	v := &metrics.Stream{Marks: metrics.NewMarks()}
	v.Marks.Sent = 0
	in.epoch = 1
	for _, epoch := range []int{0, 1, 1} {
		u := newUser(1, 0, 0)
		u.epoch = epoch
		in.firstChunk(u, v, 5e6)
	}
	n := in.series.quantiles(6e6)[0].N
	testkit.That(t, n == 2, "%d requests count, want the two of the present work", n)
}
