package loadgen

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"tokscope/metrics"
)

// arrivals is a schedule of requests, constant or Poisson. The load's mutex
// guards rate, due and lags; the rest belongs to the goroutine of the schedule.
type arrivals struct {
	rate float64       // scheduled, requests per second; 0 in a closed loop
	due  metrics.Stamp // scheduled time of the next request; NoStamp without one
	lags lagRing

	rng     *rand.Rand
	poisson bool
	changed chan struct{} // capacity 1: something has changed
	spare   chan struct{} // capacity 1: a user has become free
}

// newArrivals returns the schedule of s.
func newArrivals(s *Shape, seed uint64) arrivals {
	return arrivals{
		rate: max(s.Rate, 0), due: metrics.NoStamp, poisson: s.Poisson, rng: rand.New(rand.NewPCG(seed, 0x6172726976616c)),
		changed: make(chan struct{}, 1), spare: make(chan struct{}, 1),
	}
}

// gap returns the distance to the next arrival at that rate.
//
//	constant  1/rate
//	Poisson   −ln(1 − u)/rate, u uniform in [0, 1)
func (a *arrivals) gap(rate float64) time.Duration {
	d := 1 / rate
	if a.poisson {
		d *= -math.Log1p(-a.rng.Float64())
	}
	return time.Duration(min(d, 3600) * float64(time.Second))
}

// schedule is the goroutine of an open loop. Every request has an intended
// time that is independent of the endpoint. The request is sent then, or as
// soon afterwards as this program can and a user is free. The lag is kept,
// and FromIntended counts from the intended time, so no wait is left out.
//
// Failures do not delay the schedule: an open loop never backs off. The
// breaker stops one that cannot succeed.
func (p *pool) schedule(began metrics.Stamp) {
	defer p.exited()
	a := &p.arrivals
	rate := p.shape.Rate
	due := began + metrics.Stamp(a.gap(rate))
	crowded := false // the due request found all users busy
	for {
		p.mu.Lock()
		if p.ending || p.ctx.Err() != nil {
			p.mu.Unlock()
			return
		}
		now := p.now()
		if a.rate != rate { // restart at the new rate
			rate = a.rate
			due = now + metrics.Stamp(a.gap(rate))
		}
		held := p.holding || p.consent.tokens
		a.due = due
		if held {
			a.due = metrics.NoStamp
		}
		if !held && now >= due {
			u := p.spare(now)
			if u == nil {
				crowded = true
				p.mu.Unlock()
				if !p.await(a.spare) {
					return
				}
				continue
			}
			if r, ok := p.host.admit(u); ok {
				u.intended = due
				a.lags.add(float64(now-due)/1e6, crowded)
				crowded = false
				p.send(u, r)
				due += metrics.Stamp(a.gap(rate))
			}
			p.mu.Unlock()
			continue
		}
		p.mu.Unlock()
		if held {
			if !p.await(nil) {
				return
			}
			due = p.now() + metrics.Stamp(a.gap(rate))
			continue
		}
		if !sleep(p.ctx, time.Duration(due-now), a.changed) {
			return
		}
	}
}

// send starts the goroutine of one scheduled request.
func (p *pool) send(u *user, r request) {
	p.running++
	go func() {
		defer p.exited()
		p.host.run(u, r)
		signal(p.arrivals.spare)
	}()
}

// await waits for c or a change; false when the load is stopped.
func (p *pool) await(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	case <-p.arrivals.changed:
		return true
	case <-p.ctx.Done():
		return false
	}
}

// spare returns the first user of an open loop that is not busy, or a new
// one. It returns nil while all allowed users are busy, and asks for consent
// where that would allow more.
func (p *pool) spare(now metrics.Stamp) *user {
	for _, u := range p.users {
		if !u.busy {
			return u
		}
	}
	if len(p.users) >= p.consent.capacity(p.shape.capacity()) {
		p.consent.askUsers()
		return nil
	}
	return p.join(len(p.users)+1, now)
}

// capacity returns the maximum number of users of an open loop.
func (s *Shape) capacity() int {
	if n := s.Users; n > 0 && n <= MaxUsers {
		return n
	}
	return MaxUsers
}

// lagRing keeps the latest lags of a schedule, ms, and which of them were
// caused by busy users.
type lagRing struct {
	ring    []float64
	crowded []bool
	n       int
}

// lagsKept bounds a lagRing: enough for a p99, few enough to follow changes.
const lagsKept = 2048

// add counts the lag of a request, in ms; crowded: it found all users busy.
func (r *lagRing) add(ms float64, crowded bool) {
	if len(r.ring) < lagsKept {
		r.ring, r.crowded = append(r.ring, max(ms, 0)), append(r.crowded, crowded)
	} else {
		r.ring[r.n%lagsKept], r.crowded[r.n%lagsKept] = max(ms, 0), crowded
	}
	r.n++
}

// mostCrowded reports whether busy users caused most of the lags above limit.
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

// dist returns the distribution of the lags.
func (r *lagRing) dist() metrics.Dist {
	return distOr(slices.Clone(r.ring), metrics.WhyNoSchedule)
}
