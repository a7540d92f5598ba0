package scenes

import (
	"slices"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/serving"
	"tokscope/probe/explain"
	"tokscope/probe/sim/engine"
	"tokscope/ui/uitest"
)

// film runs some knobs in virtual time and records the steps as the engine of
// the screen would.
type film struct {
	config  *explain.EngineConfig
	engine  *engine.Engine
	rec     *explain.Recorder
	steps   []serving.EngineStep
	plan    *serving.EngineStep // the newest plan
	step    engine.Step         // the ended step that waits for its yields
	batch   []serving.EngineRequest
	more    int
	open    bool
	yields  []explain.Yield
	users   map[uint64]int      // of each request
	chunks  map[uint64][]uint64 // steps that yielded each request's chunks
	begun   map[uint64]explain.Yield
	states  []engine.RequestState
	stopped bool
}

func newFilm(t *testing.T, k serving.Knobs) *film {
	t.Helper()
	config, err := explain.NewEngineConfig(k)
	if err != nil {
		t.Fatal(err)
	}
	return &film{
		config: config, rec: explain.NewRecorder(config.Setup, k.Users, explain.Objectives{}),
		users: map[uint64]int{}, chunks: map[uint64][]uint64{}, begun: map[uint64]explain.Yield{},
	}
}

// play runs until enough reports true for the steps, then one step more. That
// last step is left out; the one running at the end is its plan.
func (f *film) play(t *testing.T, enough func(steps []serving.EngineStep) bool) *film {
	t.Helper()
	p := f.config.Player()
	p.Started = func(e *engine.Engine) { f.engine = e }
	p.Options.OnPlan = func(s *engine.Step) {
		f.flush()
		if f.stopped {
			return
		}
		// The recorder turns a plan into the screen's running step.
		rows, more := f.rows()
		f.rec.Begin(f.config.Setup, s, rows, more)
		f.plan = f.rec.Look().Doing
		f.stopped = len(f.steps) > 0 && enough(f.steps)
	}
	p.Options.OnStep = func(s *engine.Step) {
		f.flush()
		f.batch, f.more = f.rows()
		f.step, f.open = *s, true
	}
	p.Yield = func(y engine.Emission) {
		f.yields = append(f.yields, explain.YieldOf(y.Request.ID, y.Request, y.N))
	}
	p.Enough = func() bool { return f.stopped || len(f.steps) > longest }
	if _, err := p.Play(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !f.stopped {
		t.Fatalf("%+v: the moment has not come after %d steps", f.config.Knobs, longest)
	}
	return f
}

// longest limits the wait for a moment, in steps.
const longest = 5000

// rows are the present requests of the engine.
func (f *film) rows() (out []serving.EngineRequest, more int) {
	f.states = f.engine.Batch(f.states[:0])
	for i := range f.states {
		s := &f.states[i]
		user := s.Request.User.(int)
		f.users[s.Request.ID] = user
		if i < serving.MaxBatchRows {
			out = append(out, explain.RowOf(s, user))
		}
	}
	return out, max(len(f.states)-serving.MaxBatchRows, 0)
}

// flush records the ended step with its yields.
func (f *film) flush() {
	if !f.open {
		return
	}
	f.open = false
	f.rec.Record(explain.Report{Setup: f.config.Setup, Step: &f.step, Yield: f.yields, Batch: f.batch, More: f.more})
	kept := f.rec.Look().Steps
	last := kept[len(kept)-1]
	last.Machine = nil // the same as the view's machine
	f.steps = append(f.steps, last)
	for _, y := range f.yields {
		f.chunks[y.ID] = append(f.chunks[y.ID], last.Number)
		f.begun[y.ID] = y
	}
	f.yields = f.yields[:0]
}

// scene is the final moment with the last steps. The last rows of them
// include their requests.
func (f *film) scene(t *testing.T, steps, rows int) *uitest.Recording {
	t.Helper()
	k := f.config.Knobs
	all := slices.Clone(f.steps[max(len(f.steps)-steps, 0):])
	for i := range all[:max(len(all)-rows, 0)] {
		all[i].Batch, all[i].More = nil, 0
	}
	end := all[len(all)-1].End
	v := serving.View{Running: true, Knobs: k, Machine: f.config.Machine(), Clock: end, Figures: f.rec.Figures().EngineFigures, Present: predict(t, k)}
	v.Watched = f.watched(all)
	whole := k
	if whole.Time = 1; whole != k { // somebody slowed the time meanwhile
		middle := &all[len(all)/2]
		v.Marks = []serving.EngineMark{{Step: middle.Number, At: middle.Start, From: whole, To: k}}
	}
	return &uitest.Recording{View: v, Steps: all}
}

// watched is the request that yielded a chunk in most of the steps, of those
// that still decode at the end.
func (f *film) watched(steps []serving.EngineStep) (w serving.Watched) {
	first := steps[0].Number
	for _, q := range steps[len(steps)-1].Batch {
		in := f.chunks[q.ID]
		if q.State != serving.EngineDecode || len(in) == 0 || in[0] < first || len(in) <= len(w.Steps) {
			continue
		}
		y := f.begun[q.ID]
		w = serving.Watched{User: q.User, Request: q.ID, Steps: in, TrueTTFT: metrics.Known(1e3*(y.First-y.Arrive)/f.config.Knobs.Time, 1)}
	}
	return w
}

func predict(t *testing.T, k serving.Knobs) serving.Prediction {
	t.Helper()
	p, err := explain.Predict(t.Context(), nil, k)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
