// Package runner runs the engine of the Explain screen with its users. They
// are a closed loop of real HTTP requests to the steered engine of the
// embedded endpoint ("lab"). The runner observes the engine step by step from
// the inside and stream by stream from the outside.
//
//	runner.go   the controls: open, close, turn, pause, step, watch, tour
//	run.go      the state while it is open: connections, users, goroutines
//	report.go   the engine's reports of a step, and of its batch
//	pacer.go    the speed of the engine's clock, as far as this machine keeps up
//	throttle.go how that speed follows from the lateness; presence.go the users' part of it
//	client.go   the same figures as the clients measured them
//	watched.go  the watched request, measured and true
//	whatif.go   the predictions, in the background
//	view.go     all of it, as one view
package runner

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/serving"
	"tokscope/probe/explain"
	"tokscope/probe/explain/lessons"
	"tokscope/probe/sim"
	"tokscope/probe/sim/physics"
)

// Options configure a Runner.
type Options struct {
	// Server returns the embedded endpoint; the first call starts it.
	Server func() (*sim.Server, error)
	// Dir is the directory of the tour's progress; "": in memory.
	Dir string
	// Catalogue holds the machines and models of the knobs; nil holds the
	// built-in ones.
	Catalogue *physics.Catalogue
	// Notify is called on rare events; it must not block.
	Notify func()
}

// Runner answers the Explain screen as its backend, so its methods carry the
// names of that. It is safe for concurrent use. No method waits for the engine
// or for a client, but Wait.
type Runner struct {
	o       Options
	version atomic.Uint64
	tour    *lessons.Tour
	whatif  *whatif
	wg      sync.WaitGroup
	ended   atomic.Bool

	mu      sync.Mutex
	knobs   serving.Knobs
	config  *explain.EngineConfig
	machine serving.Machine // of config
	paused  bool
	user    int // the watched user, from 1
	run     *run
	broken  metrics.Ending
	before  uint64 // sum of the versions of previous runs
	figures explain.Measured
}

// New is a runner with the knobs as they are by default, closed.
func New(o Options) *Runner {
	if o.Notify == nil {
		o.Notify = func() {}
	}
	b := &Runner{o: o, knobs: explain.Default(), user: 1}
	b.config, _ = explain.NewEngineConfig(nil, b.knobs) // the default always fits: lab's tests
	b.machine = b.config.Machine()
	b.tour = lessons.New(o.Dir, b.changed)
	b.whatif = newWhatif(o.Catalogue, b.changed)
	return b
}

func (b *Runner) changed() {
	b.version.Add(1)
	b.o.Notify()
}

// ExplainOpen lets the users ask. Where they do already nothing happens.
func (b *Runner) ExplainOpen() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.run != nil || b.ended.Load() {
		return nil
	}
	if err := b.start(); err != nil {
		return err
	}
	b.whatif.want(b.knobs, serving.Knobs{})
	b.version.Add(1)
	return nil
}

// ExplainClose ends the users' requests and releases their resources, in the
// background.
func (b *Runner) ExplainClose() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.shut()
}

// shut is ExplainClose: b.mu is held.
func (b *Runner) shut() {
	r := b.run
	if r == nil {
		return
	}
	b.run = nil
	b.before += r.engine.Version() + 1
	r.leave()
	b.wg.Go(r.end)
	b.version.Add(1)
}

// Wait closes the runner for good and returns once nothing of it runs.
func (b *Runner) Wait() {
	b.ended.Store(true)
	b.ExplainClose()
	b.whatif.stop()
	b.tour.Wait()
	b.wg.Wait()
}

// ExplainChoices are the positions of a knob.
func (b *Runner) ExplainChoices(k serving.Knob) []serving.KnobChoice {
	b.mu.Lock()
	now := b.knobs
	b.mu.Unlock()
	return explain.Choices(b.o.Catalogue, k, now)
}

// ExplainTurn sets the knobs from the next step on.
func (b *Runner) ExplainTurn(k serving.Knobs) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.turn(k, false)
}

// turn is ExplainTurn: b.mu is held. anew takes back what runs, so that all requests
// are those of the new knobs at once.
func (b *Runner) turn(k serving.Knobs, anew bool) error {
	r, err := explain.NewEngineConfig(b.o.Catalogue, k)
	if err != nil {
		return err
	}
	old, was := b.knobs, b.config
	if k == old && !anew {
		return nil
	}
	b.knobs, b.config, b.machine = k, r, r.Machine()
	onlyTime := timeless(old) == timeless(k)
	if !onlyTime || anew {
		before := old
		if lesson, on := b.tour.Setting(); on {
			before = lesson
		}
		b.whatif.want(k, before)
	} else if k.Time != old.Time {
		b.whatif.retime(k)
	}
	if b.run != nil && b.broken != (metrics.Ending{}) {
		// The users have stopped under the previous knobs: start new ones.
		b.shut()
		if err = b.start(); err != nil {
			return err
		}
	} else if b.run != nil {
		if onlyTime && !anew {
			b.run.retime(was, r)
		} else {
			err = b.run.change(was, r, b.tour.Objectives(), anew)
			b.figures = b.run.rec.Figures()
		}
	}
	b.version.Add(1)
	return err
}

// ExplainPause stops and continues the engine's time.
func (b *Runner) ExplainPause(on bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.run == nil || b.paused == on {
		return
	}
	b.paused = on
	b.run.disturb(b.config)
	b.run.steered.Pause(on)
	b.version.Add(1)
}

// ExplainStep lets one more step happen; it pauses first.
func (b *Runner) ExplainStep() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.run == nil {
		return
	}
	b.paused = true
	b.run.disturb(b.config)
	b.run.steered.Step()
	b.version.Add(1)
}

// ExplainWatch chooses the user whose request is shown.
func (b *Runner) ExplainWatch(user int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.user = max(user, 1)
	b.version.Add(1)
}

// TourLessons returns the titles of the lessons, in order.
func (b *Runner) TourLessons() []string { return lessons.Titles() }

// TourGo begins a lesson, or leaves the tour with 0.
func (b *Runner) TourGo(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if k, ok := b.tour.Go(n); ok {
		b.show(k)
	}
	b.version.Add(1)
}

// TourStage shows a stage of the lesson.
func (b *Runner) TourStage(i int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if k, ok := b.tour.Stage(i); ok {
		b.show(k)
	}
	b.version.Add(1)
}

// show sets the knobs of a stage. A lesson that was left standing goes on:
// b.mu is held.
func (b *Runner) show(k serving.Knobs) {
	if b.paused && b.run != nil {
		b.paused = false
		b.run.steered.Pause(false)
	}
	if err := b.turn(k, true); err != nil {
		b.broken = metrics.NotBegun(err)
	}
}

// TourAt is the lesson that was shown last.
func (b *Runner) TourAt() int { return b.tour.At() }

// ExplainVersion changes whenever ExplainView would differ by more than the clock.
func (b *Runner) ExplainVersion() uint64 {
	v := b.version.Load()
	b.mu.Lock()
	defer b.mu.Unlock()
	v += b.before
	if b.run != nil {
		v += b.run.engine.Version()
	}
	return v
}

// start opens what the users need, or notes why it cannot: b.mu is held.
func (b *Runner) start() error {
	var r *run
	s, err := b.o.Server()
	if err != nil {
		err = fmt.Errorf("start the embedded endpoint: %w", err)
	} else {
		r, err = newRun(s, b.config, b.tour.Objectives(), b)
	}
	if err != nil {
		b.broken = metrics.NotBegun(err)
		return err
	}
	b.run, b.broken, b.paused, b.figures = r, metrics.Ending{}, false, r.rec.Figures()
	b.wg.Go(func() { b.measure(r) })
	b.wg.Go(r.senders)
	return nil
}

// figuresEvery is the interval of the figures: as fast as numbers should
// change on a screen.
const figuresEvery = 250 * time.Millisecond

// measure takes the figures while r runs, and hands them to the tour. While
// nothing happens in the engine, as during a pause, there is nothing to take.
func (b *Runner) measure(r *run) {
	r.every(figuresEvery, func(rests bool) {
		b.mu.Lock()
		k, epoch, paused := b.knobs, r.epoch, b.paused
		b.mu.Unlock()
		if rests && paused {
			return
		}
		f := r.rec.Figures()
		b.mu.Lock()
		defer b.mu.Unlock()
		if r.epoch != epoch || b.run != r {
			return
		}
		r.clients.into(&f)
		b.figures = f
		b.tour.Observe(k, f)
		if b.broken == (metrics.Ending{}) {
			b.broken = r.broken()
		}
		if !b.paused {
			r.keepUp(b.config, f.Progress, b.tour.Objectives())
		}
		b.version.Add(1)
	})
}
