package runner

import (
	"math"
	"sync/atomic"
	"testing"
	"time"

	"tokscope/metrics/serving"
	"tokscope/metrics/testkit"
	"tokscope/probe/probetest"
)

// A step of a slow machine that would take minutes is not waited for when the
// hardware is turned: its tokens come at once, and the next step is of the new one.
func TestNobodyWaitsForAStepOfAnotherMachine(t *testing.T) {
	t.Parallel()
	probetest.TakesTime(t, "an engine that runs in real time")
	b := opened(t, func(k *serving.Knobs) {
		k.Hardware, k.Precision, k.Users, k.Prompt, k.Output, k.Time = "laptop", "q4", 4, 1000, 20, 0.2
	})
	v := until(t, b, "a step that takes minutes", func(v *serving.View) bool {
		return v.Doing != nil && (v.Doing.End-v.Clock)/v.Knobs.Time > 100
	})
	k, slow, began := v.Knobs, v.Doing, time.Now()
	k.Hardware = "h100"
	testkit.OK(t, b.ExplainTurn(k))
	v = until(t, b, "figures of the new machine", func(v *serving.View) bool { return v.Figures.Requests >= 4 })
	seen := false
	for i := range v.Steps {
		seen = seen || v.Steps[i].Number == slow.Number && v.Steps[i].End == slow.End
	}
	// A machine that stands still slips by as long as that; the step would be minutes more.
	took := time.Since(began).Seconds()
	if !seen || v.Figures.Since < slow.End || v.Slipped > 1+took {
		t.Errorf("the step is kept: %v; figures since %v, it ended at %v; slipped %v of %v s",
			seen, v.Figures.Since, slow.End, v.Slipped, took)
	}
	f := v.Figures
	testkit.That(t, f.TTFT.V <= 1000, "the new machine's TTFT is %v ms", f.TTFT.V)
}

// weightsOf is how many bytes of weights a step read.
func weightsOf(s *serving.EngineStep) (bytes float64) {
	for _, c := range s.Cost() {
		if c.Name == "projections" || c.Name == "feed-forward" {
			bytes += c.Bytes
		}
	}
	return bytes
}

// A turn of a knob holds from the next step on that is planned, and from no
// later one: its mark says which that is.
func TestATurnHoldsFromTheNextStepOn(t *testing.T) {
	t.Parallel()
	probetest.TakesTime(t, "an engine that runs in real time")
	b := opened(t, func(k *serving.Knobs) { k.Users, k.Prompt, k.Output, k.Time = 2, 100, 400, 0.1 })
	v := until(t, b, "a step under way", func(v *serving.View) bool { return len(v.Steps) > 5 && v.Doing != nil })
	before := weightsOf(&v.Steps[len(v.Steps)-1])
	k := v.Knobs
	k.Precision = "q4"
	testkit.OK(t, b.ExplainTurn(k))
	v = until(t, b, "steps after the turn", func(v *serving.View) bool {
		return len(v.Marks) > 0 && v.Steps[len(v.Steps)-1].Number > v.Marks[len(v.Marks)-1].Step+5
	})
	first, after := v.Marks[len(v.Marks)-1].Step, 0
	for i := range v.Steps {
		s := &v.Steps[i]
		switch bytes := weightsOf(s); {
		case s.Number < first-1 && bytes != before: // the one before it may have begun between the look and the turn
			t.Errorf("step %d, before the turn, read %g bytes of weights, not %g", s.Number, bytes, before)
		case s.Number > first && bytes > before/2:
			t.Errorf("step %d, after the turn at %d, still read %g bytes of weights", s.Number, first, bytes)
		case s.Number >= first:
			after++
		}
	}
	testkit.That(t, after >= 5, "%d steps after the turn", after)
}

// Every knob comes to the engine: what a step of the new position does is not
// what one of the old does, and the batch is that of the new users.
func TestEveryKnobComesToTheEngine(t *testing.T) {
	t.Parallel()
	probetest.TakesTime(t, "an engine that runs in real time")
	b := opened(t, func(k *serving.Knobs) { k.Users, k.Prompt, k.Output, k.Time = 2, 600, 30, 1 })
	for _, c := range []struct {
		what string
		turn func(*serving.Knobs)
		ok   func(*serving.EngineStep) bool
	}{
		{"users", func(k *serving.Knobs) { k.Users = 5 }, func(s *serving.EngineStep) bool { return s.Running == 5 }},
		{"hardware", func(k *serving.Knobs) { k.Hardware = "a100" },
			func(s *serving.EngineStep) bool { return s.Decodes == 5 && s.Prefilled == 0 && s.End-s.Start > 0.008 }},
		{"chunk budget", func(k *serving.Knobs) { k.Budget = 128 },
			func(s *serving.EngineStep) bool { return s.Prefilled > 100 && s.Prefilled <= 128 }},
		{"batching", func(k *serving.Knobs) { k.Mode = "disaggregated" },
			func(s *serving.EngineStep) bool { return s.Pool == "decode" }},
		{"batching back", func(k *serving.Knobs) { k.Mode, k.Budget = "continuous", 0 },
			func(s *serving.EngineStep) bool { return s.Pool == "" && s.Prefilled > 128 }},
		{"prompt", func(k *serving.Knobs) { k.Prompt = 1200 }, func(s *serving.EngineStep) bool {
			return len(s.Batch) > 0 && math.Abs(float64(s.Batch[0].Prompt)-1200) < 8
		}},
		{"output", func(k *serving.Knobs) { k.Output = 40 },
			func(s *serving.EngineStep) bool { return len(s.Batch) > 0 && s.Batch[0].Output == 40 }},
		{"prefix cache", func(k *serving.Knobs) { k.PrefixCache = true },
			func(s *serving.EngineStep) bool { return len(s.Batch) > 0 && s.Batch[0].Cached > 1000 }},
		{"draft", func(k *serving.Knobs) { k.DraftK, k.Accept = 3, 0.95 },
			func(s *serving.EngineStep) bool { return s.Prefilled == 0 && s.Decodes > 0 && s.Tokens > 2*s.Decodes }},
		{"model", func(k *serving.Knobs) { k.Model, k.DraftK, k.TP = "qwen3-32b", 0, 4 }, func(s *serving.EngineStep) bool {
			for _, c := range s.Cost() {
				if c.Name == "all-reduce" {
					return weightsOf(s) > 50e9
				}
			}
			return false
		}},
	} {
		k := b.ExplainView().Knobs
		c.turn(&k)
		testkit.OK(t, b.ExplainTurn(k), c.what)
		until(t, b, c.what, func(v *serving.View) bool { return len(v.Steps) > 0 && c.ok(&v.Steps[len(v.Steps)-1]) })
	}
}

// standstills measures how long this process stands still from now on, in all: how much
// later than its beat a goroutine wakes where that is another beat and more.
func standstills(t *testing.T) (sum func() time.Duration) {
	const beat = 2 * time.Millisecond
	var late atomic.Int64
	quit, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for last := time.Now(); ; last = time.Now() {
			select {
			case <-quit:
				return
			case <-time.After(beat):
				if d := time.Since(last) - beat; d > beat {
					late.Add(int64(d))
				}
			}
		}
	}()
	t.Cleanup(func() { close(quit); <-ended })
	return func() time.Duration { return time.Duration(late.Load()) }
}

// In slow motion the clients' times are those of the engine, and a request during
// which time ran unevenly is none of them.
func TestClientsTimesAreTheEngines(t *testing.T) {
	probetest.TakesTime(t, "an engine that runs in real time")
	b := opened(t, func(k *serving.Knobs) { k.Users, k.Prompt, k.Output, k.Time = 1, 4000, 12, 0.2 })
	stood := standstills(t)
	late := func() float64 { // ms of the wall's time
		b.mu.Lock()
		defer b.mu.Unlock()
		p := b.run.steered.Pacing()
		return float64(stood()+p.Slipped+p.Delayed) / 1e6
	}
	near := func(v *serving.View, late float64) {
		t.Helper()
		// Slow motion makes the way to the client short beside a step. What this machine was
		// late is in one of the requests: they follow each other.
		f := &v.Figures
		more := late * v.Knobs.Time / float64(f.ClientTTFT.N)
		if math.Abs(f.ClientTTFT.V-f.TTFT.V) > 0.25*f.TTFT.V+more ||
			math.Abs(f.ClientTPOT.V-f.TPOT.V) > 0.25*f.TPOT.V+more/10 {
			t.Errorf("the clients' TTFT is %v, the engine's %v; TPOT %v and %v; %v ms late in %d requests",
				f.ClientTTFT.V, f.TTFT.V, f.ClientTPOT.V, f.TPOT.V, late, f.ClientTTFT.N)
		}
	}
	v := until(t, b, "requests", func(v *serving.View) bool { return v.Figures.ClientTPOT.N >= 2 })
	near(&v, late())
	n := v.Figures.ClientTPOT.N
	k := v.Knobs
	k.Time = 0.5
	testkit.OK(t, b.ExplainTurn(k))
	was := late()
	b.ExplainPause(true)
	time.Sleep(1500 * time.Millisecond) // some ten times a TTFT of the engine
	b.ExplainPause(false)
	v = until(t, b, "more requests", func(v *serving.View) bool { return v.Figures.ClientTPOT.N >= n+2 })
	near(&v, late()-was)
}

// A runner that is opened again is not told of what went by before it.
func TestBehindIsOfThisOpening(t *testing.T) {
	b := opened(t, func(k *serving.Knobs) { k.Users = 1 })
	b.mu.Lock()
	b.run.slipped = b.run.steered.Pacing().Lag() - 3*time.Second
	b.mu.Unlock()
	v := b.ExplainView()
	testkit.That(t, v.Slipped >= 3 && v.Slipped <= 10, "%v s behind", v.Slipped)
}

// A paused runner is at rest: its version stands, so that no screen draws it anew.
// It wakes up with the next step.
func TestAPausedBenchIsAtRest(t *testing.T) {
	t.Parallel()
	probetest.TakesTime(t, "an engine that runs in real time")
	b := opened(t, func(k *serving.Knobs) { k.Users, k.Prompt, k.Output, k.Time = 4, 100, 400, 1 })
	until(t, b, "steps", func(v *serving.View) bool { return len(v.Steps) > 20 && !v.Busy })
	b.ExplainPause(true)
	was, limit := uint64(0), time.Now().Add(30*time.Second)
	for b.ExplainVersion() != was { // the last chunks come, and a second passes
		testkit.Given(t, !time.Now().After(limit), "version %d, and still another during a pause", was)
		was = b.ExplainVersion()
		time.Sleep(1500 * time.Millisecond)
	}
	steps := b.ExplainView().Figures.Steps
	b.ExplainStep()
	until(t, b, "the figures of one more step", func(v *serving.View) bool { return v.Figures.Steps == steps+1 })
	b.ExplainPause(false)
	until(t, b, "figures after the pause", func(v *serving.View) bool { return v.Figures.Steps > steps+10 })
}

// A stage of a lesson takes back what runs: nobody waits for the end of an answer
// of before it.
func TestAStageTakesBackWhatRuns(t *testing.T) {
	t.Parallel()
	probetest.TakesTime(t, "an engine that runs in real time")
	b := opened(t, func(k *serving.Knobs) { k.Users, k.Prompt, k.Output, k.Time = 1, 32, 8000, 1 })
	until(t, b, "a long answer", func(v *serving.View) bool { return len(v.Steps) > 5 && !v.Busy })
	b.TourGo(2)
	until(t, b, "requests of the lesson", func(v *serving.View) bool {
		n := len(v.Steps)
		return v.Figures.Requests > 0 && len(v.Steps[n-1].Batch) > 0 && v.Steps[n-1].Batch[0].Output == 40
	})
}
