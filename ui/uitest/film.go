package uitest

import (
	"context"
	"fmt"
	"slices"

	"tokscope/metrics"
	"tokscope/metrics/serving"
	"tokscope/probe/explain"
	"tokscope/probe/sim/engine"
)

// film plays some knobs in virtual time and records the steps as the engine of
// the screen does.
type film struct {
	config *explain.EngineConfig
	engine *engine.Engine
	rec    *explain.Recorder
	chunks map[uint64][]uint64 // steps that yielded each request's chunks
	begun  map[uint64]engine.Request
}

// longest limits the wait for a moment, in steps.
const longest = 5000

// play runs the knobs until enough reports true for the steps. The step that is
// running then is the recorder's Doing. It panics when that moment does not come,
// since that is an error of the tests.
func play(k serving.Knobs, enough func(steps []serving.EngineStep) bool) *film {
	config := must(explain.NewEngineConfig(nil, k))
	f := &film{config: config, rec: explain.NewRecorder(config.Setup, k.Users, explain.Objectives{}),
		chunks: map[uint64][]uint64{}, begun: map[uint64]engine.Request{}}
	stopped, steps := false, 0
	p := config.Player()
	p.Started = func(e *engine.Engine) { f.engine = e }
	p.Options.OnPlan = func(s *engine.Step) {
		if stopped {
			return
		}
		batch, more := f.rows()
		f.rec.Begin(s, batch, more)
		stopped = enough(f.rec.Look().Steps)
	}
	p.Options.OnStep = func(s *engine.Step) {
		batch, more := f.rows()
		f.rec.Record(s, batch, more)
		number, _ := f.rec.Number(s.Number)
		for _, y := range s.Yield {
			f.chunks[y.Request.ID] = append(f.chunks[y.Request.ID], number)
			f.begun[y.Request.ID] = *y.Request
		}
		steps++
	}
	p.Enough = func() bool { return stopped || steps > longest }
	must(p.Play(context.Background()))
	if !stopped {
		panic(fmt.Sprintf("%+v: the moment has not come after %d steps", k, longest))
	}
	return f
}

// rows are the present requests of the engine.
func (f *film) rows() (out []serving.EngineRequest, more int) {
	states := f.engine.Batch(nil)
	n := min(len(states), serving.MaxBatchRows)
	for i := range states[:n] {
		out = append(out, explain.RowOf(&states[i], states[i].Request.User.(int)))
	}
	return out, len(states) - n
}

// scene is the final moment with the last steps. The last rows of them
// include their requests.
func (f *film) scene(steps, rows int) *serving.View {
	k := f.config.Knobs
	all := f.rec.Look().Steps
	all = slices.Clone(all[max(len(all)-steps, 0):])
	for i := range all[:max(len(all)-rows, 0)] {
		all[i].Batch, all[i].More = nil, 0
	}
	v := &serving.View{Running: true, Knobs: k, Machine: f.config.Machine(), Clock: all[len(all)-1].End,
		Figures: f.rec.Figures().EngineFigures, Present: predict(k), Watched: f.watched(all), Steps: all}
	whole := k
	if whole.Time = 1; whole != k { // somebody slowed the time meanwhile
		middle := &all[len(all)/2]
		v.Marks = []serving.EngineMark{{Step: middle.Number, At: middle.Start, From: whole, To: k}}
	}
	return v
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
		w = serving.Watched{User: q.User, Request: q.ID, Steps: in,
			TrueTTFT:   metrics.Known(1e3*(y.First-y.Arrive)/f.config.Knobs.Time, 1),
			EngineTTFT: metrics.Known(1e3*(y.First-y.Arrive), 1)}
	}
	return w
}

func predict(k serving.Knobs) serving.Prediction {
	return must(explain.Predict(context.Background(), nil, k))
}

// must returns v. It panics for an error, since that is one of the tests.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
