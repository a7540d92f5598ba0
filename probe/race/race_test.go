package race

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"tokscope/metrics"
	"tokscope/metrics/figure"
	"tokscope/metrics/racestat"
	"tokscope/metrics/testkit"
	"tokscope/probe/endpoint"
)

func TestMain(m *testing.M) {
	serveIfAsked()
	goleak.VerifyTestMain(m)
}

// answer is how a fake lane answers: its times in virtual ms, or a fault.
type answer struct {
	ttft, tpot float64
	tokens     int
	fault      *metrics.Fault
	conn       metrics.Connection // how its body ended
}

// track is a fake server: it answers each request in virtual time.
type track struct {
	t      *testing.T
	answer func(lane, n int) answer // n counts the lane's requests from 0
	began  time.Time

	mu      sync.Mutex
	sent    []int
	nonces  []string
	active  int
	busiest int
}

type fake struct {
	done chan struct{}
	mu   sync.Mutex
	v    metrics.Stream
}

func (f *fake) Done() <-chan struct{} { return f.done }

func (f *fake) Snapshot() metrics.Stream {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.v
}

func (f *fake) Run(p metrics.Pace) metrics.Run {
	v := f.Snapshot()
	return metrics.Run{Stream: v, Figures: metrics.Measure(&v, metrics.Options{Pace: p})}
}

func (x *track) now() metrics.Stamp { return metrics.Stamp(time.Since(x.began)) }

func (x *track) send(ctx context.Context, lane int, w metrics.Workload) stream {
	x.mu.Lock()
	n := 0
	for _, l := range x.sent {
		if l == lane {
			n++
		}
	}
	x.sent, x.nonces = append(x.sent, lane), append(x.nonces, w.Nonce)
	x.active++
	x.busiest = max(x.busiest, x.active)
	id := len(x.sent)
	x.mu.Unlock()
	a := x.answer(lane, n)
	start := x.now()
	s := &fake{done: make(chan struct{}), v: streamOf(id, start, a, w)}
	answers := time.Duration(a.ttft+a.tpot*float64(a.tokens-1)) * time.Millisecond
	go func() {
		select {
		case <-time.After(answers):
		case <-ctx.Done():
			s.mu.Lock()
			s.v.State, s.v.Fault = metrics.Cancelled, &metrics.Fault{Kind: metrics.FaultCancelled}
			s.mu.Unlock()
		}
		x.mu.Lock()
		x.active--
		x.mu.Unlock()
		close(s.done)
	}()
	return s
}

// streamOf is an ended request that was sent at start.
func streamOf(id int, start metrics.Stamp, a answer, w metrics.Workload) metrics.Stream {
	v := metrics.Stream{ID: id, State: metrics.Done, Marks: metrics.NewMarks(), Usage: metrics.NoUsage(), LiveTokens: -1,
		Work: w, Conn: a.conn}
	v.Marks.Start, v.Marks.Sent = start, start
	at := func(ms float64) metrics.Stamp { return start + metrics.Stamp(ms*1e6) }
	if a.fault != nil {
		v.State, v.Fault, v.Marks.End = metrics.Failed, a.fault, at(a.ttft)
		return v
	}
	for i := range a.tokens {
		t := at(a.ttft + a.tpot*float64(i))
		v.Text = append(v.Text, "word "...)
		v.Chunks = append(v.Chunks, metrics.Chunk{At: t, User: t, Read: int32(i), Event: int32(i), Bytes: 100,
			TextEnd: int32(len(v.Text)), Tokens: 1, Kernel: true})
		v.Marks.End, v.Reads, v.Events = t, i+1, i+1
	}
	v.Marks.FirstByte, v.Marks.FirstEvent = at(a.ttft), at(a.ttft)
	v.Usage.Prompt, v.Usage.Completion, v.TokensFrom = 20, a.tokens, metrics.TokensUsage
	return v
}

// play runs a race between fake lanes in virtual time and returns its end. After
// is called between begin and end, when all is idle.
func play(t *testing.T, lanes int, plan racestat.Plan, a func(lane, n int) answer, during func(*Race),
	edit ...func(*Config)) (racestat.View, *track) {
	t.Helper()
	var v racestat.View
	x := &track{t: t, answer: a}
	synctest.Test(t, func(t *testing.T) {
		x.began = time.Now()
		c := Config{Plan: plan, send: x.send, now: x.now}
		for i := range lanes {
			c.Lanes = append(c.Lanes, Lane{Label: string(rune('a' + i)),
				Target: endpoint.Target{Endpoint: metrics.Endpoint{Kind: metrics.EndpointEmbedded, Name: "demo"}}})
		}
		for _, f := range edit {
			f(&c)
		}
		r := Start(t.Context(), c)
		if during != nil {
			during(r)
		}
		r.Wait()
		v = r.View()
	})
	return v, x
}

func elsewhere(c *Config) {
	for i := range c.Lanes {
		c.Lanes[i].Target.Endpoint = metrics.Endpoint{Kind: metrics.EndpointURL, URL: "https://h.example.com/v1"}
	}
}

// steady answers with the given TPOTs and a jitter that the seed repeats.
func steady(seed uint64, tpot ...float64) func(lane, n int) answer {
	var mu sync.Mutex
	rng := rand.New(rand.NewPCG(seed, 1))
	return func(lane, _ int) answer {
		mu.Lock()
		defer mu.Unlock()
		jitter := func() float64 { return math.Exp(rng.NormFloat64() * 0.02) }
		return answer{ttft: 100 * tpot[lane] / tpot[0] * jitter(), tpot: tpot[lane] * jitter(), tokens: 20}
	}
}

var bounds = racestat.Bounds{Pairs: 30, Most: 10 * time.Minute, Tokens: 20_000}

// TestRaceEndsWhenAllIsSettled checks the winner, and that no pair comes after.
func TestRaceEndsWhenAllIsSettled(t *testing.T) {
	v, x := play(t, 2, racestat.Plan{Bounds: bounds, Seed: 7}, steady(1, 10, 13), nil)
	testkit.Given(t, v.Ended == racestat.EndSettled && !v.Running, "ended %q", v.Ended)
	for _, f := range racestat.Times {
		w, _ := v.Verdict(f, 0, 1)
		testkit.That(t, w.State == racestat.Decided && w.Leader == 0 && w.Lo >= 1.15 && w.Hi <= 1.45,
			"%v: %s, leader %d, %.2f to %.2f", f, w.State, w.Leader, w.Lo, w.Hi)
	}
	if w, _ := v.Verdict(figure.Failures, 0, 1); w.State != racestat.None {
		t.Errorf("failures: %s", w.State)
	}
	if v.Pairs() != 11 || len(x.sent) != 24 { // five figures of two lanes need 11; one round is dropped
		t.Errorf("%d pairs, %d requests", v.Pairs(), len(x.sent))
	}
	testkit.Is(t, x.busiest, 1, "requests at the same time")
	testkit.Is(t, v.Alpha, 0.01, "level of a verdict")
}

// TestOrderIsDrawn checks rounds, orders and nonces: each lane once a round, both
// orders, the same for the same seed, no nonce twice.
func TestOrderIsDrawn(t *testing.T) {
	plan := racestat.Plan{Bounds: racestat.Bounds{Pairs: 29}, Endless: true, Seed: 7}
	v, x := play(t, 3, plan, steady(1, 10, 13, 11), nil)
	first := map[int]int{}
	for i, r := range v.Rounds {
		if !slices.Equal(x.sent[3*i:3*i+3], r.Order) || r.N != i+1 || r.Dropped != (i == 0) {
			t.Fatalf("round %d: %+v, sent %v", i, r, x.sent[3*i:3*i+3])
		}
		first[r.Order[0]]++
	}
	testkit.That(t, len(v.Rounds) == 30 && first[0] >= 4 && first[1] >= 4 && first[2] >= 4,
		"%d rounds, first were %v", len(v.Rounds), first)
	seen := map[string]bool{}
	for _, n := range x.nonces {
		testkit.That(t, n != "" && !seen[n], "nonce %q again", n)
		seen[n] = true
	}
	if _, again := play(t, 3, plan, steady(1, 10, 13, 11), nil); !slices.Equal(again.sent, x.sent) ||
		!slices.Equal(again.nonces, x.nonces) {
		t.Error("the same seed sends otherwise")
	}
	testkit.Is(t, v.Ended, racestat.EndPairs, "ended")
}

// TestParallel checks that all lanes run at the same time.
func TestParallel(t *testing.T) {
	v, x := play(t, 3, racestat.Plan{Bounds: racestat.Bounds{Pairs: 2}, Parallel: true}, steady(1, 10, 13, 11), nil)
	if x.busiest != 3 || !v.Parallel || v.Pairs() != 2 {
		t.Errorf("%d at the same time, %d pairs", x.busiest, v.Pairs())
	}
}

// TestBounds checks the ends by pairs, time and tokens, before anything is
// settled.
func TestBounds(t *testing.T) {
	noisy := func(lane, n int) answer { return answer{ttft: 100 + float64((n*7+lane*3)%10)*20, tpot: 10, tokens: 20} }
	v, _ := play(t, 2, racestat.Plan{Bounds: racestat.Bounds{Pairs: 4}}, noisy, nil)
	if w, _ := v.Verdict(figure.TTFT, 0, 1); v.Ended != racestat.EndPairs || v.Pairs() != 4 ||
		w.State != racestat.Undecided {
		t.Errorf("pairs: %q after %d, %s", v.Ended, v.Pairs(), w.State)
	}
	v, _ = play(t, 2, racestat.Plan{Bounds: racestat.Bounds{Most: 2 * time.Second}, Endless: true}, noisy, nil)
	if v.Ended != racestat.EndTime || v.Spent.Time < 1900*time.Millisecond || v.Spent.Time > 2100*time.Millisecond ||
		v.Pairs() != 1 {
		t.Errorf("time: %q after %v and %d pairs", v.Ended, v.Spent.Time, v.Pairs())
	}
	work := metrics.Workload{Prompt: "x", MaxTokens: 20}
	v, _ = play(t, 2, racestat.Plan{Bounds: racestat.Bounds{Tokens: 300}, Work: work, Endless: true}, noisy, nil,
		elsewhere)
	if v.Ended != racestat.EndTokens || v.Spent.Billed != 240 || v.Pairs() != 2 { // 80 a round; a fourth would exceed 300
		t.Errorf("tokens: %q after %v and %d pairs", v.Ended, v.Spent.Billed, v.Pairs())
	}
	v, _ = play(t, 2, racestat.Plan{Bounds: racestat.Bounds{Tokens: 300, Pairs: 9}, Work: work, Endless: true}, noisy, nil)
	testkit.That(t, v.Ended == racestat.EndPairs && v.Spent.Billed == 0 && v.Spent.Free,
		"tokens of this machine: %q, %+v", v.Ended, v.Spent)
}

// TestFailures checks what a failure does to each figure.
func TestFailures(t *testing.T) {
	fault := &metrics.Fault{Kind: metrics.FaultRateLimit}
	v, _ := play(t, 2, racestat.Plan{Bounds: racestat.Bounds{Pairs: 20}, Endless: true, Seed: 3},
		func(lane, n int) answer {
			switch {
			case n == 5: // both
				return answer{fault: fault}
			case lane == 1 && n%2 == 1:
				return answer{fault: fault}
			}
			return answer{ttft: 100 + float64(lane), tpot: 10 + float64(lane), tokens: 20}
		}, nil)
	// 20 pairs: one without either, 9 with lane 1 failing.
	ttft, _ := v.Verdict(figure.TTFT, 0, 1)
	testkit.That(t, ttft.N == 10 && ttft.Left == 10 && ttft.State == racestat.Undecided,
		"TTFT: %d pairs, %d left out, %s", ttft.N, ttft.Left, ttft.State)
	total, _ := v.Verdict(figure.Total, 0, 1)
	if total.N != 19 || total.Left != 1 || total.State != racestat.Decided || total.Leader != 0 || total.Wins != 19 {
		t.Errorf("total: %+v", total)
	}
	fails, _ := v.Verdict(figure.Failures, 0, 1)
	testkit.That(t, fails.N == 9 && fails.Wins == 9 && fails.Leader == 0, "failures: %+v", fails)
	l := v.Lanes[1]
	testkit.That(t, l.Lost == 10 && l.Counted == 20 && l.Faults[0].N == 10 && v.Lanes[0].Lost == 1, "lane: %+v", l)
	testkit.Is(t, v.Throughout(), -1, "no lane failed throughout")
}

// TestAMissingEndIsNoFailure holds that answers without an end marker are counted by lane
// and kept by pair, and that all of them are in the figures.
func TestAMissingEndIsNoFailure(t *testing.T) {
	v, _ := play(t, 3, racestat.Plan{Bounds: racestat.Bounds{Pairs: 6}, Seed: 9}, func(lane, n int) answer {
		a := answer{ttft: 100, tpot: 10 + float64(lane), tokens: 9 + lane}
		a.conn.LeftOpen, a.conn.CutOff = lane == 0 || lane == 1 && n == 2, lane == 1 && n%2 == 1
		return a
	}, nil)
	if v.Lanes[0].Unended != 7 || v.Lanes[1].Unended != 4 || v.Lanes[2].Unended != 0 {
		t.Errorf("%d, %d and %d answers without an end", v.Lanes[0].Unended, v.Lanes[1].Unended, v.Lanes[2].Unended)
	}
	for i, want := range []metrics.SuspectCode{"", "cut_off", "left_open", "cut_off", "", "cut_off", ""} {
		all := v.Rounds[i].Results
		if all[0].Unended != metrics.SuspectLeftOpen || all[1].Unended != want || all[2].Unended != "" || all[1].Failed() ||
			!all[1].Values[figure.Total].OK {
			t.Errorf("round %d: %+v", i, all)
		}
	}
}

// TestLaneThatFailsThroughout checks that it ends the race.
func TestLaneThatFailsThroughout(t *testing.T) {
	for kind, rounds := range map[metrics.FaultKind]int{metrics.FaultHTTP: giveUp, metrics.FaultAuth: 1} {
		v, x := play(t, 2, racestat.Plan{Bounds: bounds}, func(lane, n int) answer {
			if lane == 1 {
				return answer{fault: &metrics.Fault{Kind: kind, RetryAfter: 5 * time.Second}}
			}
			return answer{ttft: 100, tpot: 10, tokens: 5}
		}, nil, elsewhere)
		testkit.That(t, v.Ended == racestat.EndLane && v.Failing == 1 && v.Throughout() == 1 && len(x.sent) == 2*rounds,
			"%s: %q, lane %d, %d requests", kind, v.Ended, v.Failing, len(x.sent))
		pauses := v.Spent.Time / (5 * time.Second)
		testkit.That(t, int(pauses) == rounds-1, "%s: took %v: the server asked for 5 s after a failure", kind, v.Spent.Time)
	}
}

// TestHoldAndStop checks that nothing begins while the race holds, that time does
// not count, and that a stop keeps what is known and drops the cut round.
func TestHoldAndStop(t *testing.T) {
	fixed := func(lane, n int) answer { return answer{ttft: 100, tpot: 10, tokens: 11} } // 200 ms
	v, x := play(t, 2, racestat.Plan{Endless: true, Bounds: racestat.Bounds{Most: time.Minute}}, fixed, func(r *Race) {
		time.Sleep(1100 * time.Millisecond) // in round 3
		r.Hold(true)
		r.Hold(true)
		time.Sleep(time.Hour)
		if v := r.View(); !v.Holding || !v.Running || v.Spent.Time > 1200*time.Millisecond {
			t.Errorf("held: %+v", v.Spent)
		}
		r.Hold(false)
		time.Sleep(time.Second)
		r.Stop()
		r.Stop()
	})
	testkit.That(t, v.Ended == racestat.EndStopped && !v.Running && len(v.Rounds)*2 < len(x.sent),
		"%q, %d rounds of %d requests", v.Ended, len(v.Rounds), len(x.sent))
	if v.Pairs() < 3 || v.Lanes[0].Lost+v.Lanes[1].Lost > 0 {
		t.Errorf("%d pairs, lost %d and %d", v.Pairs(), v.Lanes[0].Lost, v.Lanes[1].Lost)
	}
	v, _ = play(t, 2, racestat.Plan{Endless: true}, fixed, func(r *Race) { r.Hold(true); synctest.Wait(); r.Stop() })
	testkit.Is(t, v.Ended, racestat.EndStopped, "stopped while held")
}

// TestStreams checks what a lane shows in a round: next, live, recorded.
func TestStreams(t *testing.T) {
	play(t, 2, racestat.Plan{Bounds: racestat.Bounds{Pairs: 1}, Endless: true},
		func(int, int) answer { return answer{ttft: 100, tpot: 10, tokens: 11} }, func(r *Race) {
			time.Sleep(50 * time.Millisecond)
			v := r.View()
			first := slices.Index(v.Phases, racestat.Running)
			testkit.Given(t, first >= 0 && v.Phases[1-first] == racestat.Next, "phases %v", v.Phases)
			if _, ok := r.Stream(1 - first); ok {
				t.Error("a lane that has not run has a stream")
			}
			time.Sleep(200 * time.Millisecond)
			v = r.View()
			_, ok := r.Stream(first)
			testkit.That(t, v.Phases[first] == racestat.Recorded && v.Phases[1-first] == racestat.Running && ok,
				"phases %v", v.Phases)
		})
}

// TestRoundIsReported checks that the callback gets every round once, with its
// verdicts.
func TestRoundIsReported(t *testing.T) {
	var seen []int
	v, _ := play(t, 2, racestat.Plan{Bounds: racestat.Bounds{Pairs: 3}, Endless: true}, steady(1, 10, 12), nil,
		func(c *Config) {
			c.Round = func(v racestat.View) {
				w, _ := v.Verdict(figure.TTFT, 0, 1)
				seen = append(seen, w.N)
			}
		})
	testkit.That(t, slices.Equal(seen, []int{0, 1, 2, 3}) && len(v.Rounds) == 4, "reported %v", seen)
}
