package loadgen

import (
	"math"
	"math/rand/v2"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
)

// arrivals is a schedule of requests, constant or Poisson, at a rate that may
// change over time. Those that are due wait in queue until a user is free. The
// load's mutex guards all of it.
type arrivals struct {
	open    bool // requests follow the schedule
	rate    slope
	poisson bool
	due     metrics.Stamp   // of the next arrival that is not in queue; NoStamp without one
	queue   []metrics.Stamp // scheduled times of those due and not sent, oldest first
	count   int             // all that have been due
	running bool            // the goroutine of the schedule exists
	lags    lagRing
	rng     *rand.Rand
	seed    uint64
	shard   loadstat.Shard // whose arrivals these are: each shard draws those of all
	drawn   bool           // of the shards, the first round is

	changed chan struct{} // capacity 1: something has changed
	spare   chan struct{} // capacity 1: a user has become free
}

// mostQueued bounds the arrivals that wait. Beyond it the schedule stands
// still, and what is due since is drawn when there is room.
const mostQueued = 1 << 16

// arrivalStream is that of the random numbers of arrivals.
const arrivalStream = 0x6172726976616c

// newArrivals returns the schedule of s, of which shard is a part.
func newArrivals(s *Shape, seed uint64, shard loadstat.Shard) arrivals {
	return arrivals{
		open: s.Rate > 0, rate: level(max(s.Rate, 0)), due: metrics.NoStamp, poisson: s.Poisson,
		rng: rand.New(rand.NewPCG(seed, arrivalStream)), seed: seed, shard: shard,
		changed: make(chan struct{}, 1), spare: make(chan struct{}, 1),
	}
}

// gap returns the distance from t to the next arrival: the integral of the rate
// over it is
//
//	constant  1
//	Poisson   −ln(1 − u), u uniform in [0, 1)
//
// Of n shards each has every n-th arrival of the whole load: the sum of n distances at
// n times the rate.
func (a *arrivals) gap(t metrics.Stamp) metrics.Stamp {
	of := max(a.shard.Of, 1)
	n := of
	if !a.drawn {
		n, a.drawn = a.shard.Index+1, true
	}
	area := 0.0
	for range n {
		if a.poisson {
			area -= math.Log1p(-a.rng.Float64())
		} else {
			area++
		}
	}
	return metrics.Stamp(a.rate.after(t, area/float64(of)))
}

// change sets the rate from now on. What was due until now has arrived. The
// part of a distance that has passed counts, so many changes delay no arrival.
func (a *arrivals) change(now metrics.Stamp, rate slope, poisson bool) {
	area := 0.0
	if a.due.Known() && a.due > now {
		area = a.rate.area(now, a.due)
	}
	was := a.poisson
	a.rate, a.poisson = rate, poisson
	switch {
	case a.shard.Parted(): // a step begins: all shards draw the same anew
		whole := rounded(rate.to * float64(a.shard.Of))
		a.rng, a.drawn = rand.New(rand.NewPCG(a.seed^math.Float64bits(whole), arrivalStream)), false
		a.due = now + a.gap(now)
	case !a.due.Known() || was != poisson:
		a.due = now + a.gap(now)
	case area > 0:
		a.due = now + metrics.Stamp(a.rate.after(now, area))
	}
}

// waiting returns the number of arrivals that are due at now and not sent. Of a
// full queue it adds those that the rate expects since.
func (a *arrivals) waiting(now metrics.Stamp) int {
	n := len(a.queue)
	if n >= mostQueued && a.due.Known() && now > a.due {
		n += 1 + int(a.rate.area(a.due, now))
	}
	return n
}

// arrive puts what is due at now into the queue.
func (p *pool) arrive(now metrics.Stamp) {
	a := &p.arrivals
	if !a.open || p.paused() || p.ending {
		return
	}
	if !a.due.Known() {
		a.due = now + a.gap(now)
	}
	for a.due <= now && len(a.queue) < mostQueued {
		a.queue = append(a.queue, a.due)
		a.count++
		p.load.window.timeline.at(a.due).arrived++
		a.due += a.gap(a.due)
	}
}

// paused reports whether no arrival counts.
func (p *pool) paused() bool { return p.holding || p.load.consent.tokens }

// schedule is the goroutine of an open loop. Every request has an intended
// time that is independent of the endpoint. The request is sent then, or as
// soon afterwards as this program can and a user is free. The lag is kept,
// and FromIntended counts from the intended time, so no wait is left out.
//
// Failures do not delay the schedule: an open loop never backs off. The
// breaker stops one that cannot succeed.
func (p *pool) schedule() {
	defer p.exited()
	a := &p.arrivals
	for {
		p.load.mu.Lock()
		if p.ending || p.load.ctx.Err() != nil || !a.open {
			a.running = false
			p.load.mu.Unlock()
			return
		}
		var spare chan struct{}
		wait := time.Duration(-1) // until something changes
		if p.paused() {
			a.due = metrics.NoStamp // begins anew
		} else {
			crowded := p.dispatch()
			switch {
			case p.paused(): // a request has asked for consent
			case crowded:
				spare = a.spare
			default:
				wait = max(time.Duration(a.due-p.load.deps.now()), 0)
			}
		}
		p.load.mu.Unlock()
		if !sleep(p.load.ctx, wait, a.changed, spare) {
			return
		}
	}
}

// dispatch sends what is due. It returns true when some of it waits for a user.
func (p *pool) dispatch() (crowded bool) {
	a := &p.arrivals
	now := p.load.deps.now()
	p.arrive(now)
	for len(a.queue) > 0 && !p.ending && !p.load.consent.tokens {
		u := p.spare(now)
		if u == nil {
			p.crowded = true
			return true
		}
		r := p.load.admit(u)
		if r == nil {
			return false // the load ends, or waits for consent
		}
		u.intended, a.queue = a.queue[0], a.queue[1:]
		a.lags.add(float64(now-u.intended)/1e6, p.crowded)
		p.crowded = false
		p.send(u, r)
	}
	return false
}

// send starts the goroutine of one scheduled request.
func (p *pool) send(u *user, r *request) {
	p.running++
	go p.load.run(u, r, func() {
		signal(p.arrivals.spare)
		u.poke() // the loop may have been closed meanwhile
		p.exited()
	})
}

// spare returns the first user of an open loop that is not busy, or a new
// one. It returns nil while all allowed users are busy, and asks for consent
// where that would allow more.
func (p *pool) spare(now metrics.Stamp) *user {
	most := loadstat.MaxUsers
	if n := p.load.c.Shape.Users; n > 0 {
		most = min(n, most)
	}
	most = p.load.consent.capacity(most)
	for i, u := range p.users[:min(len(p.users), most)] {
		switch {
		case u.id != i+1: // of a closed loop that shrank
			return p.join(i+1, now)
		case !u.busy:
			return u
		}
	}
	if len(p.users) < most {
		return p.join(len(p.users)+1, now)
	}
	p.load.consent.askUsers()
	return nil
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
	return metrics.DistributionWhy(r.ring, metrics.WhyNoSchedule)
}
