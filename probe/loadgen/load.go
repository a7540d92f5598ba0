// Package loadgen runs many users against an endpoint and measures them.
//
//	plan.go      a fixed number of requests, each kept whole (Run)
//	load.go      a load that is watched and controlled while it runs (Start), made of the
//	             parts below; control.go its controls, request.go one request from begin
//	             to end, measure.go a measured step
//	pool.go      the users: start, stop, join; user.go one of them, arrivals.go schedules
//	intake.go    counts the chunks into: lane.go one user's past, timeline.go all
//	             users in time, series.go the seconds of the chart
//	window.go    the window at a constant load; point.go its figures, gapring.go its gaps,
//	             record.go its requests, path.go the points that are kept
//	steer.go     what a person changes while it runs: marks, undo; drive.go what makes its
//	             requests begin, slope.go a change with time
//	outcomes.go  how requests ended; waiting.go what an open loop has due
//	budget.go    the limits of use; guard.go the questions to a person
//	breaker.go   stops a load that cannot succeed; clientlag.go this program's own lag
//	journal.go   the record of a load
//	shard.go     one of several machines' part of a sweep; merge.go the parts together
//	sweep.go     one step after the other; sweepplan.go how long each lasts, curve.go a
//	             sweep with its load and the steps that an earlier run has finished
//
// A new shape of load is a field of Shape and a goroutine of the pool beside
// loop and schedule. Bounds and rates of several files are in thresholds.go, others
// beside what they bound, each with its reason.
package loadgen

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	requests "tokscope/metrics/request"
	"tokscope/probe/endpoint"
)

// Load is a running or ended load. It is safe for concurrent use.
//
// It composes its parts and guards them with one mutex, mu. No part has a
// lock of its own, so the counts of a request and of its user always agree.
// Exported methods, run and sample lock mu; every other method is called with
// mu locked.
//
// The pool owns the goroutines that send. Load owns one more, the sampler. It
// looks at the streams thirty times a second, publishes the view, and alone
// calls the journal. No goroutine runs before Start or after Done.
type Load struct {
	c      Config // mu guards what Steer and Undo change
	deps   deps
	seed   uint64
	began  metrics.Stamp
	ctx    context.Context
	cancel context.CancelCauseFunc
	done   chan struct{} // closed when the sampler has ended

	mu sync.Mutex
	steering
	pool      pool
	window    window
	intake    intake
	budget    budget
	consent   consent
	driver    driver
	breaker   breaker
	outcomes  outcomes
	clientLag clientLag
	observer  metrics.Observer // as of the last figures
	journal   journal
	list      *requests.Log // the ended requests, nil unless they are wanted
	looks     int
	figures   chan struct{} // closed and replaced after each look at the figures
	endedAt   metrics.Stamp // end of the last request, NoStamp before

	// view is the last one, nil before the first, and version its number, from 1 on. It is
	// immutable: a reader takes it without mu and copies only the struct.
	view    atomic.Pointer[loadstat.View]
	version atomic.Uint64
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
	OnEnd(func())
	Snapshot() metrics.Stream
	Peek(v *metrics.Stream, need int) (from int)
	Run(metrics.Pace) metrics.Run
	Packed(*metrics.Stream) *requests.Packed
	Cancel()
}

// Start begins a load. When ctx ends, the load is stopped.
func Start(ctx context.Context, c Config) *Load {
	e := c.Engine
	c.Target = c.Target.AskQueue()
	return start(ctx, c, deps{
		now: e.Clock().Now, observer: e.Observer,
		start: func(ctx context.Context, t endpoint.Target, w metrics.Workload) stream {
			if c.Record != nil {
				if part := c.Record(); part > 0 {
					return e.StartPart(ctx, t, w, part)
				}
			}
			return e.StartQuiet(ctx, t, w)
		},
	})
}

func start(ctx context.Context, c Config, d deps) *Load {
	c.Price = c.price()
	l := newLoad(c, d)
	l.ctx, l.cancel = context.WithCancelCause(ctx)
	l.mu.Lock()
	if l.pool.open() {
		l.beginWindow(l.began, 0, c.Shape.Rate)
	}
	l.pool.start(l.began)
	if d := c.Shape.Drive; d.Ramps() {
		l.driver.set(l.began, d)
	}
	l.publish(l.began)
	l.mu.Unlock()
	stop := context.AfterFunc(ctx, l.Stop)
	go func() {
		defer close(l.done)
		defer stop()
		l.sample()
	}()
	return l
}

// newLoad returns a load whose parts have not begun.
func newLoad(c Config, d deps) *Load {
	now := d.now()
	l := &Load{
		c: c, deps: d, seed: c.Seed, began: now, done: make(chan struct{}),
		budget: newBudget(&c), journal: journal{start: c.Journal},
		figures: make(chan struct{}), endedAt: metrics.NoStamp,
	}
	for l.seed == 0 {
		l.seed = rand.Uint64()
	}
	l.driver.Load = l
	l.consent = consent{config: &l.c, given: !c.Guarded}
	if c.List {
		l.list = requests.NewLog(now)
	}
	r := newReach(&c)
	grid := now
	if c.Shard.Parted() { // whole seconds of all shards begin together
		grid -= (now - c.Origin) % metrics.Stamp(time.Second)
	}
	l.window = newWindow(&c, newTimeline(grid, r.most))
	l.intake = newIntake(now, &l.window)
	l.pool = pool{
		load: l, idle: make(chan struct{}), nextStart: now,
		arrivals: newArrivals(&c.Shape, l.seed, c.Shard),
	}
	l.setups = []loadstat.Setting{l.setting(l.deps.now())}
	return l
}

// phase returns the state of the load for a window.
func (l *Load) phase(now metrics.Stamp) phase {
	p := l.pool.phase(now)
	p.queue, p.observer, p.before, p.unended = l.intake.queue, l.observer, l.pool.before(l.epoch), l.unended
	return p
}

// beginWindow ends the current window and a ramp, and begins another window.
func (l *Load) beginWindow(now metrics.Stamp, users int, rate float64) {
	defer l.driver.end(now)
	if p := l.window.begin(l.phase(now), users, rate); p != nil {
		l.journal.point(*p)
	}
}

// beginAgain begins another window at the same load.
func (l *Load) beginAgain(now metrics.Stamp) {
	d := l.driver.now(now)
	users := d.Users
	if d.Open() {
		users = 0
	}
	l.beginWindow(now, users, d.Rate)
}

// sample is the goroutine of the sampler: it looks at the streams every
// sampleEvery while the load runs.
func (l *Load) sample() {
	t := time.NewTicker(sampleEvery)
	defer t.Stop()
	l.journal.write(&l.mu, l.view.Load)
	for {
		select {
		case <-t.C:
			l.mu.Lock()
			l.look()
			l.mu.Unlock()
			l.journal.write(&l.mu, l.view.Load)
		case <-l.pool.idle:
			l.mu.Lock()
			l.finish()
			v := l.view.Load()
			l.journal.add(func(e Entries) { e.End(v) })
			l.mu.Unlock()
			l.journal.write(&l.mu, l.view.Load)
			l.cancel(nil)
			return
		}
	}
}

// look samples once.
func (l *Load) look() {
	now := l.deps.now()
	l.pool.arrive(now)
	l.intake.look(now, l.pool.users, l.pool.arrivals.waiting(now))
	l.driver.climb(now)
	if l.dragged != nil && now-l.dragged.At >= metrics.Stamp(mergeWithin) { // the slider rests
		l.writeDragged()
	}
	if l.looks++; l.looks%figuresEvery == 0 {
		l.publishFigures(now)
		return
	}
	l.publish(now)
}

// finish publishes the final view.
func (l *Load) finish() {
	now := l.deps.now()
	l.pool.finish(now)
	l.endedAt = now
	if p := l.window.keep(l.phase(now)); p != nil {
		l.journal.point(*p)
	}
	l.writeDragged()
	l.publishFigures(now)
}

// publishFigures computes the live point and the values derived from it.
func (l *Load) publishFigures(now metrics.Stamp) {
	v := l.draft(now)
	l.observer = l.clientLag.observer(l.deps.observer())
	v.Live = l.window.live(l.phase(now))
	l.intake.observe(&v.Live.Gaps)
	v.StallAfter = l.intake.stallAfter
	if v.Heard = 0; v.Chunks == 0 {
		v.Heard = l.outcomes.heard + l.pool.count((*user).heard)
	}
	users := l.pool.target
	if l.window.rate > 0 {
		users = len(l.pool.users)
	}
	l.intake.series.advance(now, l.window.timeline, users, v.Rate)
	v.Path, v.Alone = l.window.path.points(&v.Live, l.window.setup)
	v.Series = l.intake.series.shown()
	v.Faults, v.LastFault = slices.Clone(l.outcomes.faults), l.outcomes.last
	v.Finishes = maps.Clone(l.outcomes.finishes)
	v.Limits = l.outcomes.limits.Forecast(now)
	v.Observer = l.observer
	v.Stamps = loadstat.JoinStamps(l.clientLag.sources, l.window.sources)
	v.ScheduleLag = l.pool.arrivals.lags.dist()
	v.ClientLimits = l.clientLag.limits(v.Observer, v.Live.Gaps.P50, l.window.reach.request,
		&l.pool.arrivals.lags, len(l.pool.users))
	v.Budget = l.budget.view(l.pool.users, l.budget.rate(v.Live.Total))
	l.show(v)
	close(l.figures) // wakes all that wait for them
	l.figures = make(chan struct{})
}

// publish publishes a view with the figures of the last one.
func (l *Load) publish(now metrics.Stamp) {
	v := l.draft(now)
	if l.view.Load() == nil {
		v.Live = l.window.point(l.phase(now))
		v.ScheduleLag = l.pool.arrivals.lags.dist()
		v.Budget = l.budget.view(nil, 0)
	} else if v.Live.From < l.window.began || v.Live.Setup != l.window.setup || len(v.Path) != len(l.window.path) {
		// The number of users, or the work, has changed since: the old figures belong to
		// another load.
		v.Live = l.window.point(l.phase(now))
		v.Path, v.Alone = l.window.path.points(&v.Live, l.window.setup)
	}
	l.show(v)
}

// show makes v the last view. The caller must not change it afterwards.
func (l *Load) show(v *loadstat.View) {
	l.view.Store(v)
	l.version.Add(1)
}

// publishNow shows the effect of a key at once, not at the next look.
func (l *Load) publishNow(now metrics.Stamp) {
	if l.view.Load() != nil {
		l.publish(now)
	}
}

// model is the name of the model that answers, "" while it is unknown. Some servers
// never say it: then it is the one that was found for a target without a model.
func (l *Load) model() string {
	if l.outcomes.model != "" || l.c.Target.Model != "" {
		return l.outcomes.model
	}
	return l.c.Engine.Resolved(l.c.Engine.Shown(l.c.Target)).Model
}

// draft returns a view with the figures of the last one, none before the first.
func (l *Load) draft(now metrics.Stamp) *loadstat.View {
	v := &loadstat.View{}
	if old := l.view.Load(); old != nil {
		*v = *old
	}
	v.Now, v.Began, v.Work, v.Input, v.Output = now, l.began, l.c.Work, l.c.Input, l.c.Output
	v.Endpoint, v.Model, v.SLOs = l.c.Engine.Shown(l.c.Target), l.model(), l.window.slos
	v.Sent, v.Done, v.Failed = l.budget.begun, l.outcomes.done, l.outcomes.failed
	v.Cancelled, v.Retried = l.outcomes.cancelled, l.outcomes.retried
	v.TokensReceived, v.Chunks = l.intake.received, l.intake.chunks
	v.Broken, v.Asks, v.Seed, v.Drive = l.breaker.broken, l.consent.question, l.seed, l.driver.now(now)
	v.Arrived, v.Backlog, v.Undo = l.pool.arrivals.count, l.pool.arrivals.waiting(now), nil
	v.Marks, v.MarksLeftOut, v.Setups, v.Setup = l.marks, l.dropped, l.setups, l.setup
	if u := l.lastChange(); u != nil {
		m := u.mark
		v.Undo = &m
	}
	v.Rate = v.Drive.Rate
	waiting := l.pool.draw(v)
	v.Waiting = metrics.Unknown(metrics.WhyNoQueue)
	if l.intake.queue {
		v.Waiting = metrics.Known(float64(waiting), 0)
	}
	return v
}

// View returns an immutable view of the load as of the last look, at most 32
// ms old while it runs. It copies a struct: slices are shared, read only.
func (l *Load) View() loadstat.View {
	v := *l.view.Load()
	if v.Running {
		v.Now = l.deps.now()
	}
	return v
}

// Version changes whenever View would differ by more than the clock.
func (l *Load) Version() uint64 { return l.version.Load() }
