package loadgen

import (
	"slices"

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
// It is embedded in its load, whose controls and helpers below work on it.
type steering struct {
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

// addMark appends a mark. Changes of users, or of the rate, that follow each other
// faster than mergeWithin are one: the slider was dragged.
func (l *Load) addMark(m loadstat.Mark, from place) {
	if last := len(l.marks) - 1; last >= 0 && len(l.undo) > 0 && !m.Undo {
		before := &l.marks[last]
		if before.Kind == m.Kind && !before.Undo && (m.Kind == loadstat.MarkUsers || m.Kind == loadstat.MarkRate) &&
			m.At-before.At < metrics.Stamp(mergeWithin) && l.undo[len(l.undo)-1].mark.At == before.At {
			m.From = before.From
			l.marks = slices.Clone(l.marks[:last])
			l.undo = l.undo[:len(l.undo)-1]
			l.dragged = nil
			if loadstat.Difference(m.From, m.To) == "" {
				return // back where it began
			}
		}
	}
	if l.marks = append(l.marks, m); len(l.marks) > marksKept {
		l.dropped += len(l.marks) - marksKept
		l.marks = slices.Clone(l.marks[len(l.marks)-marksKept:])
	}
	l.writeDragged()
	// That of users or of the rate waits until no further change can become one with
	// it, so that a drag of the slider is one line.
	if l.dragged = &m; m.Undo || m.Kind != loadstat.MarkUsers && m.Kind != loadstat.MarkRate {
		l.writeDragged()
	}
	if m.Undo {
		return
	}
	if l.undo = append(l.undo, undo{m, from}); len(l.undo) > undosKept {
		l.undo = slices.Delete(l.undo, 0, len(l.undo)-undosKept)
	}
}

// writeDragged gives the mark that waits to the journal, if there is one.
func (l *Load) writeDragged() {
	if m := l.dragged; m != nil {
		l.journal.add(func(e Entries) { e.Mark(m) })
		l.dragged = nil
	}
}

// lastChange returns the change that an undo takes back, nil for none.
func (l *Load) lastChange() *undo {
	if len(l.undo) == 0 || l.pool.ending {
		return nil
	}
	return &l.undo[len(l.undo)-1]
}

// setting returns what the load does at now.
func (l *Load) setting(now metrics.Stamp) loadstat.Setting {
	d := l.driver.now(now)
	return loadstat.Setting{
		Work: l.c.Work, Input: l.c.Input, Output: l.c.Output,
		SharedPrefix: l.c.SharedPrefix, Endpoint: l.c.Engine.Shown(l.c.Target),
		SLOs: l.window.slos, Drive: d,
	}
}

// change carries out f, a change by a person, and marks what it changed. An
// ended load has no further marks.
func (l *Load) change(undone bool, f func(now metrics.Stamp)) {
	now := l.deps.now() // one moment: a ramp that begins has its whole length
	before, from := l.setting(now), place{l.c.Target, l.c.MaxTokens}
	f(now)
	after := l.setting(now)
	kind := loadstat.Difference(&before, &after)
	if kind == "" || l.endedAt.Known() {
		return
	}
	if !loadstat.SameWork(&before, &after) {
		l.rework(now, kind, &after)
	}
	m := loadstat.Mark{At: now, Kind: kind, From: &before, To: &after, Undo: undone}
	l.addMark(m, from)
	l.publishNow(now)
}

// rework begins to measure another work. The window before ends here. The next
// one begins when no request of the work before runs, and each user has had a
// first chunk of the new one.
func (l *Load) rework(now metrics.Stamp, kind loadstat.MarkKind, to *loadstat.Setting) {
	l.beginAgain(now)
	l.epoch++
	l.intake.epoch = l.epoch
	l.intake.series.waits = nil // what is sent has changed
	l.setup, l.setups = loadstat.IndexOfWork(l.setups, to)
	l.window.setup, l.window.warm, l.window.fits = l.setup, false, l.c.promptsVary()
	for _, u := range l.pool.users {
		u.warm = false
	}
	if kind == loadstat.MarkWork {
		return
	}
	l.outcomes.model, l.intake.timeline.perChunk, l.budget.lastPrompt = "", 1, 1
	if kind == loadstat.MarkEndpoint {
		l.intake.queue = false
		l.breaker.ok()
		l.breaker.there = false
		l.pool.forgive(now)
	}
}

// Steer lets f change what the next requests send, and how the users join: of c Work, Input,
// Output, SharedPrefix and Shape.Join. f must not wait. Running requests continue; they count in
// no point after the change. See also Renew.
func (l *Load) Steer(f func(c *Config)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.pool.ending {
		l.change(false, func(metrics.Stamp) { f(&l.c) })
	}
}

// Move is Steer to another model, or to another endpoint. agreed says that a person has
// agreed to the load there, maxTokens how many further tokens it may use at another
// endpoint; 0: no cap.
func (l *Load) Move(t endpoint.Target, agreed bool, maxTokens float64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.pool.ending {
		l.change(false, func(metrics.Stamp) { l.move(place{t.AskQueue(), maxTokens}, agreed) })
	}
}

// move sends the next requests to another place, or to another model there.
// Consent and cap are those of an endpoint: a model keeps them.
func (l *Load) move(to place, agreed bool) {
	from := &l.c.Target
	elsewhere := from.Kind != to.target.Kind || from.Name != to.target.Name || !from.Same(&to.target.Endpoint)
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

// SetSLOs changes the objectives. Points of the path are judged again, except
// the oldest of very many, whose requests are no longer stored.
func (l *Load) SetSLOs(slos []slo.Objective) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.change(false, func(now metrics.Stamp) { l.judgeBy(now, slos) })
}

// judgeBy is SetSLOs without its mark.
func (l *Load) judgeBy(now metrics.Stamp, slos []slo.Objective) {
	l.window.setSLOs(slos)
	set := l.window.slos
	l.journal.add(func(e Entries) { e.Objectives(now, set) })
	if at := l.endedAt; at.Known() { // the figures stay those of the end
		now = at
	}
	l.publishFigures(now)
}

// Undoes returns the change that Undo would take back, and the target of the
// load after it; false without a change.
func (l *Load) Undoes() (m loadstat.Mark, after endpoint.Target, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	u := l.lastChange()
	if u == nil {
		return m, after, false
	}
	return u.mark, u.place.target, true
}

// Undo takes the last change back that was not taken back yet, and leaves all
// others. It is a mark itself, but no change that Undo takes back. agreed is
// as for Move to the endpoint before.
func (l *Load) Undo(agreed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	next := l.lastChange()
	if next == nil {
		return
	}
	u := *next
	l.undo = l.undo[:len(l.undo)-1]
	l.change(true, func(now metrics.Stamp) { l.apply(now, u, agreed) })
	l.publishNow(l.deps.now())
}

// apply restores what u changed.
func (l *Load) apply(now metrics.Stamp, u undo, agreed bool) {
	was, is := u.mark.From, u.mark.To
	if !loadstat.SamePrompts(was, is) {
		l.c.Work, l.c.Input, l.c.Output, l.c.SharedPrefix = was.Work, was.Input, was.Output, was.SharedPrefix
	}
	if !loadstat.SameModel(was, is) {
		l.move(u.place, agreed)
	}
	if !slices.Equal(was.SLOs, is.SLOs) {
		l.judgeBy(now, was.SLOs)
	}
	if !loadstat.SameDrive(was, is) {
		l.driver.set(now, was.Drive)
	}
}
