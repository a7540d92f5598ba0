package loadgen

import (
	"cmp"
	"context"
	"slices"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
)

// sweep measures the steps that are not kept, in order, with m, which is not needed
// where all are. It fills in Steps and Stopped. When ctx ends, it abandons the current
// step, because its window is cut short, and the outcome holds the finished ones. It
// also ends when the load has ended by itself (Stopped, Broken), which may cut the last
// step short, and after a step whose requests all failed. The error is that of the last
// step that was to be kept; after one the sweep goes on.
func (c *Curve) sweep(ctx context.Context, m measurer) (out loadstat.SweepOutcome, err error) {
	steps := c.Steps()
	for i, step := range steps {
		if ctx.Err() != nil {
			out.Stopped = metrics.Ending{Code: metrics.EndingInterrupted}
			return out, err
		}
		if c.over(i) {
			continue
		}
		p, had := c.have(step)
		var why metrics.Ending // why the load goes on no more
		if !had {
			c.current.Store(&current{i + 1, step})
			if c.Begin != nil {
				c.Begin(i+1, step.load(), m.View)
			}
			p, why = c.measureStep(ctx, m, step)
			if ctx.Err() != nil {
				out.Stopped = metrics.Ending{Code: metrics.EndingInterrupted, Step: step.load()}
				return out, err
			}
			if why != (metrics.Ending{}) && !p.Point.Steady {
				// The part that was measured is shown, but the step is not finished.
				if n, _ := p.Point.Failures(); p.Point.Requests+n > 0 {
					out.Steps = append(out.Steps, p)
				}
				out.Stopped = why
				return out, err
			}
			if p.Point.Requests > 0 {
				err = c.keep(step, &p)
			}
		}
		out.Steps = append(out.Steps, p)
		if i == len(steps)-1 {
			break
		}
		if out.Stopped = cmp.Or(why, c.stops(step, &p)); out.Stopped != (metrics.Ending{}) {
			break
		}
	}
	return out, err
}

// measureStep measures a step, and returns why the load goes on no more, zero
// while it does.
func (c *Curve) measureStep(ctx context.Context, m measurer,
	step Step) (p loadstat.SweepStep, why metrics.Ending) {
	p.Rate = c.Shard.Rate(step.Rate)
	server := &p.Extra.Server
	server.Before = c.counts(ctx, server)
	before := m.View()
	ended := m.results()
	p.Point = m.MeasureStep(ctx, step)
	server.After = c.counts(ctx, server)
	view := m.View()
	server.Requests = view.Done + view.Failed + view.Cancelled - before.Done - before.Failed - before.Cancelled
	server.Output = view.TokensReceived - before.TokensReceived
	now := m.results()
	p.Extra.Lengths = now.lengths.Since(ended.lengths)
	addFailures(&p, &view, now.done-ended.done, now.faults, ended.faults)
	p.Lag, p.Extra.ClientLimits = view.ScheduleLag, view.ClientLimits
	return p, cmp.Or(view.Broken, view.Stopped)
}

// addFailures adds to p what of failed, all failures of the load so far, is neither in
// before nor in its window. A failure also ends the warm-up of its user, so those of a
// server that asks to wait all come before the window. done is how many requests of the
// step ended well.
func addFailures(p *loadstat.SweepStep, end *loadstat.View, done int, failed, before []metrics.FaultCount) {
	q := &p.Point
	for _, f := range slices.Concat(before, q.Faults) {
		f.N = -f.N
		failed = metrics.AddFaults(failed, f)
	}
	if len(failed) > 0 {
		q.Outside = failed
	}
	p.Extra.AllFailed = q.Requests == 0 && (q.Failed > 0 || len(q.Outside) > 0 && done == 0 && end.Decoding == 0)
}

// counts reads the server's counts, or notes in step why it cannot.
func (c *Curve) counts(ctx context.Context, step *loadstat.ServerStep) loadstat.ServerCounts {
	if c.Server == nil {
		return loadstat.ServerCounts{}
	}
	counts, err := c.Server(ctx)
	if err != nil {
		step.Why = err.Error()
	}
	return counts
}

// stops returns why a finished step is the last one, zero where it is not.
func (c *Curve) stops(step Step, p *loadstat.SweepStep) metrics.Ending {
	if p.Extra.AllFailed {
		return metrics.Ending{Code: metrics.EndingStepFailed, Step: step.load()}
	}
	if c.UntilBreaks { // steady or not: a load whose requests accumulate never becomes steady
		if name, _ := p.Point.Breaks(c.Config.SLOs); name != "" {
			return metrics.Ending{Code: metrics.EndingMissed, SLO: name, Step: step.load()}
		}
	}
	return metrics.Ending{}
}

// load returns the step without its bounds.
func (s Step) load() metrics.LoadStep { return metrics.LoadStep{Users: s.Users, Rate: s.Rate} }
