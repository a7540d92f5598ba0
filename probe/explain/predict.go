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
	r, err := NewEngineConfigOf(cat, k)
	if err != nil {
		return serving.Prediction{Knobs: k, Err: err.Error()}, nil
	}
	o, err := r.Measure(ctx, Objectives{})
	return o.Prediction, err
}

// Play runs knobs in virtual time until the figures suffice.
func Play(ctx context.Context, k serving.Knobs, o Objectives) (Outcome, error) {
	r, err := NewEngineConfig(k)
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
