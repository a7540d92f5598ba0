// Package load puts many users on an endpoint and says what becomes of them.
//
//	load.go     a fixed number of requests, each kept whole (Run)
//	run.go      a load that is watched and steered while it runs (Start): control.go
//	            the hand on it, user.go the closed loop, open.go schedules of arrivals
//	work.go     other work for a load that runs
//	lane.go     one user's request, folded as it grows; sample.go looks at all of them
//	tape.go     what all users received, in time; stay.go and point.go the window at a
//	            constant load and its figures; path.go the points and the seconds
//	breaker.go, budget.go, guard.go, own.go  what stops, caps, asks, and doubts the client
//	sweep.go    one step after the other; sweepplan.go how long each lasts, curve.go a
//	            sweep with its load and the steps that an earlier run has finished
//
// A new shape of load is a field of Shape and a loop beside closedLoop and
// schedule; every bound and rate stands in thresholds.go with its reason.
package loadgen

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"tokscope/metrics"
	"tokscope/probe/endpoint"
)

// Load is a running or ended load. It is safe for concurrent use.
//
// A goroutine a user (closed loop) or a request (open loop) sends; one more
// looks at the streams thirty times a second while the load runs, and
// publishes what it saw. Nothing runs before Start and after Done.
type Load struct {
	c                 Config
	world             deps
	window, minWindow time.Duration // window: at most; see reach
	adapts            bool          // the window follows the answers
	answer            time.Duration // of one request, a mean of the last ones; 0 before any
	seed              uint64
	ctx               context.Context
	cancel            context.CancelCauseFunc
	idle              chan struct{} // closed when the last user of an ending load is gone
	done              chan struct{}
	ramping           context.CancelFunc

	view    atomic.Pointer[metrics.View]
	version atomic.Uint64

	mu        sync.Mutex
	users     []*user // by id
	live      int     // goroutines that send, the schedule among them
	target    int
	holding   bool
	ending    bool // nothing new begins
	idled     bool
	stopped   string // why it ended by itself
	broken    string
	consented bool
	asks      string
	wanted    int           // users that wait for consent
	nextStart metrics.Stamp // when the next new user may begin
	apart     time.Duration // between two users that begin
	taken     int           // requests begun
	slos      []metrics.Objective

	sent, finished, failed, cancelled int
	faults                            []metrics.FaultCount
	fault                             *metrics.Fault // of the last request that failed
	breaker                           breaker
	budget                            budget

	tape        *timeline
	stay        window
	second      second
	path        []judged
	series      []metrics.Sample
	perChunk    float64 // tokens a chunk stands for, by the requests that ended
	received    float64
	chunks      int
	stallAfter  time.Duration
	tells       bool // the server has told of its queue
	jots        []func(Entries)
	entries     Entries // of the sampler; nil before the first look
	lag         lagRing
	due         metrics.Stamp // when the next request of a schedule is meant to be sent
	endedInStay int
	figures     chan struct{} // closed and replaced after each look at the figures
	rateChanged chan struct{} // capacity 1
	freed       chan struct{} // capacity 1: a user of an open loop became free
	own         own
	limited     bool          // as of the last look this program itself limited the load
	began, over metrics.Stamp // over: when the last request had ended, NoStamp before
	samples     int
	glance      metrics.Stream // of the stream that is being looked at
	lastSample  metrics.Stamp
}

// deps are the external dependencies of a load; tests replace them.
type deps struct {
	now      func() metrics.Stamp
	start    func(context.Context, endpoint.Target, metrics.Workload) stream
	observer func() metrics.Observer
}

// stream is the part of a *client.Stream that a load uses.
type stream interface {
	ID() int
	Done() <-chan struct{}
	Snapshot() metrics.Stream
	Peek(*metrics.Stream)
	Cancel()
}

// Start begins a load. When ctx ends, the load is stopped.
func Start(ctx context.Context, c Config) *Load {
	e := c.Engine
	c.Target = c.Target.AskQueue()
	return start(ctx, c, deps{
		now: e.Clock().Now, observer: e.Observer,
		start: func(ctx context.Context, t endpoint.Target, w metrics.Workload) stream {
			return e.StartQuiet(ctx, t, w)
		},
	})
}

func start(ctx context.Context, c Config, w deps) *Load {
	c.Price = c.price()
	l := &Load{
		c: c, world: w, window: c.Window, minWindow: c.MinWindow, seed: c.Seed, slos: slices.Clone(c.SLOs),
		idle: make(chan struct{}), done: make(chan struct{}), figures: make(chan struct{}),
		rateChanged: make(chan struct{}, 1), freed: make(chan struct{}, 1),
		perChunk: 1, stallAfter: time.Second, consented: !c.Guarded,
	}
	if l.window <= 0 {
		l.window, l.adapts = longWindow, c.Shape.Requests == 0
		if c.Shape.Requests > 0 {
			l.window = fixedWindow
		}
	}
	if l.minWindow <= 0 {
		l.minWindow = min(DefaultMinWindow, l.window)
	}
	for l.seed == 0 {
		l.seed = rand.Uint64()
	}
	l.ctx, l.cancel = context.WithCancelCause(ctx)
	now := w.now()
	l.began, l.lastSample, l.nextStart, l.due, l.over = now, now, now, metrics.NoStamp, metrics.NoStamp
	l.tape = newTape(now, l.window)
	l.stay.gaps = make([]metrics.Sketch, int((l.window+time.Second-1)/time.Second)+2)
	l.second.at = now
	l.budget.init(c)
	l.mu.Lock()
	if c.Shape.Rate > 0 {
		l.newStay(now, 0, c.Shape.Rate)
		l.live++
		go l.schedule()
	} else {
		l.resize(max(c.Shape.Users, 1))
	}
	if d := c.Shape.Ramp; d > 0 && c.Shape.RampTo > 0 && c.Shape.Rate <= 0 {
		var rctx context.Context
		rctx, l.ramping = context.WithCancel(l.ctx)
		l.live++
		go l.ramp(rctx, max(c.Shape.Users, 1), min(c.Shape.RampTo, MaxUsers), d)
	}
	l.publish(now)
	l.mu.Unlock()
	stop := context.AfterFunc(ctx, l.Stop)
	go func() {
		defer close(l.done)
		defer stop()
		l.sample()
	}()
	return l
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

// publishNow lets a key be seen at once, not at the next look: l.mu is held.
func (l *Load) publishNow(now metrics.Stamp) {
	if l.view.Load() != nil {
		l.publish(now)
	}
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
