package explain

import (
	"context"

	"tokscope/metrics"
)

// Outcome is what became of some knobs: the arithmetic of their machine, and
// what a meter measured, in virtual time or of a running engine.
type Outcome struct {
	Config    *EngineConfig
	Machine   metrics.Machine
	Measured  Measured
	Ceiling   metrics.Value // tok/s, see metrics.Prediction
	Floor     metrics.Value // ms
	MostUsers int
}

// NewOutcome puts what was measured beside the arithmetic of a config.
func NewOutcome(r *EngineConfig, f Measured) Outcome {
	m := r.Machine()
	return Outcome{Config: r, Machine: m, Measured: f, Ceiling: ceiling(&m), Floor: floor(&m, r.Knobs.Prompt), MostUsers: r.mostUsers()}
}

// Play plays knobs in virtual time until there is enough to say.
func Play(ctx context.Context, k metrics.Knobs, o Objectives) (Outcome, error) {
	r, err := NewEngineConfig(k)
	if err != nil {
		return Outcome{}, err
	}
	f, err := r.Measure(ctx, o)
	return NewOutcome(r, f), err
}

// Prediction is the outcome as the what-if table shows it.
func (o *Outcome) Prediction() metrics.Prediction {
	f := &o.Measured
	return metrics.Prediction{
		Knobs: o.Config.Knobs, Machine: o.Machine,
		TTFT: f.TTFT, TTFTP99: f.TTFTP99, TPOT: f.TPOT, Gap99: f.Gap99, Speed: f.Speed, Total: f.Total,
		Queue: f.Queue, KV: f.KV, Preempted: f.Preempted, MostUsers: metrics.Known(float64(o.MostUsers), 0),
		Ceiling: o.Ceiling, Floor: o.Floor,
	}
}
