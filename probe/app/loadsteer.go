package app

import (
	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/probe/endpoint"
	"tokscope/probe/loadgen"
)

// LoadSteer changes what the users of the running load send from now on, and
// what later loads draw. Running requests continue; they count in no figure
// after the change.
func (s *Load) LoadSteer(w metrics.Workload, input, output metrics.Lengths) {
	s.SetLengths(input, output)
	s.with(func(l *loadgen.Load) {
		l.Steer(func(c *loadgen.Config) { c.Work, c.Input, c.Output = w, input, output })
	})
}

// LoadMove lets the running load go on with another model, or at another
// endpoint, which also becomes the endpoint of all other requests. Another
// endpoint needs consent: without agreed nothing changes and needsConsent is the
// question. So does a model of another price for a load that needs consent. It
// may look things up.
func (s *Load) LoadMove(e metrics.Endpoint, agreed bool) (needsConsent loadstat.Question, err error) {
	t, err := s.targetOf(e)
	if err != nil {
		return loadstat.Question{}, err
	}
	if err := s.o.Engine.Prepare(t); err != nil {
		return loadstat.Question{}, err
	}
	l := s.present()
	if l == nil || l.Ending() {
		return loadstat.Question{}, s.Select(e)
	}
	if q := s.asksMove(l, t); q != (loadstat.Question{}) && !agreed {
		return q, nil
	}
	s.moved(t, agreed)
	l.Move(t, agreed, capOf(t))
	return loadstat.Question{}, nil
}

// LoadUndo takes back the last change of the running load. Where that moves it
// to another endpoint it needs consent, as LoadMove does.
func (s *Load) LoadUndo(agreed bool) (needsConsent loadstat.Question) {
	l := s.present()
	if l == nil {
		return loadstat.Question{}
	}
	m, after, ok := l.Undoes()
	if !ok {
		return loadstat.Question{}
	}
	if m.Kind == loadstat.MarkEndpoint || m.Kind == loadstat.MarkModel {
		if q := s.asksMove(l, after); q != (loadstat.Question{}) && !agreed {
			return q
		}
		s.moved(after, agreed)
	}
	l.Undo(agreed)
	return loadstat.Question{}
}

// asksMove returns the question before l goes on at t; zero without one.
func (s *Load) asksMove(l *loadgen.Load, t endpoint.Target) loadstat.Question {
	v := l.View()
	c := loadgen.Config{Target: t, Work: v.Work, Input: v.Input, Output: v.Output,
		Shape: loadgen.Shape{Drive: loadstat.Drive{Users: v.Target, Rate: v.Rate}}, MaxTokens: capOf(t)}
	f := loadgen.Estimate(c, loadgen.Step{Users: max(v.Target, 1)}, &v.Live)
	s.mu.Lock()
	was := s.target.Price()
	s.mu.Unlock()
	there, here := s.o.Engine.Shown(t), v.Endpoint
	if there.Kind == here.Kind && there.Name == here.Name && there.Same(&here) {
		if _, needed := loadgen.NeedsConsent(t, f); !needed || t.Price() == was {
			return loadstat.Question{}
		}
	}
	return loadstat.Question{Endpoint: there.Name, From: here.Name, Forecast: f}
}

// moved makes t the endpoint of all requests to come. agreed: a person has agreed
// to a load there.
func (s *Load) moved(t endpoint.Target, agreed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.target = t; agreed {
		s.allowed = t.Endpoint
	}
	s.version++
}

// capOf returns the number of tokens after which a load on t ends; 0 for none.
func capOf(t endpoint.Target) float64 {
	if t.Here() {
		return 0
	}
	return loadCap
}
