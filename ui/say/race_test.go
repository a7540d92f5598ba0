package say

import (
	"math"
	"math/rand/v2"
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

// TestRaceFactor checks that a factor is how many times as long the other lane takes,
// whichever lane leads, and that no winner is named by less than is worth naming.
func TestRaceFactor(t *testing.T) {
	for _, c := range []struct {
		leader int
		lo, hi float64
		want   string
	}{
		{0, 1.25, 5, "A 2.5x faster (1.2–5.0)"},
		{1, 0.2, 0.8, "B 2.5x faster (1.2–5.0)"},
		{0, 5.3, 5.5, "A 5.4x faster (5.3–5.5)"},
		{0, 1.04, 4.1, "A 2.1x faster (1.04–4.10)"},
		{0, 2, 2, "A 2.00x faster (2.00–2.00)"},
		{0, 1.004, 5.9, "A ahead, not certain by how much (1.00–5.90)"},
		{1, 1 / 5.9, 1 / 1.004, "B ahead, not certain by how much (1.00–5.90)"},
	} {
		v := raceVerdict(figure.TTFT, racestat.Decided, c.leader, c.lo, c.hi)
		is(t, RaceState(&v, RaceLetter, &racestat.View{Band: 1.03}), c.want)
	}
	open := raceVerdict(figure.TTFT, racestat.Decided, 0, 1.25, math.Inf(1))
	open.Ratio = 2
	is(t, RaceState(&open, RaceLetter, &racestat.View{Band: 1.03}), "A 2.0x faster (at least 1.2)")
}

// TestNoForecastIsRefuted holds that the sentence and the rows of a race name the same number
// of pairs, at most as many as the forecast was made from, and none otherwise.
func TestNoForecastIsRefuted(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		sigma, board := []float64{0.02, 0.2, 1}[r.IntN(3)], racestat.NewBoard(2, racestat.Level, racestat.Band, 30)
		view := racestat.View{Lanes: []racestat.Lane{{Label: "one"}, {Label: "two"}}, Band: 1.03, Bounds: racestat.DefaultBounds, Running: true}
		for n := range 3 + r.IntN(12) {
			round := racestat.Round{N: n + 1, Dropped: n == 0, Order: []int{0, 1}, Results: make([]racestat.Result, 2)}
			for lane := range round.Results {
				for _, f := range racestat.Times {
					round.Results[lane].Values[f] = metrics.Known(100*math.Exp(float64(lane)*0.2+sigma*r.NormFloat64()), 1)
				}
			}
			board.Add(&round)
			view.Rounds = append(view.Rounds, round)
		}
		view.Verdicts = board.Verdicts()
		text := RaceSentence(&view)
		_, after, said := strings.Cut(text, "~")
		first := true
		for i := range view.Verdicts {
			w := &view.Verdicts[i]
			if state := RaceState(w, RaceLetter, &view); strings.Contains(state, "~") && w.Forecast > w.N {
				t.Errorf("a forecast of %d pairs from %d: %q", w.Forecast, w.N, state)
			} else if w.Figure != figure.Failures && !w.State.Settled() && first {
				first = false
				if _, row, has := strings.Cut(state, "~"); has != said || !strings.HasPrefix(after, row) {
					t.Errorf("%q beside the row %q", text, state)
				}
			}
		}
	}
}

// TestRaceStates checks the words of every state.
func TestRaceStates(t *testing.T) {
	view := &racestat.View{Band: 1.03, Bounds: racestat.Bounds{Pairs: 30}, Rounds: make([]racestat.Round, 2)}
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
	is(t, racePending(&short), "TTFT: too few: 4 of 11 pairs.")
	for _, c := range []struct {
		v    racestat.Verdict
		in   *racestat.View
		want string
	}{
		{few, &ended, "too few: 4 of 11 pairs"},
		{raceVerdict(figure.TTFT, racestat.TooEarly, 0, 1, 2), view, "A 1.4x ahead, not certain yet; more pairs needed"},
		{more, view, "no clear difference yet; ~12 more pairs until decided"},
		{raceVerdict(figure.TTFT, racestat.Remote, -1, 0.9, 2), view, "no clear difference yet; 30 pairs may not decide it"},
		{raceVerdict(figure.TTFT, racestat.Undecided, 0, 0.9, 2), &ended, "not decided in 2 pairs"},
		{raceVerdict(figure.TTFT, racestat.Undecided, 0, 0.9, 2), &cut, "not decided in 2 pairs"},
		{raceVerdict(figure.TTFT, racestat.Decided, 0, 1.25, 2), view, "A 1.6x faster (1.2–2.0)"},
		{scoped(figure.TTFT, racestat.Decided, 13, 0.1), view, "A 1.6x faster (1.2–2.0), in these 13 pairs"},
		{scoped(figure.TTFT, racestat.Decided, 50, 0.5), view, "A 1.6x faster (1.2–2.0), in these 50 pairs"},
		{scoped(figure.TTFT, racestat.Equal, 13, 0.1), view, "no difference (within 3 %), in these 13 pairs"},
		{raceVerdict(figure.Failures, racestat.Decided, 1, 1, 1), view, "B fails less often"},
		{scoped(figure.Failures, racestat.Decided, 50, math.NaN()), view, "A fails less often, in this race"},
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
	if s := RaceSentence(&view); s != "TTFT: one ahead, not certain yet; more pairs needed." {
		t.Errorf("too early: %q", s)
	}
	view.Verdicts[0].Forecast = 10
	is(t, RaceSentence(&view), "TTFT: one ahead, not certain yet; ~10 more pairs until decided. They take 500 tokens, 10.0 s.")
	view.Verdicts = []racestat.Verdict{raceVerdict(figure.TTFT, racestat.Decided, 1, 0.5, 0.8), raceVerdict(figure.TPOT, racestat.Equal, 0, 0.99, 1.01), raceVerdict(figure.Total, racestat.Undecided, 0, 0.9, 2)}
	view.Running, view.Ended = false, racestat.EndPairs
	want := "two is 1.6x faster to the first token than one (1.2–2.0). No difference in TPOT (within 3 %). Total: not decided in 1 pair."
	is(t, RaceSentence(&view), want)
	view.Verdicts[0].N, view.Verdicts[1].Lag1 = 13, 0.5
	want = "two is 1.6x faster to the first token than one (1.2–2.0), in these 13 pairs. No difference in TPOT (within 3 %), in these 50 pairs. Total: not decided in 1 pair."
	is(t, RaceSentence(&view), want)
	view.Verdicts[2] = raceVerdict(figure.Total, racestat.Decided, 0, 1.25, 2)
	want = "two is 1.6x faster to the first token than one (1.2–2.0), in these 13 pairs. one is 1.6x faster to the end than two (1.2–2.0). No difference in TPOT (within 3 %), in these 50 pairs."
	is(t, RaceSentence(&view), want)
	view.Verdicts[1].State, view.Verdicts[2].State = racestat.AtOnce, racestat.AtOnce
	want = "two is 1.6x faster to the first token than one (1.2–2.0), in these 13 pairs. Nothing is said of TPOT and total: answers came all at once."
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
