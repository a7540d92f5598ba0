package say

import (
	"math"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/figure"
	"tokscope/metrics/racestat"
	"tokscope/metrics/stats"
)

func raceVerdict(f figure.ID, state racestat.State, leader int, lo, hi float64) racestat.Verdict {
	return racestat.Verdict{Figure: f, A: 0, B: 1, State: state, Leader: leader, Standing: stats.Standing{N: 50, Needs: 11, Lag1: 0.1, Ratio: math.Sqrt(lo * hi), Lo: lo, Hi: hi}}
}

// scoped is a verdict of so many pairs with that autocorrelation.
func scoped(f figure.ID, state racestat.State, n int, lag1 float64) racestat.Verdict {
	v := raceVerdict(f, state, 0, 1.25, 2)
	v.N, v.Lag1 = n, lag1
	return v
}

// TestRaceShare checks that the percent say how much lower the leader is, whichever
// lane it is.
func TestRaceShare(t *testing.T) {
	for _, c := range []struct {
		leader int
		lo, hi float64
		want   string
	}{
		{0, 1.25, 2, "20–50 %"},
		{1, 0.5, 0.8, "20–50 %"},
		{0, 1.25, math.Inf(1), "at least 20 %"},
		{1, 0, 0.8, "at least 20 %"},
		{0, 2, 2, "50 %"},
		{0, 1.004, 1.5, "<1–33 %"},
	} {
		v := raceVerdict(figure.TTFT, racestat.Decided, c.leader, c.lo, c.hi)
		have := RaceShare(&v)
		if strings.ReplaceAll(have, " %–", "–") != c.want {
			t.Errorf("leader %d, %v to %v: %q, want %q", c.leader, c.lo, c.hi, have, c.want)
		}
	}
	open := raceVerdict(figure.TTFT, racestat.Open, 0, 0.9, 2)
	is(t, RaceShare(&open), "")
}

// TestRaceStates checks the words of every state.
func TestRaceStates(t *testing.T) {
	view := &racestat.View{Band: 1.03, Bounds: racestat.Bounds{Pairs: 30}}
	ended := *view
	ended.Ended = racestat.EndPairs
	cut := *view
	cut.Ended = racestat.EndStopped
	more := raceVerdict(figure.TTFT, racestat.Open, 1, 0.9, 2)
	more.Forecast = 12
	few := raceVerdict(figure.TTFT, racestat.Undecided, 0, 0, 2)
	few.N = 4
	short := ended
	short.Lanes, short.Verdicts = make([]racestat.Lane, 2), []racestat.Verdict{few}
	is(t, racePending(&short), "Too few pairs for a verdict on TTFT: 4 of 11.")
	for _, c := range []struct {
		v    racestat.Verdict
		in   *racestat.View
		want string
	}{
		{few, &ended, "too few: 4 of 11 pairs"},
		{raceVerdict(figure.TTFT, racestat.TooEarly, 0, 1, 2), view, "too early: 50 of 11 pairs"},
		{more, view, "B ahead, not settled, ~12 more pairs"},
		{raceVerdict(figure.TTFT, racestat.Remote, -1, 0.9, 2), view, "not settled, not within 30 pairs"},
		{raceVerdict(figure.TTFT, racestat.Undecided, 0, 0.9, 2), &ended, "cannot be told apart within the bound"},
		{raceVerdict(figure.TTFT, racestat.Undecided, 0, 0.9, 2), &cut, "cannot be told apart yet"},
		{raceVerdict(figure.TTFT, racestat.Decided, 0, 1.25, 2), view, "A shorter by 20–50 %"},
		{scoped(figure.TTFT, racestat.Decided, 13, 0.1), view, "A shorter by 20–50 % in these rounds"},
		{scoped(figure.TTFT, racestat.Decided, 50, 0.5), view, "A shorter by 20–50 % in these rounds"},
		{scoped(figure.TTFT, racestat.Equal, 13, 0.1), view, "equal in these rounds (within 3 %)"},
		{raceVerdict(figure.Failures, racestat.Decided, 1, 1, 1), view, "B fails less often"},
		{scoped(figure.Failures, racestat.Decided, 50, math.NaN()), view, "A fails less often in these rounds"},
		{raceVerdict(figure.TPOT, racestat.Equal, 1, 0.99, 1.01), view, "no difference (within 3 %)"},
		{raceVerdict(figure.TPOT, racestat.Missing, -1, 1, 1), view, "no pair has this figure"},
		{raceVerdict(figure.TPOT, racestat.AtOnce, -1, 1, 1), view, "open: answers came all at once"},
		{raceVerdict(figure.Failures, racestat.None, -1, 1, 1), view, "none in one lane alone"},
	} {
		is(t, RaceState(&c.v, RaceLetter, c.in), c.want)
	}
}

// TestRaceSentence checks that the sentence names no winner before one is decided,
// and all that is known at the end.
func TestRaceSentence(t *testing.T) {
	lanes := []racestat.Lane{{Label: "one"}, {Label: "two"}}
	view := racestat.View{Lanes: lanes, Band: 1.03, Bounds: racestat.Bounds{Pairs: 30}, Running: true, Rounds: []racestat.Round{{Dropped: true}, {}},
		Spent: racestat.Spent{Tokens: 100, Free: true, Time: 2 * time.Second, Money: metrics.Known(0, 0)}}
	view.Verdicts = []racestat.Verdict{raceVerdict(figure.TTFT, racestat.TooEarly, 0, 0, math.Inf(1)), raceVerdict(figure.TPOT, racestat.TooEarly, 0, 0, math.Inf(1))}
	if s := RaceSentence(&view); strings.Contains(s, "faster") || !strings.Contains(s, "before 11 pairs") {
		t.Errorf("too early: %q", s)
	}
	view.Verdicts[0].Forecast = 10
	is(t, RaceSentence(&view), "~10 more pairs to settle what can be settled (500 tokens, 10.0 s).")
	view.Verdicts = []racestat.Verdict{raceVerdict(figure.TTFT, racestat.Decided, 1, 0.5, 0.8), raceVerdict(figure.TPOT, racestat.Equal, 0, 0.99, 1.01), raceVerdict(figure.Total, racestat.Undecided, 0, 0.9, 2)}
	view.Running, view.Ended = false, racestat.EndPairs
	want := "two is faster than one: TTFT 20–50 % shorter. No difference in TPOT (within 3 %). The lanes cannot be told apart in total within the bound."
	is(t, RaceSentence(&view), want)
	view.Verdicts[0].N, view.Verdicts[1].Lag1 = 13, 0.5
	want = "two is faster than one in these rounds: TTFT 20–50 % shorter. No difference in TPOT in these rounds (within 3 %). The lanes cannot be told apart in total within the bound."
	is(t, RaceSentence(&view), want)
	view.Verdicts[2] = raceVerdict(figure.Total, racestat.Decided, 0, 1.25, 2)
	want = "two is faster than one in these rounds: TTFT 20–50 % shorter. one is faster than two: total 20–50 % shorter. No difference in TPOT in these rounds (within 3 %)."
	is(t, RaceSentence(&view), want)
	view.Verdicts[1].State, view.Verdicts[2].State = racestat.AtOnce, racestat.AtOnce
	want = "two is faster than one in these rounds: TTFT 20–50 % shorter. Nothing is said of TPOT and total: answers came all at once."
	is(t, RaceSentence(&view), want)
	view.Began = metrics.NoStamp
	is(t, RaceSentence(&view), "No race has begun.")
}

// TestRaceCost checks the words of what a race takes.
func TestRaceCost(t *testing.T) {
	for want, s := range map[string]racestat.Spent{
		"1,000 tokens, 2.00 s":                      {Tokens: 1000, Free: true, Time: 2 * time.Second},
		"about 1,000 tokens, price unknown, 2.00 s": {Tokens: 1000, Estimated: true, Time: 2 * time.Second, Money: metrics.Unknown(metrics.WhyNoPrice)},
	} {
		is(t, RaceCost(s), want)
	}
}
