package loadgen

import (
	"context"
	"slices"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/pick"
)

// pool owns the users of a load. It starts and stops them, spaces joining
// users, and sends the due requests of a schedule of arrivals.
//
// A pool owns every goroutine that sends. In a closed loop these are one per
// user (loop). In an open loop they are the schedule and one per request
// (arrivals.go). It closes idle when the load is ending and the last goroutine
// has ended.
//
// A pool has no mutex: mu is the load's. The goroutines lock it themselves; every
// other method is called with mu locked unless noted.
type pool struct {
	load *Load

	users   []*user // by id
	target  int     // users asked for; 0 in an open loop
	running int     // goroutines that send, including the schedule
	holding bool
	ending  bool           // no new request begins
	stopped metrics.Ending // why it ended by itself, zero otherwise

	idle      chan struct{} // closed when the last goroutine of an ending load has ended
	isIdle    bool
	nextStart metrics.Stamp // when the next new user may begin
	spacing   time.Duration // between the begins of two users
	arrivals  arrivals
	crowded   bool // the oldest arrival that waits has found all users busy
}

// open reports whether requests follow a schedule.
func (p *pool) open() bool { return p.arrivals.open }

// start begins to send.
func (p *pool) start(began metrics.Stamp) {
	s := &p.load.c.Shape
	if p.open() {
		p.schedules(began, p.arrivals.rate, s.Poisson)
	} else {
		p.load.resize(max(s.Users, 1))
	}
}

// schedules makes requests follow a schedule of that rate from now on. The
// users of a closed loop end their requests and then serve the schedule.
func (p *pool) schedules(now metrics.Stamp, rate slope, poisson bool) {
	a := &p.arrivals
	a.change(now, rate, poisson)
	a.open, p.target = true, 0
	for _, u := range p.users {
		u.leaving = false
		u.poke()
	}
	signal(a.changed)
	if !a.running {
		a.running = true
		p.running++
		go p.schedule()
	}
}

// closes makes a closed loop of n users. Arrivals that were not sent are
// dropped. Users above n leave when their request has ended.
func (p *pool) closes(n int, now metrics.Stamp) {
	a := &p.arrivals
	a.open, a.due, a.queue, p.crowded = false, metrics.NoStamp, nil, false
	signal(a.changed)
	p.spacing = startSpacing
	if join := p.load.c.Shape.Join; join > 0 {
		p.spacing = max(p.spacing, join/time.Duration(max(n, 1)))
	}
	for _, u := range p.users {
		u.warm = true // the load goes on
		if !u.busy {
			u.notBefore = now
			p.space(u, now)
		}
		p.loops(u)
	}
	p.resize(n, now)
}

// loops starts the goroutine of u in a closed loop, unless it exists.
func (p *pool) loops(u *user) {
	if !u.looping {
		u.looping = true
		p.running++
		go p.loop(u)
	}
}

// resize sets the users of a closed loop to n: new ones join, the last ones
// leave, and leaving ones may stay.
func (p *pool) resize(n int, now metrics.Stamp) {
	p.target = n
	for _, u := range p.users {
		u.leaving = u.id > n
		u.poke()
	}
	fresh := p.count(func(u *user) bool { return u.fresh && !u.leaving }) // not begun yet
	p.spacing = startSpacing
	if more := fresh + n - len(p.users); more > 1 {
		if join := p.load.c.Shape.Join; join > 0 {
			p.spacing = max(p.spacing, join/time.Duration(more), time.Second/mostJoins)
		}
	}
	p.nextStart = min(p.nextStart, now+metrics.Stamp(startSpacing))
	for id := 1; id <= n; id++ { // users are sorted: those before id exist
		if id > len(p.users) || p.users[id-1].id != id {
			p.join(id, now)
		} else if u := p.users[id-1]; u.fresh {
			u.notBefore = now
			p.space(u, now)
		}
	}
}

// join creates a user with that id and starts it.
func (p *pool) join(id int, now metrics.Stamp) *user {
	u := newUser(id, now, p.load.window.timeline.index(now))
	u.play.Script = p.load.c.Script
	at, _ := slices.BinarySearchFunc(p.users, id, func(u *user, id int) int { return u.id - id })
	p.users = slices.Insert(p.users, at, u)
	if p.open() {
		return u
	}
	p.space(u, now)
	p.loops(u)
	return u
}

// space schedules the begin of u after the other pending users.
func (p *pool) space(u *user, now metrics.Stamp) {
	p.nextStart = max(p.nextStart, now)
	u.notBefore = max(u.notBefore, p.nextStart)
	p.nextStart += metrics.Stamp(max(p.spacing, startSpacing))
}

// hold prevents new requests, or allows them again.
func (p *pool) hold(on bool, now metrics.Stamp) {
	p.holding = on
	for _, u := range p.users {
		u.warm = u.warm && !on
		if !on {
			p.space(u, now)
		}
	}
	p.poke()
}

// renew cancels the running requests of a closed loop. All users begin again
// after the wait, one after the other over the spread.
func (p *pool) renew(now metrics.Stamp, wait, spread time.Duration) {
	p.nextStart, p.spacing = now+metrics.Stamp(wait), spread/time.Duration(p.target)
	for _, u := range p.users {
		if u.leaving {
			u.stop()
			continue
		}
		u.notBefore = 0
		p.space(u, now)
		if u.busy {
			u.renewed, u.again = true, u.notBefore
			u.stop()
		}
		u.poke()
	}
}

// forgive ends the back-off of users: what refused them is asked no more. They begin
// one after the other.
func (p *pool) forgive(now metrics.Stamp) {
	for _, u := range p.users {
		u.failures = 0
		if u.state == loadstat.LaneBackoff {
			u.notBefore = 0
			p.space(u, now)
			u.poke()
		}
	}
}

// loop is the goroutine of a user in a closed loop between two requests. There is no
// further one when the user leaves, and with the end of the load's context.
func (p *pool) loop(u *user) {
	r := p.turn(u)
	if r == nil {
		p.exited()
		return
	}
	p.load.run(u, r, func() { go p.loop(u) })
}

// turn waits until u may send its next request; nil when it has left. It locks
// mu.
func (p *pool) turn(u *user) *request {
	for {
		p.load.mu.Lock()
		if p.open() || u.busy && (p.ending || p.load.ctx.Err() != nil) { // the schedule sends, or has sent
			u.looping = false
			p.load.mu.Unlock()
			return nil
		}
		if !u.busy && (p.ending || u.leaving || p.load.ctx.Err() != nil) {
			u.looping = false
			p.leave(u)
			p.load.mu.Unlock()
			return nil
		}
		now := p.load.deps.now()
		wait := time.Duration(-1) // until woken
		if !p.paused() && !u.busy {
			if now >= u.notBefore {
				r := p.load.admit(u)
				p.load.mu.Unlock()
				if r != nil {
					return r
				}
				continue // the load ends, or waits for consent
			}
			wait = time.Duration(u.notBefore - now)
		}
		p.load.mu.Unlock()
		sleep(p.load.ctx, wait, u.wake, nil)
	}
}

// leave removes u from the pool. An ending load keeps its users for its last
// view.
func (p *pool) leave(u *user) {
	u.state = loadstat.LaneIdle
	if !p.ending {
		p.users = slices.DeleteFunc(p.users, func(have *user) bool { return have == u })
	}
}

// poke wakes every user and the schedule to check for changes.
func (p *pool) poke() {
	for _, u := range p.users {
		u.poke()
	}
	signal(p.arrivals.changed)
}

// end prevents new requests. why is the reason of a load that ends by itself,
// zero where a person ended it. Later calls do nothing.
func (p *pool) end(why metrics.Ending) {
	if p.ending {
		return
	}
	p.ending, p.stopped = true, why
	p.poke()
	p.closeIdle()
}

// exited counts a goroutine that has ended, and none that has sent a request follows it.
// It locks mu.
func (p *pool) exited() {
	p.load.mu.Lock()
	p.running--
	p.closeIdle()
	p.load.mu.Unlock()
}

// closeIdle closes idle when the last goroutine of an ending load has ended.
func (p *pool) closeIdle() {
	if p.ending && p.running == 0 && !p.isIdle {
		p.isIdle = true
		close(p.idle)
	}
}

// cut cancels the requests of leaving users; in an ending load all requests.
func (p *pool) cut() {
	for _, u := range p.users {
		if (u.leaving || p.ending) && u.busy {
			u.stop()
		}
	}
}

// count returns the number of users that are so.
func (p *pool) count(so func(*user) bool) int {
	return pick.Count(p.users, func(u **user) bool { return so(*u) })
}

// busy returns the number of running requests.
func (p *pool) busy() int { return p.count(func(u *user) bool { return u.busy }) }

// due returns the number of users with a running request, or with one that is
// due at now.
func (p *pool) due(now metrics.Stamp) int {
	return p.count(func(u *user) bool {
		return !u.leaving && !u.renewed && !p.holding && (u.busy || now >= u.notBefore)
	})
}

// before returns the number of running requests of epochs before that one.
func (p *pool) before(epoch int) int {
	return p.count(func(u *user) bool { return u.busy && u.epoch != epoch })
}

// anySent reports whether a running request has been sent: then a server has
// accepted it.
func (p *pool) anySent() bool {
	return slices.ContainsFunc(p.users, func(u *user) bool {
		s := u.running()
		return s != nil && s.Snapshot().Marks.Sent.Known()
	})
}

// phase returns the state of the users for a window. The caller sets queue.
func (p *pool) phase(now metrics.Stamp) phase {
	ph := phase{now: now, ending: p.ending, idle: p.isIdle, holding: p.holding}
	for _, u := range p.users {
		if u.leaving {
			ph.leaving++
		}
		switch {
		case p.open():
		case u.leaving || p.ending && u.busy:
			ph.extra++
		case !u.warm:
			ph.cold++
		}
	}
	return ph
}

// draw fills the lanes and the user counts of v. It returns the number of
// requests in the server's queue.
func (p *pool) draw(v *loadstat.View) (waiting int) {
	v.Running, v.Holding, v.Target, v.Users, v.Stopped = !p.isIdle, p.holding, p.target, len(p.users), p.stopped
	if v.Ending = p.ending && !p.isIdle; v.Ending {
		v.Target = 0 // no users are requested any more
	}
	v.Lanes, v.InFlight, v.Decoding = make([]loadstat.Lane, len(p.users)), 0, 0
	for i, u := range p.users {
		u.draw(&v.Lanes[i])
		if !u.busy {
			continue
		}
		v.InFlight++
		switch u.state {
		case loadstat.LaneDecoding, loadstat.LaneStalled:
			v.Decoding++
		case loadstat.LaneWaiting:
			waiting++
		}
	}
	return waiting
}

// finish ends every lane at now, when the last request has ended.
func (p *pool) finish(now metrics.Stamp) {
	slice := p.load.window.timeline.index(now)
	for _, u := range p.users {
		u.lane.advance(slice)
		u.state = loadstat.LaneIdle
	}
}

// sleep waits for d, without a bound where that is negative, or for one of two
// channels. It returns false when ctx ends first.
func sleep(ctx context.Context, d time.Duration, wake, also <-chan struct{}) bool {
	var over <-chan time.Time
	if d >= 0 {
		over = time.After(d)
	}
	select {
	case <-over:
	case <-wake:
	case <-also:
	case <-ctx.Done():
	}
	return ctx.Err() == nil
}
