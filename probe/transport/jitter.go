package transport

import (
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"tokscope/metrics"
)

// Heart measures how late this program itself wakes (a goroutine that waits
// for a moment and looks at the clock) and the pauses of its garbage
// collector. While nobody has started it, it does nothing. It is safe for
// concurrent use.
type JitterMonitor struct {
	clock *Clock
	pacer func(*Clock) pacer

	mu    sync.Mutex
	users int
	pace  pacer
	done  chan struct{}
	wakes []wake // ring
	n     int    // beats so far

	// Of Since, which every stream calls at its end: what it needs is kept.
	reading sync.Mutex
	late    []time.Duration
	gc      debug.GCStats
}

type wake struct {
	at   metrics.Stamp
	late time.Duration
}

// NewHeart returns a heart that does not beat.
func NewJitterMonitor(clock *Clock) *JitterMonitor {
	return &JitterMonitor{clock: clock, pacer: newPacer}
}

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
	due := p.clock.Now() + metrics.Stamp(wakeEvery)
	t := time.NewTimer(wakeEvery)
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
func (m *JitterMonitor) Start() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.users++; m.users > 1 {
		return
	}
	if m.wakes == nil {
		m.wakes = make([]wake, beatsKept)
	}
	m.pace, m.done = m.pacer(m.clock), make(chan struct{})
	go m.run(m.pace, m.done)
}

// Stop takes back one Start; the last one waits until the goroutine has ended.
func (m *JitterMonitor) Stop() {
	m.mu.Lock()
	if m.users == 0 {
		m.mu.Unlock()
		return
	}
	m.users--
	last, pace, done := m.users == 0, m.pace, m.done
	m.mu.Unlock()
	if last {
		pace.stop()
		<-done
	}
}

func (m *JitterMonitor) run(p pacer, done chan struct{}) {
	defer close(done)
	for {
		late, ok := p.wait()
		if !ok {
			return
		}
		m.record(m.clock.Now(), late)
	}
}

func (m *JitterMonitor) record(at metrics.Stamp, late time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.wakes[m.n%len(m.wakes)] = wake{at, max(late, 0)}
	m.n++
}

// Since returns what the heart felt since mark, at most the last five minutes:
// its lateness, the garbage collector's pauses (of the last 256), and the
// largest step of the wall clock so far. The counts of events are the caller's
// to fill.
func (m *JitterMonitor) Since(mark metrics.Stamp) metrics.Observer {
	m.reading.Lock()
	defer m.reading.Unlock()
	o := metrics.Observer{ClockStep: m.clock.Step()}
	m.lateness(mark, &o)
	debug.ReadGCStats(&m.gc)
	from := m.clock.Wall(mark)
	for i, end := range m.gc.PauseEnd {
		if end.Before(from) || i >= len(m.gc.Pause) {
			break // latest first
		}
		o.GCPauses++
		o.GCTotal += m.gc.Pause[i]
	}
	return o
}

// lateness fills in how late the beats since mark were. Under asked.
func (m *JitterMonitor) lateness(mark metrics.Stamp, o *metrics.Observer) {
	m.mu.Lock()
	late := m.late[:0]
	for i := m.n - 1; i >= 0 && i >= m.n-len(m.wakes); i-- {
		b := m.wakes[i%len(m.wakes)]
		if mark.Known() && b.at < mark {
			break
		}
		late = append(late, b.late)
	}
	m.mu.Unlock()
	m.late = late
	if o.N = len(late); o.N == 0 {
		return
	}
	slices.Sort(late)
	o.LateP50, o.LateP99, o.LateMax = late[(o.N-1)/2], late[(o.N-1)*99/100], late[o.N-1]
}
