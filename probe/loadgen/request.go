package loadgen

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
)

// request is one request that may begin.
type request struct {
	work metrics.Workload
	rng  *rand.Rand
}

// admit makes the next request of u, if one is allowed.
func (l *Load) admit(u *user) (request, bool) {
	if why := l.budget.spent(); why != (metrics.Ending{}) {
		l.pool.end(why)
		return request{}, false
	}
	r := newRequest(&l.c, l.seed, l.budget.begun, max(l.pool.target, l.pool.busy()))
	expected := l.budget.expect(r.work)
	if why := l.budget.refuse(expected); why != (metrics.Ending{}) {
		l.pool.end(why)
		return request{}, false
	}
	if l.consent.holds(l.budget.used+l.budget.reserved+expected, l.budget.used, l.pool.target) {
		return request{}, false
	}
	l.budget.reserve(expected)
	u.reserve(expected)
	return r, true
}

// newRequest makes the i-th request of a load of users users. Prompt, nonce
// and lengths depend on the seed and i alone, not on the sending user.
func newRequest(c *Config, seed uint64, i, users int) request {
	rng := rand.New(rand.NewPCG(seed, uint64(i)))
	w := c.Work
	w.Concurrency = max(users, 1)
	if n := len(c.Prompts); n > 0 {
		w.Prompt = c.Prompts[i%n]
	}
	if !c.SharedPrefix {
		w.Nonce = fmt.Sprintf("[request %08x-%d]", rng.Uint32(), i+1)
	}
	if n := c.Input.Draw(rng); n > 0 {
		w.InputTokens = n
	}
	if n := c.Output.Draw(rng); n > 0 {
		w.MaxTokens = n
	}
	return request{work: w, rng: rng}
}

// run executes one request of u, and returns when it is counted. It is called
// without mu.
func (l *Load) run(u *user, r request) {
	var s stream
	aside(func() { s = l.deps.start(l.ctx, l.c.Target, r.work) })
	l.mu.Lock()
	u.sending(s, l.deps.now())
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

// aside runs f on another stack and waits for it. Measuring briefly needs 32
// kB of stack. A thousand users that kept it while they wait would hold 32
// MB, and so would a thousand that measure at the same time: stacks bounds
// those. f must not wait for another request.
func aside(f func()) {
	stacks <- struct{}{}
	done := make(chan struct{})
	go func() {
		defer func() {
			<-stacks
			close(done)
		}()
		f()
	}()
	<-done
}

// stacks has room for the calls of aside that run at the same time: some more than
// processors, for f may wait for the load's mutex.
var stacks = make(chan struct{}, 2*runtime.GOMAXPROCS(0))

// ended counts an ended request and sets the next action of u.
func (l *Load) ended(u *user, v *metrics.Stream, f *metrics.Figures, rng *rand.Rand) {
	l.intake.finish(u, v, f)
	now := l.deps.now()
	u.busy, u.warm = false, true
	l.window.ended++
	l.budget.charge(u, v, f)
	l.clientLag.add(v)
	end := v.Marks.End
	if !end.Known() {
		end = now
	}
	if v.Model != "" {
		l.outcomes.model = v.Model
	}
	if v.Retried > 0 {
		l.outcomes.retried++
		l.window.timeline.at(end).retried++
	}
	good := v.State == metrics.Done
	if d, ok := end.Sub(v.Marks.Start); ok && good {
		l.window.reach.observe(time.Duration(d))
	}
	u.notBefore = now + metrics.Stamp(l.c.Shape.Think)
	if u.renewed {
		u.renewed, u.notBefore = false, u.again
		if v.State == metrics.Cancelled || v.State == metrics.Failed {
			l.outcomes.cancelled++
			u.enter(loadstat.LaneIdle, now)
			return
		}
	}
	if v.State == metrics.Cancelled {
		if l.ctx.Err() == nil && !u.leaving && !l.pool.ending {
			// Not canceled by the load: the engine is closing.
			l.pool.end(metrics.Ending{Code: metrics.EndingClosing})
		}
		l.outcomes.cancelled++
		u.enter(loadstat.LaneIdle, now)
		return
	}
	rec := newRecord(end, good, f)
	if u.intended.Known() && u.lane.first.Known() {
		rec.intended = float64(u.lane.first-u.intended) / 1e6
	}
	l.window.add(v.Marks.Start, rec)
	if !good {
		l.fail(u, v.Fault, now, rng)
		return
	}
	l.outcomes.done++
	u.done++
	u.failures = 0
	l.window.timeline.at(end).done++
	l.breaker.ok()
	u.enter(loadstat.LaneIdle, now)
}

// fail counts a failure and makes the user of a closed loop wait.
func (l *Load) fail(u *user, fault *metrics.Fault, now metrics.Stamp, rng *rand.Rand) {
	if fault == nil {
		fault = &metrics.Fault{Kind: metrics.FaultInternal, Message: "the request failed without a reason"}
	}
	l.outcomes.fail(fault)
	u.failed++
	u.failures++
	l.intake.fail(now)
	l.window.fail(now, fault.Kind)
	if !l.breaker.there {
		l.breaker.there = l.pool.anySent()
	}
	if why := l.breaker.fail(fault, max(l.pool.target, l.pool.busy())); why != (metrics.Ending{}) {
		l.pool.end(why)
		u.enter(loadstat.LaneIdle, now)
		return
	}
	if l.pool.open() {
		u.enter(loadstat.LaneIdle, now)
		return
	}
	u.notBefore = max(u.notBefore, now+metrics.Stamp(backoff(fault, u.failures, rng)))
	u.enter(loadstat.LaneBackoff, now)
}
