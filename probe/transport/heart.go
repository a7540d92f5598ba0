package transport

import (
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"tokscope/metrics"
)

const (
	// beatEvery is the distance of two beats: often enough to meet most
	// hold-ups of a few ms, rare enough to cost nothing (0.1 % of a core).
	beatEvery = 10 * time.Millisecond
	// beatsKept is how many beats are remembered: about five minutes.
	beatsKept = 1 << 15
)

// Heart measures how late this program itself wakes (a goroutine that waits
// for a moment and looks at the clock) and the pauses of its garbage
// collector. While nobody has started it, it does nothing. It is safe for
// concurrent use.
type Heart struct {
	clock *Clock
	pacer func(*Clock) pacer

	mu    sync.Mutex
	users int
	pace  pacer
	done  chan struct{}
	beats []beat // ring
	n     int    // beats so far

	// Of Since, which every stream calls at its end: what it needs is kept.
	asked sync.Mutex
	late  []time.Duration
	gc    debug.GCStats
}

type beat struct {
	at   metrics.Stamp
	late time.Duration
}

// NewHeart returns a heart that does not beat.
func NewHeart(clock *Clock) *Heart { return &Heart{clock: clock, pacer: newPacer} }

// pacer wakes a goroutine every beatEvery.
type pacer interface {
	// wait returns how late the next beat was noticed; ok is false once the
	// pacer was stopped.
	wait() (late time.Duration, ok bool)
	// stop ends a wait from another goroutine.
	stop()
}

// timerPacer uses the runtime's timer. On Linux its wait ends on a whole
// millisecond of the poller, up to 1.1 ms late on an idle machine.
type timerPacer struct {
	clock *Clock
	quit  chan struct{}
}

func newTimerPacer(c *Clock) pacer { return &timerPacer{clock: c, quit: make(chan struct{})} }

func (p *timerPacer) wait() (time.Duration, bool) {
	due := p.clock.Now() + metrics.Stamp(beatEvery)
	t := time.NewTimer(beatEvery)
	defer t.Stop()
	select {
	case <-p.quit:
		return 0, false
	case <-t.C:
		return time.Duration(p.clock.Now() - due), true
	}
}

func (p *timerPacer) stop() { close(p.quit) }

// Start makes the heart beat until Stop was called as often as Start.
func (h *Heart) Start() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.users++; h.users > 1 {
		return
	}
	if h.beats == nil {
		h.beats = make([]beat, beatsKept)
	}
	h.pace, h.done = h.pacer(h.clock), make(chan struct{})
	go h.run(h.pace, h.done)
}

// Stop takes back one Start; the last one waits until the goroutine has ended.
func (h *Heart) Stop() {
	h.mu.Lock()
	if h.users == 0 {
		h.mu.Unlock()
		return
	}
	h.users--
	last, pace, done := h.users == 0, h.pace, h.done
	h.mu.Unlock()
	if last {
		pace.stop()
		<-done
	}
}

func (h *Heart) run(p pacer, done chan struct{}) {
	defer close(done)
	for {
		late, ok := p.wait()
		if !ok {
			return
		}
		h.beat(h.clock.Now(), late)
	}
}

func (h *Heart) beat(at metrics.Stamp, late time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.beats[h.n%len(h.beats)] = beat{at, max(late, 0)}
	h.n++
}

// Since returns what the heart felt since mark, at most the last five minutes:
// its lateness, the garbage collector's pauses (of the last 256), and the
// largest step of the wall clock so far. The counts of events are the caller's
// to fill.
func (h *Heart) Since(mark metrics.Stamp) metrics.Observer {
	h.asked.Lock()
	defer h.asked.Unlock()
	o := metrics.Observer{ClockStep: h.clock.Step()}
	h.lateness(mark, &o)
	debug.ReadGCStats(&h.gc)
	from := h.clock.Wall(mark)
	for i, end := range h.gc.PauseEnd {
		if end.Before(from) || i >= len(h.gc.Pause) {
			break // latest first
		}
		o.GCPauses++
		o.GCTotal += h.gc.Pause[i]
	}
	return o
}

// lateness fills in how late the beats since mark were. Under asked.
func (h *Heart) lateness(mark metrics.Stamp, o *metrics.Observer) {
	h.mu.Lock()
	late := h.late[:0]
	for i := h.n - 1; i >= 0 && i >= h.n-len(h.beats); i-- {
		b := h.beats[i%len(h.beats)]
		if mark.Known() && b.at < mark {
			break
		}
		late = append(late, b.late)
	}
	h.mu.Unlock()
	h.late = late
	if o.N = len(late); o.N == 0 {
		return
	}
	slices.Sort(late)
	o.LateP50, o.LateP99, o.LateMax = late[(o.N-1)/2], late[(o.N-1)*99/100], late[o.N-1]
}
