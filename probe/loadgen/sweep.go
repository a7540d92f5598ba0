package loadgen

import (
	"context"
	"errors"
	"fmt"

	"tokscope/metrics"
)

// Sweep is a load curve: one step after the other with the same workload.
type Sweep struct {
	Steps []Step
	SLOs  []metrics.Objective
	// UntilBreaks ends the sweep after the first step of which so many requests
	// miss one of SLOs that metrics.BreaksFirst says that it breaks.
	UntilBreaks bool
	// Have returns a step's point when it was measured before; nil: none was.
	Have func(Step) (SweepPoint, bool)
	// Begin is called before a step is measured; Ended after each one of which a
	// request ended well, also when it was had already. An error of Ended ends
	// the sweep. nil: not called.
	Begin func(i int, s Step)
	Ended func(p SweepPoint) error
}

// SweepPoint is a finished step.
type SweepPoint struct {
	Step    Step
	Point   metrics.Point
	Lag     metrics.Dist // ms, open loop: how late requests were sent, over the sweep so far
	Resumed bool         // by Have, not measured now
}

// SweepResult is the result of a sweep.
type SweepResult struct {
	Points  []SweepPoint // of the finished steps, in order; the end of the load may have cut the last one short
	Stopped string       // why it ended before its last step; "" when it did not
}

// errInterrupted is the reason of a sweep that a person stopped.
var errInterrupted = errors.New("interrupted")

// Run measures the steps in order. When ctx ends, the step under way is given
// up, because its window is cut short, and the result holds the finished ones.
// It also ends when the load has ended by itself (Stopped, Broken), and behind
// a step of which every request failed. The error is that of Ended.
func (s *Sweep) Run(ctx context.Context, m Measurer) (SweepResult, error) {
	var r SweepResult
	for i, step := range s.Steps {
		if ctx.Err() != nil {
			r.Stopped = errInterrupted.Error()
			return r, nil
		}
		p, had := SweepPoint{}, false
		if s.Have != nil {
			p, had = s.Have(step)
		}
		var view metrics.View
		if had {
			p.Resumed = true
		} else {
			if s.Begin != nil {
				s.Begin(i, step)
			}
			p = SweepPoint{Step: step, Point: measure(ctx, m, step)}
			view = m.View()
			if ctx.Err() != nil {
				r.Stopped = fmt.Sprintf("%v; %s was under way and is left out", errInterrupted, step)
				return r, nil
			}
			p.Lag = view.ScheduleLag
			if why := ended(&view); why != "" && !p.Point.Steady {
				// What there is of the step is shown, but it is not finished.
				if r.Stopped = why; p.Point.Requests+p.Point.Failed > 0 {
					r.Points = append(r.Points, p)
				}
				return r, nil
			}
		}
		r.Points = append(r.Points, p)
		if s.Ended != nil && (p.Point.Requests > 0 || p.Resumed) {
			if err := s.Ended(p); err != nil {
				r.Stopped = "the step could not be kept"
				return r, err
			}
		}
		if i == len(s.Steps)-1 {
			break
		}
		if why := ended(&view); why != "" {
			r.Stopped = why
			return r, nil
		}
		if p.Point.Requests == 0 && p.Point.Failed > 0 && !p.Resumed {
			r.Stopped = fmt.Sprintf("every request failed at %s", step)
			return r, nil
		}
		if name, broken := s.breaks(p.Point); broken {
			r.Stopped = fmt.Sprintf("%s is missed at %s", name, step)
			return r, nil
		}
	}
	return r, nil
}

// breaks reports whether p misses an objective, steady or not: a load that
// piles up never becomes steady.
func (s *Sweep) breaks(p metrics.Point) (name string, broken bool) {
	if !s.UntilBreaks || len(s.SLOs) == 0 {
		return "", false
	}
	p.Steady = true
	name, _, broken = metrics.BreaksFirst([]metrics.Point{p}, s.SLOs)
	return name, broken
}

// ended is why a load goes on no more, "" while it does.
func ended(v *metrics.View) string {
	if v.Broken != "" {
		return v.Broken
	}
	return v.Stopped
}

// String names the step: "8 users", "0.5 requests/s".
func (s Step) String() string {
	switch {
	case s.Rate > 0:
		return fmt.Sprintf("%v requests/s", s.Rate)
	case s.Users == 1:
		return "1 user"
	}
	return fmt.Sprintf("%d users", s.Users)
}
