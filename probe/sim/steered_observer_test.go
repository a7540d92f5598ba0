package sim

import (
	"testing"
	"time"

	"tokscope/metrics/testkit"
	"tokscope/probe/sim/engine"
	"tokscope/probe/sim/physics"
)

// fullEngine is a steered engine that decodes n requests; the test drives it.
func fullEngine(t testing.TB, n int) (*driver, *Steered) {
	t.Helper()
	c, _, err := ParseID(nil, DefaultModel)
	testkit.OK(t, err)
	c.Stack, _ = physics.StackOf("bench") // no front end: all requests are ready at once
	setup := testkit.Must(physics.New(c))(t)
	s := testkit.Must(prepare(Options{}))(t)
	t.Cleanup(s.stopEngines)
	steered := testkit.Must(s.Steered(SteeredConfig{Config: engine.Config{Setup: setup}}))(t)
	d := steered.d
	// End its goroutine: the test drives the engine itself.
	d.close()
	d.closed = false
	for range n {
		r := &engine.Request{Prompt: 1, Output: setup.Capacity / (2 * n), User: &requestRef{out: newOutbox(), id: "x"}}
		testkit.OK(t, d.engine.Submit(0, r))
		d.live[r] = r.User.(*requestRef).out
	}
	for d.engine.Stats().Running < n {
		at, ok := d.engine.Next()
		testkit.Given(t, ok, "nothing happens any more")
		d.advance(d.engine, at, time.Now())
	}
	return d, steered
}

// An observer adds no allocation to a step, for any number of requests.
func TestObservingAllocatesNothing(t *testing.T) {
	d, steered := fullEngine(t, 256)
	step := func() {
		at, _ := d.engine.Next()
		d.advance(d.engine, at, time.Now())
		for _, f := range d.live {
			f.pending = f.pending[:0]
		}
	}
	for range 20 {
		step() // the buffers reach their size
	}
	bare := testing.AllocsPerRun(50, step)
	rows := 0
	steered.Observe(func(r *StepReport) { rows += len(r.Batch) })
	step()
	watched := testing.AllocsPerRun(50, step)
	if watched > bare || rows < 256*50 {
		t.Errorf("%v allocations a step, with an observer %v (%d rows)", bare, watched, rows)
	}
	steered.Observe(nil)
	seen := rows
	step()
	testkit.Is(t, rows, seen, "an observer that was removed is still called")
}
