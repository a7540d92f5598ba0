package explain

import (
	"tokscope/metrics"
	"tokscope/metrics/serving"
)

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
