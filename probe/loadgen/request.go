package loadgen

import (
	"math/rand/v2"
	"time"

	"tokscope/metrics"
)

// request is one request that may begin.
type request struct {
	work metrics.Workload
	rng  *rand.Rand
}

// aside runs f on another stack and waits for it. Measuring briefly needs 32
// kB of stack. A thousand users that kept it while they wait would hold 32
// MB.
func aside(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	<-done
}

// ended folds what is left of an ended request and counts it: l.mu is held.
func (l *Load) ended(u *user, v *metrics.Stream, f *metrics.Figures, rng *rand.Rand) {
	l.fold(u, v)
	now := l.world.now()
	counted := f.DecodeTokens
	if f.Choices > 1 {
		counted = f.Tokens
	}
	l.correct(u, counted, f.TokenSource == metrics.TokensEstimated)
	if v.State == metrics.Done && f.TokenSource == metrics.TokensUsage && f.TokensPerChunk.OK {
		l.perChunk += (f.TokensPerChunk.V - l.perChunk) * 0.2
	}
	u.busy, u.warm = false, true
	l.endedInStay++
	l.budget.charge(u, v, f)
	l.own.lag(v)
	end := v.Marks.End
	if !end.Known() {
		end = now
	}
	if took, ok := end.Sub(v.Marks.Start); ok && v.State == metrics.Done {
		if l.answer == 0 {
			l.answer = time.Duration(took)
		}
		l.answer += (time.Duration(took) - l.answer) / 32
	}
	u.notBefore = now + metrics.Stamp(l.c.Shape.Think)
	u.backoff = false
	if u.renewed {
		u.renewed, u.notBefore = false, u.again
		if v.State == metrics.Cancelled || v.State == metrics.Failed {
			l.cancelled++
			l.enter(u, metrics.LaneIdle, now)
			return
		}
	}
	if v.State == metrics.Cancelled {
		l.cancelled++
		if l.ctx.Err() == nil && !u.leaving && !l.ending {
			// Not ours: the engine is closing.
			l.end("stopped: the program was closing")
		}
		l.enter(u, metrics.LaneIdle, now)
		return
	}
	good := v.State == metrics.Done
	rec := newRecord(end, good, f)
	if u.intended.Known() && u.lane.first.Known() {
		rec.intended = float64(u.lane.first-u.intended) / 1e6
	}
	if v.Marks.Start >= l.stay.origin && l.stay.warm {
		l.stay.recs = append(l.stay.recs, rec)
	}
	if good {
		l.finished++
		u.done++
		u.failures = 0
		l.tape.at(end).done++
		l.breaker.ok()
		l.enter(u, metrics.LaneIdle, now)
		return
	}
	l.fail(u, v.Fault, now, rng)
}

// fail counts a failure and lets the user wait: l.mu is held.
func (l *Load) fail(u *user, fault *metrics.Fault, now metrics.Stamp, rng *rand.Rand) {
	if fault == nil {
		fault = &metrics.Fault{Kind: metrics.FaultInternal, Message: "the request failed without a reason"}
	}
	l.failed++
	u.failed++
	u.failures++
	l.tape.at(now).failed++
	l.second.failed++
	l.faults = countFault(l.faults, fault.Kind)
	l.fault = fault
	if now >= l.stay.origin {
		l.stay.fails = append(l.stay.fails, failure{now, fault.Kind})
	}
	if !l.breaker.there {
		l.breaker.there = l.anySent()
	}
	if why := l.breaker.fail(fault, max(l.target, l.busy())); why != "" {
		l.broken = why
		l.end(why)
		l.enter(u, metrics.LaneIdle, now)
		return
	}
	if l.c.Shape.Rate > 0 {
		l.enter(u, metrics.LaneIdle, now)
		return
	}
	u.notBefore = max(u.notBefore, now+metrics.Stamp(backoff(fault, u.failures, rng)))
	u.backoff = true
	l.enter(u, metrics.LaneBackoff, now)
}
