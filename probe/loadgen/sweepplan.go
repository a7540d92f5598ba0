package loadgen

import (
	"context"
	"math"
	"time"

	"tokscope/metrics/loadstat"
)

// mostWindow bounds the window of a step: older data says little about a
// server, and costs memory.
const mostWindow = 10 * time.Minute

// mostSession bounds the window of a step of whole sessions.
const mostSession = 2 * time.Hour

// Tune returns c with windows for the steps of p: as long as a step can be, steady
// from a third of it on.
func Tune(p *loadstat.SweepPlan, c Config) Config {
	c.Window, c.MinWindow = mostWindow, DefaultMinWindow
	if p.Script != nil {
		c.Window = mostSession
	}
	if p.Duration > 0 {
		c.Window, c.MinWindow = min(p.Duration, mostWindow), min(p.Duration/3, DefaultMinWindow)
	}
	return c
}

// measurer measures a step: a spreader, or its replacement in a test. results are those
// of its load.
type measurer interface {
	MeasureStep(ctx context.Context, s Step) loadstat.Point
	View() loadstat.View
	results() outcomes
}

// patience is the least duration of a step bounded by requests before it is
// abandoned: many looks at the figures. It must end then, because the figures
// may be those of another load indefinitely.
const patience = 5 * time.Second

// enough reports whether the step has measured its requests, or never will
// after that many tries and that much time, for example because answers are
// longer than its window. since is the number of requests ended in the time
// elapsed since its begin. The number alone does not suffice: figures arrive
// four times a second, and very short answers reach any number before the
// first of them is counted.
func (s Step) enough(live *loadstat.Point, since int, elapsed time.Duration) bool {
	ours := s.Rate > 0 && live.Asked == s.Rate || s.Rate <= 0 && live.Users == s.Users
	if ours && !live.Warmup && live.TTFT.N+live.Failed >= s.Requests {
		return true
	}
	most := 2*s.Requests + 4*max(s.Users, 1) // those during the change of load do not count
	return since >= most && elapsed >= patience
}

// EstimateSteps is Estimate for a whole sweep: the sum over the steps, at the
// largest number of users. It estimates the simultaneous requests of an open
// loop by Little's law.
func EstimateSteps(c Config, steps []Step) loadstat.Forecast {
	c.Price = c.price()
	sum := loadstat.Forecast{Currency: c.Price.Currency}
	most := c.MaxTokens
	c.MaxTokens = 0
	for _, s := range steps {
		c.Shape.Rate = s.Rate
		count := 0
		if s.Requests > 0 {
			count = s.Requests + 2*max(s.Users, 1)
		}
		users := s.Users
		answer := assumedTTFT + outputTokens(c)/assumedSpeed
		perSecond := float64(users) / (answer + c.Shape.Think.Seconds())
		if s.Rate > 0 {
			users, perSecond = max(int(math.Ceil(s.Rate*answer)), 1), s.Rate
		}
		f := Estimate(c, Step{Users: users, Max: s.Max, Requests: count}, nil)
		d := s.Max
		if d <= 0 {
			d = time.Duration(f.Requests / perSecond * float64(time.Second)).Round(time.Second)
		}
		sum.Users = max(sum.Users, users)
		sum.For += max(d, time.Second)
		sum.Requests += f.Requests
		sum.Prompt += f.Prompt
		sum.Output += f.Output
		sum.Basis, sum.Assumed, sum.Count = f.Basis, f.Assumed, f.Count
	}
	return capped(sum, most, c.Price)
}

// mostSpread bounds the time over which the users of a step join.
const mostSpread = 30 * time.Second

// spread returns a measurer whose new users join evenly over the time of one
// answer before each measurement. Users that start together with equally long
// answers stay in step. Their prompts meet in the server's queue each time,
// TTFT is that of a burst, and a window holds a fractional number of their
// common rounds. (At 64 users of 200 tokens in 15 s this gave 5 % too much
// throughput.) Real users arrive one by one.
//
// The time of an answer is that of the last step with both means,
// TTFT + (output − 1) · TPOT. Before it, it is the assumption of Estimate. The
// users join within 30 s, and this time adds to the step's own bounds. Steps of
// an open loop are unaffected.
func spread(l *Load) *spreader {
	return &spreader{Load: l, answer: assumedAnswer(l.c)}
}

type spreader struct {
	*Load
	answer time.Duration
}

// MeasureStep spreads the joining users, then measures.
func (s *spreader) MeasureStep(ctx context.Context, step Step) loadstat.Point {
	if step.Rate <= 0 {
		s.join(ctx, step.Users)
	}
	p := s.Load.MeasureStep(ctx, step)
	s.learn(&p)
	return p
}

// learn takes the time of an answer from a step.
func (s *spreader) learn(p *loadstat.Point) {
	if p.TTFT.Mean.OK && p.TPOT.Mean.OK {
		s.answer = seconds((p.TTFT.Mean.V + (outputTokens(s.c)-1)*p.TPOT.Mean.V) / 1000)
	}
}

// join grows the load to users, one by one.
func (s *spreader) join(ctx context.Context, users int) {
	from := s.View().Target
	if users-from < 2 {
		return
	}
	apart := min(s.answer, mostSpread) / time.Duration(users-from)
	t := time.NewTicker(max(apart, startSpacing))
	defer t.Stop()
	for n := from + 1; n < users; n++ {
		s.Resize(n)
		select {
		case <-t.C:
		case <-ctx.Done():
			return
		case <-s.Done():
			return
		}
	}
}

// assumedAnswer returns how long one answer takes at an endpoint that was not measured.
func assumedAnswer(c Config) time.Duration {
	return seconds(assumedTTFT + outputTokens(c)/assumedSpeed)
}

// seconds converts a number of seconds to a duration.
func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
