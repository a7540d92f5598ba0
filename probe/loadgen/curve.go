package loadgen

import (
	"context"
	"time"

	"tokscope/metrics"
)

// Curve is a sweep against an endpoint: it starts the load that a Sweep is
// measured with, ends it, and leaves out what an earlier run has finished.
type Curve struct {
	// Config is what every step sends. The rate of its shape is not read: that
	// is each step's own.
	Config Config
	Bounds Bounds
	Users  []int     // a closed loop: a step each; empty with Rates
	Rates  []float64 // an open loop, requests per second: a step each; empty with Users
	// UntilBreaks is that of Sweep, against Config.SLOs.
	UntilBreaks bool
	// Kept holds the finished steps of earlier runs and takes those of this
	// one; nil: every step is measured and none is kept.
	Kept Kept
	// Begin is called before step n (from 1) is measured; view may be called
	// from any goroutine, also after Run. nil: not called.
	Begin func(n int, name string, view func() metrics.View)
}

// Kept is where finished steps outlive the program. A step is named by its
// users, or by its rate with users = 0.
type Kept interface {
	Have(users int, rate float64) (p metrics.Point, lag metrics.Dist, ok bool)
	Add(users int, rate float64, p *metrics.Point, lag metrics.Dist, now time.Time) error
}

// Outcome is what came of a Curve.
type Outcome struct {
	SweepResult
	// Endpoint is the target's, as the load came to know it.
	Endpoint metrics.Endpoint
	// View is the load's, before it was ended; zero when every step was kept.
	View metrics.View
	// Fault is an example of why requests failed, nil without one.
	Fault *metrics.Fault
	// Interrupted says that the context ended before Run did.
	Interrupted bool
}

// Open reports whether the steps are rates.
func (c *Curve) Open() bool { return len(c.Rates) > 0 }

// Steps returns the requested steps, in order.
func (c *Curve) Steps() []Step { return c.Bounds.Steps(c.Users, c.Rates) }

// Question is that of NeedsConsent about the steps that are not kept yet.
func (c *Curve) Question() (question string, needed bool) {
	return NeedsConsent(c.Config.Target, EstimateSteps(c.config(), c.left()))
}

// Run measures the steps that are not kept yet, and returns when the load has
// ended. The error is that of Kept.Add; what was measured before it is in the
// outcome.
func (c *Curve) Run(ctx context.Context) (Outcome, error) {
	out := Outcome{Endpoint: c.Config.Target.Endpoint}
	var m Measurer = nothing{}
	var l *Load
	if left := c.left(); len(left) > 0 {
		config := c.config()
		config.Shape.Rate = left[0].Rate
		l = Start(ctx, config)
		defer func() {
			l.Stop()
			l.Wait()
		}()
		m = Spread(l)
	}
	sweep := Sweep{Steps: c.Steps(), SLOs: c.Config.SLOs, UntilBreaks: c.UntilBreaks, Have: c.have, Ended: c.keep}
	if c.Begin != nil {
		sweep.Begin = func(i int, s Step) { c.Begin(i+1, s.String(), m.View) }
	}
	var err error
	out.SweepResult, err = sweep.Run(ctx, m)
	if l != nil {
		out.Fault = l.example()
	}
	out.View = m.View()
	if out.View.Endpoint.Model != "" {
		out.Endpoint = out.View.Endpoint
	}
	out.Interrupted = ctx.Err() != nil
	return out, err
}

// config returns the configuration of the load.
func (c *Curve) config() Config { return c.Bounds.Tune(c.Config) }

// have returns a step finished by an earlier run.
func (c *Curve) have(s Step) (SweepPoint, bool) {
	if c.Kept == nil {
		return SweepPoint{}, false
	}
	p, lag, ok := c.Kept.Have(s.Users, s.Rate)
	return SweepPoint{Step: s, Point: p, Lag: lag}, ok
}

// keep stores a newly measured step.
func (c *Curve) keep(p SweepPoint) error {
	if c.Kept == nil || p.Resumed {
		return nil
	}
	return c.Kept.Add(p.Step.Users, p.Step.Rate, &p.Point, p.Lag, time.Now())
}

// left returns the steps to measure.
func (c *Curve) left() (out []Step) {
	for _, s := range c.Steps() {
		if _, ok := c.have(s); !ok {
			out = append(out, s)
		}
	}
	return out
}

// example is why a request of the load failed, the last one that did; nil when
// none did. That its user has begun another since does not matter.
func (l *Load) example() *metrics.Fault {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.fault
}

// nothing replaces the load of a sweep whose steps are all kept.
type nothing struct{}

func (nothing) MeasureStep(context.Context, Step) metrics.Point {
	return metrics.Point{Why: "no load was started"}
}
func (nothing) View() metrics.View { return metrics.View{} }
