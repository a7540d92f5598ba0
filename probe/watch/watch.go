package watch

import (
	"context"
	"slices"
	"sync"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/condition"
	"tokscope/metrics/history"
	"tokscope/metrics/watchstat"
	"tokscope/probe/client"
	"tokscope/probe/endpoint"
)

// Row is a target with what it is asked.
type Row struct {
	Label  string // unique in the watch
	Target endpoint.Target
	Work   metrics.Workload // the nonce is drawn for each probe
	// Past are earlier entries of the same series, ascending in time, for the same
	// hour of other days. Baseline are those of the baseline, whose name is Name;
	// without them, or with too few, the watch learns it.
	Past, Baseline []history.Entry
	Name           string
}

// Config describes a watch. A row, Every, and Engine or Send must be set.
type Config struct {
	Engine *client.Engine
	Rows   []Row
	// Plan.Targets is the number of rows.
	watchstat.Plan
	Probes  int           // of each row; 0: no bound
	Most    time.Duration // of the watch; 0: no bound
	Bounds  watchstat.Bounds
	Program string
	// Conditions are held against every target, or the one that they name; the
	// first that is met ends the watch. All of them together have a level of 5 %.
	Conditions []condition.Condition
	// Each is called after each probe and at both ends of a pause, one call at a
	// time; the row waits for it. It may call Stop. nil: nothing.
	Each func(watchstat.Update)
	// Keep is called with each ended probe, before Each; it may run for several
	// rows at the same time. nil: nothing.
	Keep func(r *metrics.Run)

	// Send sends a probe of a row; nil: the engine does. A test may answer in
	// virtual time.
	Send func(ctx context.Context, row int, w metrics.Workload) Stream
}

// Stream is one request: a *client.Stream, or that of a test. Run is called once Done
// is closed.
type Stream interface {
	Done() <-chan struct{}
	Run(metrics.Pace) metrics.Run
}

// Watch is a running or ended watch. It is safe for concurrent use.
type Watch struct {
	c    Config
	stop context.CancelCauseFunc
	done chan struct{}

	mu      sync.Mutex
	board   watchstat.Board // its targets are replaced, never changed
	watches []*watchstat.Watch
	day     day
	version uint64

	reporting sync.Mutex // held during Each
}

// Start begins to watch. The end of ctx, and Stop, end it.
func Start(ctx context.Context, c Config) *Watch {
	if c.Send == nil {
		c.Send = func(ctx context.Context, row int, w metrics.Workload) Stream {
			return c.Engine.Start(ctx, c.Rows[row].Target, w)
		}
	}
	c.Targets = len(c.Rows)
	now := time.Now()
	ctx, stop := context.WithCancelCause(ctx)
	w := &Watch{c: c, stop: stop, done: make(chan struct{})}
	w.board = watchstat.Board{Began: now, Every: c.Every, Bounds: c.Bounds, Program: c.Program, Priced: true}
	w.day = day{Board: &w.board, most: make([][2]float64, len(c.Rows))}
	for i := range c.Rows {
		r := &c.Rows[i]
		end := r.Target.Endpoint
		if c.Engine != nil {
			end = c.Engine.Shown(r.Target)
		}
		end.Price = r.Target.Price()
		s := watchstat.New(c.Plan)
		others := func(one condition.Condition) bool { return one.Of != "" && one.Of != r.Label }
		s.Judging(slices.DeleteFunc(slices.Clone(c.Conditions), others), len(c.Rows), 0.05)
		s.Remember(r.Past)
		if len(r.Baseline) > 0 {
			s.Baseline(r.Name, r.Baseline)
		}
		w.watches = append(w.watches, s)
		t := watchstat.Target{Label: r.Label, Endpoint: end, Work: r.Work, Here: r.Target.Here(), View: s.View()}
		w.board.Targets = append(w.board.Targets, t)
		if !t.Here && !end.Price.Known() {
			w.board.Priced = false
		}
	}
	go w.run(ctx, now)
	return w
}

// ended is the cause of a watch's end.
type ended watchstat.EndCode

func (e ended) Error() string { return string(e) }

// run watches every row until the end.
func (w *Watch) run(ctx context.Context, began time.Time) {
	defer close(w.done)
	var rows sync.WaitGroup
	bounded := ctx
	if w.c.Most > 0 {
		var cancel context.CancelFunc
		bounded, cancel = context.WithDeadlineCause(ctx, began.Add(w.c.Most), ended(watchstat.EndTime))
		defer cancel()
	}
	for i := range w.c.Rows {
		rows.Go(func() { w.follow(bounded, i, began) })
	}
	rows.Wait()
	code := watchstat.EndProbes
	if bounded.Err() != nil {
		code = watchstat.EndStopped
		if e, ok := context.Cause(bounded).(ended); ok {
			code = watchstat.EndCode(e)
		}
	}
	w.stop(nil)
	w.mu.Lock()
	w.board.Ended = code
	w.version++
	w.mu.Unlock()
}

// Stop ends the watch for that reason. A second call does nothing.
func (w *Watch) Stop(why watchstat.EndCode) { w.stop(ended(why)) }

// Wait returns once the watch has ended.
func (w *Watch) Wait() { <-w.done }

// Version changes with the board.
func (w *Watch) Version() uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.version
}

// Board returns the watch as it is now.
func (w *Watch) Board() watchstat.Board {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.board
}

// change replaces a target of the board by an edited copy: w.mu is held.
func (w *Watch) change(row int, edit func(*watchstat.Target)) {
	w.board.Targets = slices.Clone(w.board.Targets)
	edit(&w.board.Targets[row])
	w.version++
}

// report calls Each.
func (w *Watch) report(row int, probe bool, event watchstat.Event) {
	if w.c.Each == nil {
		return
	}
	w.reporting.Lock()
	defer w.reporting.Unlock()
	w.c.Each(watchstat.Update{Board: w.Board(), Target: row, Probe: probe, Event: event})
}
