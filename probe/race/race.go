package race

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/pick"
	"tokscope/metrics/racestat"
	"tokscope/metrics/turn"
	"tokscope/probe/client"
	"tokscope/probe/endpoint"
)

// Lane is a contestant.
type Lane struct {
	Label  string // unique in the race
	Value  string // of the field that varies
	Target endpoint.Target
	// HTTP is the version that its target was named with, 0 for none.
	HTTP int
}

// before returns l as it stands before its first request to e, which may be nil.
func (l *Lane) before(e *client.Engine) racestat.Lane {
	out := racestat.Lane{Label: l.Label, Value: l.Value, Endpoint: e.Shown(l.Target), Asked: l.Target.Asked(),
		Connection: l.Target.Connection, HTTP: l.HTTP, Direct: l.Target.Direct, Here: l.Target.Here()}
	out.Endpoint.Price = l.Target.Price()
	return out
}

// Before returns a race before it begins. e may be nil.
func Before(e *client.Engine, lanes []Lane, vary string, p racestat.Plan) racestat.View {
	return racestat.View{
		Began: metrics.NoStamp, Vary: vary, Parallel: p.Parallel, Seed: p.Seed, Work: p.Work, Session: p.Script,
		Bounds: p.Bounds, Conditions: p.Conditions, Level: racestat.Level, Band: p.Band, Failing: -1,
		Lanes:  pick.Each(lanes, func(l *Lane) racestat.Lane { return l.before(e) }),
		Phases: make([]racestat.Phase, len(lanes)),
	}
}

// Config describes a race. Engine and two lanes or more must be set.
type Config struct {
	Engine *client.Engine
	Lanes  []Lane
	Vary   string // the field of the request in which lanes of one target differ
	racestat.Plan
	// Round is called after each round or block that ended, with the view that holds it;
	// it runs on the goroutine of the race, which waits for it. nil: nothing.
	Round func(v racestat.View)
	// Notify is called when the race begins, when a lane begins or ends, and when
	// the race ends. It must not block. nil: nothing.
	Notify func()

	// Ended is called with each request that ended by itself, on the goroutine of
	// the race. It must not block. nil: nothing.
	Ended func(v *metrics.Stream, f *metrics.Figures)

	send func(ctx context.Context, lane int, w metrics.Workload) stream // nil: the engine's
	now  func() metrics.Stamp                                           // nil: the engine's
	// server is restarted before each block of a Swap; nil: by its command.
	server restarter
}

// stream is one request: a *client.Stream, or that of a test.
type stream interface {
	Done() <-chan struct{}
	Snapshot() metrics.Stream
	Run(metrics.Pace) metrics.Run
}

// Race is a running or ended race. It is safe for concurrent use.
type Race struct {
	c     Config
	stop  context.CancelFunc
	done  chan struct{}
	board *racestat.Board // of the goroutine of the race
	rng   *rand.Rand      // the same
	play  turn.Play       // of the Script; the same
	nonce []string        // of each lane in a round of play

	mu      sync.Mutex
	v       racestat.View // Now, Observer and Spent.Time are filled in by View
	streams []stream      // of the present round, nil where a lane has not run
	last    []stream      // the last request of each lane that was not cut
	heats   []heat        // whole rounds, the newest last
	version uint64
	resume  chan struct{} // closed when the race goes on; nil unless Holding
	worked  time.Duration // running time before since
	since   metrics.Stamp // when it began or went on; NoStamp while holding and at the end
}

// Start begins the race. The end of ctx, and Stop, end it; both keep what is known
// and drop the present round.
func Start(ctx context.Context, c Config) *Race {
	if c.now == nil {
		c.now = func() metrics.Stamp { return c.Engine.Clock().Now() }
	}
	if c.send == nil {
		c.send = func(ctx context.Context, lane int, w metrics.Workload) stream {
			return c.Engine.Start(ctx, c.Lanes[lane].Target, w)
		}
	}
	if c.Swap != nil {
		c.Bounds, c.Parallel = racestat.Bounds{}, false
		if c.server == nil {
			c.server = &server{Config: c}
		}
	}
	if c.Notify == nil {
		c.Notify = func() {}
	}
	if c.Band == 0 {
		c.Band = racestat.Band
	}
	if c.Seed == 0 {
		c.Seed = uint64(rand.Uint32()) + 1 // short enough to be typed
	}
	ctx, stop := context.WithCancel(ctx)
	n := len(c.Lanes)
	r := &Race{
		c: c, stop: stop, done: make(chan struct{}), rng: rand.New(rand.NewPCG(c.Seed, 0x72616365)),
		board: racestat.NewBoard(n, racestat.Level, c.Band, c.Bounds.Pairs), streams: make([]stream, n),
		last: make([]stream, n), since: c.now(), play: turn.Play{Script: c.Script}, nonce: make([]string, n),
	}
	r.v = Before(c.Engine, c.Lanes, c.Vary, c.Plan)
	r.v.Began, r.v.Wall, r.v.Running, r.v.Alpha = r.since, time.Now(), true, r.board.Alpha()
	if c.Swap != nil {
		r.v.Alpha, r.v.Swap, r.v.BlockOrder = racestat.SwapAlpha(n), r.shown(), r.drawn()
	}
	r.v.Verdicts = r.verdicts()
	r.v.Spent = spentOf(&r.v)
	go r.run(ctx)
	return r
}

// run plays rounds until the race ends.
func (r *Race) run(ctx context.Context) {
	defer close(r.done)
	defer r.stop()
	r.c.Notify()
	if r.c.Swap != nil {
		r.end(r.blocks(ctx))
		return
	}
	for n := 1; ; n++ {
		code := r.ending(ctx)
		if code == racestat.NotEnded {
			code = r.wait(ctx)
		}
		if code == racestat.NotEnded {
			code = r.round(ctx, n)
		}
		if code != racestat.NotEnded {
			r.end(code)
			return
		}
	}
}

// end makes the view final.
func (r *Race) end(code racestat.EndCode) {
	r.board.End()
	r.mu.Lock()
	r.v.Running, r.v.Holding, r.v.Ended = false, false, code
	r.v.Verdicts, r.v.Step = r.verdicts(), racestat.NoStep
	r.clockOff()
	r.version++
	r.mu.Unlock()
	r.c.Notify()
}

// verdicts returns those of the rounds, or of the blocks: r.mu is held.
func (r *Race) verdicts() []racestat.Verdict {
	if r.c.Swap == nil {
		return r.board.Verdicts()
	}
	return r.c.Swap.Verdicts(r.v.Blocks, len(r.c.Lanes), r.c.Band, !r.v.Running)
}

// Stop ends the race. A second call does nothing.
func (r *Race) Stop() { r.stop() }

// Wait returns once the race has ended.
func (r *Race) Wait() { <-r.done }

// Done is closed once the race has ended.
func (r *Race) Done() <-chan struct{} { return r.done }

// Hold lets no further request begin, or lets them begin again. The running one
// goes on.
func (r *Race) Hold(on bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case !r.v.Running || on == r.v.Holding:
		return
	case on:
		r.resume = make(chan struct{})
		r.clockOff()
	default:
		close(r.resume)
		r.resume = nil
		r.since = r.c.now()
	}
	r.v.Holding = on
	r.version++
}

// clockOff adds the time since the race went on: r.mu is held.
func (r *Race) clockOff() {
	if d, ok := r.c.now().Sub(r.since); ok {
		r.worked += d
	}
	r.since = metrics.NoStamp
}

// wait returns once the race does not hold.
func (r *Race) wait(ctx context.Context) racestat.EndCode {
	r.mu.Lock()
	resume := r.resume
	r.mu.Unlock()
	if resume == nil {
		return racestat.NotEnded
	}
	select {
	case <-resume:
		return racestat.NotEnded
	case <-ctx.Done():
		return racestat.EndStopped
	}
}
