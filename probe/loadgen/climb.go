package loadgen

import (
	"context"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
)

// climb runs the ramp of c. Each slice of it becomes a point of the outcome,
// never a steady one.
func (c *Curve) climb(ctx context.Context) Outcome {
	config := c.config()
	d := c.Ramp
	config.Shape.Users, config.Shape.Rate, config.Shape.Ramp, config.Shape.RampTo = d.Users, d.Rate, d.Within, d.To
	l := Start(ctx, config)
	defer func() {
		l.Stop()
		l.Wait()
	}()
	if c.Begin != nil {
		c.Begin(1, metrics.LoadStep{Users: d.Users, Rate: d.Rate}, l.View)
	}
	l.rampEnds(ctx)
	v := l.View()
	_, v.Faults = l.results()
	out := Outcome{Endpoint: v.Endpoint, View: v, Fault: l.example(), Interrupted: ctx.Err() != nil}
	out.Points = slicesOf(&v)
	if out.Stopped = v.Broken; v.Broken == (metrics.Ending{}) {
		out.Stopped = v.Stopped
	}
	if out.Interrupted {
		out.Stopped = metrics.Ending{Code: metrics.EndingInterrupted}
	}
	return out
}

// rampEnds waits until the load is on a ramp no more.
func (l *Load) rampEnds(ctx context.Context) {
	for {
		l.mu.Lock()
		figures, ramps := l.publisher.figures, l.driver.ramps
		l.mu.Unlock()
		if !ramps {
			return
		}
		select {
		case <-figures:
		case <-l.done:
			return
		case <-ctx.Done():
			return
		}
	}
}

// slicesOf returns the slices of the ramp of v as finished steps.
func slicesOf(v *loadstat.View) (out []SweepPoint) {
	for _, p := range v.Path {
		if p.Ramp == nil {
			continue
		}
		step := Step{Users: p.Users}
		if p.Asked > 0 {
			step = Step{Rate: p.Asked}
		}
		extra := loadstat.StepExtra{AllFailed: p.Requests == 0 && p.Failed > 0}
		out = append(out, SweepPoint{Step: step, Point: p, Lag: v.ScheduleLag, Extra: extra})
	}
	return out
}

// Planned returns the number of steps, of a ramp that of its slices.
func (c *Curve) Planned() int {
	if !c.Ramp.Ramps() {
		return len(c.Steps())
	}
	last := int(c.Ramp.Within / sliceLen)
	s := newSlicing(slope{}, 0, last, c.config().Window)
	n := 0
	for ; s.first < s.last; s.first = s.end() {
		n++
	}
	return n
}
