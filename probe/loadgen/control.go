package loadgen

import (
	"context"
	"math"
	"slices"
	"time"

	"tokscope/metrics"
)

// Resize makes n users, 1 to MaxUsers. Growing starts users 2 ms apart at the
// least, so that those that run are not disturbed, and over Shape.Join, those
// together that an earlier call has added and that have not begun yet; shrinking
// lets the requests of the last users end. In an open loop it does nothing.
func (l *Load) Resize(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ramping != nil {
		l.ramping()
	}
	l.resize(n)
}

// resize is Resize: l.mu is held.
func (l *Load) resize(n int) {
	n = min(max(n, 1), MaxUsers)
	if l.ending || l.c.Shape.Rate > 0 {
		return
	}
	l.wanted = 0
	if !l.consented && n > FreeUsers {
		l.wanted, n = n, FreeUsers
		f := Estimate(l.c, l.wanted, 0)
		l.asks, _ = NeedsConsent(l.c.Target, f)
	} else if l.asks != "" && !l.budget.held {
		l.asks = ""
	}
	now := l.world.now()
	if n == l.target {
		l.publishNow(now)
		return
	}
	l.newStay(now, n, 0)
	l.target = n
	for _, u := range l.users { // those that were leaving may be wanted again
		u.leaving = u.id > n
		u.poke()
	}
	fresh := 0 // that have not begun
	for _, u := range l.users {
		if u.fresh && !u.leaving {
			fresh++
		}
	}
	l.apart = startSpacing
	if more := fresh + n - len(l.users); more > 1 {
		if join := l.c.Shape.Join; join > 0 {
			l.apart = max(l.apart, join/time.Duration(more), time.Second/mostJoins)
		}
	}
	l.nextStart = min(l.nextStart, now+metrics.Stamp(startSpacing))
	for id := 1; id <= n; id++ { // users are sorted: those before id are there
		if id > len(l.users) || l.users[id-1].id != id {
			l.join(id, now)
		} else if u := l.users[id-1]; u.fresh {
			u.notBefore = now
			l.space(u, now)
		}
	}
	l.publishNow(now)
}

// join makes a user with that id and starts it: l.mu is held.
func (p *Load) join(id int, now metrics.Stamp) *user {
	u := &user{id: id, wake: make(chan struct{}, 1), since: now, state: metrics.LaneIdle, fresh: true}
	u.lane.reset()
	u.lane.slice = p.tape.index(now)
	u.lane.offset = u.lane.slice
	at, _ := slices.BinarySearchFunc(p.users, id, func(u *user, id int) int { return u.id - id })
	p.users = slices.Insert(p.users, at, u)
	if p.c.Shape.Rate > 0 {
		return u
	}
	p.space(u, now)
	p.live++
	go p.loop(u)
	return u
}

// spaced lets u begin in its turn: l.mu is held.
func (p *Load) space(u *user, now metrics.Stamp) {
	p.nextStart = max(p.nextStart, now)
	u.notBefore = max(u.notBefore, p.nextStart)
	p.nextStart += metrics.Stamp(max(p.apart, startSpacing))
}

// newStay ends the present point and begins another: l.mu is held.
func (w *Load) newStay(now metrics.Stamp, users int, rate float64) {
	w.keepPoint(now)
	s := &w.stay
	s.began, s.users, s.rate, s.warm, s.best, s.frozen = now, users, rate, false, nil, nil
	w.endedInStay = 0
	s.restart(w.tape, w.tape.index(now)+1)
	if w.c.Shape.Requests > 0 {
		s.warm = true
		s.restart(w.tape, w.tape.index(now))
	}
}

// ramp changes the users evenly from..to over d.
func (p *Load) ramp(ctx context.Context, from, to int, d time.Duration) {
	defer p.exited()
	steps := to - from
	if steps < 0 {
		steps = -steps
	}
	for i := 1; i <= steps; i++ {
		due := p.began + metrics.Stamp(float64(d)*float64(i)/float64(steps))
		if !sleep(ctx, time.Duration(due-p.world.now()), nil) {
			return
		}
		n := from + i
		if to < from {
			n = from - i
		}
		p.mu.Lock()
		if ctx.Err() == nil {
			p.resize(n)
		}
		p.mu.Unlock()
	}
}

// Hold keeps new requests from beginning, or lets them begin again; what runs
// goes on. A schedule of arrivals stands still meanwhile.
func (l *Load) Hold(on bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.holding == on {
		return
	}
	now := l.world.now()
	l.newStay(now, l.stay.users, l.stay.rate)
	l.holding = on
	for _, u := range l.users {
		u.warm = u.warm && !on
		if !on {
			l.space(u, now)
		}
		u.poke()
	}
	l.pokeSchedule()
	l.publish(now)
}

// SetRate changes the rate of an open loop; in a closed one, and for rates
// that are none, it does nothing.
func (l *Load) SetRate(rate float64) {
	if !(rate > 0) || math.IsInf(rate, 0) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.c.Shape.Rate <= 0 || l.stay.rate == rate || l.ending {
		return
	}
	l.newStay(l.world.now(), 0, rate)
	l.pokeSchedule()
}

// Work describes the future requests of a load.
type Work struct {
	metrics.Workload
	SharedPrefix bool          // as Config.SharedPrefix
	Join         time.Duration // as Shape.Join
}

// SetWork changes what the next requests are. Those that run go on; see Renew.
func (l *Load) SetWork(w Work) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.c.Work, l.c.SharedPrefix, l.c.Shape.Join = w.Workload, w.SharedPrefix, w.Join
	now := l.world.now()
	l.newStay(now, l.stay.users, l.stay.rate)
	l.publishNow(now)
}

// Renew takes back what runs, and lets all users of a closed loop begin again
// after that time, one after the other over the other time. What was taken back
// counts as cancelled.
func (l *Load) Renew(after, over time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ending || l.c.Shape.Rate > 0 {
		return
	}
	now := l.world.now()
	l.nextStart, l.apart = now+metrics.Stamp(after), over/time.Duration(l.target)
	for _, u := range l.users {
		if u.leaving {
			u.stop()
			continue
		}
		u.notBefore = 0
		l.space(u, now)
		if u.busy {
			u.renewed, u.again = true, u.notBefore
			u.stop()
		}
		u.poke()
	}
	l.newStay(now, l.stay.users, l.stay.rate)
	l.publishNow(now)
}

// SetSLOs changes the objectives. Points that were taken are judged anew, the
// oldest of very many excepted.
func (l *Load) SetSLOs(slos []metrics.Objective) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.slos = slices.Clone(slos)
	now, set := l.world.now(), l.slos
	l.jot(func(e Entries) { e.Objectives(now, set) })
	for i := range l.path {
		if t := &l.path[i]; t.records != nil {
			judge(&t.point, t.records, l.slos)
		}
	}
	if l.over.Known() { // the figures remain those of the end
		now = l.over
	}
	l.publishFigures(now)
}

// Consent is the yes to View().Asks: the load may grow and go on.
func (l *Load) Consent() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.consented, l.asks, l.budget.held = true, "", false
	if l.wanted > 0 {
		l.resize(l.wanted)
	}
	for _, u := range l.users {
		u.poke()
	}
	l.pokeSchedule()
	l.publishNow(l.world.now())
}

// Cut cancels the requests of users that are leaving.
func (l *Load) Cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, u := range l.users {
		if (u.leaving || l.ending) && u.busy {
			u.stop()
		}
	}
}

// Drain ends the load once the running requests have ended. The figures remain
// those of the moment: what follows is a load of fewer and fewer users.
func (l *Load) Drain() {
	l.mu.Lock()
	l.freeze()
	l.end("")
	l.mu.Unlock()
}

// Ending reports whether nothing new begins any more.
func (l *Load) Ending() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ending
}

// Stop cancels everything that runs. It returns at once; see Wait.
func (l *Load) Stop() {
	l.mu.Lock()
	l.end("")
	l.mu.Unlock()
	l.cancel(context.Canceled)
}

// Wait returns once the load has ended and its last view is published.
func (l *Load) Wait() { <-l.done }

// Done returns a channel that is closed once the load has ended.
func (l *Load) Done() <-chan struct{} { return l.done }

// Stream is the running or last request of a user; false when there is no such
// user or it has sent none.
func (l *Load) Stream(user int) (metrics.Stream, bool) {
	l.mu.Lock()
	var s stream
	for _, u := range l.users {
		if u.id == user {
			s = u.stream
		}
	}
	l.mu.Unlock()
	if s == nil {
		return metrics.Stream{}, false
	}
	return s.Snapshot(), true
}

// Streams calls f with the running request of every user, as Stream returns it.
func (l *Load) Streams(f func(user int, v metrics.Stream)) {
	type running struct {
		id int
		s  stream
	}
	l.mu.Lock()
	all := make([]running, 0, len(l.users))
	for _, u := range l.users {
		if s := u.running(); s != nil {
			all = append(all, running{u.id, s})
		}
	}
	l.mu.Unlock()
	for _, r := range all {
		f(r.id, r.s.Snapshot())
	}
}
