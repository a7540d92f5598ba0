package loadgen

import (
	"fmt"
	"math/rand/v2"
	"time"

	"tokscope/metrics"
)

// user sends requests one after the other. Load.mu guards it.
type user struct {
	id        int
	wake      chan struct{} // capacity 1
	stream    stream        // running or last
	busy      bool          // a request runs, or is being begun:
	begun     bool          // then stream is still that of the last one until this is true
	stopped   bool          // what is being begun is cancelled at once
	leaving   bool
	renewed   bool          // its request is taken back (Renew) …
	again     metrics.Stamp // … and the next one begins then
	fresh     bool          // has not begun any request
	warm      bool          // had a first chunk or ended a request in this stay
	state     metrics.LaneState
	since     metrics.Stamp
	notBefore metrics.Stamp // of the next request
	backoff   bool          // … because of a failure
	failures  int           // in a row
	done      int
	failed    int
	reserved  float64       // tokens that the running request may use
	intended  metrics.Stamp // when the schedule meant the running request to be sent
	lane      lane
}

// poke makes the user look at what has changed.
func (u *user) poke() {
	select {
	case u.wake <- struct{}{}:
	default:
	}
}

// running returns the stream of the running request; nil without one, and
// while it is starting.
func (u *user) running() stream {
	if u.busy && u.begun {
		return u.stream
	}
	return nil
}

// stop cancels the running or starting request.
func (u *user) stop() {
	if s := u.running(); s != nil {
		s.Cancel()
	}
	u.stopped = true
}

// closedLoop is the life of a user.
func (p *Load) loop(u *user) {
	defer p.exited()
	for {
		r, ok := p.turn(u)
		if !ok {
			return
		}
		p.send(u, r)
	}
}

// turn waits until u may send its next request. false: it leaves; its place is
// free then.
func (p *Load) turn(u *user) (request, bool) {
	for {
		p.mu.Lock()
		if p.ending || u.leaving || p.ctx.Err() != nil {
			p.leave(u)
			p.mu.Unlock()
			return request{}, false
		}
		now := p.world.now()
		wait := time.Duration(-1) // until woken
		if !p.holding && !p.budget.held {
			if now >= u.notBefore {
				if r, ok := p.take(u, now); ok {
					p.mu.Unlock()
					return r, true
				}
				p.mu.Unlock()
				continue // the load ends, or waits for consent
			}
			wait = time.Duration(u.notBefore - now)
		}
		p.mu.Unlock()
		if wait < 0 {
			select {
			case <-u.wake:
			case <-p.ctx.Done():
			}
		} else {
			sleep(p.ctx, wait, u.wake)
		}
	}
}

// leave takes u out of the load: l.mu is held. An ending load keeps its users,
// so that the last view shows them.
func (p *Load) leave(u *user) {
	u.state = metrics.LaneIdle
	if p.ending {
		return
	}
	for i, have := range p.users {
		if have == u {
			p.users = append(p.users[:i:i], p.users[i+1:]...)
			return
		}
	}
}

// take makes the next request of u, if there may be one: l.mu is held.
func (l *Load) take(u *user, now metrics.Stamp) (request, bool) {
	if n := l.c.Shape.Requests; n > 0 && l.taken >= n {
		l.end(fmt.Sprintf("all %d requests are sent", n))
		return request{}, false
	}
	r := l.request(l.taken)
	expected := l.budget.expect(r.work)
	if why := l.budget.refuse(expected); why != "" {
		l.end(why)
		return request{}, false
	}
	if !l.consented && l.budget.used+l.budget.reserved+expected > FreeTokens {
		l.budget.held = true
		l.asks = l.askTokens()
		return request{}, false
	}
	l.taken++
	l.sent++
	u.reserved = expected
	l.budget.reserved += expected
	u.busy, u.begun, u.stopped = true, false, false
	u.fresh, u.backoff, u.intended = false, false, metrics.NoStamp
	u.lane.reset()
	return r, true
}

// request makes the i-th request of the load. It depends on the seed and i
// alone, not on which user sends it.
func (l *Load) request(i int) request {
	rng := rand.New(rand.NewPCG(l.seed, uint64(i)))
	w := l.c.Work
	w.Concurrency = max(l.target, l.busy(), 1)
	if n := len(l.c.Prompts); n > 0 {
		w.Prompt = l.c.Prompts[i%n]
	}
	if !l.c.SharedPrefix {
		w.Nonce = fmt.Sprintf("[request %08x-%d]", rng.Uint32(), i+1)
	}
	if n := l.c.Input.Draw(rng); n > 0 {
		w.InputTokens = n
	}
	if n := l.c.Output.Draw(rng); n > 0 {
		w.MaxTokens = n
	}
	return request{work: w, rng: rng}
}

// send carries out one request.
func (l *Load) send(u *user, r request) {
	var s stream
	aside(func() { s = l.world.start(l.ctx, l.c.Target, r.work) })
	l.mu.Lock()
	u.stream, u.begun = s, true
	if u.renewed || u.stopped {
		s.Cancel() // taken back before it had begun
	}
	l.enter(u, metrics.LaneConnecting, l.world.now())
	l.mu.Unlock()
	<-s.Done()
	aside(func() {
		v := s.Snapshot()
		f := metrics.Measure(&v, metrics.Options{Pace: l.c.Pace})
		l.mu.Lock()
		l.ended(u, &v, &f, r.rng)
		l.mu.Unlock()
		if l.c.Ended != nil {
			l.c.Ended(u.id, &v, &f)
		}
	})
}

// enter changes the state of u: l.mu is held.
func (l *Load) enter(u *user, s metrics.LaneState, now metrics.Stamp) {
	if u.state != s {
		u.state, u.since = s, now
	}
}

// anySent reports whether a request that runs has been sent, so that somebody
// has taken it: l.mu is held.
func (p *Load) anySent() bool {
	for _, u := range p.users {
		if s := u.running(); s != nil && s.Snapshot().Marks.Sent.Known() {
			return true
		}
	}
	return false
}

// busy is how many requests run: l.mu is held.
func (p *Load) busy() int {
	n := 0
	for _, u := range p.users {
		if u.busy {
			n++
		}
	}
	return n
}

// signal wakes the goroutine that waits for c, a channel of capacity 1.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
