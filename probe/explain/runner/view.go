package runner

import (
	"tokscope/metrics"
	"tokscope/metrics/serving"
)

// ExplainView is the engine and its users now. It costs the same however many
// steps are kept.
func (b *Runner) ExplainView() serving.View {
	b.mu.Lock()
	defer b.mu.Unlock()
	v := serving.View{
		Knobs: b.knobs, Machine: b.machine, Paused: b.paused,
		Broken: b.broken, Figures: b.figures.EngineFigures, Tour: b.tour.View(),
	}
	v.Present, v.Previous, v.Unchanged, v.Busy = b.whatif.look()
	r := b.run
	if r == nil {
		v.Watched = serving.Watched{User: b.user, TrueTTFT: metrics.Unknown(metrics.WhyNoRequests),
			EngineTTFT: metrics.Unknown(metrics.WhyNoRequests), Stream: metrics.NoStream(0)}
		return v
	}
	v.Running = b.broken == (metrics.Ending{})
	v.Now, v.Clock = r.engine.Clock().Now(), r.steered.Clock()
	k := r.rec.Look()
	v.Steps, v.Marks, v.Doing = k.Steps, k.Marks, k.Doing
	v.Watched = r.watch.look(r, b.user)
	v.Observer = r.engine.Observer()
	v.Slipped = (r.steered.Pacing().Slipped - r.slipped).Seconds()
	v.Speed, v.Overloaded = r.speed(b.config), r.pacer.throttle.exhausted()
	return v
}
