package loadgen

import (
	"math/rand/v2"
	"time"

	"tokscope/metrics"
)

// schedule is the open loop: every request has an intended time, which nothing
// that the endpoint does can move, and is sent then, or as soon after it as
// this program can and a user is free. The lag is kept, and FromIntended counts
// from the intended time, so that no wait is left out. Failures move nothing
// either: an open loop that backs off is none; the breaker stops one in vain.
func (p *Load) schedule() {
	defer p.exited()
	a := arrivals{rate: p.c.Shape.Rate, poisson: p.c.Shape.Poisson, rng: rand.New(rand.NewPCG(p.seed, 0x6172726976616c))}
	due := p.began + metrics.Stamp(a.gap())
	crowded := false // the request that is due found all users taken
	for {
		p.mu.Lock()
		if p.ending || p.ctx.Err() != nil {
			p.mu.Unlock()
			return
		}
		now := p.world.now()
		if r := p.stay.rate; r != a.rate { // begins anew at the new rate
			a.rate = r
			due = now + metrics.Stamp(a.gap())
		}
		held := p.holding || p.budget.held
		p.due = due
		if held {
			p.due = metrics.NoStamp
		}
		if !held && now >= due {
			u := p.spare(now)
			if u == nil {
				crowded = true
				p.mu.Unlock()
				if !p.await(p.freed) {
					return
				}
				continue
			}
			r, ok := p.take(u, now)
			if ok {
				u.intended = due
				p.lag.add(float64(now-due)/1e6, crowded)
				crowded = false
				p.live++
				go func() {
					defer p.exited()
					p.send(u, r)
					signal(p.freed)
				}()
				due += metrics.Stamp(a.gap())
			}
			p.mu.Unlock()
			continue
		}
		p.mu.Unlock()
		if held {
			if !p.await(p.rateChanged) {
				return
			}
			due = p.world.now() + metrics.Stamp(a.gap())
			continue
		}
		if !sleep(p.ctx, time.Duration(due-now), p.rateChanged) {
			return
		}
	}
}

// waitFor waits for a signal; false when the load is stopped.
func (p *Load) await(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	case <-p.rateChanged:
		return true
	case <-p.ctx.Done():
		return false
	}
}

// pokeSchedule makes an open loop look at what has changed.
func (l *Load) pokeSchedule() { signal(l.rateChanged) }

// free returns the first user that is not busy, a new one if there is room,
// else nil: l.mu is held.
func (p *Load) spare(now metrics.Stamp) *user {
	most := p.c.Shape.Users
	if most <= 0 || most > MaxUsers {
		most = MaxUsers
	}
	if !p.consented {
		most = min(most, FreeUsers)
	}
	for _, u := range p.users {
		if !u.busy {
			return u
		}
	}
	if len(p.users) >= most {
		if !p.consented && p.asks == "" {
			p.wanted = 0
			p.asks, _ = NeedsConsent(p.c.Target, Estimate(p.c, FreeUsers+1, 0))
		}
		return nil
	}
	return p.join(len(p.users)+1, now)
}
