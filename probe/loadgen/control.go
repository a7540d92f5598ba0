package loadgen

import (
	"context"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	requests "tokscope/metrics/request"
)

// Resize sets the number of users to n, 1 to loadstat.MaxUsers. New users start at
// least 2 ms apart, so that running ones are not disturbed. They spread over
// Shape.Join, together with users still pending from earlier calls. Shrinking
// waits for the requests of the last users to end. In an open loop it does
// nothing.
func (l *Load) Resize(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.change(false, func(metrics.Stamp) { l.resize(n) })
}

// resize is Resize.
func (l *Load) resize(n int) {
	if !l.pool.open() {
		l.driver.set(l.deps.now(), loadstat.Drive{Users: n})
	}
}

// Hold prevents new requests, or allows them again; running requests
// continue. A schedule of arrivals pauses meanwhile.
func (l *Load) Hold(on bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pool.holding == on {
		return
	}
	now := l.deps.now()
	l.beginAgain(now)
	l.pool.hold(on, now)
	l.publish(now)
}

// Due returns the number of users whose request runs or should run now. It
// leaves out users that still join, wait after a failure, or leave. It is 0 on
// hold.
func (l *Load) Due() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.pool.due(l.deps.now())
}

// Renew cancels the running requests of a closed loop; they count as
// canceled. All users begin again after the wait, one after the other over
// the spread.
func (l *Load) Renew(wait, spread time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pool.ending || l.pool.open() {
		return
	}
	now := l.deps.now()
	l.pool.renew(now, wait, spread)
	l.beginAgain(now)
	l.publishNow(now)
}

// Consent answers the question of View().Asks with yes: the load may grow and
// continue.
func (l *Load) Consent() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if users := l.consent.give(); users > 0 {
		l.change(false, func(metrics.Stamp) { l.resize(users) })
	}
	if d := l.driver.waiting; d.Ramps() {
		l.driver.waiting = loadstat.Drive{}
		l.change(false, func(now metrics.Stamp) { l.driver.set(now, d) })
	}
	l.pool.poke()
	l.publishNow(l.deps.now())
}

// Cut cancels the requests of users that are leaving.
func (l *Load) Cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pool.cut()
}

// Drain ends the load once the running requests have ended. The figures stay
// those of the call, because the number of users falls from then on.
func (l *Load) Drain() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.window.freeze(l.phase(l.deps.now()))
	l.pool.end(metrics.Ending{})
}

// Ending reports whether the load has stopped starting requests.
func (l *Load) Ending() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.pool.ending
}

// Stop cancels all running requests. It returns at once; see Wait.
func (l *Load) Stop() {
	l.mu.Lock()
	l.pool.end(metrics.Ending{})
	l.mu.Unlock()
	l.cancel(context.Canceled)
}

// Wait returns once the load has ended and its last view is published.
func (l *Load) Wait() { <-l.done }

// Done returns a channel that is closed once the load has ended.
func (l *Load) Done() <-chan struct{} { return l.done }

// Stream returns the running or last request of a user; false for an unknown
// user or one without a request.
func (l *Load) Stream(user int) (metrics.Stream, bool) {
	var s stream
	l.mu.Lock()
	for _, u := range l.pool.users {
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
	all := make([]running, 0, len(l.pool.users))
	for _, u := range l.pool.users {
		if s := u.running(); s != nil {
			all = append(all, running{u.id, s})
		}
	}
	l.mu.Unlock()
	for _, r := range all {
		f(r.id, r.s.Snapshot())
	}
}

// Requests returns the ended requests, one by one, of a load with Config.List; without
// it they are none. The view is immutable.
func (l *Load) Requests() requests.View {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.list == nil {
		return requests.View{}
	}
	return l.list.View()
}

// Request returns the stream of an ended request, in new memory; false when only its
// figures are kept.
func (l *Load) Request(id int) (metrics.Stream, bool) {
	var p *requests.Packed
	l.mu.Lock()
	if l.list != nil {
		p = l.list.Packed(id)
	}
	l.mu.Unlock()
	if p == nil {
		return metrics.Stream{}, false
	}
	return p.Stream(), true
}
