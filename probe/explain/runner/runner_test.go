package runner

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"go.uber.org/goleak"

	"tokscope/metrics"
	"tokscope/metrics/serving"
	"tokscope/metrics/testkit"
	"tokscope/probe/explain"
	"tokscope/probe/probetest"
	"tokscope/probe/sim"
)

func TestMain(m *testing.M) {
	probetest.WaitTogether(2)
	goleak.VerifyTestMain(m)
}

// opened is a runner on an embedded endpoint of its own, with these knobs.
func opened(t *testing.T, change func(*serving.Knobs)) *Runner {
	t.Helper()
	s := testkit.Must(sim.Start(sim.Options{}))(t)
	b := New(Options{Server: func() (*sim.Server, error) { return s, nil }})
	t.Cleanup(func() {
		b.Wait()
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		testkit.Is(t, s.Close(ctx), nil)
	})
	k := explain.Default()
	change(&k)
	testkit.OK(t, b.ExplainTurn(k))
	testkit.OK(t, b.ExplainOpen())
	return b
}

// until waits for the view to be as ok says, as long as the tests may take: on a loaded
// machine the clock of the engine slows down to a twentieth, and measures anew.
func until(t *testing.T, b *Runner, what string, ok func(*serving.View) bool) serving.View {
	t.Helper()
	limit, bounded := t.Deadline()
	for ; !bounded || time.Until(limit) > 5*time.Second; time.Sleep(5 * time.Millisecond) {
		if v := b.ExplainView(); ok(&v) {
			return v
		}
	}
	v := b.ExplainView()
	t.Fatalf("never: %s; broken %+v, %d steps, progress %v, figures %+v", what, v.Broken, len(v.Steps), v.Tour.Progress,
		v.Figures)
	return serving.View{}
}

// sane checks what holds of every view.
func sane(t *testing.T, v *serving.View) {
	t.Helper()
	for i := range v.Steps {
		s := &v.Steps[i]
		if i > 0 && s.Number != v.Steps[i-1].Number+1 {
			t.Fatalf("step %d follows %d", s.Number, v.Steps[i-1].Number)
		}
		testkit.Given(t, len(s.Batch) <= serving.MaxBatchRows && s.End >= s.Start && s.NumTerms != 0, "step %+v", s)
	}
	w := &v.Watched
	testkit.Given(t, len(w.Steps) <= len(w.Stream.Chunks) && len(w.True) == len(w.Steps),
		"%d steps, %d true moments for %d chunks", len(w.Steps), len(w.True), len(w.Stream.Chunks))
}

// The users stream over HTTP, the engine is seen step by step, and what the
// clients measured agrees with what the engine did, in slow motion as well.
func TestUsersOfTheRunningEngine(t *testing.T) {
	probetest.TakesTime(t, "an engine that runs in real time")
	b := opened(t, func(k *serving.Knobs) { k.Users, k.Prompt, k.Output, k.Time = 3, 300, 12, 0.2 })
	stood := standstills(t)
	v := until(t, b, "figures of the engine and of the clients", func(v *serving.View) bool {
		sane(t, v)
		return v.Figures.Requests >= 6 && v.Figures.ClientTPOT.N >= 6 && v.Figures.Total.OK && !v.Busy
	})
	f := v.Figures
	held := 3 * v.Knobs.Time * stood().Seconds() * 1e3 / float64(f.ClientTPOT.N) // ms in each of the clients' requests
	if !v.Running || v.Paused || v.Broken.Code != "" || v.Clock <= 0 || f.Since < 0 || f.Steps == 0 || f.Preempted != 0 {
		t.Errorf("%+v", v)
	}
	for what, pair := range map[string][2]metrics.Value{
		"TPOT as predicted": {f.TPOT, v.Present.TPOT}, "total as predicted": {f.Total, v.Present.Total},
		"TPOT of the clients": {f.ClientTPOT, f.TPOT},
	} {
		got, want := pair[0].V, pair[1].V
		testkit.That(t, math.Abs(got-want) <= 0.3*want+held/11, "%s: %v against %v, held up for %v ms", what, got, want, held)
	}
	// The client sees what lies between as well, the way to it and back.
	testkit.That(t, f.ClientTTFT.V >= 0.8*f.TTFT.V, "the clients' TTFT is %v, the engine's %v", f.ClientTTFT.V, f.TTFT.V)
	until(t, b, "a batch of which the senders are known", func(v *serving.View) bool {
		last := v.Steps[len(v.Steps)-1]
		seen := map[int]bool{}
		for _, r := range last.Batch {
			testkit.Given(t, r.User >= 0 && r.User <= 3 && (r.User <= 0 || !seen[r.User] || r.State == serving.EngineDone),
				"a request of user %d in %+v", r.User, last.Batch)
			seen[r.User] = true
		}
		return seen[1] && seen[2] && seen[3]
	})
	last := v.Steps[len(v.Steps)-1]
	testkit.That(t, len(last.Batch) != 0 && last.Batch[0].Output == 12 && math.Abs(float64(last.Batch[0].Prompt)-300) <= 8,
		"batch %+v", last.Batch)
}

// What the client measured of the watched request lies near the truth, chunk by
// chunk: also in slow motion, and when time stood still in between.
func TestMeasuredAgainstTrue(t *testing.T) {
	probetest.TakesTime(t, "an engine that runs in real time")
	b := opened(t, func(k *serving.Knobs) { k.Users, k.Prompt, k.Output, k.Time = 2, 200, 60, 0.2 })
	b.ExplainWatch(2)
	stood := standstills(t)
	v := until(t, b, "ten chunks", func(v *serving.View) bool {
		sane(t, v)
		return len(v.Watched.True) > 10 && len(v.Watched.True) < 40
	})
	b.ExplainPause(true)
	time.Sleep(50 * time.Millisecond)
	clock, steps := b.ExplainView().Clock, len(b.ExplainView().Steps)
	time.Sleep(400 * time.Millisecond)
	if p := b.ExplainView(); !p.Paused || p.Clock != clock || len(p.Steps) > steps+1 {
		t.Errorf("paused at %v with %d steps, then %v with %d", clock, steps, p.Clock, len(p.Steps))
	}
	b.ExplainStep()
	until(t, b, "one step more", func(v *serving.View) bool { return len(v.Steps) > steps && v.Clock > clock })
	b.ExplainPause(false)
	id := v.Watched.Stream.RequestID
	v = until(t, b, "the end of the request", func(v *serving.View) bool {
		sane(t, v)
		return v.Watched.Stream.RequestID != id || len(v.Watched.True) > 45
	})
	w := v.Watched
	testkit.Given(t, w.User == 2 && w.Request != 0 && w.TrueTTFT.OK, "watched %+v", w)
	if w.Stream.RequestID != id {
		t.Log("the request had ended before it was looked at")
		return
	}
	late, pause, held := 0, 0, metrics.Stamp(stood()) // by a busy machine
	for i, at := range w.True {
		if d := w.Stream.Chunks[i].At - at; d < -metrics.Stamp(2*time.Millisecond) ||
			d > metrics.Stamp(20*time.Millisecond)+held {
			late++
		}
		if i > 0 {
			if gap := at - w.True[i-1]; gap > metrics.Stamp(300*time.Millisecond) {
				pause++
			}
			if w.Steps[i] <= w.Steps[i-1] {
				t.Errorf("chunk %d is of step %d after %d", i, w.Steps[i], w.Steps[i-1])
			}
		}
	}
	// A busy machine may hold some up unseen; the bulk shows whether the clocks agree.
	testkit.That(t, late <= len(w.True)/3, "%d of %d chunks are far from their true moment", late, len(w.True))
	testkit.That(t, pause != 0, "the pause is not in the true moments")
	if ttft := metrics.Measure(&w.Stream, metrics.Options{}).TTFT; math.Abs(ttft.V-w.TrueTTFT.V) > 30+float64(held)/1e6 {
		t.Errorf("TTFT measured %v, true %v, held up for %d ns", ttft.V, w.TrueTTFT.V, held)
	}
}

// Knobs can be turned while the users stream; each turn leaves a mark and
// begins the figures anew, what cannot be taken changes nothing, and no request
// fails.
func TestTurningWhileTheyStream(t *testing.T) {
	t.Parallel()
	probetest.TakesTime(t, "an engine that runs in real time")
	b := opened(t, func(k *serving.Knobs) { k.Users, k.Prompt, k.Output, k.Time = 2, 100, 8, 1 })
	until(t, b, "a figure", func(v *serving.View) bool { return v.Figures.Requests > 0 })
	epoch := func() int {
		b.mu.Lock()
		defer b.mu.Unlock()
		return b.run.epoch
	}
	turns := []func(*serving.Knobs){
		func(k *serving.Knobs) { k.Precision = "q4" },
		func(k *serving.Knobs) { k.Hardware = "b200" },
		func(k *serving.Knobs) { k.Users = 6 },
		func(k *serving.Knobs) { k.Prompt = 800 },
		func(k *serving.Knobs) { k.Mode = "disaggregated" },
		func(k *serving.Knobs) { k.Mode, k.Budget = "continuous", 256 },
		func(k *serving.Knobs) { k.Users = 1 },
	}
	for i, turn := range turns {
		k, epochs := b.ExplainView().Knobs, epoch()
		turn(&k)
		testkit.OK(t, b.ExplainTurn(k), "turn", i)
		since := b.ExplainView().Figures.Since
		v := until(t, b, "figures after a turn", func(v *serving.View) bool {
			sane(t, v)
			return v.Figures.Requests >= 2 && v.Figures.Since >= since && !v.Busy
		})
		testkit.Need(t, v.Broken.Code, "", "turn", i, "broke it", v.Broken)
		if v.Knobs != k || v.Present.Knobs != k || v.Previous.Knobs.Users == 0 || len(v.Marks) == 0 {
			t.Errorf("turn %d: %+v, marks %+v", i, v.Knobs, v.Marks)
			continue
		}
		if epoch() != epochs+1 {
			continue // this machine was too slow, and what came too late is measured anew
		}
		testkit.That(t, v.Figures.Since <= since+1, "turn %d: figures since %v, then since %v", i, since, v.Figures.Since)
		// The figures begin at the turn, or behind the step that was under way then.
		at := v.Marks[len(v.Marks)-1].At
		testkit.That(t, at <= since && at >= since-1, "turn %d: marked at %v, figures since %v", i, at, since)
	}
	k := b.ExplainView().Knobs
	k.Time = 0.5
	before := b.ExplainView()
	testkit.OK(t, b.ExplainTurn(k))
	if v := b.ExplainView(); v.Figures.Since > before.Figures.Since+1 || v.Busy || len(v.Marks) != len(before.Marks)+1 {
		t.Errorf("the speed of time began the figures anew, or left no mark: %+v", v.Marks)
	}
	before = b.ExplainView()
	k.Model, k.Hardware, k.TP = "llama-3.1-405b", "rtx4090", 1
	err := b.ExplainTurn(k)
	testkit.That(t, err != nil, "405B on a gaming card was taken")
	testkit.Is(t, b.ExplainView().Knobs, before.Knobs, "a refused turn changed")
	b.mu.Lock()
	lv := b.run.load.View()
	b.mu.Unlock()
	testkit.That(t, lv.Failed <= 0, "%d requests failed: %+v", lv.Failed, lv.Faults)
}

// Opening and closing twenty times leaks nothing (TestMain looks), and does not
// wait for the users.
func TestOpenAndCloseTwentyTimes(t *testing.T) {
	t.Parallel()
	b := opened(t, func(k *serving.Knobs) { k.Users, k.Output, k.Time = 8, 500, 0.01 })
	last := b.ExplainVersion()
	for range 20 {
		testkit.OK(t, b.ExplainOpen())
		until(t, b, "it runs", func(v *serving.View) bool { return v.Running })
		b.ExplainPause(true)
		b.ExplainClose()
		if v := b.ExplainView(); v.Running || v.Watched.TrueTTFT.Why == 0 {
			t.Errorf("closed: %+v", v)
		}
		if now := b.ExplainVersion(); now <= last {
			t.Errorf("the version went from %d to %d", last, now)
		} else {
			last = now
		}
	}
	began := time.Now()
	b.Wait()
	d := time.Since(began)
	testkit.That(t, d <= 20*time.Second, "the end took %v", d)
	err := b.ExplainOpen()
	testkit.That(t, err == nil && !b.ExplainView().Running, "it opened after its end: %v", err)
}

// A lesson on the running engine: its stages set the knobs, the figures come
// from there, and the verdict with them.
func TestALessonOnTheRunningEngine(t *testing.T) {
	t.Parallel()
	probetest.TakesTime(t, "an engine that runs in real time")
	b := opened(t, func(*serving.Knobs) {})
	b.ExplainPause(true) // a lesson goes on
	b.TourGo(2)
	v := until(t, b, "the lesson is computed", func(v *serving.View) bool { return v.Tour.Ready })
	for i := range v.Tour.Lesson.Stages {
		if i > 0 {
			b.TourStage(i)
		}
		v = until(t, b, "the stage is measured",
			func(v *serving.View) bool { return v.Tour.Stage == i && v.Tour.Progress == 1 })
		testkit.That(t, !v.Paused && v.Knobs == v.Tour.Lesson.Stages[i].Knobs,
			"stage %d: paused %v, knobs %+v", i, v.Paused, v.Knobs)
	}
	testkit.That(t, v.Tour.Holds && v.Tour.Verdict != "" && v.Tour.Seen[1], "%+v", v.Tour)
	t.Log(v.Tour.Verdict)
	b.TourGo(0)
	if v := b.ExplainView(); v.Tour.On || v.Knobs.Prompt != 4000 || b.TourAt() != 2 {
		t.Errorf("left: on %v, knobs %+v, at %d", v.Tour.On, v.Knobs, b.TourAt())
	}
}

// The prompts are as long as the knob says, by the endpoint's own count.
func TestPromptsAreAsLongAsAsked(t *testing.T) {
	t.Parallel()
	for _, n := range []int{32, 64, 250, 1000, 8000} {
		b := opened(t, func(k *serving.Knobs) { k.Users, k.Prompt, k.Output, k.Time = 1, n, 4, 1 })
		v := until(t, b, "a step", func(v *serving.View) bool { return len(v.Steps) > 0 && len(v.Steps[0].Batch) > 0 })
		got := v.Steps[0].Batch[0].Prompt
		testkit.That(t, math.Abs(float64(got-n)) <= 8, "%d tokens asked for, the endpoint counts %d", n, got)
		b.ExplainClose()
	}
}

// Knobs that are turned faster than anybody computes: in the end the what-if
// table speaks of the last ones and of those before them.
func TestWhatifFollowsTheLastTurn(t *testing.T) {
	b := New(Options{Server: func() (*sim.Server, error) { return nil, errors.New("not needed") }})
	defer b.Wait()
	var before serving.Knobs
	for i := range 60 {
		k := b.ExplainView().Knobs
		before = k
		k.Users, k.Prompt = 1+i*4, 100+i
		testkit.OK(t, b.ExplainTurn(k))
	}
	v := until(t, b, "the predictions", func(v *serving.View) bool { return !v.Busy })
	if v.Present.Knobs != v.Knobs || v.Previous.Knobs != before || !v.Present.TPOT.OK ||
		v.Present.TPOT.V == v.Previous.TPOT.V {
		t.Errorf("present %+v, previous %+v", v.Present, v.Previous)
	}
	// Back again: what was computed is there at once.
	testkit.OK(t, b.ExplainTurn(before))
	if v := b.ExplainView(); v.Busy || v.Present.Knobs != before || v.Previous.Knobs.Users != v.Knobs.Users+4 {
		t.Errorf("busy %v, %+v", v.Busy, v.Present.Knobs)
	}
	if err := b.ExplainOpen(); err == nil || b.ExplainView().Broken.Code == "" || b.ExplainView().Running {
		t.Errorf("opened without an endpoint: %v", err)
	}
}

// A look at everything costs a few allocations, however many steps are kept.
func TestViewsAreCheap(t *testing.T) {
	probetest.TakesTime(t, "an engine that runs in real time")
	b := opened(t, func(k *serving.Knobs) { k.Users, k.Prompt, k.Output, k.Time = 2, 32, 1000, 1 })
	until(t, b, "some steps", func(v *serving.View) bool { return len(v.Steps) > 300 })
	b.TourGo(4) // slow motion, so the steps come first
	until(t, b, "a lesson and some steps", func(v *serving.View) bool { return v.Tour.Ready && len(v.Steps) > 300 })
	b.ExplainPause(true)
	testkit.Allocates(t, 60, 50, func() { _ = b.ExplainView() }, "a view")
}

// Users whose requests all fail stop, and say so; the next turn of a knob brings
// new ones.
func TestUsersThatGaveUpComeBack(t *testing.T) {
	t.Parallel()
	b := opened(t, func(k *serving.Knobs) { k.Users, k.Prompt, k.Output, k.Time = 1, 100, 50, 1 })
	until(t, b, "a step", func(v *serving.View) bool { return len(v.Steps) > 0 })
	b.mu.Lock()
	b.run.load.Drain() // as the breaker does it
	b.broken = metrics.Ending{Code: metrics.EndingFailures}
	b.mu.Unlock()
	if v := b.ExplainView(); v.Running || v.Broken.Code == "" {
		t.Errorf("%v %+v", v.Running, v.Broken)
	}
	k := b.ExplainView().Knobs
	k.Output = 60
	testkit.OK(t, b.ExplainTurn(k))
	until(t, b, "they ask again", func(v *serving.View) bool {
		return v.Running && v.Broken.Code == "" && len(v.Steps) > 0 && len(v.Steps[len(v.Steps)-1].Batch) > 0 &&
			v.Steps[len(v.Steps)-1].Batch[0].Output == 60
	})
}
