package race

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/figure"
	"tokscope/metrics/racestat"
	"tokscope/metrics/testkit"
	"tokscope/probe/probetest"
)

// fakeServer restarts in virtual time.
type fakeServer struct {
	takes time.Duration
	fail  func(n int) *metrics.Fault // of restart n, from 0; nil: none
	lanes []int
	ended int
}

func (f *fakeServer) restart(ctx context.Context, lane int, gone func()) *metrics.Fault {
	f.lanes = append(f.lanes, lane)
	select {
	case <-time.After(f.takes / 2):
	case <-ctx.Done():
		return &metrics.Fault{Kind: metrics.FaultCancelled}
	}
	gone()
	select {
	case <-time.After(f.takes / 2):
	case <-ctx.Done():
		return &metrics.Fault{Kind: metrics.FaultCancelled}
	}
	if f.fail != nil {
		return f.fail(len(f.lanes) - 1)
	}
	return nil
}

func (f *fakeServer) end() { f.ended++ }

// swapped plays a race with a Swap between lanes in virtual time.
func swapped(t *testing.T, lanes int, swap racestat.Swap, seed uint64, server *fakeServer, a func(lane, n int) answer,
	during func(*Race), edit ...func(*Config)) (racestat.View, *track) {
	t.Helper()
	swap.Command = []string{"restart", "{lane}"}
	return play(t, lanes, racestat.Plan{Swap: &swap, Seed: seed, Bounds: bounds}, a, during,
		append(edit, func(c *Config) { c.server = server })...)
}

// a setup is a server with two settings in virtual time: its times drift over the race, and
// differ more from start to start than within one.
type setup struct {
	effect         float64 // of the second setting on the time between tokens
	drift          float64 // over the race, a share
	starts, within float64 // deviations of logarithms
}

// run runs a race of 6 blocks a lane.
func (x setup) run(t *testing.T, seed uint64) racestat.View {
	r := rand.New(rand.NewPCG(seed, 27))
	server := &fakeServer{takes: 20 * time.Second}
	wave, starts, pace, wait := 6*r.Float64(), 0, 0.0, 0.0
	v, _ := swapped(t, 2, racestat.Swap{Blocks: 6, Requests: 5}, seed, server, func(lane, _ int) answer {
		if starts != len(server.lanes) {
			starts = len(server.lanes)
			at := float64(starts) / 12
			drift := x.drift * (at + math.Sin(wave+5*at)/3)
			pace, wait = drift+x.starts*r.NormFloat64(), drift+x.starts*r.NormFloat64()
		}
		setting := 1.0
		if lane == 1 {
			setting = x.effect
		}
		return answer{ttft: 300 * math.Exp(wait+x.within*r.NormFloat64()),
			tpot: 12 * setting * math.Exp(pace+x.within*r.NormFloat64()), tokens: 40}
	}, nil)
	return v
}

// TestSwapNamesTheFasterSetting holds what a race with a Swap promises of 12 blocks: a
// setting that takes 10 % less between tokens is named in 95 of 100 races, and of equal
// ones a winner, in whatever figure, in at most 5 of 100. With TOKSCOPE_LONG=1 1,000 races
// of each setup.
func TestSwapNamesTheFasterSetting(t *testing.T) {
	n := probetest.Cases(200, 40)
	if testkit.Long() {
		n = 1000
	}
	r := testkit.Rand(t, 27)
	equal, named := 0, 0
	for _, x := range []setup{
		{effect: 0.9, drift: 0.05, starts: 0.025, within: 0.015},
		{effect: 1, drift: 0.05, starts: 0.025, within: 0.015},
		{effect: 1, drift: 0.5, starts: 0.02, within: 0.1},
		{effect: 1, drift: 0.02, starts: 0.3, within: 0.01},
	} {
		right, wrong, missed := 0, 0, 0
		for range n {
			v := x.run(t, r.Uint64())
			testkit.Given(t, v.Ended == racestat.EndBlocks && len(v.Blocks) == 12, "%q after %d blocks", v.Ended, len(v.Blocks))
			wait, _ := v.Verdict(figure.TTFT, 0, 1)
			pace, _ := v.Verdict(figure.TPOT, 0, 1)
			if pace.State == racestat.Decided && pace.Leader == 1 {
				right++
			}
			if wait.State == racestat.Decided || pace.State == racestat.Decided {
				wrong++
			}
			if pace.Lo > x.effect || pace.Hi < x.effect {
				missed++
			}
		}
		if x.effect == 1 {
			equal, named = equal+n, named+wrong
			t.Logf("%+v: %d of %d equal ones have a winner, %d intervals miss the truth", x, wrong, n, missed)
		} else if t.Logf("%+v: %d of %d right, %d intervals miss the truth", x, right, n, missed); right*100 < n*95 {
			t.Errorf("%+v: %d of %d right", x, right, n)
		}
		testkit.That(t, float64(missed) <= binomial(n, 0.025), "%+v: %d of %d intervals miss the truth", x, missed, n)
	}
	testkit.That(t, float64(named) <= binomial(equal, racestat.Level), "%d of %d equal ones have a winner", named, equal)
}

// binomial returns how many of n cases of this probability there may be by chance.
func binomial(n int, p float64) float64 { return float64(n)*p + 4*math.Sqrt(float64(n)*p*(1-p)) + 1 }

// TestSwapOrder: each lane has its blocks in an order that is drawn and that the seed
// repeats; each block has its own restart and warm-up; what warms up counts nowhere; and
// nothing is settled before the last block.
func TestSwapOrder(t *testing.T) {
	swap := racestat.Swap{Blocks: 7, Requests: 3}
	server, told, rounds := &fakeServer{takes: 10 * time.Second}, 0, 0
	a := func(lane, n int) answer {
		ms := 100 + float64(lane)*20 + float64(n%4)
		return answer{ttft: ms, tpot: ms / 10, tokens: 20}
	}
	var early []racestat.State
	hear := func(c *Config) {
		c.Ended = func(s *metrics.Stream, _ *metrics.Figures) {
			if told++; s.Work.Lane != c.Lanes[server.lanes[len(server.lanes)-1]].Label {
				t.Errorf("a request of lane %q", s.Work.Lane)
			}
		}
		c.Round = func(v racestat.View) {
			if rounds++; rounds < 21 {
				early = append(early, v.Verdicts[0].State)
				testkit.That(t, v.Verdicts[0].P == 0 && v.Verdicts[0].Lo == 0, "an interval after %d blocks", rounds)
			}
		}
	}
	v, x := swapped(t, 3, swap, 5, server, a, nil, hear)
	count := [3]int{}
	for i, b := range v.Blocks {
		if count[b.Lane]++; b.N != i+1 || b.Lane != v.BlockOrder[i] || b.Lane != server.lanes[i] || len(b.Results) != 3 ||
			b.Ready-b.Began != 10*time.Second || b.First <= b.Ready || b.Last <= b.First || b.Values[figure.TTFT].N != 3 {
			t.Errorf("block %d: %+v", i, b)
		}
	}
	testkit.That(t, count == [3]int{7, 7, 7} && !slices.IsSorted(v.BlockOrder) && server.ended == 1 && rounds == 21,
		"%v blocks in order %v, %d rounds, server ended %d times", count, v.BlockOrder, rounds, server.ended)
	if len(x.sent) != 21*5 || told != 21*3 || v.Lanes[0].Counted != 21 || v.Lanes[0].Requests != 35 {
		t.Errorf("%d requests, %d told, lane %+v", len(x.sent), told, v.Lanes[0])
	}
	if slices.ContainsFunc(early, func(s racestat.State) bool { return s != racestat.Open }) || len(early) != 20 {
		t.Errorf("before the last block: %v", early)
	}
	for _, w := range v.Verdicts {
		if w.State != racestat.Decided || w.Leader != w.A || w.N != 14 || w.Needs != 14 || w.P > racestat.SwapAlpha(3) ||
			w.Scope() != racestat.Lasting || !(w.Lo > 1 && w.Lo <= w.Ratio && w.Ratio <= w.Hi) {
			t.Errorf("%+v", w)
		}
	}
	if len(v.Verdicts) != 6 || v.Alpha != racestat.Level/6 || v.Step != racestat.NoStep || v.Block.N != 0 ||
		v.Bounds != (racestat.Bounds{}) {
		t.Errorf("%d verdicts at %v, %q, %+v", len(v.Verdicts), v.Alpha, v.Step, v.Bounds)
	}
	if m := v.Median(figure.TTFT, 1); m.N != 21 || m.V < 120 || m.V > 123 {
		t.Errorf("median %+v", m)
	}
	if m, n, w := v.Mean(figure.TTFT, 1), v.Mean(figure.TTFT, 0), v.Verdicts[0]; m.N != 7 ||
		math.Abs(m.V/n.V-w.Ratio) > 1e-9 {
		t.Errorf("means %v and %v, ratio %v", n, m, w.Ratio)
	}
	again, _ := swapped(t, 3, swap, 5, &fakeServer{}, a, nil)
	testkit.That(t, slices.Equal(again.BlockOrder, v.BlockOrder), "the same seed draws otherwise")
}

// TestSwapEndsAtAnyMoment: a stop and a hold work while the server restarts, while it warms
// up and in a block; what was measured stays, and decides nothing.
func TestSwapEndsAtAnyMoment(t *testing.T) {
	a := func(int, int) answer { return answer{ttft: 100, tpot: 10, tokens: 91} } // 1 s
	for _, x := range []struct {
		after   time.Duration
		step    racestat.Step
		results int
	}{
		{2 * time.Second, racestat.Starting, 0}, {4 * time.Second, racestat.Starting, 0}, {7 * time.Second, racestat.Waiting,
			0}, {11 * time.Second, racestat.WarmingUp, 0},
		{12500 * time.Millisecond, racestat.Measuring, 0}, {13500 * time.Millisecond, racestat.Measuring, 1},
	} {
		for _, hold := range []bool{false, true} {
			server := &fakeServer{takes: 10 * time.Second}
			block := 15 * time.Second
			v, _ := swapped(t, 2, racestat.Swap{Blocks: 5, Requests: 3}, 1, server, a, func(r *Race) {
				time.Sleep(3*block + x.after)
				if v := r.View(); v.Step != x.step || v.Block.N != 4 || len(v.Block.Results) != x.results {
					t.Errorf("after %v: %q, %+v", x.after, v.Step, v.Block)
				}
				if hold {
					r.Hold(true)
					time.Sleep(time.Hour)
				}
				r.Stop()
			})
			if waited := x.after == 4*time.Second; waited && !hold != (v.Block.Fault != nil &&
				strings.Contains(v.Block.Fault.Message, "the old server at ")) {
				t.Errorf("after %v, hold %v: %v", x.after, hold, v.Block.Fault)
			}
			if v.Ended != racestat.EndStopped || len(v.Blocks) != 3 || v.Step != racestat.NoStep || server.ended != 1 {
				t.Errorf("after %v: %q, %d blocks, %q", x.after, v.Ended, len(v.Blocks), v.Step)
			}
			for _, w := range v.Verdicts {
				testkit.That(t, w.State == racestat.Undecided && w.N == 3 && w.Needs == 10 && w.P == 0, "%+v", w)
			}
		}
	}
}

// TestSwapFailures: a restart that fails ends the race with its fault, and all blocks before
// it stay; a block of which most requests fail has no value, and the others are judged.
func TestSwapFailures(t *testing.T) {
	fault := &metrics.Fault{Kind: metrics.FaultConfig, Message: "no such port"}
	server := &fakeServer{fail: func(n int) *metrics.Fault {
		if n == 9 {
			return fault
		}
		return nil
	}}
	good := func(lane, n int) answer { return answer{ttft: 100 + 50*float64(lane), tpot: 10, tokens: 9} }
	v, _ := swapped(t, 2, racestat.Swap{Blocks: 5, Requests: 3}, 1, server, good, nil)
	if w, _ := v.Verdict(figure.TTFT, 0, 1); v.Ended != racestat.EndRestart || len(v.Blocks) != 9 ||
		v.Block.Fault != fault || v.Block.N != 10 ||
		w.State != racestat.Undecided || w.N != 9 || w.Leader != 0 || math.Abs(w.Ratio-1.5) > 0.01 || !math.IsInf(w.Hi, 1) ||
		server.ended != 1 {
		t.Errorf("%q, %d blocks, %+v; %+v", v.Ended, len(v.Blocks), v.Block, w)
	}
	refused := &metrics.Fault{Kind: metrics.FaultConnect, Message: "refused"}
	server = &fakeServer{}
	v, _ = swapped(t, 2, racestat.Swap{Blocks: 6, Requests: 3}, 1, server, func(lane, n int) answer {
		if len(server.lanes) == 3 || len(server.lanes) == 4 && n%5 == 3 { // of 3 requests all, or one
			return answer{fault: refused}
		}
		return good(lane, n)
	}, nil)
	lost, one := v.Blocks[2], v.Blocks[3]
	if lost.Failed != 3 || lost.Values[figure.TTFT].OK || lost.Fault != refused || one.Failed != 1 ||
		one.Values[figure.TTFT].N != 2 {
		t.Errorf("%+v\n%+v", lost, one)
	}
	w, _ := v.Verdict(figure.TTFT, 0, 1)
	if w.State != racestat.Decided || w.Leader != 0 || w.N != 11 || w.Left != 1 || w.P != 2.0/462 ||
		v.Ended != racestat.EndBlocks {
		t.Errorf("%+v", w)
	}
	if w, _ := v.Verdict(figure.TPOT, 0, 1); w.State != racestat.Equal {
		t.Errorf("equal ones: %+v", w)
	}
	testkit.That(t, v.Lanes[lost.Lane].Lost+v.Lanes[1-lost.Lane].Lost == 4 && v.Throughout() < 0, "%+v", v.Lanes)
}

// TestSwapWithoutAPace: an answer that may have been held back makes no setting the slower
// one.
func TestSwapWithoutAPace(t *testing.T) {
	v, _ := swapped(t, 2, racestat.Swap{Blocks: 5, Requests: 3}, 1, &fakeServer{}, func(lane, n int) answer {
		return answer{ttft: 2000, tpot: []float64{20, 0.05}[lane] + float64(n%5)/1000, tokens: 30}
	}, nil)
	w, _ := v.Verdict(figure.TPOT, 0, 1)
	testkit.That(t, w.State == racestat.AtOnce && w.Leader == -1 && w.Lo == 0, "%+v", w)
}

// TestSwapCheck: what cannot work is refused in words before anything runs.
func TestSwapCheck(t *testing.T) {
	right := racestat.Swap{Command: []string{"x", "a={lane}"}, Blocks: 6, Requests: 5}
	six := []string{"a", "b", "c", "d", "e", "f"}
	for name, c := range map[string]struct {
		edit   func(*racestat.Swap)
		labels []string
		want   string
	}{
		"good":        {func(*racestat.Swap) {}, []string{"off", "on"}, ""},
		"five blocks": {func(s *racestat.Swap) { s.Blocks = 5 }, []string{"-ub=512", "2_0.4"}, ""},
		"one":         {func(*racestat.Swap) {}, []string{"on"}, "name 2 to 6 settings, such as off,on"},
		"four blocks": {func(s *racestat.Swap) { s.Blocks = 4 }, []string{"off", "on"},
			"4 blocks a setting: 2 settings take 5 to 8; fewer cannot decide anything"},
		"six of six": {func(*racestat.Swap) {}, six,
			"6 blocks a setting: 6 settings take 7 to 8; fewer cannot decide anything"},
		"too many": {func(s *racestat.Swap) { s.Blocks = 9 }, six,
			"9 blocks a setting: 6 settings take 7 to 8; more would be hours of restarts"},
		"no lane": {func(s *racestat.Swap) { s.Command = []string{"x", "{lanes}"} }, []string{"off", "on"},
			"the command is the same for every setting: write {lane} where its name belongs"},
		"a shell's word": {func(*racestat.Swap) {}, []string{"off", "on;rm"}, `the setting "on;rm"`},
		"a blank":        {func(*racestat.Swap) {}, []string{"off", ""}, `the setting ""`},
		"twice":          {func(*racestat.Swap) {}, []string{"on", "on"}, `the setting "on": give each a name of its own`},
		"no request": {func(s *racestat.Swap) { s.Requests = 0 }, []string{"off", "on"},
			"0 requests a block: it takes 1 to 100"},
	} {
		s := right
		c.edit(&s)
		if err := s.Check(c.labels); (err == nil) != (c.want == "") || err != nil && fmt.Sprint(err)[:len(c.want)] != c.want {
			t.Errorf("%s: %v", name, err)
		}
	}
}
