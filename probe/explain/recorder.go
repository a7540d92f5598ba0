package explain

import (
	"maps"
	"slices"
	"sync"

	"tokscope/metrics/serving"
	"tokscope/probe/sim/engine"
	"tokscope/probe/sim/physics"
)

// stepsKept is the least number of steps in a view, once that many exist: at
// full speed some ten seconds. The recorder holds up to twice as many.
const stepsKept = 2048

// Recorder keeps the latest steps of an engine and measures it since the last
// change. One goroutine feeds it; any goroutine may look at it. A look copies
// no steps, so thirty per second cost nothing.
type Recorder struct {
	mu      sync.Mutex
	steps   []serving.EngineStep // only appended to: views share it
	numbers map[uint64]uint64    // from the engine's numbers of the kept steps to the recorder's
	marks   []serving.EngineMark // replaced, never modified
	doing   *serving.EngineStep
	setup   *physics.Setup   // of the last step
	machine *serving.Machine // of setup; steps share it
	next    uint64           // number of the next step that ends, from 1
	meter   *Meter
	clock   float64 // the latest end of an ended step
	busy    float64 // the latest end of a begun step
	version uint64
}

// NewRecorder measures users of a setup from the beginning of the clock.
func NewRecorder(s *physics.Setup, users int, o Objectives) *Recorder {
	return &Recorder{numbers: map[uint64]uint64{}, next: 1, meter: newMeter(s, users, 0, o)}
}

// Mark adds a change of the knobs to the timeline, at that moment of engine
// time.
func (r *Recorder) Mark(at float64, from, to *serving.Knobs) {
	r.mu.Lock()
	r.mark(max(at, r.clock), from, to)
	r.mu.Unlock()
}

// mark is Mark with r.mu held. It adds nothing without a difference.
func (r *Recorder) mark(at float64, from, to *serving.Knobs) {
	if len(serving.Changed(from, to)) == 0 {
		return
	}
	first := r.next
	if r.doing != nil {
		first++ // the step under way was planned earlier
	}
	r.marks = append(r.marks[:len(r.marks):len(r.marks)], serving.EngineMark{Step: first, At: at, From: *from, To: *to})
	r.version++
}

// Change restarts the measurement at that moment of engine time, with another
// setup, users and objectives. The timeline gets a mark where the knobs differ.
func (r *Recorder) Change(at float64, from, to *serving.Knobs, s *physics.Setup, users int, o Objectives) {
	r.mu.Lock()
	defer r.mu.Unlock()
	at = max(at, r.clock)
	old := r.meter
	r.meter = newMeter(s, users, at, o)
	// Running requests continue: their next gap begins before the change, and
	// is left out.
	r.meter.last = old.last
	r.mark(at, from, to)
	r.version++
}

// Begin records the step under way, whose batch the recorder keeps. more requests are
// not in it.
func (r *Recorder) Begin(s *engine.Step, batch []serving.EngineRequest, more int) {
	d := stepOf(s)
	d.Batch, d.More = batch, more
	r.mu.Lock()
	d.Machine = r.machineOf(s.Setup)
	r.busy = max(r.busy, d.End)
	d.Number = r.next
	r.doing = &d
	r.version++
	r.mu.Unlock()
}

// Record adds an ended step, as Begin takes it. The recorder numbers steps
// consecutively in the order of their ends. Two pools end theirs out of order, and
// an engine with a new setup may count from the beginning.
func (r *Recorder) Record(ended *engine.Step, batch []serving.EngineRequest, more int) {
	s := stepOf(ended)
	s.Batch, s.More = batch, more
	r.mu.Lock()
	defer r.mu.Unlock()
	s.Number, s.Machine = r.next, r.machineOf(ended.Setup)
	r.numbers[ended.Number] = r.next
	r.next++
	r.append(s)
	r.clock, r.doing = max(r.clock, s.End), nil
	r.meter.Saw(ended)
	r.version++
}

// machineOf returns the machine of a setup, created once.
func (r *Recorder) machineOf(s *physics.Setup) *serving.Machine {
	if s != r.setup {
		m := machineOf(s)
		r.setup, r.machine = s, &m
	}
	return r.machine
}

// append adds s; views keep the old array when a new one is needed.
func (r *Recorder) append(s serving.EngineStep) {
	if len(r.steps) == cap(r.steps) {
		keep := r.steps[max(0, len(r.steps)-stepsKept):]
		r.steps = append(make([]serving.EngineStep, 0, 2*stepsKept), keep...)
		first := s.Number
		if len(keep) > 0 {
			first = keep[0].Number
		}
		maps.DeleteFunc(r.numbers, func(_, ours uint64) bool { return ours < first })
		r.marks = slices.DeleteFunc(slices.Clone(r.marks), func(m serving.EngineMark) bool { return m.Step < first })
	}
	r.steps = append(r.steps, s)
}

// Keep forgets all requests but those that are here: they were taken back.
func (r *Recorder) Keep(here map[uint64]bool) {
	r.mu.Lock()
	r.meter.keep(here)
	r.mu.Unlock()
}

// Number returns the recorder's number of the step with that engine number;
// false when it is not kept.
func (r *Recorder) Number(engine uint64) (uint64, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n, ok := r.numbers[engine]
	return n, ok
}

// Busy returns the end of all steps under way, in engine time; 0 without one.
// Of two pools each may have one.
func (r *Recorder) Busy() float64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.busy <= r.clock {
		return 0
	}
	return r.busy
}

// Kept holds a recorder's data for a view. Its slices are shared: read only.
type Kept struct {
	Steps   []serving.EngineStep
	Marks   []serving.EngineMark
	Doing   *serving.EngineStep
	Version uint64
}

// Look returns the kept steps; its cost is independent of their number.
func (r *Recorder) Look() Kept {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := len(r.steps)
	return Kept{Steps: r.steps[max(0, n-stepsKept):n:n],
		Marks: r.marks[:len(r.marks):len(r.marks)], Doing: r.doing, Version: r.version}
}

// Figures returns the measurements since the last change. It sorts the times
// of the requests: do not call it for every frame.
func (r *Recorder) Figures() Measured {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.meter.Figures()
}
