package race_test

import (
	"context"
	"flag"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/figure"
	"tokscope/metrics/racestat"
	"tokscope/metrics/testkit"
	"tokscope/probe/client"
	"tokscope/probe/endpoint"
	"tokscope/probe/probetest"
	"tokscope/probe/race"
	"tokscope/probe/sim"
)

var (
	long   = testkit.Long() // run -races races of each kind over HTTP; 100 take half an hour
	number = flag.Int("races", 100, "with TOKSCOPE_LONG=1: how many races of each kind")
	from   = flag.Int("from", 1, "with TOKSCOPE_LONG=1: the seed of the first one; the others count from there")
)

// lanesOfRaces is how many races run at the same time, each with servers of its
// own. They hardly use the processor: they wait for their streams.
const lanesOfRaces = 4

// work is a short answer, so that a hundred races take minutes.
var work = metrics.Workload{Name: "short", Prompt: "Say something.", MaxTokens: 16}

// simulated returns an embedded endpoint at that speed.
func simulated(t *testing.T, speed float64) *sim.Server {
	t.Helper()
	s := testkit.Must(sim.Start(sim.Options{Speed: speed}))(t)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		_ = s.Close(ctx)
	})
	return s
}

// at returns the target of an embedded endpoint at url.
func at(url string) endpoint.Target {
	return endpoint.Target{Endpoint: metrics.Endpoint{Kind: metrics.EndpointEmbedded, Name: "demo", URL: url,
		Model: sim.DefaultModel}, Auth: endpoint.AuthNone, Server: "tokscope"}
}

// twoServers returns lanes on two embedded endpoints, the second at that speed.
func twoServers(t *testing.T, speed float64) (lanes []race.Lane) {
	return []race.Lane{{Label: "a", Target: at(simulated(t, 1).URL())},
		{Label: "b", Target: at(simulated(t, speed).URL())}}
}

// oneServer returns lanes on one embedded endpoint that differ in their tier. The second
// is served at that speed.
func oneServer(t *testing.T, speed float64) []race.Lane {
	s := httptest.NewServer(byTier(simulated(t, 1).Handler(), simulated(t, speed).Handler()))
	t.Cleanup(s.Close)
	return varied(t, at(s.URL+"/v1"))
}

// raced runs one race over HTTP.
func raced(t *testing.T, e *client.Engine, lanes []race.Lane, plan racestat.Plan) racestat.View {
	t.Helper()
	plan.Work = work
	r := race.Start(t.Context(), race.Config{Engine: e, Lanes: lanes, Plan: plan})
	r.Wait()
	v := r.View()
	for i := range v.Lanes {
		testkit.Is(t, v.Lanes[i].Last, nil, "a request failed")
	}
	return v
}

// races runs n races with seeds from first on, some at the same time, between
// two lanes that between returns, and calls judge with each.
func races(t *testing.T, n, first int, between func() []race.Lane, plan racestat.Plan, judge func(i int, swapped bool,
	v racestat.View)) {
	var (
		mu   sync.Mutex
		wg   sync.WaitGroup
		next int
	)
	for range min(n, lanesOfRaces) {
		lanes := between()
		wg.Go(func() {
			e := client.New(client.Options{})
			defer e.Close()
			for {
				mu.Lock()
				i := next
				next++
				mu.Unlock()
				if i >= n {
					return
				}
				these, swapped := slices.Clone(lanes), i%2 == 1
				if swapped {
					slices.Reverse(these)
				}
				p := plan
				p.Seed = uint64(first + i)
				v := raced(t, e, these, p)
				mu.Lock()
				judge(i, swapped, v)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
}

// TestNamesTheFasterOne races the embedded endpoint against itself at half its speed, over
// HTTP. The right one must be named for TPOT within 30 pairs in both of two races. With
// TOKSCOPE_LONG=1, on a calm machine, it is in 95 of 100 at nine tenths of the speed: a
// loaded one rightly leaves so small a difference open.
func TestNamesTheFasterOne(t *testing.T) {
	t.Parallel() // most of it is waiting
	probetest.TakesTime(t, "races over real HTTP")
	n, first, least, speed := 2, 1, 2, 0.5
	if long {
		n, first, least, speed = *number, *from, *number*95/100, 0.9
	}
	right, pairs := 0, 0
	races(t, n, first, func() []race.Lane { return twoServers(t, speed) },
		racestat.Plan{Bounds: racestat.Bounds{Pairs: 30}}, func(i int, swapped bool, v racestat.View) {
			want := 0
			if swapped {
				want = 1
			}
			w, _ := v.Verdict(figure.TPOT, 0, 1)
			pairs += v.Pairs()
			if w.State == racestat.Decided && w.Leader == want {
				right++
			} else {
				t.Logf("race %d: %s, leader %d, ratio %.3f (%.3f to %.3f) of %d pairs", first+i, w.State, w.Leader, w.Ratio, w.Lo,
					w.Hi, w.N)
			}
		})
	t.Logf("%d of %d races named the faster one for TPOT, with %.1f pairs on average", right, n, float64(pairs)/float64(n))
	testkit.That(t, right >= least, "%d of %d races named the faster one, fewer than %d", right, n, least)
}

// TestNamesNoneOfTwoEqual races two equal endpoints on, whatever they say. With
// TOKSCOPE_LONG=1, of 100 races to 200 pairs at most 5 may name a winner in any figure, and
// at least 80 must end without a difference in TPOT. Without it two short races
// may name none for TPOT.
func TestNamesNoneOfTwoEqual(t *testing.T) {
	t.Parallel() // most of it is waiting
	probetest.TakesTime(t, "races over real HTTP")
	n, first, pairs := 2, 1001, 25
	if long {
		n, first, pairs = *number, 1000+*from, 200
	}
	named, wrong, same := 0, 0, 0
	races(t, n, first, func() []race.Lane { return twoServers(t, 1) },
		racestat.Plan{Bounds: racestat.Bounds{Pairs: pairs}, Endless: true}, func(i int, _ bool, v racestat.View) {
			some := 0
			for _, w := range v.Verdicts {
				if w.State != racestat.Decided {
					continue
				}
				some = 1
				if w.Figure == figure.TPOT {
					wrong++
				}
				t.Logf("race %d names a winner: %v, ratio %.4f (%.4f to %.4f)", first+i, w.Figure, w.Ratio, w.Lo, w.Hi)
			}
			named += some
			w, _ := v.Verdict(figure.TPOT, 0, 1)
			if w.State == racestat.Equal {
				same++
			} else {
				t.Logf("race %d, TPOT: %s, ratio %.4f (%.4f to %.4f)", first+i, w.State, w.Ratio, w.Lo, w.Hi)
			}
		})
	t.Logf("%d of %d races of %d pairs named a winner, %d for TPOT; %d ended without a difference in TPOT", named, n,
		pairs, wrong, same)
	switch {
	case long && (named > n*5/100 || same < n*80/100):
		t.Errorf("%d named a winner, at most %d may; %d without a difference, at least %d must", named, n*5/100, same,
			n*80/100)
	case !long && wrong > 0:
		t.Errorf("%d of two short races between equals name a winner for TPOT", wrong)
	}
}

// TestVariedOverHTTP races one embedded endpoint against itself with a field that varies:
// ten races in which it has no effect, of which one at most may name a winner, and ten in
// which it takes a tenth of the speed, which nine at least must name.
func TestVariedOverHTTP(t *testing.T) {
	if !long {
		t.Skip("minutes of real HTTP: TOKSCOPE_LONG=1 runs it")
	}
	const n = 10
	plan := racestat.Plan{Bounds: racestat.Bounds{Pairs: 60}}
	named, right := 0, 0
	races(t, n, 2000+*from, func() []race.Lane { return oneServer(t, 1) }, plan, func(i int, _ bool, v racestat.View) {
		for _, w := range v.Verdicts {
			if w.State == racestat.Decided {
				named++
				t.Logf("race %d names a winner: %v, ratio %.4f (%.4f to %.4f)", i, w.Figure, w.Ratio, w.Lo, w.Hi)
				return
			}
		}
	})
	races(t, n, 3000+*from, func() []race.Lane { return oneServer(t, 0.9) }, plan,
		func(i int, swapped bool, v racestat.View) {
			w, _ := v.Verdict(figure.TPOT, 0, 1)
			if w.State == racestat.Decided && v.Lanes[w.Leader].Value == "default" {
				right++
				return
			}
			t.Logf("race %d: %s, leader %d, ratio %.3f (%.3f to %.3f) of %d pairs", i, w.State, w.Leader, w.Ratio, w.Lo, w.Hi,
				w.N)
		})
	t.Logf("no effect: %d of %d named a winner; 9 tenths of the speed: %d of %d named the faster one", named, n, right, n)
	testkit.That(t, named <= 1 && right >= 9, "more than one, or fewer than nine")
}
