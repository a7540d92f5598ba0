package loadgen

import (
	"context"
	"sync"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
)

// Curve is a sweep against an endpoint: a sequence of steps with the same workload. It
// starts the load, ends it, and skips the steps that an earlier run has finished.
type Curve struct {
	// Config describes the requests of every step. The rate of its shape is
	// ignored: each step has its own.
	Config Config
	Bounds Bounds
	Users  []int     // a closed loop, one step per number; empty with Rates
	Rates  []float64 // an open loop, requests per second, one step per rate; empty with Users
	// Ramp replaces the steps by one load that changes all the time, where it
	// ramps. Users or Rates then hold its larger end, and Bounds.Most its time.
	// Kept, Server and Request are not used then.
	Ramp loadstat.Drive
	// UntilBreaks ends the sweep after the first step that breaks one of Config.SLOs,
	// as loadstat.BreaksFirst judges it.
	UntilBreaks bool
	// Kept holds the finished steps of earlier runs and receives those of this
	// one; nil: every step is measured and none is stored.
	Kept Kept
	// Begin is called before step n (from 1) is measured. Any goroutine may
	// call view, also after Run. nil: no callback.
	Begin func(n int, s metrics.LoadStep, view func() loadstat.View)
	// Server reads the counts of the server itself, before and after each step.
	// It must return within seconds. nil: they are not read.
	Server func(ctx context.Context) (loadstat.ServerCounts, error)
	// Request is called after every request with the number of its step, from
	// 1, on the goroutine of its user. It must not wait. nil: no callback.
	Request func(n int, s Step, user int, v *metrics.Stream, f *metrics.Figures)

	current current
}

// current is the step under way. Users that end a request read it while the
// sweep goes on.
type current struct {
	mu      sync.Mutex
	n       int // from 1; 0 before the first
	step    Step
	lengths loadstat.Lengths
}

// begin starts step n.
func (c *current) begin(n int, s Step) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n, c.step, c.lengths = n, s, loadstat.Lengths{}
}

// add counts an ended request and returns its step.
func (c *current) add(v *metrics.Stream) (n int, s Step) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lengths.Add(v)
	return c.n, c.step
}

// sums returns the lengths since the begin of the step.
func (c *current) sums() loadstat.Lengths {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lengths
}

// Kept stores finished steps beyond the program's end. A step is identified
// by its users, or by its rate with users = 0. Add returns nil when all steps
// so far are stored.
type Kept interface {
	Have(users int, rate float64) (p loadstat.Point, lag metrics.Dist, ok bool)
	Add(users int, rate float64, p *loadstat.Point, lag metrics.Dist, now time.Time) error
}

// Outcome is the result of a Curve.
type Outcome struct {
	SweepResult
	// Endpoint is the target's, as the load resolved it.
	Endpoint metrics.Endpoint
	// View is the load's last view before its end; zero when every step was
	// kept.
	View loadstat.View
	// Fault is an example of a failed request, nil without one.
	Fault *metrics.Fault
	// Interrupted means that the context ended before Run did.
	Interrupted bool
}

// Open reports whether the steps are rates.
func (c *Curve) Open() bool { return len(c.Rates) > 0 }

// Steps returns the requested steps, in order.
func (c *Curve) Steps() []Step { return c.Bounds.Steps(c.Users, c.Rates) }

// Question is NeedsConsent for the steps that are not kept yet.
func (c *Curve) Question() (question loadstat.Question, needed bool) {
	return NeedsConsent(c.Config.Target, EstimateSteps(c.config(), c.left()))
}

// Run measures the steps that are not kept yet, and returns when the load has
// ended. The error is that of the last Kept.Add: the outcome holds all points
// nevertheless.
func (c *Curve) Run(ctx context.Context) (Outcome, error) {
	if c.Ramp.Ramps() {
		return c.climb(ctx), nil
	}
	out := Outcome{Endpoint: c.Config.Engine.Shown(c.Config.Target)}
	var m measurer = nothing{}
	var l *Load
	if left := c.left(); len(left) > 0 {
		config := c.config()
		config.Shape.Rate = left[0].Rate
		config.Ended = c.ended
		l = Start(ctx, config)
		defer func() {
			l.Stop()
			l.Wait()
		}()
		m = spread(l)
	}
	var err error
	out.SweepResult, err = c.sweep(ctx, m)
	out.View = m.View()
	if l != nil {
		_, out.View.Faults = l.results() // of now, as the example
		out.Fault = l.example()
	}
	if out.View.Endpoint.Model != "" {
		out.Endpoint = out.View.Endpoint
	}
	out.Endpoint = c.Config.Engine.Resolved(out.Endpoint)
	out.Interrupted = ctx.Err() != nil
	return out, err
}

// ended passes on an ended request with its step.
func (c *Curve) ended(user int, v *metrics.Stream, f *metrics.Figures) {
	n, s := c.current.add(v)
	if c.Request != nil {
		c.Request(n, s, user, v, f)
	}
	if c.Config.Ended != nil {
		c.Config.Ended(user, v, f)
	}
}

// config returns the configuration of the load.
func (c *Curve) config() Config { return c.Bounds.Tune(c.Config) }

// have returns a step finished by an earlier run.
func (c *Curve) have(s Step) (SweepPoint, bool) {
	if c.Kept == nil {
		return SweepPoint{}, false
	}
	p, lag, ok := c.Kept.Have(s.Users, s.Rate)
	return SweepPoint{Step: s, Point: p, Lag: lag, Resumed: ok}, ok
}

// keep stores a newly measured step.
func (c *Curve) keep(p SweepPoint) error {
	if c.Kept == nil {
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

// example returns the fault of the last request of the load that failed; nil
// without one. It is kept when its user begins another request.
func (l *Load) example() *metrics.Fault {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.outcomes.last
}

// nothing replaces the load of a sweep whose steps are all kept.
type nothing struct{}

func (nothing) MeasureStep(context.Context, Step) loadstat.Point {
	return loadstat.Point{Why: loadstat.Unsteady{Code: loadstat.UnsteadyNoLoad}}
}
func (nothing) View() loadstat.View { return loadstat.View{} }

func (nothing) results() (int, []metrics.FaultCount) { return 0, nil }
