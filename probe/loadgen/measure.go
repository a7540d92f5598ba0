package loadgen

import (
	"context"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
)

// Step is one step of a sweep.
type Step struct {
	Users int     // of a closed loop
	Rate  float64 // of an open loop; replaces Users
	// Requests, when > 0, is the number of measured requests before the step
	// may end. Max still ends it.
	Requests int
	Min, Max time.Duration
	Fixed    bool // it lasts for Max, steady or not
}

// MeasureStep sets users or the rate and waits until the window is steady and at
// least s.Min long, but no longer than s.Max, nor than its number of requests takes: an endpoint that
// never becomes steady would otherwise hold it indefinitely. It returns the point, steady
// or with the reason why it is not. It returns early when ctx or the load ends. The users
// stay. A fixed step lasts for s.Max.
func (l *Load) MeasureStep(ctx context.Context, s Step) loadstat.Point {
	if s.Rate > 0 {
		d := l.View().Drive
		l.SetDrive(loadstat.Drive{Users: d.Users, Rate: s.Rate, Poisson: d.Poisson})
	} else {
		l.Resize(s.Users)
	}
	if s.Max > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, s.Max)
		defer cancel()
	}
	began, before, since := ownWindow(l), l.View(), time.Now()
	for {
		l.mu.Lock()
		figures, reach := l.figures, l.window.reach.now()
		l.mu.Unlock()
		more := l.await(ctx, figures)
		v := l.View()
		if !more && s.Fixed {
			return v.Live
		}
		if !more || s.Requests > 0 && s.enough(&v.Live, v.Done+v.Failed-before.Done-before.Failed, time.Since(since)) {
			return bestOf(l, v.Live, began, s.Min)
		}
		if p := v.Live; !s.Fixed && p.Steady && time.Duration(p.To-p.From) >= min(s.Min, reach) && p.TTFT.N >= s.Requests {
			return p
		}
	}
}

// await waits for the next figures; false when the load or ctx has ended before.
func (l *Load) await(ctx context.Context, figures <-chan struct{}) bool {
	select {
	case <-figures:
		return true
	case <-l.done:
	case <-ctx.Done():
	}
	return false
}

// ownWindow begins a new window for a step, even when the load has its users
// already, and returns the window's begin.
func ownWindow(l *Load) metrics.Stamp {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now := l.deps.now(); now > l.window.began+metrics.Stamp(sampleEvery) {
		l.beginAgain(now)
	}
	return l.window.began
}

// bestOf returns p if it is steady, else the last steady point of the window
// that began at began. Without one of at least long it returns p.
func bestOf(l *Load, p loadstat.Point, began metrics.Stamp, long time.Duration) loadstat.Point {
	l.mu.Lock()
	defer l.mu.Unlock()
	if best := l.window.best; !p.Steady && best != nil && l.window.began == began &&
		time.Duration(best.point.To-best.point.From) >= long {
		return best.point
	}
	return p
}
