package loadgen

import (
	"cmp"
	"context"
	"slices"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/slo"
)

// Sweep is a load curve: a sequence of steps with the same workload.
type Sweep struct {
	Steps []Step
	SLOs  []slo.Objective
	// UntilBreaks ends the sweep after the first step that breaks one of SLOs,
	// as loadstat.BreaksFirst judges it.
	UntilBreaks bool
	// Have returns the point of a step measured earlier; nil: no earlier steps.
	Have func(Step) (SweepPoint, bool)
	// Begin is called before a step is measured. Ended is called after each
	// step with a request that ended well, including steps from Have. After an
	// error of Ended the sweep goes on. nil: no callback.
	Begin func(i int, s Step)
	Ended func(p SweepPoint) error
	// Server reads the counts of the server itself, before and after each step.
	// It must return within seconds. nil: they are not read.
	Server func(ctx context.Context) (loadstat.ServerCounts, error)
	// Lengths returns the lengths of the requests since the begin of the step;
	// nil: they are not counted.
	Lengths func() loadstat.Lengths
	// Results returns how many requests of the load have ended well so far, and how
	// many failed. With it a step has its failures outside the window too. nil:
	// those of the window alone.
	Results func() (done int, faults []metrics.FaultCount)
}

// SweepPoint is a finished step.
type SweepPoint struct {
	Step    Step
	Point   loadstat.Point
	Lag     metrics.Dist // ms, open loop: how late requests were sent, over the sweep so far
	Resumed bool         // returned by Have, not measured now
	Extra   loadstat.StepExtra
}

// SweepResult is the result of a sweep.
type SweepResult struct {
	Points  []SweepPoint   // of the finished steps, in order; the end of the load may have cut the last one short
	Stopped metrics.Ending // why it ended before its last step; zero when it did not
}

// Run measures the steps in order. When ctx ends, it abandons the current
// step, because its window is cut short, and the result holds the finished
// ones. It also ends when the load has ended by itself (Stopped, Broken), and
// after a step whose requests all failed. The error is the last that Ended
// returned for a measured step, nil after a success.
func (s *Sweep) Run(ctx context.Context, m Measurer) (r SweepResult, err error) {
	for i, step := range s.Steps {
		if ctx.Err() != nil {
			r.Stopped = metrics.Ending{Code: metrics.EndingInterrupted}
			return r, err
		}
		p, had := s.have(step)
		var why metrics.Ending // why the load goes on no more
		if !had {
			if s.Begin != nil {
				s.Begin(i, step)
			}
			p, why = s.measureStep(ctx, m, step)
			if ctx.Err() != nil {
				r.Stopped = metrics.Ending{Code: metrics.EndingInterrupted, Step: step.load()}
				return r, err
			}
			if why != (metrics.Ending{}) && !p.Point.Steady {
				// The part that was measured is shown, but the step is not finished.
				if n, _ := p.Point.Failures(); p.Point.Requests+n > 0 {
					r.Points = append(r.Points, p)
				}
				r.Stopped = why
				return r, err
			}
		}
		r.Points = append(r.Points, p)
		if s.Ended != nil && (p.Point.Requests > 0 || p.Resumed) {
			if unkept := s.Ended(p); !p.Resumed {
				err = unkept
			}
		}
		if i == len(s.Steps)-1 {
			break
		}
		if r.Stopped = cmp.Or(why, s.stops(step, &p)); r.Stopped != (metrics.Ending{}) {
			break
		}
	}
	return r, err
}

// have returns a step measured earlier.
func (s *Sweep) have(step Step) (p SweepPoint, ok bool) {
	if s.Have == nil {
		return SweepPoint{}, false
	}
	p, ok = s.Have(step)
	p.Resumed = ok
	return p, ok
}

// measureStep measures a step, and returns why the load goes on no more, zero
// while it does.
func (s *Sweep) measureStep(ctx context.Context, m Measurer, step Step) (p SweepPoint, why metrics.Ending) {
	p = SweepPoint{Step: step}
	server := &p.Extra.Server
	server.Before = s.counts(ctx, server)
	before := m.View()
	done, faults := s.results()
	p.Point = measure(ctx, m, step)
	server.After = s.counts(ctx, server)
	view := m.View()
	server.Requests = view.Done + view.Failed + view.Cancelled - before.Done - before.Failed - before.Cancelled
	server.Output = view.TokensReceived - before.TokensReceived
	if s.Lengths != nil {
		p.Extra.Lengths = s.Lengths()
	}
	s.failures(&p, &view, done, faults)
	p.Lag, p.Extra.ClientLimits = view.ScheduleLag, view.ClientLimits
	return p, cmp.Or(view.Broken, view.Stopped)
}

// results is Results, nothing without it.
func (s *Sweep) results() (done int, faults []metrics.FaultCount) {
	if s.Results == nil {
		return 0, nil
	}
	return s.Results()
}

// failures adds to p what failed since done requests had ended well and faults
// had failed, but not in its window. A failure also ends the warm-up of its user,
// so those of a server that asks to wait all come before the window.
func (s *Sweep) failures(p *SweepPoint, end *loadstat.View, done int, faults []metrics.FaultCount) {
	doneNow, outside := s.results()
	for _, f := range slices.Concat(faults, p.Point.Faults) {
		outside = metrics.AddFaults(outside, metrics.FaultCount{Kind: f.Kind, N: -f.N})
	}
	q := &p.Point
	if len(outside) > 0 {
		q.Outside = outside
	}
	p.Extra.AllFailed = q.Requests == 0 && (q.Failed > 0 || len(q.Outside) > 0 && doneNow == done && end.Decoding == 0)
}

// counts reads the server's counts, or notes in step why it cannot.
func (s *Sweep) counts(ctx context.Context, step *loadstat.ServerStep) loadstat.ServerCounts {
	if s.Server == nil {
		return loadstat.ServerCounts{}
	}
	c, err := s.Server(ctx)
	if err != nil {
		step.Why = err.Error()
	}
	return c
}

// stops returns why a finished step is the last one, zero where it is not.
func (s *Sweep) stops(step Step, p *SweepPoint) metrics.Ending {
	if p.Extra.AllFailed {
		return metrics.Ending{Code: metrics.EndingStepFailed, Step: step.load()}
	}
	if name, broken := s.breaks(p.Point); broken {
		return metrics.Ending{Code: metrics.EndingMissed, SLO: name, Step: step.load()}
	}
	return metrics.Ending{}
}

// breaks reports whether p misses an objective, steady or not: a load whose
// requests accumulate never becomes steady.
func (s *Sweep) breaks(p loadstat.Point) (name string, broken bool) {
	if !s.UntilBreaks || len(s.SLOs) == 0 {
		return "", false
	}
	p.Steady = true
	name, _, broken = loadstat.BreaksFirst([]loadstat.Point{p}, s.SLOs)
	return name, broken
}

// load returns the step without its bounds.
func (s Step) load() metrics.LoadStep { return metrics.LoadStep{Users: s.Users, Rate: s.Rate} }
