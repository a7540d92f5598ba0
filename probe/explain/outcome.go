package explain

import (
	"tokscope/metrics"
	"tokscope/metrics/serving"
)

// Outcome holds the results for some knobs: the arithmetic of their machine,
// and the measurements of a meter, in virtual time or of a running engine.
type Outcome struct {
	Config    *EngineConfig
	Machine   serving.Machine
	Measured  Measured
	Ceiling   metrics.Value // tok/s, see serving.Prediction
	Floor     metrics.Value // ms
	MostUsers int
}

// NewOutcome puts what was measured beside the arithmetic of a config.
func NewOutcome(r *EngineConfig, f Measured) Outcome {
	m := r.Machine()
	return Outcome{Config: r, Machine: m, Measured: f, Ceiling: ceiling(&m),
		Floor: floor(&m, r.Knobs.Prompt), MostUsers: r.mostUsers()}
}

// Prediction returns the outcome in the form of the what-if table.
func (o *Outcome) Prediction() serving.Prediction {
	f := &o.Measured
	return serving.Prediction{
		Knobs: o.Config.Knobs, Machine: o.Machine,
		TTFT: f.TTFT, TTFTP99: f.TTFTP99, TPOT: f.TPOT, Gap99: f.Gap99, Speed: f.Speed, Total: f.Total,
		Queue: f.Queue, KV: f.KV, Preempted: f.Preempted, MostUsers: metrics.Known(float64(o.MostUsers), 0),
		Ceiling: o.Ceiling, Floor: o.Floor,
	}
}
