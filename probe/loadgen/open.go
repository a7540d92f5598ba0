package loadgen

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"tokscope/metrics"
)

// arrivals is a schedule of requests: constant or Poisson.
type arrivals struct {
	rate    float64
	poisson bool
	rng     *rand.Rand
}

// gap is the distance to the next arrival.
//
//	constant  1/rate
//	Poisson   −ln(1 − u)/rate, u even in [0, 1)
func (a *arrivals) gap() time.Duration {
	d := 1 / a.rate
	if a.poisson {
		d *= -math.Log1p(-a.rng.Float64())
	}
	return time.Duration(min(d, 3600) * float64(time.Second))
}

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

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
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

// lagRing keeps the last lags of a schedule, ms, and which of them came from all
// users being taken.
type lagRing struct {
	ring    []float64
	crowded []bool
	n       int
}

// lagsKept is enough for a p99 that follows what happens.
const lagsKept = 2048

func (r *lagRing) add(ms float64, crowded bool) {
	if len(r.ring) < lagsKept {
		r.ring, r.crowded = append(r.ring, max(ms, 0)), append(r.crowded, crowded)
	} else {
		r.ring[r.n%lagsKept], r.crowded[r.n%lagsKept] = max(ms, 0), crowded
	}
	r.n++
}

// mostCrowded reports whether most of the lags above limit came from all users
// being taken.
func (r *lagRing) mostCrowded(limit float64) bool {
	late, crowded := 0, 0
	for i, ms := range r.ring {
		if ms > limit {
			late++
			if r.crowded[i] {
				crowded++
			}
		}
	}
	return 2*crowded > late
}

func (r *lagRing) dist() metrics.Dist {
	return distOr(slices.Clone(r.ring), "no schedule")
}
