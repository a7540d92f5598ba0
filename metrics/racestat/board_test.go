package racestat

import (
	"math"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/figure"
	"tokscope/metrics/testkit"
)

// roundOf is a round of lanes with these times; NaN is unknown, +Inf a failure.
func roundOf(n int, order []int, ms ...float64) *Round {
	r := &Round{N: n, Order: order}
	for _, x := range ms {
		res := Result{}
		for f := range res.Values {
			res.Values[f] = metrics.Unknown(metrics.WhyNotCounted)
			if !math.IsNaN(x) && !math.IsInf(x, 1) {
				res.Values[f] = metrics.Known(x, 1)
			}
		}
		if math.IsInf(x, 1) {
			res.Fault = &metrics.Fault{Kind: metrics.FaultReset}
		}
		r.Results = append(r.Results, res)
	}
	return r
}

func find(t *testing.T, all []Verdict, f figure.ID, a, b int) Verdict {
	t.Helper()
	for _, v := range all {
		if v.Figure == f && v.A == a && v.B == b {
			return v
		}
	}
	t.Fatalf("no verdict on %v of %d and %d", f, a, b)
	return Verdict{}
}

// TestBoardStates follows the state of a verdict over a race of three lanes: the
// second equals the first, the third takes half as long again.
func TestBoardStates(t *testing.T) {
	b := NewBoard(3, Level, Band, 60)
	testkit.Is(t, b.Alpha(), Level/15, "level")
	first, firstDecided := 0, 0
	for n := 1; n <= 60; n++ {
		x := 100 + float64(n%5)
		noise := 0.2 * float64(n%3-1)
		b.Add(roundOf(n, []int{n % 3, (n + 1) % 3, (n + 2) % 3}, x, x+noise, 1.5*x))
		all := b.Verdicts()
		same, slow := find(t, all, figure.TTFT, 0, 1), find(t, all, figure.TTFT, 0, 2)
		testkit.Given(t, n >= same.Needs || same.State == TooEarly && slow.State == TooEarly,
			"after %d of %d: %s, %s", n, same.Needs, same.State, slow.State)
		if same.State == Equal && first == 0 {
			first = n
		}
		if slow.State == Decided && firstDecided == 0 {
			firstDecided = n
			testkit.That(t, slow.Leader == 0 && slow.Lo >= 1.49 && slow.Hi <= 1.51,
				"the slow lane: leader %d, %v to %v", slow.Leader, slow.Lo, slow.Hi)
		}
		testkit.Need(t, Settled(all), n >= firstDecided && firstDecided > 0 && same.State == Equal, "after", n, "settled")
	}
	testkit.That(t, first != 0 && firstDecided == 12, "equal after %d, decided after %d", first, firstDecided)
}

// TestBoardForecast checks that what is not within the bound is called so, and that
// the end of the race makes it undecided.
func TestBoardForecast(t *testing.T) {
	for most, want := range map[int]State{30: Remote, 2000: Open} {
		b := NewBoard(2, Level, Band, most)
		for n := 1; n <= 20; n++ {
			x := 100.0
			if n%5 < 2 {
				x = 150
			}
			b.Add(roundOf(n, []int{0, 1}, x, 120))
		}
		v := find(t, b.Verdicts(), figure.Total, 0, 1)
		testkit.That(t, v.State == want && (v.Forecast > 0) == (want == Open) && v.Leader == 0,
			"bound %d: %s, %d more, leader %d", most, v.State, v.Forecast, v.Leader)
		b.End()
		if v := find(t, b.Verdicts(), figure.Total, 0, 1); v.State != Undecided || v.Forecast != 0 {
			t.Errorf("ended: %s, %d more", v.State, v.Forecast)
		}
	}
}

// TestBoardFailures checks the rules of failures, of figures without a value, and
// of the dropped round.
func TestBoardFailures(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	b := NewBoard(2, Level, Band, 30)
	dropped := roundOf(1, []int{0, 1}, 1, inf)
	dropped.Dropped = true
	b.Add(dropped)
	for n, x := range [][2]float64{{100, inf}, {inf, inf}, {inf, 100}, {100, 110}, {nan, 110}} {
		b.Add(roundOf(n+2, []int{0, 1}, x[0], x[1]))
	}
	all := b.Verdicts()
	if v := find(t, all, figure.TTFT, 0, 1); v.N != 1 || v.Left != 4 {
		t.Errorf("TTFT: %d pairs, %d left out", v.N, v.Left)
	}
	if v := find(t, all, figure.Total, 0, 1); v.N != 3 || v.Left != 2 || v.Wins != 2 || v.Losses != 1 {
		t.Errorf("total: %+v", v)
	}
	if v := find(t, all, figure.Failures, 0, 1); v.N != 2 || v.Wins != 1 || v.Losses != 1 || v.State != Open ||
		!math.IsNaN(v.Ratio) || v.Leader != -1 {
		t.Errorf("failures: %+v", v)
	}
	none := NewBoard(2, Level, Band, 30)
	for n := 1; n <= 12; n++ {
		none.Add(roundOf(n, []int{0, 1}, nan, 5))
	}
	all = none.Verdicts()
	testkit.Is(t, find(t, all, figure.TPOT, 0, 1).State, Missing, "a figure that a lane never")
	if v := find(t, all, figure.Failures, 0, 1); v.State != None || !Settled(all) {
		t.Errorf("failures: %s, settled %v", v.State, Settled(all))
	}
}

// TestTurned checks that a verdict turned twice is the same.
func TestTurned(t *testing.T) {
	b := NewBoard(2, Level, Band, 30)
	for n := 1; n <= 14; n++ {
		b.Add(roundOf(n, []int{1, 0}, 100, 150+float64(n%3)))
	}
	view := View{Verdicts: b.Verdicts()}
	v, _ := view.Verdict(figure.TTFT, 0, 1)
	w, ok := view.Verdict(figure.TTFT, 1, 0)
	testkit.That(t, ok && w.A == 1 && w.Wins == v.Losses && math.Abs(w.Lo*v.Hi-1) <= 1e-12 && w.Leader == 0,
		"turned: %+v", w)
	testkit.That(t, v.Faster == 1 && w.Faster == -1 && w.State == v.State,
		"the faster lane: %v, turned %v", v.Faster, w.Faster)
	x := w.Turned()
	testkit.That(t, x.A == 0 && math.Abs(x.Ratio-v.Ratio) <= 1e-12, "twice: %+v", x)
}

// TestCost checks what more pairs cost.
func TestCost(t *testing.T) {
	v := View{Rounds: make([]Round, 4), Spent: Spent{Tokens: 400, Billed: 200, Time: 8 * time.Second,
		Money: metrics.Known(0.04, 0)}}
	cost := v.CostOf(6)
	if cost.Tokens != 600 || cost.Billed != 300 || cost.Time != 12*time.Second || math.Abs(cost.Money.V-0.06) > 1e-12 {
		t.Errorf("%+v", cost)
	}
	c := (&View{}).CostOf(3)
	testkit.That(t, !c.Money.OK && c.Tokens == 0, "before a round: %+v", c)
}
