package loadgen

import (
	"context"
	"time"

	"tokscope/metrics"
)

// Step is one step of a sweep.
type Step struct {
	Users int     // of a closed loop
	Rate  float64 // of an open loop; replaces Users
	// Requests, when > 0, is the number of measured requests before the step
	// may end. max still ends it.
	Requests int
	Min, Max time.Duration
}

// Measure sets users, waits until the window is steady and at least min long,
// but no longer than max in all, and returns the point: steady, or with the
// reason why it is not. It returns early when ctx or the load ends. The users
// remain.
func (l *Load) Measure(ctx context.Context, users int, min, max time.Duration) metrics.Point {
	return l.MeasureStep(ctx, Step{Users: users, Min: min, Max: max})
}

// MeasureStep is Measure for any step.
func (l *Load) MeasureStep(ctx context.Context, s Step) metrics.Point {
	if s.Rate > 0 {
		l.SetRate(s.Rate)
	} else {
		l.Resize(s.Users)
	}
	var until <-chan time.Time
	if s.Max > 0 {
		t := time.NewTimer(s.Max)
		defer t.Stop()
		until = t.C
	}
	l.mu.Lock()
	if now := l.world.now(); now > l.stay.began+metrics.Stamp(sampleEvery) {
		// It was there already: the step still has a window of its own.
		l.newStay(now, l.stay.users, l.stay.rate)
	}
	stay := l.stay.began
	l.mu.Unlock()
	for {
		l.mu.Lock()
		figures, reach := l.figures, l.reach()
		l.mu.Unlock()
		ended := false
		select {
		case <-figures:
		case <-l.done:
			ended = true
		case <-until:
			ended = true
		case <-ctx.Done():
			ended = true
		}
		v := l.View()
		p := v.Live
		if ended {
			l.mu.Lock()
			if best := l.stay.best; !p.Steady && best != nil && l.stay.began == stay && time.Duration(best.point.To-best.point.From) >= s.Min {
				p = best.point
			}
			l.mu.Unlock()
			return p
		}
		if p.Steady && time.Duration(p.To-p.From) >= min(s.Min, reach) && p.TTFT.N >= s.Requests {
			return p
		}
	}
}
