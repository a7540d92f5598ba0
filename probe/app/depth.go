package app

import (
	"context"
	"io"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/pick"
	"tokscope/probe/endpoint"
	"tokscope/probe/loadgen"
	"tokscope/probe/result"
)

// Depth is a sweep over prompt lengths before its measurement.
type Depth struct {
	app     *App
	started time.Time
	depth   loadgen.Depth
	outcome loadstat.DepthOutcome
}

// Depth prepares p and sends nothing.
func (a *App) Depth(p loadstat.DepthPlan) *Depth {
	d := &Depth{app: a, started: time.Now()}
	d.depth = loadgen.Depth{
		Engine: a.Engine, Target: a.Target, Plan: p, Price: a.Target.Price().Or(p.PriceIn, p.PriceOut),
		Seed: uint64(d.started.UnixNano()), Context: a.contextOf,
	}
	if a.exporter != nil {
		d.depth.Ended = func(v *metrics.Stream, f *metrics.Figures) { a.exporter.AddUnrecorded(v, f) }
	}
	return d
}

// contextOf returns the context of the target's model as its server lists it, 0
// for unknown.
func (a *App) contextOf(ctx context.Context) int {
	ask, err := a.Engine.AskOf(a.Target)
	if err != nil {
		return 0
	}
	_, models, err := endpoint.Locate(ctx, ask, a.Target, a.Engine.Scrubber())
	if err != nil || len(models) == 0 {
		return 0
	}
	name := a.Target.Model
	if name == "" {
		name = endpoint.Pick(models)
	}
	m, _ := pick.Value(models, func(m *endpoint.Model) bool { return m.ID == name })
	return max(m.Context, 0)
}

// Question returns the question for a person: what the sweep sends, and to which
// endpoint. needed is false where no consent is required.
func (d *Depth) Question() (question loadstat.Question, needed bool) { return d.depth.Question() }

// Run measures the depths.
func (d *Depth) Run(ctx context.Context) loadstat.DepthOutcome {
	d.outcome = d.depth.Run(ctx)
	return d.outcome
}

// Write writes the JSON document of what Run measured.
func (d *Depth) Write(out io.Writer) error {
	return result.WriteDepth(out, d.app.Version, d.started, &d.depth.Plan, &d.outcome, d.app.Sentences)
}
