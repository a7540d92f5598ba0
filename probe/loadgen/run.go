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

// world is what a load needs of the outside; tests put their own in its place.
type deps struct {
	now      func() metrics.Stamp
	start    func(context.Context, endpoint.Target, metrics.Workload) stream
	observer func() metrics.Observer
}

// stream is what a load needs of a *probe.Stream.
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

// Cut cancels the requests of users that are leaving.
func (l *Load) Cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, u := range l.users {
		if (u.leaving || l.ending) && u.busy {
			u.stop()
		}
	}
}

// Drain ends the load once the running requests have ended. The figures remain
// those of the moment: what follows is a load of fewer and fewer users.
func (l *Load) Drain() {
	l.mu.Lock()
	l.freeze()
	l.end("")
	l.mu.Unlock()
}

// Ending reports whether nothing new begins any more.
func (l *Load) Ending() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ending
}

// end lets nothing new begin: l.mu is held. why is for a load that ends by itself.
func (p *Load) end(why string) {
	if p.ending {
		return
	}
	p.ending, p.stopped = true, why
	if p.ramping != nil {
		p.ramping()
	}
	for _, u := range p.users {
		u.poke()
	}
	p.pokeSchedule()
	p.closeIdle()
}

// gone tells that one of the goroutines that send has ended.
func (p *Load) exited() {
	p.mu.Lock()
	p.live--
	p.closeIdle()
	p.mu.Unlock()
}

// quiet closes idle when the last one is gone: l.mu is held.
func (p *Load) closeIdle() {
	if p.ending && p.live == 0 && !p.idled {
		p.idled = true
		close(p.idle)
	}
}

// Stop cancels everything that runs. It returns at once; see Wait.
func (l *Load) Stop() {
	l.mu.Lock()
	l.end("")
	l.mu.Unlock()
	l.cancel(context.Canceled)
}

// Wait returns once the load has ended and its last view is published.
func (l *Load) Wait() { <-l.done }

// Done is closed once the load has ended.
func (l *Load) Done() <-chan struct{} { return l.done }

// Consent is the yes to View().Asks: the load may grow and go on.
func (l *Load) Consent() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.consented, l.asks, l.budget.held = true, "", false
	if l.wanted > 0 {
		l.resize(l.wanted)
	}
	for _, u := range l.users {
		u.poke()
	}
	l.pokeSchedule()
	l.publishNow(l.world.now())
}

// Stream is the running or last request of a user; false when there is no such
// user or it has sent none.
func (l *Load) Stream(user int) (metrics.Stream, bool) {
	l.mu.Lock()
	var s stream
	for _, u := range l.users {
		if u.id == user {
			s = u.stream
		}
	}
	l.mu.Unlock()
	if s == nil {
		return metrics.Stream{}, false
	}
	return s.Snapshot(), true
}

// Streams calls f with the running request of every user, as Stream returns it.
func (l *Load) Streams(f func(user int, v metrics.Stream)) {
	type running struct {
		id int
		s  stream
	}
	l.mu.Lock()
	all := make([]running, 0, len(l.users))
	for _, u := range l.users {
		if s := u.running(); s != nil {
			all = append(all, running{u.id, s})
		}
	}
	l.mu.Unlock()
	for _, r := range all {
		f(r.id, r.s.Snapshot())
	}
}

// SetSLOs changes the objectives. Points that were taken are judged anew, the
// oldest of very many excepted.
func (l *Load) SetSLOs(slos []metrics.Objective) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.slos = slices.Clone(slos)
	now, set := l.world.now(), l.slos
	l.jot(func(e Entries) { e.Objectives(now, set) })
	for i := range l.path {
		if t := &l.path[i]; t.records != nil {
			judge(&t.point, t.records, l.slos)
		}
	}
	if l.over.Known() { // the figures remain those of the end
		now = l.over
	}
	l.publishFigures(now)
}

// sleep waits for d, or until wake or ctx: then it reports false for ctx.
func sleep(ctx context.Context, d time.Duration, wake <-chan struct{}) bool {
	if d <= 0 && wake == nil {
		return ctx.Err() == nil
	}
	t := time.NewTimer(max(d, 0))
	defer t.Stop()
	select {
	case <-t.C:
	case <-wake:
	case <-ctx.Done():
		return false
	}
	return true
}
