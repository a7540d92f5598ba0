package engine

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tokscope/metrics/testkit"
	"tokscope/probe/probetest"
	"tokscope/probe/sim/physics"
)

// act is an event of a random run: time passes, a request arrives or is
// cancelled, or the engine is changed.
type act struct {
	events         int // events to run first
	prompt, output int // > 0: a request
	shares         bool
	cancel         int // > 0: the request of this number, modulo
	change         *Config
}

func drawConfig(t *rapid.T, all []*physics.Setup) *Config {
	s := *rapid.SampledFrom(all).Draw(t, "setup")
	s.Capacity = rapid.SampledFrom([]int{45, 70, 120, 900}).Draw(t, "blocks") * physics.Block
	s.Draft = nil
	if rapid.Bool().Draw(t, "draft") {
		s.Draft = &physics.Draft{K: rapid.IntRange(1, 5).Draw(t, "k"), Head: .05,
			Accept: []float64{rapid.Float64Range(0, 1).Draw(t, "a")}}
	}
	return &Config{Setup: &s, Mode: Mode(rapid.IntRange(0, int(numModes)-1).Draw(t, "mode")),
		Budget: rapid.IntRange(16, 2048).Draw(t, "budget"), MaxSeqs: rapid.IntRange(1, 32).Draw(t, "seqs")}
}

func drawActs(t *rapid.T, all []*physics.Setup) (acts []act) {
	for range rapid.IntRange(1, 60).Draw(t, "acts") {
		a := act{events: rapid.IntRange(0, 12).Draw(t, "events")}
		switch rapid.IntRange(0, 5).Draw(t, "what") {
		case 0:
			a.change = drawConfig(t, all)
		case 1:
			a.cancel = rapid.IntRange(1, 50).Draw(t, "cancel")
		default:
			a.prompt, a.output = rapid.IntRange(1, 900).Draw(t, "prompt"), rapid.IntRange(1, 80).Draw(t, "output")
			a.shares = rapid.Bool().Draw(t, "shares")
		}
		acts = append(acts, a)
	}
	return acts
}

// outcome is the result of a run.
type outcome struct {
	trace    []string
	reqs     []*Request
	yielded  map[*Request]int
	finished map[*Request]int
	failed   map[*Request]int
}

// perform plays acts on an engine and checks it after every event.
func perform(t *rapid.T, first *Config, acts []act) *outcome {
	y := &outcome{yielded: map[*Request]int{}, finished: map[*Request]int{}, failed: map[*Request]int{}}
	e := New(Options{Config: *first, Seed: 3,
		OnStep: func(s *Step) {
			testkit.Given(t, s.KV >= 0 && s.KV <= 1, "share of the cache %v", s.KV)
			y.trace = append(y.trace, fmt.Sprintf("%d %v-%v %s %d+%d %d", s.Number, s.Start, s.End, s.Pool, s.Decodes,
				s.Prefilled, s.Tokens))
		},
		OnFail: func(r *Request) { y.failed[r]++ }})
	advance := func() bool {
		at, busy := e.Next()
		if !busy {
			return false
		}
		if at < e.Now() {
			t.Fatalf("next is %v, now is %v", at, e.Now())
		}
		given := len(y.failed)
		for _, m := range e.Advance(at) {
			y.yielded[m.Request] += m.N
			if m.Request.Finished {
				y.finished[m.Request]++
			}
			// A request that fails at the end of a step still yields that step's
			// tokens.
			testkit.Given(t, !m.Request.Cancelled && (m.Request.Err == nil || len(y.failed) != given),
				"tokens for a request that is gone")
		}
		audit(t, e, y)
		return true
	}
	for _, a := range acts {
		for range a.events {
			if !advance() {
				break
			}
		}
		switch {
		case a.change != nil:
			e.Reconfigure(*a.change)
		case a.cancel > 0 && len(y.reqs) > 0:
			e.Cancel(y.reqs[a.cancel%len(y.reqs)])
		case a.prompt > 0:
			r := &Request{Prompt: a.prompt, Output: a.output}
			for i := range r.Prompt / physics.Block {
				if a.shares {
					r.Blocks = append(r.Blocks, uint64(i+1))
				}
			}
			if err := e.Submit(e.Now(), r); err == nil {
				y.reqs = append(y.reqs, r)
			} else if !errors.Is(err, ErrTooLong) {
				t.Fatal(err)
			}
		}
		audit(t, e, y)
	}
	for n := 0; advance(); n++ {
		if n > 100000 {
			t.Fatalf("it does not end: %+v", e.Stats())
		}
	}
	return y
}

// audit checks that every request is in one place, and that held blocks are
// counted once.
func audit(t *rapid.T, e *Engine, y *outcome) {
	places := map[*Request]int{}
	for i, l := range e.lanes {
		private, shared := 0, map[uint64]bool{}
		holders := l.running
		if i == 0 { // until they have room in the other pool
			holders = append(slices.Clone(holders), e.moving...)
		}
		for _, r := range holders {
			places[r]++
			private += r.blocks - r.shared
			for _, h := range r.Blocks[:r.shared] {
				shared[h] = true
			}
			if r.blocks < 0 || r.shared > r.blocks || r.computed > r.length() {
				t.Fatalf("a request with %d blocks, %d of them shared, %d of %d tokens", r.blocks, r.shared, r.computed, r.length())
			}
		}
		if held := private + len(shared); held != l.kv.used || l.kv.used > l.kv.total ||
			l.kv.used+l.kv.unheld.Len() > l.kv.total {
			t.Fatalf("%d blocks held, %d booked, %d kept, %d there are", held, l.kv.used, l.kv.unheld.Len(), l.kv.total)
		}
	}
	for _, r := range e.queue {
		places[r]++
		testkit.Need(t, r.blocks, 0, "a request in no pool holds … blocks")
	}
	for _, r := range y.reqs {
		want := 1
		if r.Cancelled || r.Err != nil || r.phase == PhaseDone {
			want = 0
		}
		testkit.Need(t, places[r], want, "a request stands in … places", r)
		delete(places, r)
	}
	testkit.Given(t, len(places) == 0, "%d requests that nobody submitted", len(places))
}

// Whatever is changed, submitted and cancelled in whatever order: no request is
// lost or ends twice, each yields exactly what it asked for, no block of the
// cache is held by nobody or twice, and the same acts give the same steps.
func TestNoChangeLosesARequest(t *testing.T) {
	probetest.TakesTime(t, "thousands of random changes")
	all := pairs(t)
	rapid.Check(t, func(t *rapid.T) {
		first, acts := drawConfig(t, all), drawActs(t, all)
		y := perform(t, first, acts)
		for _, r := range y.reqs {
			switch {
			case r.Err != nil:
				if y.failed[r] != 1 || y.finished[r] != 0 {
					t.Fatalf("a request failed %d times and finished %d times", y.failed[r], y.finished[r])
				}
			case r.Cancelled:
			case y.finished[r] != 1 || y.failed[r] != 0 || y.yielded[r] != r.Output || r.Produced != r.Output:
				t.Fatalf("a request ended %d times with %d of %d tokens: %+v", y.finished[r], y.yielded[r], r.Output, r)
			}
		}
		again := perform(t, first, acts)
		testkit.Need(t, len(y.trace), len(again.trace), "steps")
		for i := range y.trace {
			testkit.Need(t, y.trace[i], again.trace[i], "step", i)
		}
	})
}
