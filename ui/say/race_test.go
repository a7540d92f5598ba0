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
	"tokscope/metrics/testkit"
)

func raceVerdict(f figure.ID, state racestat.State, leader int, lo, hi float64) racestat.Verdict {
	return racestat.Verdict{Figure: f, A: 0, B: 1, State: state, Leader: leader, Standing: stats.Standing{N: 50,
		Needs: 11, Lag1: 0.1, Ratio: math.Sqrt(lo * hi), Lo: lo, Hi: hi}}
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

// TestEveryLaneThatFailsIsNamed holds that the end of a race in which nothing came tells of all
// lanes, and of one alone where the others answer.
func TestEveryLaneThatFailsIsNamed(t *testing.T) {
	fault := &metrics.Fault{Kind: metrics.FaultConnect}
	failed := racestat.Lane{Requests: 3, Faults: []metrics.FaultCount{{Kind: fault.Kind, N: 3}}, Last: fault}
	v := racestat.View{Lanes: []racestat.Lane{failed, failed}, Began: 1, Ended: racestat.EndLane}
	v.Lanes[0].Label, v.Lanes[1].Label = "A", "B"
	is(t, RaceSentence(&v), "A failed in every round: no connection. B failed in every round: no connection.")
	v.Lanes[0] = racestat.Lane{Label: "A", Requests: 3}
	v.Failing = 1
	is(t, RaceSentence(&v), "B failed in every round: no connection.")
}

// TestNoForecastIsRefuted holds that the sentence and the rows of a race name the same number
// of pairs, at most as many as the forecast was made from, and none otherwise.
func TestNoForecastIsRefuted(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		sigma, board := []float64{0.02, 0.2, 1}[r.IntN(3)], racestat.NewBoard(2, racestat.Level, racestat.Band, 30)
		view := racestat.View{Lanes: []racestat.Lane{{Label: "one"}, {Label: "two"}}, Band: 1.03,
			Bounds: racestat.DefaultBounds, Running: true}
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
				_, row, has := strings.Cut(state, "~")
				testkit.That(t, has == said && strings.HasPrefix(after, row), "%q beside the row %q", text, state)
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
	view := racestat.View{Lanes: lanes, Band: 1.03, Bounds: racestat.Bounds{Pairs: 30}, Running: true,
		Rounds: []racestat.Round{{Dropped: true}, {}},
		Spent:  racestat.Spent{Tokens: 100, Free: true, Time: 2 * time.Second, Money: metrics.Known(0, 0)}}
	view.Verdicts = []racestat.Verdict{raceVerdict(figure.TTFT, racestat.TooEarly, 0, 0, math.Inf(1)),
		raceVerdict(figure.TPOT, racestat.TooEarly, 0, 0, math.Inf(1))}
	s := RaceSentence(&view)
	testkit.That(t, s == "TTFT: one ahead, not certain yet; more pairs needed.", "too early: %q", s)
	view.Verdicts[0].Forecast = 10
	is(t, RaceSentence(&view),
		"TTFT: one ahead, not certain yet; ~10 more pairs until decided. They take 500 tokens, 10.0 s.")
	view.Verdicts = []racestat.Verdict{raceVerdict(figure.TTFT, racestat.Decided, 1, 0.5, 0.8),
		raceVerdict(figure.TPOT, racestat.Equal, 0, 0.99, 1.01), raceVerdict(figure.Total, racestat.Undecided, 0, 0.9, 2)}
	view.Running, view.Ended = false, racestat.EndPairs
	want := "two is 1.6x faster to the first token than one (1.2–2.0). No difference in TPOT (within 3 %). Total: not " +
		"decided in 1 pair."
	is(t, RaceSentence(&view), want)
	view.Verdicts[0].N, view.Verdicts[1].Lag1 = 13, 0.5
	want = "two is 1.6x faster to the first token than one (1.2–2.0), in these 13 pairs. No difference in TPOT (within " +
		"3 %), in these 50 pairs. Total: not decided in 1 pair."
	is(t, RaceSentence(&view), want)
	view.Verdicts[2] = raceVerdict(figure.Total, racestat.Decided, 0, 1.25, 2)
	want = "two is 1.6x faster to the first token than one (1.2–2.0), in these 13 pairs. one is 1.6x faster to the end " +
		"than two (1.2–2.0). No difference in TPOT (within 3 %), in these 50 pairs."
	is(t, RaceSentence(&view), want)
	view.Verdicts[1].State, view.Verdicts[2].State = racestat.AtOnce, racestat.AtOnce
	want = "two is 1.6x faster to the first token than one (1.2–2.0), in these 13 pairs. Nothing is said of TPOT and " +
		"total: answers came all at once."
	is(t, RaceSentence(&view), want)
	view.Began = metrics.NoStamp
	is(t, RaceSentence(&view), "No race has begun.")
}

// TestRaceCost checks the words of what a race takes.
func TestRaceCost(t *testing.T) {
	for want, s := range map[string]racestat.Spent{
		"1,000 tokens, 2.00 s": {Tokens: 1000, Free: true, Time: 2 * time.Second},
		"about 1,000 tokens, price unknown, 2.00 s": {Tokens: 1000, Estimated: true, Time: 2 * time.Second,
			Money: metrics.Unknown(metrics.WhyNoPrice)},
	} {
		is(t, RaceCost(s), want)
	}
}

// TestRaceVaried checks what is said of a field that varies: what the answers say of it,
// and nothing that they do not say.
func TestRaceVaried(t *testing.T) {
	view := func(vary string, edit ...func(a, b *racestat.Lane)) *racestat.View {
		lanes, field, err := racestat.ParseContest("groq --vary " + vary).Lanes()
		testkit.OK(t, err)
		v := racestat.View{Lanes: lanes, Vary: field, Band: 1.03, Ended: racestat.EndPairs, Rounds: make([]racestat.Round,
			13),
			Verdicts: []racestat.Verdict{raceVerdict(figure.TTFT, racestat.Decided, 1, 0.5, 0.8)}}
		for i := range v.Lanes {
			v.Lanes[i].Requests = 13
		}
		for _, f := range edit {
			f(&v.Lanes[0], &v.Lanes[1])
		}
		return &v
	}
	tiers := func(a, b string) func(x, y *racestat.Lane) {
		return func(x, y *racestat.Lane) {
			x.Asked.Tier, y.Asked.Tier, x.Served.Tier, y.Served.Tier = "default", "priority", a, b
		}
	}
	is(t, RaceVaried(view("extra.top_k=1,2")),
		"extra.top_k of the request alone; the answers do not say whether the server used it")
	is(t, RaceVaried(view("tier=default,priority")),
		"tier of the request alone; the answers do not say whether the server used it")
	is(t, RaceVaried(view("tier=default,priority", tiers("default", "priority"))),
		"tier of the request alone; the answers say A default, B priority")
	is(t, RaceVaried(view("tier=default,priority", tiers("default", "default"))),
		"tier of the request alone; the answers say A default, B default")
	is(t, RaceVaried(view("tier=default,priority", tiers("", "priority"))),
		"tier of the request alone; the answers say A –, B priority")
	is(t, RaceVaried(view("extra.bogus=1,2", func(a, b *racestat.Lane) {
		a.Faults, b.Faults = []metrics.FaultCount{{N: 13}}, []metrics.FaultCount{{N: 13}}
	})), "extra.bogus of the request alone")
	is(t, RaceVaried(&racestat.View{Lanes: make([]racestat.Lane, 2)}), "")

	is(t, RaceVaried(view("api=chat,responses")),
		"the API alone: the same prompt, bound and sampling, as far as each API has them")
	hidden := func(a, b int) *racestat.View {
		return view("api=chat,responses", func(x, y *racestat.Lane) { x.Hidden, y.Hidden = a, b })
	}
	is(t, RaceHidden(hidden(0, 12)),
		"thinking that was not sent, or as a summary, is left out of tokens and TPOT of B in 12 of 13 answers, not of the "+
			"others: compare the total")
	is(t, RaceHidden(hidden(13, 12))+RaceHidden(hidden(0, 0)), "")

	down := func(n int) func(a, b *racestat.Lane) { return func(_, b *racestat.Lane) { b.Otherwise = n } }
	won := view("tier=default,priority", tiers("default", "default"), down(13))
	is(t, RaceSentence(won), "tier=priority (served as default in 13 of 13 answers) is 1.6x faster to the first token "+
		"than tier=default (1.2–2.0).")
	won.Verdicts[0].State = racestat.Undecided
	is(t, RaceSentence(won), "tier=priority was served as default in 13 of 13 answers. TTFT: not decided in 13 pairs.")
	mixed := view("tier=default,priority", tiers("default", "priority"), down(2))
	is(t, RaceSentence(mixed),
		"tier=priority (served otherwise in 2 of 13 answers) is 1.6x faster to the first token than tier=default (1.2–2.0).")
	other := view("model=a,b", func(a, b *racestat.Lane) {
		a.Endpoint.Model, b.Endpoint.Model, a.Model, b.Model = "a", "b", "a", "a"
	})
	is(t, RaceSentence(other), "model=b (answered by a) is 1.6x faster to the first token than model=a (1.2–2.0).")
	is(t, RaceVaried(other), "model of the request alone; the answers say A a, B a")
	is(t, RaceSentence(view("tier=default,priority")),
		"tier=priority is 1.6x faster to the first token than tier=default (1.2–2.0).")
}

// swapped is a race of off and on after so many of its 12 blocks.
func swapped(blocks int) *racestat.View {
	v := &racestat.View{Lanes: []racestat.Lane{{Label: "off"},
		{Label: "on", Endpoint: metrics.Endpoint{URL: "http://h/v1"}}}, Band: 1.03, Running: true,
		Swap:       &racestat.Swap{Command: []string{"./serve.sh", "{lane}"}, Blocks: 6, Requests: 5},
		BlockOrder: make([]int, 12), Blocks: make([]racestat.Block, blocks),
		Spent: racestat.Spent{Time: time.Duration(blocks) * time.Minute}}
	v.Verdicts = []racestat.Verdict{{Figure: figure.TTFT, B: 1, State: racestat.Open}, {Figure: figure.TPOT, B: 1,
		State: racestat.Open}}
	return v
}

// TestSwapStep writes what a race of settings does at each moment.
func TestSwapStep(t *testing.T) {
	v := swapped(4)
	is(t, SwapStep(v), "")
	v.Block, v.Now = racestat.Block{N: 5, Lane: 1, Began: time.Minute}, 68*time.Second
	for step, want := range map[racestat.Step]string{
		racestat.NoStep: "", racestat.Starting: ": waiting for the old server at http://h/v1 to end, 8 s",
		racestat.Waiting:   ": waiting for the model, 8 s",
		racestat.WarmingUp: ": warming up, not counted", racestat.Measuring: ": request 3 of 5",
	} {
		v.Step, v.Block.Results = step, make([]racestat.Result, 2)
		is(t, SwapStep(v), "block 5 of 12, B on"+want)
	}
	v.Step, v.Now = racestat.Starting, 62*time.Second
	is(t, SwapStep(v), "block 5 of 12, B on: restarting the server, 2 s")
	v.Step, v.Block.Results = racestat.Measuring, make([]racestat.Result, 5)
	is(t, SwapStep(v), "block 5 of 12, B on: request 5 of 5")
	v.Running = false
	is(t, SwapStep(v), "")
	is(t, SwapRuns(v), "./serve.sh {lane} before each of 12 blocks")
}

// TestSwapSentence names no winner before all blocks are there, and then prefill and
// decode apart, also where a setting helps one and costs the other.
func TestSwapSentence(t *testing.T) {
	is(t, RaceSentence(swapped(0)), "Runs ./serve.sh {lane} before each of 12 blocks. All are judged at the end.")
	v := swapped(4)
	v.Verdicts[0].Leader, v.Verdicts[0].Ratio = 1, 0.5
	is(t, RaceSentence(v), "4 of 12 blocks. Judged when all are there, in about 480 s.")
	is(t, RaceState(&v.Verdicts[0], RaceLetter, v), "judged after all 12 blocks")
	stopped := swapped(4)
	stopped.Running, stopped.Ended = false, racestat.EndStopped
	is(t, RaceSentence(stopped), "Stopped after 4 of 12 blocks: nothing is judged before all are there.")
	stopped.Block.Fault = &metrics.Fault{Kind: metrics.FaultCancelled,
		Message: "the old server at http://h/v1 had not ended", Next: "end it"}
	is(t, RaceSentence(stopped),
		"Stopped after 4 of 12 blocks: nothing is judged before all are there. The old server at http://h/v1 had not "+
			"ended: end it.")
	short := raceVerdict(figure.TTFT, racestat.Undecided, 0, 0, 2)
	short.N, short.Needs = 4, 12
	is(t, RaceState(&short, RaceLetter, stopped), "not judged: 4 of 12 blocks")
	failed := swapped(4)
	failed.Running, failed.Ended = false, racestat.EndRestart
	failed.Block = racestat.Block{N: 5, Lane: 1, Fault: &metrics.Fault{Kind: metrics.FaultConfig,
		Message: "./serve.sh ended with exit status 3: no such model"}}
	is(t, RaceSentence(failed),
		"The server did not come back as on, for block 5: "+failed.Block.Fault.Error()+". Nothing is judged; what was "+
			"measured is kept.")

	v = swapped(12)
	v.Running, v.Ended = false, racestat.EndBlocks
	v.Verdicts = []racestat.Verdict{raceVerdict(figure.TTFT, racestat.Decided, 0, 1.25, 2),
		raceVerdict(figure.TPOT, racestat.Decided, 1, 0.5, 0.8)}
	for i := range v.Verdicts {
		v.Verdicts[i].N, v.Verdicts[i].Needs, v.Verdicts[i].P = 12, 12, 2./924
	}
	is(t, RaceSentence(v), "off is 1.6x faster to the first token than on (1.2–2.0). on is 1.6x faster per token than "+
		"off (1.2–2.0).")
	is(t, SwapP(&v.Verdicts[1]), "0.0022")
	v.Verdicts[0].State = racestat.Equal
	if s := RaceSentence(v); !strings.HasSuffix(s, " No difference in TTFT (within 3 %).") {
		t.Error(s)
	}
	v.Verdicts[0].State, v.Verdicts[0].N = racestat.Undecided, 11
	if s := RaceSentence(v); !strings.HasSuffix(s, " TTFT: no clear difference in 12 blocks.") {
		t.Error(s)
	}
}
