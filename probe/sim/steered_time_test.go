package sim

import (
	"context"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tokscope/metrics/testkit"
	"tokscope/probe/sim/engine"
)

// gap returns the mean time between the chunks from..to of h.
func (h *heard) gap(from, to int) time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.at[to].Sub(h.at[from]) / time.Duration(to-from)
}

func TestSpeedChangesInTheMiddleOfAStep(t *testing.T) {
	steered(t, SteeredConfig{Speed: .01}, func(t *testing.T, b *testServer) { // a step takes about 670 ms
		h := b.ask(10, 200)
		for b.ended() < 10 {
			pass(10 * time.Millisecond)
		}
		pass(300 * time.Millisecond) // in the middle of the next one
		was := b.steered.Clock()
		testkit.OK(t, b.steered.SetSpeed(.001))
		testkit.Is(t, b.steered.Clock(), was, "the clock jumped from … to")
		began := time.Now()
		for b.ended() < 11 {
			pass(time.Millisecond)
		}
		step := b.step(10)
		want := (step.End - was) / .001
		elapsed := time.Since(began).Seconds()
		testkit.That(t, math.Abs(elapsed-want) <= .01, "the rest of the step took %v s, want %v", elapsed, want)
		pass(100 * time.Millisecond)
		was = b.steered.Clock()
		if err := b.steered.SetSpeed(10); err != nil { // the step's end moves closer
			t.Fatal(err)
		}
		testkit.Is(t, b.steered.Clock(), was, "the clock jumped from … to")
		for b.ended() < 100 {
			pass(time.Millisecond)
		}
		got := h.gap(20, 90).Seconds() * 10
		testkit.That(t, math.Abs(got/(b.step(50).End-b.step(50).Start)-1) <= .05, "gap %v at ten times the speed", got)
		// Steps of 2.8 ms are slept in the kernel. After a speed-up at its start,
		// a step ends late by the rest of that sleep. That does not count as
		// late.
		testkit.OK(t, b.steered.SetSpeed(2.4))
		pass(10 * time.Millisecond)
		for n := b.ended(); b.ended() == n; {
			pass(50 * time.Microsecond)
		}
		testkit.OK(t, b.steered.SetSpeed(1000))
		pass(10 * time.Second)
		testkit.Need(t, h.chunks(), 200, "chunks")
		for i := 1; i < len(b.steps); i++ {
			testkit.Is(t, b.step(i).Start, b.step(i-1).End, "step", i, "begins at")
		}
		p := b.steered.Pacing()
		testkit.That(t, p.Late <= 0 && p.Slips <= 0 && p.Tardy <= 0, "slow motion counts as lateness: %+v", p)
		if b.steered.SetSpeed(0) == nil || b.steered.SetSpeed(1001) == nil || b.steered.SetSpeed(math.NaN()) == nil {
			t.Error("an impossible speed is accepted")
		}
	})
}

// A pause in the middle of a step: nothing moves, for any time, and the
// server cuts no waiting client.
func TestAPauseInTheMiddleOfAStep(t *testing.T) {
	steered(t, SteeredConfig{Speed: .1}, func(t *testing.T, b *testServer) {
		h := b.ask(10, 50)
		for b.ended() < 10 {
			pass(10 * time.Millisecond)
		}
		pass(30 * time.Millisecond) // a step takes 67
		b.steered.Pause(true)
		b.steered.Pause(true) // a second call changes nothing
		was, chunks := b.steered.Clock(), h.chunks()
		next := b.step(9).End
		testkit.Given(t, was > next && was < next+.0067, "stands at %v, the last step ended at %v", was, next)
		late := b.ask(10, 5) // arrives at the time at which the clock is paused
		pass(3 * time.Hour)
		if v := b.steered.Clock(); v != was || h.chunks() != chunks || !b.steered.Paused() {
			t.Errorf("the clock went from %v to %v, the client from %d to %d chunks", was, v, chunks, h.chunks())
		}
		b.steered.Pause(false)
		testkit.Is(t, b.steered.Clock(), was, "the clock jumped to")
		pass(time.Minute)
		testkit.Given(t, h.done && late.done && h.chunks() == 50 && late.chunks() == 5, "cut: %+v, %+v", h, late)
		if q, _ := b.steered.Of(late.id); q.Emitted[0].End < was+.015 || q.Emitted[0].End > was+.04 {
			t.Errorf("it arrived at %v of the engine's clock and had its first token at %v", was, q.Emitted[0].End)
		}
		p := b.steered.Pacing()
		testkit.That(t, p.Late <= 0 && !p.Overloaded() && p.Tardy <= 0, "a pause counts as lateness: %+v", p)
	})
}

func TestStepByStep(t *testing.T) {
	steered(t, SteeredConfig{}, func(t *testing.T, b *testServer) {
		b.steered.Step() // pauses; no request is running
		synctest.Wait()
		testkit.Given(t, b.ended() == 0 && b.steered.Paused(), "a step of nothing")
		h := b.ask(10, 10)
		synctest.Wait()
		pass(time.Minute)
		testkit.Need(t, b.ended(), 0, "a step during a pause")
		for i := 1; i <= 4; i++ {
			wall := time.Now()
			b.steered.Step()
			synctest.Wait()
			if !time.Now().Equal(wall) || b.ended() != i || h.chunks() != i || b.begun != i+1 {
				t.Fatalf("after step %d: %d began, %d ended, %d chunks", i, b.begun, b.ended(), h.chunks())
			}
			if v := b.steered.Clock(); v != b.step(i-1).End || !b.dueAt(i-1).Equal(wall) {
				t.Errorf("the clock says %v, the step ended at %v", v, b.step(i-1).End)
			}
			pass(time.Minute)
		}
		b.steered.Step()
		b.steered.Step() // two calls at once run two steps
		synctest.Wait()
		testkit.Is(t, b.ended(), 6, "steps")
		resumed, was := time.Now(), b.steered.Clock()
		b.steered.Pause(false)
		pass(time.Second)
		testkit.Need(t, h.chunks(), 10, "chunks")
		if want := b.step(6).End - was; math.Abs(h.at[6].Sub(resumed).Seconds()-want) > 1e-6 {
			t.Errorf("the step under way ended %v after the pause, want %v", h.at[6].Sub(resumed), want)
		}
		p := b.steered.Pacing()
		testkit.That(t, p.Late <= 0 && !p.Overloaded(), "%+v", p)
	})
}

func TestCancelDuringAPause(t *testing.T) {
	steered(t, SteeredConfig{}, func(t *testing.T, b *testServer) {
		h := b.ask(10, 500)
		for b.ended() < 10 {
			pass(time.Millisecond)
		}
		b.steered.Pause(true)
		waits := b.ask(10, 500)
		synctest.Wait()
		if st := b.steered.Stats(); st.Running != 1 || st.Queued != 1 {
			t.Fatalf("%+v", st)
		}
		h.cancel()
		waits.cancel()
		synctest.Wait()
		if st := b.steered.Stats(); st.Running != 0 || st.Queued != 0 || st.KV != 0 {
			t.Errorf("after both are gone: %+v", st)
		}
		b.steered.Step()
		synctest.Wait()
		b.steered.Pause(false)
		again := b.ask(10, 5)
		pass(time.Minute)
		testkit.Is(t, again.chunks(), 5, "it does not go on", again)
	})
}

// Close of a server with a paused engine ends: with enough time, waiting
// clients get their answers, otherwise an error.
func TestClosingDuringAPause(t *testing.T) {
	for _, patient := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			b := steeredServer(t, Options{}, SteeredConfig{})
			h := b.ask(10, 500)
			for b.ended() < 10 {
				pass(time.Millisecond)
			}
			b.steered.Pause(true)
			ctx, cancel := context.WithCancel(context.Background())
			if !patient {
				cancel()
			}
			began := time.Now()
			testkit.Is(t, b.s.Close(ctx), nil)
			cancel()
			synctest.Wait()
			if patient != (h.chunks() == 500) || !h.closed || patient == strings.Contains(h.errs, "shutting down") {
				t.Errorf("patient %v: %d chunks, %q, after %v", patient, h.chunks(), h.errs, time.Since(began))
			}
			// A steered engine whose server has closed accepts calls and does
			// nothing.
			b.steered.Pause(true)
			b.steered.Step()
			b.steered.Pause(false)
			_ = b.steered.Clock()
			c := SteeredConfig{Config: engine.Config{Setup: b.steered.Setup()}}
			testkit.That(t, b.steered.Configure(c) != nil, "a closed lab is configured")
			_, err := b.s.Steered(c)
			testkit.That(t, err != nil, "a closed server has a lab")
			b.client.CloseIdleConnections()
		})
	}
}

// The server's timings are wall time, also across changes of speed and
// pauses.
func TestServerTimesOfASteeredEngineAreWallTimes(t *testing.T) {
	steered(t, SteeredConfig{Speed: .1}, func(t *testing.T, b *testServer) {
		sent := time.Now()
		h := b.ask(10, 30)
		pass(50 * time.Millisecond) // in the front end
		b.steered.Pause(true)
		pass(time.Second)
		b.steered.Pause(false)
		for b.ended() < 10 {
			pass(time.Millisecond)
		}
		b.steered.Step()
		synctest.Wait()
		pass(2 * time.Second)
		testkit.OK(t, b.steered.SetSpeed(.5))
		b.steered.Pause(false)
		pass(time.Minute)
		ttft, generation := h.at[0].Sub(sent).Seconds()*1e3, h.at[29].Sub(h.at[0]).Seconds()*1e3
		for name, want := range map[string]float64{"time_to_first_token_ms": ttft, "generation_time_ms": generation,
			"mean_itl_ms": generation / 29} {
			if got, ok := h.metrics[name].(float64); !ok || math.Abs(got-want) > .01 {
				t.Errorf("%s: %v, the client measured %v", name, h.metrics[name], want)
			}
		}
	})
}

// Time skips to the end of a step. Its tokens arrive at once and later steps
// take their usual time. The skip does not count as late, also on a paused
// engine.
func TestSkippingTheRestOfAStep(t *testing.T) {
	for _, paused := range []bool{false, true} {
		steered(t, SteeredConfig{Speed: .001}, func(t *testing.T, b *testServer) {
			h := b.ask(10, 12)
			for b.ended() < 3 {
				pass(time.Second)
			}
			pass(2 * time.Second) // a step takes 6.7 s
			b.steered.d.mu.Lock()
			end := b.steered.d.control.next
			b.steered.d.mu.Unlock()
			was, wall := b.steered.Clock(), time.Now()
			testkit.Given(t, was < end, "the clock says %v, the step ends at %v", was, end)
			b.steered.Skip(was) // it has passed
			v := b.steered.Clock()
			testkit.Given(t, v == was && b.ended() == 3, "a skip back moved the clock from %v to %v", was, v)
			b.steered.Pause(paused)
			b.steered.Skip(end)
			synctest.Wait()
			if paused {
				testkit.Is(t, b.ended(), 3, "a step ended during a pause")
				b.steered.Pause(false)
				synctest.Wait()
			}
			if b.ended() != 4 || h.chunks() != 4 || !time.Now().Equal(wall) || b.steered.Clock() != end || b.step(3).End != end {
				t.Fatalf("paused %v: %d steps, %d chunks, %v later, the clock says %v, want %v", paused, b.ended(), h.chunks(),
					time.Since(wall), b.steered.Clock(), end)
			}
			pass(time.Minute)
			if b.ended() < 6 {
				t.Fatalf("%d steps", b.ended())
			}
			if want := (b.step(4).End - end) / .001; math.Abs(b.dueAt(4).Sub(wall).Seconds()-want) > 1e-3 {
				t.Errorf("the step after it ended after %v, want %v s", b.dueAt(4).Sub(wall), want)
			}
			p := b.steered.Pacing()
			testkit.That(t, p.Late <= 0 && !p.Overloaded() && p.Tardy <= 0, "a skip counts as lateness: %+v", p)
		})
	}
}
