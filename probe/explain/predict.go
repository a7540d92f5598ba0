package explain

import (
	"context"

	"tokscope/metrics"
	"tokscope/metrics/serving"
	"tokscope/probe/sim/engine"
	"tokscope/probe/sim/physics"
)

// Bounds of a prediction. A sequence in a step costs about a tenth of a
// microsecond, a step about three.
const (
	enoughRequests = 104     // enough for a p99, with a margin
	mostWork       = 400_000 // sequences times steps, after which fewer requests suffice
)

// Predict runs some knobs in virtual time and returns the results. It takes
// milliseconds, some tens of them for hundreds of users. When ctx ends it
// returns its error. Unavailable knobs give a Prediction with Err.
// Machines and models are those of cat; nil has the built-in ones.
func Predict(ctx context.Context, cat *physics.Catalogue, k serving.Knobs) (serving.Prediction, error) {
	r, err := NewEngineConfig(cat, k)
	if err != nil {
		return serving.Prediction{Knobs: k, Err: err.Error()}, nil
	}
	o, err := r.Measure(ctx, Objectives{})
	return o.Prediction, err
}

// Play runs knobs in virtual time until the figures suffice.
func Play(ctx context.Context, k serving.Knobs, o Objectives) (Outcome, error) {
	r, err := NewEngineConfig(nil, k)
	if err != nil {
		return Outcome{}, err
	}
	return r.Measure(ctx, o)
}

// Measure plays the config in virtual time until there is enough to say.
func (r *EngineConfig) Measure(ctx context.Context, o Objectives) (Outcome, error) {
	w := &enough{Meter: newMeter(r.Setup, r.Knobs.Users, 0, o), users: r.Knobs.Users}
	_, err := r.Play(ctx, w.Saw, w.Enough)
	return NewOutcome(r, w.Figures()), err
}

// enough is a meter with a stop condition. Normally every user was answered
// twice and enoughRequests have ended. At mostWork it suffices that all users
// were present for an answer. It stops in any case at four times mostWork.
type enough struct {
	*Meter
	users, work int
}

// Saw counts the work.
func (e *enough) Saw(s *engine.Step) {
	e.work += 10 + s.Decodes + s.Prefills
	e.Meter.Saw(s)
}

// Enough reports whether to stop.
func (e *enough) Enough() bool {
	if e.work > 4*mostWork {
		return true
	}
	if e.ended < 2*e.users || e.full == 0 {
		return false
	}
	if e.now-e.full < e.round/float64(e.ended) {
		return false
	}
	return e.ended >= enoughRequests || e.work > mostWork
}

// Outcome holds the results for some knobs: the arithmetic of their machine,
// and the measurements of a meter, in virtual time or of a running engine.
type Outcome struct {
	Config *EngineConfig
	serving.Prediction
	Measured Measured
}

// NewOutcome puts what was measured beside the arithmetic of a config.
func NewOutcome(r *EngineConfig, f Measured) Outcome {
	m := r.Machine()
	return Outcome{Config: r, Measured: f, Prediction: serving.Prediction{
		Knobs: r.Knobs, Machine: m, EngineFigures: f.EngineFigures, Queue: f.Queue,
		MostUsers: metrics.Known(float64(r.mostUsers()), 0), Ceiling: ceiling(&m), Floor: floor(&m, r.Knobs.Prompt),
	}}
}

// Play lets the users of the config ask, and ask again as soon as they are
// answered, on an engine in virtual time, until enough reports true, which is
// asked after every step, or ctx ends. saw gets every ended step, valid during the
// call only. The users begin spread over the time of an answer, as those of the
// running engine do. It returns the engine's counters and is deterministic.
func (r *EngineConfig) Play(ctx context.Context, saw func(*engine.Step), enough func() bool) (engine.Stats, error) {
	p := r.Player()
	p.Options.OnStep, p.Enough = saw, enough
	return p.Play(ctx)
}

// Player plays the users of the config on a fresh engine; it never ends by itself.
func (r *EngineConfig) Player() engine.Player {
	return engine.Player{Options: engine.Options{Config: r.Config}, Workload: r.workload()}
}

// Answer estimates how long an answer takes when all users are there, in seconds.
func (r *EngineConfig) Answer() float64 {
	w := r.workload()
	return w.AnswerTime(r.Setup)
}

// workload is what the users of the config send. With a prefix cache all of them
// send the same prompt.
func (r *EngineConfig) workload() engine.Workload {
	k := &r.Knobs
	w := engine.Workload{Users: k.Users, Prompt: k.Prompt, Output: k.Output, Uncached: !k.PrefixCache}
	if k.PrefixCache {
		w.Shared = k.Prompt
	}
	return w
}
