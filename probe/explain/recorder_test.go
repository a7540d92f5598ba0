package explain

import (
	"context"
	"math"
	"slices"
	"sync"
	"testing"

	"tokscope/metrics/serving"
	"tokscope/metrics/testkit"
	"tokscope/probe/sim/engine"
)

// engineFeed feeds a recorder from an engine in virtual time.
type engineFeed struct {
	rec *Recorder
	n   int
	see func()
}

func (p *engineFeed) Saw(s *engine.Step) { p.rec.Record(s, nil, 0) }

func (p *engineFeed) Enough() bool {
	if p.see != nil {
		p.see()
	}
	p.n--
	return p.n < 0
}

// The kept steps have consecutive numbers and terms that add up, and a view
// does not change later.
func TestRecorderKeepsTheLastSteps(t *testing.T) {
	for _, mode := range []string{"continuous", "disaggregated"} {
		r := engineConfig(t, func(k *serving.Knobs) { k.Mode, k.Prompt = mode, 4000 })
		rec := NewRecorder(r.Setup, r.Knobs.Users, Objectives{})
		p := &engineFeed{rec: rec, n: 3 * stepsKept}
		var early Kept
		var copied []serving.EngineStep
		p.see = func() {
			if p.n == 2*stepsKept {
				early = rec.Look()
				copied = slices.Clone(early.Steps)
			}
		}
		testkit.Must(r.Play(context.Background(), p.Saw, p.Enough))(t)
		v := rec.Look()
		testkit.Is(t, len(v.Steps), stepsKept, mode, "steps")
		for i := range v.Steps {
			s := &v.Steps[i]
			testkit.Need(t, s.Number, v.Steps[0].Number+uint64(i), mode, "step", i, "has number … after", v.Steps[0].Number)
			sum := 0.0
			for _, c := range s.Cost() {
				sum += c.Seconds
			}
			testkit.Given(t, math.Abs(sum-(s.End-s.Start)) <= 1e-9 && (i <= 0 || s.End >= v.Steps[i-1].End),
				"%s: step %+v, terms add up to %v", mode, s, sum)
		}
		for i := range early.Steps {
			testkit.Given(t, early.Steps[i].Number == copied[i].Number && early.Steps[i].End == copied[i].End, "a view changed")
		}
		testkit.That(t, len(rec.numbers) <= 2*stepsKept+1,
			"%d numbers of forgotten steps are kept", len(rec.numbers)-len(v.Steps))
	}
}

// A change restarts the figures, leaves a mark, and the gap across it does
// not count.
func TestRecorderChange(t *testing.T) {
	r := engineConfig(t, func(k *serving.Knobs) { k.Users = 2 })
	rec := NewRecorder(r.Setup, 2, Objectives{})
	p := &engineFeed{rec: rec, n: 1000}
	testkit.Must(r.Play(context.Background(), p.Saw, p.Enough))(t)
	if f := rec.Figures(); f.Requests == 0 || f.Steps < 900 {
		t.Fatalf("%+v", f)
	}
	at := rec.Look().Steps[len(rec.Look().Steps)-1].End
	rec.Change(at, &serving.Knobs{Users: 2}, &serving.Knobs{Users: 1}, r.Setup, 1, Objectives{})
	f, v := rec.Figures(), rec.Look()
	testkit.That(t, f.Requests == 0 && f.Steps == 0 && f.Since == at && !f.TTFT.OK && !f.MaxGap.OK,
		"after the change: %+v", f)
	last := v.Steps[len(v.Steps)-1].Number
	testkit.That(t, len(v.Marks) == 1 && v.Marks[0].Step == last+1 && v.Marks[0].At == at,
		"marks %+v after step %d", v.Marks, last)
	// The step under way ends as planned: the new knobs apply only then.
	old := engine.Step{Number: 1 << 39, Start: at - 1, End: at + 0.5, Setup: r.Setup}
	rec.Record(&old, nil, 0)
	if f := rec.Figures(); f.Since != at+0.5 || f.Steps != 0 {
		t.Errorf("behind a step of before the figures begin at %v, want %v; %d steps", f.Since, at+0.5, f.Steps)
	}
	s := engine.Step{Number: 1 << 40, Start: at, End: at + 1, Setup: r.Setup}
	rec.Record(&s, nil, 0)
	if n, ok := rec.Number(1 << 40); !ok || n != last+2 {
		t.Errorf("the engine's step is %d here, %v", n, ok)
	}
}

// A look costs the same for any number of steps, and is free of races.
func TestRecorderLooksAreCheap(t *testing.T) {
	r := engineConfig(t, func(k *serving.Knobs) { k.Users = 1 })
	rec := NewRecorder(r.Setup, 1, Objectives{})
	var wg sync.WaitGroup
	wg.Go(func() {
		p := &engineFeed{rec: rec, n: 5000}
		_, err := r.Play(context.Background(), p.Saw, p.Enough)
		testkit.Is(t, err, nil)
	})
	for range 1000 {
		v := rec.Look()
		for i := range v.Steps {
			_ = v.Steps[i].End
		}
		_ = rec.Figures()
	}
	wg.Wait()
	testkit.Allocates(t, 0, 100, func() { _ = rec.Look() }, "a look")
}

// A step under way was planned before a mark: the mark belongs to the step
// after it. Between steps it belongs to the next.
func TestAMarkIsOfTheStepThatIsPlannedAfterIt(t *testing.T) {
	r := engineConfig(t, func(k *serving.Knobs) { k.Users = 1 })
	rec := NewRecorder(r.Setup, 1, Objectives{})
	s := &engine.Step{Number: 7, Start: 1, End: 2, Setup: r.Setup}
	from, to := &serving.Knobs{Users: 1}, &serving.Knobs{Users: 2}
	rec.Mark(0.5, from, to)
	rec.Begin(s, nil, 0)
	rec.Mark(1.5, from, to)
	rec.Record(s, nil, 0)
	rec.Mark(2.5, from, to)
	rec.Mark(2.6, to, to) // no change
	testkit.Need(t, len(rec.Look().Marks), 3, "marks")
	for i, want := range []uint64{1, 2, 2} {
		testkit.Is(t, rec.Look().Marks[i].Step, want, "mark", i, "is of step")
	}
}

// A step keeps the machine on which it ran, also after a change of machine.
func TestStepsKeepTheirMachine(t *testing.T) {
	was, now := engineConfig(t, func(*serving.Knobs) {}), engineConfig(t, func(k *serving.Knobs) { k.Hardware = "a100" })
	rec := NewRecorder(was.Setup, 1, Objectives{})
	for i, r := range []*EngineConfig{was, was, now} {
		s := &engine.Step{Number: uint64(i), Start: float64(i), End: float64(i + 1), Setup: r.Setup}
		rec.Begin(s, nil, 0)
		rec.Record(s, nil, 0)
	}
	steps := rec.Look().Steps
	for i, r := range []*EngineConfig{was, was, now} {
		want := r.Machine()
		if m := steps[i].Machine; m == nil || m.Bandwidth != want.Bandwidth || m.Peak != want.Peak ||
			m.KVCapacity != want.KVCapacity || m.KVToken != want.KVToken {
			t.Errorf("step %d ran on %+v", i, m)
		}
	}
	testkit.Is(t, steps[0].Machine, steps[1].Machine, "steps of one machine do not share it is")
}

// Of two pools the one with the longer step decides.
func TestBusyUntilTheLastStepEnds(t *testing.T) {
	r := engineConfig(t, func(k *serving.Knobs) { k.Mode = "disaggregated" })
	rec := NewRecorder(r.Setup, 1, Objectives{})
	long, short := &engine.Step{Number: 1, Start: 1, End: 41, Pool: "prefill", Setup: r.Setup},
		&engine.Step{Number: 2, Start: 1, End: 1.02, Pool: "decode", Setup: r.Setup}
	want := func(what string, at float64) {
		t.Helper()
		testkit.Is(t, rec.Busy(), at, what, "busy until")
	}
	want("before any", 0)
	rec.Begin(long, nil, 0)
	rec.Begin(short, nil, 0)
	want("both begun", 41)
	rec.Record(short, nil, 0)
	want("the short one ended", 41)
	rec.Record(long, nil, 0)
	want("both ended", 0)
}
