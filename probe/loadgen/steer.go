package loadgen

import (
	"slices"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/slo"
	"tokscope/probe/endpoint"
)

// steering keeps what a person changed of a running load: the marks, the works
// so far, and what an undo takes back. It has no lock: its owner is the load,
// under the load's mutex. Views share its slices, which are only replaced or
// appended to.
//
// It is embedded in its load, so that its exported methods are controls of the
// load. Those lock the load's mutex; the others are called with it locked.
type steering struct {
	load   *Load
	setups []loadstat.Setting
	setup  int // index of the present work
	// epoch counts the changes of the work. A request belongs to the epoch in
	// which it was begun.
	epoch int
	marks []loadstat.Mark
	// dropped counts older marks that marks no longer has.
	dropped int
	undo    []undo // newest last
	// dragged is the last of marks while a further move of the slider may still
	// become one with it: the journal gets it later. nil for none.
	dragged *loadstat.Mark
}

// undo is a change with what the setting before it had besides.
type undo struct {
	mark  loadstat.Mark
	place place
}

// place is where a load sends its requests, and how many tokens it may use
// there.
type place struct {
	target    endpoint.Target
	maxTokens float64
}

// add appends a mark. Changes of users, or of the rate, that follow each other
// faster than mergeWithin are one: the slider was dragged.
func (s *steering) add(m loadstat.Mark, from place) {
	if last := len(s.marks) - 1; last >= 0 && len(s.undo) > 0 && !m.Undo {
		before := &s.marks[last]
		if before.Kind == m.Kind && !before.Undo && (m.Kind == loadstat.MarkUsers || m.Kind == loadstat.MarkRate) &&
			m.At-before.At < metrics.Stamp(mergeWithin) && s.undo[len(s.undo)-1].mark.At == before.At {
			m.From = before.From
			s.marks = slices.Clone(s.marks[:last])
			s.undo = s.undo[:len(s.undo)-1]
			s.dragged = nil
			if loadstat.Difference(m.From, m.To) == "" {
				return // back where it began
			}
		}
	}
	if s.marks = append(s.marks, m); len(s.marks) > marksKept {
		s.dropped += len(s.marks) - marksKept
		s.marks = slices.Clone(s.marks[len(s.marks)-marksKept:])
	}
	s.write(&m)
	if m.Undo {
		return
	}
	if s.undo = append(s.undo, undo{m, from}); len(s.undo) > undosKept {
		s.undo = slices.Delete(s.undo, 0, len(s.undo)-undosKept)
	}
}

// write gives a new mark to the journal. That of users or of the rate waits
// until no further change can become one with it, so that a drag of the slider
// is one line.
func (s *steering) write(m *loadstat.Mark) {
	s.writeDragged()
	if s.dragged = m; m.Undo || m.Kind != loadstat.MarkUsers && m.Kind != loadstat.MarkRate {
		s.writeDragged()
	}
}

// writeDragged gives the mark that waits to the journal, if there is one.
func (s *steering) writeDragged() {
	if m := s.dragged; m != nil {
		s.load.journal.add(func(e Entries) { e.Mark(m) })
		s.dragged = nil
	}
}

// writeRested gives the mark that waits to the journal once the slider rests.
func (s *steering) writeRested(now metrics.Stamp) {
	if s.dragged != nil && now-s.dragged.At >= metrics.Stamp(mergeWithin) {
		s.writeDragged()
	}
}

// next returns the change that an undo takes back, nil for none.
func (s *steering) next() *loadstat.Mark {
	if len(s.undo) == 0 || s.load.pool.ending {
		return nil
	}
	m := s.undo[len(s.undo)-1].mark
	return &m
}

// setting returns what the load does at now.
func (s *steering) setting(now metrics.Stamp) loadstat.Setting {
	l := s.load
	d := l.driver.now(now)
	return loadstat.Setting{
		Work: l.c.Work, Input: l.c.Input, Output: l.c.Output,
		SharedPrefix: l.c.SharedPrefix, Endpoint: l.c.Engine.Shown(l.c.Target),
		SLOs: l.window.slos, Drive: d,
	}
}

// change carries out f, a change by a person, and marks what it changed. An
// ended load has no further marks.
func (s *steering) change(undone bool, f func(now metrics.Stamp)) {
	l := s.load
	now := l.deps.now() // one moment: a ramp that begins has its whole length
	before, from := s.setting(now), place{l.c.Target, l.c.MaxTokens}
	f(now)
	after := s.setting(now)
	kind := loadstat.Difference(&before, &after)
	if kind == "" || l.publisher.endedAt.Known() {
		return
	}
	if !loadstat.SameWork(&before, &after) {
		s.rework(now, kind, &after)
	}
	m := loadstat.Mark{At: now, Kind: kind, From: &before, To: &after, Undo: undone}
	s.add(m, from)
	l.publishNow(now)
}

// rework begins to measure another work. The window before ends here. The next
// one begins when no request of the work before runs, and each user has had a
// first chunk of the new one.
func (s *steering) rework(now metrics.Stamp, kind loadstat.MarkKind, to *loadstat.Setting) {
	l := s.load
	l.beginAgain(now)
	s.epoch++
	l.intake.epoch = s.epoch
	l.intake.series.waits = nil // what is sent has changed
	s.setup, s.setups = loadstat.IndexOfWork(s.setups, to)
	l.window.setup, l.window.warm, l.window.fits = s.setup, false, l.c.promptsVary()
	for _, u := range l.pool.users {
		u.warm = false
	}
	if kind == loadstat.MarkWork {
		return
	}
	l.outcomes.model, l.intake.perChunk, l.budget.lastPrompt = "", 1, 1
	if kind == loadstat.MarkEndpoint {
		l.intake.queue = false
		l.breaker.ok()
		l.breaker.there = false
		l.pool.forgive(now)
	}
}

// Steering is what Steer changes of the next requests. nil leaves it as it is.
type Steering struct {
	Work          *metrics.Workload
	Input, Output *metrics.Lengths
	// Target is another model, or another endpoint. Agreed says that a person has
	// agreed to the load there. MaxTokens is how many further tokens it may use at
	// another endpoint; 0: no cap.
	Target    *endpoint.Target
	Agreed    bool
	MaxTokens float64
}

// Steer changes the next requests. Running requests continue; they count in no
// point after the change.
func (s *steering) Steer(to Steering) {
	l := s.load
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pool.ending {
		return
	}
	s.change(false, func(metrics.Stamp) {
		c := &l.c
		if to.Work != nil {
			c.Work = *to.Work
		}
		if to.Input != nil {
			c.Input = *to.Input
		}
		if to.Output != nil {
			c.Output = *to.Output
		}
		if to.Target != nil {
			s.move(place{to.Target.AskQueue(), to.MaxTokens}, to.Agreed)
		}
	})
}

// move sends the next requests to another place, or to another model there.
// Consent and cap are those of an endpoint: a model keeps them.
func (s *steering) move(to place, agreed bool) {
	l := s.load
	from := &l.c.Target
	elsewhere := from.Kind != to.target.Kind || from.URL != to.target.URL || from.Name != to.target.Name
	l.c.Target, l.c.Price = to.target, to.target.Price()
	l.budget.price(l.c.Price)
	if elsewhere {
		l.c.MaxTokens = to.maxTokens
		l.budget.allow(to.maxTokens)
		l.consent.given = to.target.Here()
	}
	if agreed || l.consent.given {
		l.consent.give()
	}
	l.pool.poke()
}

// Work describes the future requests of a load.
type Work struct {
	metrics.Workload
	SharedPrefix bool          // as Config.SharedPrefix
	Join         time.Duration // as Shape.Join
}

// SetWork changes the next requests, as Steer does. See also Renew.
func (s *steering) SetWork(w Work) {
	l := s.load
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pool.shape.Join = w.Join
	s.change(false, func(metrics.Stamp) { l.c.Work, l.c.SharedPrefix = w.Workload, w.SharedPrefix })
}

// SetSLOs changes the objectives. Points of the path are judged again, except
// the oldest of very many, whose requests are no longer stored.
func (s *steering) SetSLOs(slos []slo.Objective) {
	l := s.load
	l.mu.Lock()
	defer l.mu.Unlock()
	s.change(false, func(now metrics.Stamp) { s.judgeBy(now, slos) })
}

// judgeBy is SetSLOs without its mark.
func (s *steering) judgeBy(now metrics.Stamp, slos []slo.Objective) {
	l := s.load
	l.window.setSLOs(slos)
	set := l.window.slos
	l.journal.add(func(e Entries) { e.Objectives(now, set) })
	if at := l.publisher.endedAt; at.Known() { // the figures stay those of the end
		now = at
	}
	l.publishFigures(now)
}

// Undoes returns the change that Undo would take back, and the target of the
// load after it; false without a change.
func (s *steering) Undoes() (m loadstat.Mark, after endpoint.Target, ok bool) {
	l := s.load
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(s.undo)
	if n == 0 || l.pool.ending {
		return m, after, false
	}
	u := &s.undo[n-1]
	return u.mark, u.place.target, true
}

// Undo takes the last change back that was not taken back yet, and leaves all
// others. It is a mark itself, but no change that Undo takes back. agreed is
// Steering.Agreed for the endpoint before.
func (s *steering) Undo(agreed bool) {
	l := s.load
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(s.undo)
	if n == 0 || l.pool.ending {
		return
	}
	u := s.undo[n-1]
	s.undo = s.undo[:n-1]
	s.change(true, func(now metrics.Stamp) { s.apply(now, u, agreed) })
	l.publishNow(l.deps.now())
}

// apply restores what u changed.
func (s *steering) apply(now metrics.Stamp, u undo, agreed bool) {
	l := s.load
	was, is := u.mark.From, u.mark.To
	if !loadstat.SamePrompts(was, is) {
		l.c.Work, l.c.Input, l.c.Output, l.c.SharedPrefix = was.Work, was.Input, was.Output, was.SharedPrefix
	}
	if !loadstat.SameModel(was, is) {
		s.move(u.place, agreed)
	}
	if !slices.Equal(was.SLOs, is.SLOs) {
		s.judgeBy(now, was.SLOs)
	}
	if !loadstat.SameDrive(was, is) {
		l.driver.set(now, was.Drive)
	}
}
