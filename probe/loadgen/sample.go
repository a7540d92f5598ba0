package loadgen

import (
	"slices"
	"time"

	"tokscope/metrics"
)

// second gathers what the time chart shows of a second.
type second struct {
	at     metrics.Stamp
	ttft   []float64
	gaps   metrics.Sketch
	failed int
}

// sample looks at the streams sampleEvery while the load runs.
func (l *Load) sample() {
	t := time.NewTicker(sampleEvery)
	defer t.Stop()
	l.tell()
	for {
		select {
		case <-t.C:
			l.mu.Lock()
			l.look()
			l.mu.Unlock()
			l.tell()
		case <-l.idle:
			l.mu.Lock()
			l.finish()
			v := l.view.Load()
			l.jot(func(e Entries) { e.End(v) })
			l.mu.Unlock()
			l.tell()
			l.cancel(nil)
			return
		}
	}
}

// look samples once: l.mu is held. It costs one glance and the new chunks of
// each running request, and a whole snapshot until its first chunk is counted.
func (l *Load) look() {
	now := l.world.now()
	slice := l.tape.index(now - metrics.Stamp(settled))
	took := float64(now-l.lastSample) / 1e6
	l.lastSample = now
	b := l.tape.at(now)
	b.sampled += took
	if late := float64(now-l.due) / 1e9; l.due.Known() && late > 0 {
		b.backlog += (1 + late*l.stay.rate) * took
	}
	for _, u := range l.users {
		u.lane.advance(slice)
		s := u.running()
		if s == nil {
			u.lane.looked(u.state)
			continue
		}
		v := &l.glance
		if u.lane.first.Known() {
			s.Peek(v)
		} else {
			*v = s.Snapshot()
		}
		l.fold(u, v)
		if v.State.Ended() {
			continue // its own goroutine counts it
		}
		state := l.stateOf(u, v)
		l.enter(u, state, now)
		u.lane.looked(state)
		switch state {
		case metrics.LaneDecoding, metrics.LaneStalled:
			b.decoding += took
		case metrics.LaneWaiting:
			b.waiting += took
		default:
			b.prefill += took
		}
	}
	l.samples++
	if l.samples%figuresEvery == 0 {
		l.publishFigures(now)
		return
	}
	l.publish(now)
}

// last publishes the final view: l.mu is held.
func (l *Load) finish() {
	now := l.world.now()
	for _, u := range l.users {
		u.lane.advance(l.tape.index(now))
		u.state = metrics.LaneIdle
	}
	l.over = now
	l.keepPoint(now)
	l.publishFigures(now)
}

// publishFigures computes the live point and everything that changes with it:
// l.mu is held.
func (l *Load) publishFigures(now metrics.Stamp) {
	v := l.draft(now)
	v.Live = l.point(now)
	if s := &l.stay; v.Live.Steady && s.frozen == nil {
		best := s.with(v.Live)
		s.best = &best
	} else if t := l.shown(); t != nil {
		v.Live = t.point
		if t.records != nil {
			judge(&v.Live, t.records, l.slos)
		}
	}
	if ms, ok := stallLimit(&v.Live.Gaps); ok {
		l.stallAfter = time.Duration(ms * float64(time.Millisecond))
	}
	v.StallAfter = l.stallAfter
	l.nextSecond(now)
	v.Path, v.Alone = l.points(&v.Live)
	v.Series = l.series[:len(l.series):len(l.series)]
	v.Faults = slices.Clone(l.faults)
	v.Observer = l.world.observer()
	v.ScheduleLag = l.lag.dist()
	v.ClientLimits = l.limits(v.Observer, v.Live.Gaps.P50)
	running, rate := 0.0, 0.0
	for _, u := range l.users {
		if u.busy {
			running += u.lane.tokens
		}
	}
	if v.Live.Total.OK {
		rate = v.Live.Total.V
		if l.budget.output > 0 { // prompts count as well
			rate *= 1 + l.budget.prompt/l.budget.output
		}
	}
	v.Budget = l.budget.view(running, rate)
	l.show(v)
	close(l.figures)
	l.figures = make(chan struct{})
}

// stallLimit is how long a silence of one lane must be to be a stall, ms, where
// gaps are those of all lanes:
//
//	max(5 · median, 50 ms, 2 · p99)
//
// The first two are those of a single stream. In a batch the prefill of one
// stretches a gap of everybody, by the rule and not by accident: at 256 users
// that is one gap in ten, far above five medians. What is twice as long as 99 of
// 100 gaps is no part of that. With too few gaps for a p99 the longest stands in.
func stallLimit(gaps *metrics.Dist) (ms float64, ok bool) {
	if !gaps.P50.OK {
		return 0, false
	}
	usual := gaps.P99
	if !usual.OK {
		usual = gaps.Max
	}
	return max(metrics.StallFactor*gaps.P50.V, metrics.StallFloor, usualFactor*usual.V), true
}

// publish takes over the figures of the last view: l.mu is held.
func (l *Load) publish(now metrics.Stamp) {
	v := l.draft(now)
	if old := l.view.Load(); old != nil {
		v.Live, v.Path, v.Alone, v.Series = old.Live, old.Path, old.Alone, old.Series
		v.Faults, v.Observer, v.ScheduleLag, v.ClientLimits, v.Budget = old.Faults, old.Observer, old.ScheduleLag, old.ClientLimits, old.Budget
		v.StallAfter = old.StallAfter
		if v.Live.From < l.stay.began || len(v.Path) != len(l.path) {
			// The users have changed since: the old figures are of another load.
			v.Live = l.point(now)
			v.Path, v.Alone = l.points(&v.Live)
		}
	} else {
		v.Live = l.point(now)
		v.ScheduleLag = l.lag.dist()
		v.Budget = l.budget.view(0, 0)
	}
	l.show(v)
}

func (p *Load) show(v *metrics.View) {
	p.view.Store(v)
	p.version.Add(1)
}

// draft is a view with everything but the figures: l.mu is held.
func (l *Load) draft(now metrics.Stamp) *metrics.View {
	v := &metrics.View{
		Now: now, Began: l.began, Running: !l.idled, Holding: l.holding, Target: l.target, Users: len(l.users),
		Work: l.c.Work, Input: l.c.Input, Output: l.c.Output, Endpoint: l.c.Target.Endpoint, SLOs: l.slos, SliceLen: sliceLen,
		Sent: l.sent, Done: l.finished, Failed: l.failed, Cancelled: l.cancelled, TokensReceived: l.received, Chunks: l.chunks,
		Broken: l.broken, Stopped: l.stopped, Asks: l.asks, Seed: l.seed, Rate: l.stay.rate,
	}
	if l.ending && !l.idled {
		v.Target = 0 // nobody is wanted any more
	}
	waiting := 0
	v.Lanes = make([]metrics.Lane, len(l.users))
	for i, u := range l.users {
		n := &v.Lanes[i]
		*n = metrics.Lane{User: u.id, State: u.state, Since: u.since, Gap: u.lane.gap, TTFT: u.lane.ttft, Done: u.done, Failed: u.failed, Leaving: u.leaving}
		if u.stream != nil {
			n.Stream = u.stream.ID()
		}
		n.Past, n.Offset = u.lane.shown()
		if u.busy {
			v.InFlight++
			switch u.state {
			case metrics.LaneDecoding, metrics.LaneStalled:
				v.Decoding++
			case metrics.LanePrefill:
				v.Prefilling++
			case metrics.LaneWaiting:
				waiting++
			}
		}
		if u.leaving {
			n.State = metrics.LaneLeaving
		}
	}
	v.Waiting = metrics.Unknown(untold)
	if l.tells {
		v.Waiting = metrics.Known(float64(waiting), 0)
	}
	return v
}

// untold is why nobody is known to wait.
const untold = "this endpoint does not tell of its queue"

// View is an immutable view of the load as of the last look, at most 32 ms old
// while it runs. It copies a struct: slices are shared, read only.
func (l *Load) View() metrics.View {
	v := *l.view.Load()
	if v.Running {
		v.Now = l.world.now()
	}
	return v
}

// Version changes whenever View would differ by more than the clock.
func (l *Load) Version() uint64 { return l.version.Load() }
