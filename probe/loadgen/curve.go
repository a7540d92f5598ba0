package loadgen

import (
	"cmp"
	"context"
	"sync/atomic"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
)

// Curve is a sweep against an endpoint: a sequence of steps with the same workload. It
// starts the load, ends it, and skips the steps that an earlier run has finished.
type Curve struct {
	// SweepPlan has the steps and their bounds: what they send is said by Config, and files are
	// the caller's. The Shard measures its part of each step alone, in the slots of a timetable that
	// begins at StartAt, which has a monotonic time. Of a Ramp, Kept, Server and Request are not used.
	loadstat.SweepPlan
	// Config describes the requests of every step. The rate of its shape is
	// ignored: each step has its own. Depths take of it Engine, Target, Work, Seed, MaxTokens,
	// Price, Pace and Ended.
	Config Config
	// Context returns the context of the model in tokens, 0 for unknown. Run calls it once, with
	// Depths. nil: unknown.
	Context func(ctx context.Context) int
	// Kept holds the finished steps of earlier runs and receives those of this
	// one; nil: every step is measured and none is stored.
	Kept Kept
	// Part gets what a merge needs of each step of a Shard.
	Part func(p loadstat.Part)
	// Measured is called with the point of each newly measured step. nil: no callback.
	Measured func(p *loadstat.Point)
	// Server reads the counts of the server itself, before and after each step.
	// It must return within seconds. nil: they are not read.
	Server func(ctx context.Context) (loadstat.ServerCounts, error)
	// Request is called after every request with the number of its step, from
	// 1, on the goroutine of its user. It must not wait. nil: no callback.
	Request func(n int, s Step, user int, v *metrics.Stream, f *metrics.Figures)

	current atomic.Pointer[current] // read by users that end a request; nil before the first
}

// current is the step under way, and its number from 1.
type current struct {
	n    int
	step Step
}

// Kept stores finished steps beyond the program's end. A step is identified
// by its users, or by its rate with users = 0. Add returns nil when all steps
// so far are stored.
type Kept interface {
	Have(users int, rate float64) (p loadstat.Point, lag metrics.Dist, ok bool)
	Add(users int, rate float64, p *loadstat.Point, lag metrics.Dist, now time.Time) error
}

// Open reports whether the steps are rates.
func (c *Curve) Open() bool { return len(c.Rates) > 0 }

// Steps returns the requested steps, in order: one for each number of users, or for each rate.
func (c *Curve) Steps() []Step {
	step := Step{Requests: c.Requests, Min: c.Duration / 2, Max: c.Duration}
	var out []Step
	for _, n := range c.Users {
		if step.Users = n; c.Script != nil && c.Duration == 0 && c.Requests == 0 {
			step.Requests = n * c.Script.Turns
		}
		out = append(out, step)
	}
	step.Users = 0
	for _, r := range c.Rates {
		step.Rate = r
		out = append(out, step)
	}
	return out
}

// Question is NeedsConsent for the steps that are not kept yet.
func (c *Curve) Question() (question loadstat.Question, needed bool) {
	if c.Depths != nil {
		return NeedsConsent(c.Config.Target, c.depthForecast())
	}
	return NeedsConsent(c.Config.Target, EstimateSteps(c.config(), c.left()))
}

// Run measures the steps that are not kept yet, and returns when the load has
// ended. The error is that of the last Kept.Add: the outcome holds all steps
// nevertheless. ServerMetrics is left to the caller.
func (c *Curve) Run(ctx context.Context) (out loadstat.SweepOutcome, err error) {
	if c.Depths != nil {
		d := c.deepen(ctx)
		return loadstat.SweepOutcome{Depth: &d, Interrupted: d.Interrupted}, nil
	}
	defer func() { out.Planned = c.planned() }()
	if c.Ramp.Ramps() {
		return c.climb(ctx), nil
	}
	var m measurer
	var l *Load
	if left := c.left(); len(left) > 0 {
		config := c.config()
		if c.Shard.Parted() {
			for i := 0; len(left) > 1 && c.over(i); i++ {
				left = left[1:]
			}
			first := c.apart(assumedAnswer(c.Config), c.Shard.Index, left[0].Users)
			if !sleep(ctx, max(time.Until(c.StartAt)+first, 0), nil, nil) {
				return loadstat.SweepOutcome{Interrupted: true,
					Stopped: metrics.Ending{Code: metrics.EndingInterrupted}}, nil
			}
			config.Shard, config.Origin = c.Shard, config.Engine.Clock().Now()-metrics.Stamp(time.Since(c.StartAt))
		}
		config.Shape.Rate = c.Shard.Rate(left[0].Rate)
		config.Ended = c.ended
		l = Start(ctx, config)
		defer func() {
			l.Stop()
			l.Wait()
		}()
		if m = spread(l); c.Shard.Parted() {
			m = &timed{spreader: spread(l), c: c}
		}
	}
	out, err = c.sweep(ctx, m)
	out.Endpoint = c.Config.Engine.Shown(c.Config.Target)
	if l != nil {
		out.View = l.View()
		now := l.results()
		out.View.Faults, out.Fault = now.faults, now.last
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
	if now := c.current.Load(); now != nil && c.Request != nil {
		c.Request(now.n, now.step, user, v, f)
	}
	if c.Config.Ended != nil {
		c.Config.Ended(user, v, f)
	}
}

// config returns the configuration of the load.
func (c *Curve) config() Config { return Tune(&c.SweepPlan, c.Config) }

// have returns a step finished by an earlier run.
func (c *Curve) have(s Step) (loadstat.SweepStep, bool) {
	if c.Kept == nil {
		return loadstat.SweepStep{}, false
	}
	p, lag, ok := c.Kept.Have(s.Users, s.Rate)
	return loadstat.SweepStep{Rate: s.Rate, Point: p, Lag: lag, Resumed: ok}, ok
}

// keep stores p, the newly measured step s.
func (c *Curve) keep(s Step, p *loadstat.SweepStep) error {
	if c.Measured != nil {
		c.Measured(&p.Point)
	}
	if c.Kept == nil {
		return nil
	}
	return c.Kept.Add(s.Users, s.Rate, &p.Point, p.Lag, time.Now())
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

// climb runs the ramp of c. Each slice of it becomes a step of the outcome,
// never a steady one.
func (c *Curve) climb(ctx context.Context) loadstat.SweepOutcome {
	config := c.config()
	d := c.Ramp
	d.Poisson = config.Shape.Poisson
	config.Shape.Drive = d
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
	out := loadstat.SweepOutcome{Endpoint: v.Endpoint, Steps: slicesOf(&v), Stopped: cmp.Or(v.Broken, v.Stopped),
		View: v, Interrupted: ctx.Err() != nil}
	ended := l.results()
	out.View.Faults, out.Fault = ended.faults, ended.last
	if out.Interrupted {
		out.Stopped = metrics.Ending{Code: metrics.EndingInterrupted}
	}
	return out
}

// rampEnds waits until the load is on a ramp no more.
func (l *Load) rampEnds(ctx context.Context) {
	for {
		l.mu.Lock()
		figures, ramps := l.figures, l.driver.ramps
		l.mu.Unlock()
		if !ramps || !l.await(ctx, figures) {
			return
		}
	}
}

// slicesOf returns the slices of the ramp of v as finished steps.
func slicesOf(v *loadstat.View) (out []loadstat.SweepStep) {
	for _, p := range v.Path {
		if p.Ramp != nil {
			extra := loadstat.StepExtra{AllFailed: p.Requests == 0 && p.Failed > 0}
			out = append(out, loadstat.SweepStep{Rate: p.Asked, Point: p, Lag: v.ScheduleLag, Extra: extra})
		}
	}
	return out
}

// planned returns the number of steps, of a ramp that of its slices.
func (c *Curve) planned() int {
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
