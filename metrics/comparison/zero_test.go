package comparison

import (
	"math"
	"math/rand/v2"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/condition"
	"tokscope/metrics/history"
	"tokscope/metrics/testkit"
)

// queues returns requests with these queues in ms.
func queues(ms ...float64) []history.Entry {
	return entries(len(ms), func(i int) map[history.Figure]float64 {
		return map[history.Figure]float64{history.Queue: ms[i]}
	})
}

// TestZeroHasNoRatio: where a server reports 0 ms, a figure has a difference in ms
// and no ratio, in whichever sample the 0 is, and a condition on a ratio to 0 is
// not settled and says why.
func TestZeroHasNoRatio(t *testing.T) {
	zeros := queues(make([]float64, 10)...)
	mixed := queues(0, 0, 0, 0, 1, 1, 1, 1, 1, 1)
	for _, c := range []struct {
		name             string
		a, b             []history.Entry
		shift, low, high float64
		state            State
	}{
		{"0 against mostly 1 ms", zeros, mixed, 1, 0, 1, Higher},
		{"mostly 1 ms against 0", mixed, zeros, -1, -1, 0, Lower},
		{"0 against 0", zeros, zeros, 0, 0, 0, Noise},
		{"0 and 0 with a fifth of 1 ms", queues(make([]float64, 40)...),
			queues(append(make([]float64, 32), 1, 1, 1, 1, 1, 1, 1, 1)...), 0, 0, 0, Higher},
		{"one 0 in B", queues(5, 5, 5, 5, 5, 5), queues(8, 8, 8, 8, 8, 0), 3, -5, 3, Higher},
	} {
		res := Of(c.a, c.b)
		r := res.Row(history.Queue)
		testkit.That(t, r.Zero && math.IsNaN(r.Ratio) && r.State == c.state, "%s: %+v", c.name, r)
		testkit.That(t, r.Shift == c.shift && r.ShiftLow == c.low && r.ShiftHigh == c.high,
			"%s: %v ms (%v to %v), want %v (%v to %v)", c.name, r.Shift, r.ShiftLow, r.ShiftHigh, c.shift, c.low, c.high)
	}
	res := Of(queues(1, 1, 1, 1, 2), queues(2, 2, 2, 3, 3))
	if r := res.Row(history.Queue); r.Zero || math.IsNaN(r.Ratio) {
		t.Errorf("without a 0: %+v", r)
	}
	medians := func(a, b float64) *Row {
		var x, y Group
		x.Medians[history.Queue], y.Medians[history.Queue] = metrics.Known(a, 9), metrics.Known(b, 9)
		res := ofGroups(&x, &y)
		return res.Row(history.Queue)
	}
	if r := medians(0, 2); !r.Zero || r.Shift != 2 || !math.IsNaN(r.Ratio) {
		t.Errorf("medians alone: %+v", r)
	}
	if r := medians(2, 3); r.Zero || r.Ratio != 1.5 {
		t.Errorf("medians alone: %+v", r)
	}
	for _, c := range []struct {
		text    string
		b       []history.Entry
		noRatio bool
		want    condition.Outcome
	}{
		{"queue > 1.2x", mixed, true, condition.Unknown},
		{"queue.p90 > 1.2x", mixed, true, condition.Unknown},
		{"queue < 2ms", mixed, false, condition.Met},
		{"queue < 1.2x", mixed, true, condition.Unknown},
	} {
		k := testkit.Must(condition.Parse(c.text))(t)
		setup := Setup{Model: "m"}
		cmp := Compare(&Sample{Groups: []Group{*groupOf(setup, zeros)}}, &Sample{Groups: []Group{*groupOf(setup, c.b)}}, nil)
		cmp.Judge(k, false)
		if v := cmp.Verdicts[0]; v.NoRatio != c.noRatio || v.Outcome != c.want {
			t.Errorf("%s: %+v", c.text, v)
		}
	}
	// A single 0 leaves the medians their ratio.
	a, b := make([]float64, 40), make([]float64, 40)
	for i := range a {
		a[i], b[i] = 10+float64(i%3), 30+float64(i%3)
	}
	a[0] = 0
	res = Of(queues(a...), queues(b...))
	if v, low, high := res.Interval(&condition.Condition{Figure: history.Queue, Quantile: 0.5, Above: true},
		false); math.Abs(v-31.0/11) > 1e-9 || low < 2.4 || high > 3.3 {
		t.Errorf("medians with one 0: %v (%v to %v)", v, low, high)
	}
}

// TestDifferenceHolds: of servers that report whole milliseconds and often 0, at most
// 5 % of comparisons of equals name a difference, and the interval of the difference
// holds the true one in at least 95 %. A queue that is 1 ms longer is found. Beyond 50
// values the test is an approximation, which names a difference of 5.3 % of equals.
func TestDifferenceHolds(t *testing.T) {
	random := testkit.Rand(t, 34)
	tries := 300
	if long {
		tries = 10_000
	}
	most := func(level float64) float64 { return level*float64(tries) + 3*math.Sqrt(0.05*0.95*float64(tries)) }
	draw := func(r *rand.Rand, n int, more float64) []history.Entry {
		ms := make([]float64, n)
		for i := range ms {
			ms[i] = math.Floor(0.8*math.Exp(r.NormFloat64())) + more
		}
		return queues(ms...)
	}
	for _, c := range []struct {
		n    int
		more float64
		find float64 // least share that is named
	}{{8, 0, 0}, {20, 0, 0}, {60, 0, 0}, {8, 1, 0.5}, {20, 1, 0.9}, {60, 1, 0.99}} {
		named, missed := 0, 0
		for range tries {
			res := Of(draw(random, c.n, 0), draw(random, c.n, c.more))
			r := res.Row(history.Queue)
			if !r.Zero {
				continue // by chance without a 0
			}
			if r.Different() {
				named++
			}
			if c.more < r.ShiftLow || c.more > r.ShiftHigh {
				missed++
			}
		}
		t.Logf("%d values each, %v ms more: named in %.1f %%, interval misses in %.1f %%", c.n, c.more,
			100*float64(named)/float64(tries), 100*float64(missed)/float64(tries))
		level := Alpha
		if c.n > 50 {
			level = 0.053
		}
		testkit.That(t, (c.more != 0 || float64(named) <= most(level)) && float64(missed) <= most(Alpha),
			"%d values each, %v ms more: named in %d, missed in %d of %d", c.n, c.more, named, missed, tries)
		if c.find > 0 && float64(named) < c.find*float64(tries)-math.Sqrt(float64(tries)) { // two standard errors
			t.Errorf("%d values each, %v ms more: named in %d of %d", c.n, c.more, named, tries)
		}
	}
}
