package transport

import (
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/stats"
)

const (
	// wakeEvery is the interval between two wake-ups. It catches most delays of
	// a few ms and costs 0.1 % of a core.
	wakeEvery = 10 * time.Millisecond
	// wakesKept is the number of wake-ups kept: about five minutes.
	wakesKept = 1 << 15
)

// JitterMonitor measures the scheduling lag of this program and the pauses of
// its garbage collector. Its goroutine waits for a moment and reads the
// clock. It does nothing before Start. It is safe for concurrent use.
type JitterMonitor struct {
	clock *Clock
	pacer func(*Clock) pacer

	mu    sync.Mutex
	users int
	pace  pacer
	done  chan struct{}
	wakes []wake // ring
	n     int    // wake-ups so far
	uses  uses

	// Buffers of Since, which every stream calls at its end. reading guards
	// them.
	reading sync.Mutex
	late    []time.Duration
	gc      debug.GCStats
}

type wake struct {
	at   metrics.Stamp
	late time.Duration
}

// NewJitterMonitor returns a stopped monitor.
func NewJitterMonitor(clock *Clock) *JitterMonitor {
	return &JitterMonitor{clock: clock, pacer: newPacer}
}

// UseTimer makes m wait with the timer of the runtime, before Start: in virtual time
// there is no other.
func (m *JitterMonitor) UseTimer() { m.pacer = newTimerPacer }

// pacer wakes a goroutine every wakeEvery.
type pacer interface {
	// wait waits for the next wake-up and returns how late it was. ok is false
	// after stop.
	wait() (late time.Duration, ok bool)
	// stop ends a wait. It is called from another goroutine.
	stop()
}

// timerPacer uses the runtime's timer. On Linux its wait ends at a whole
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

// Start starts the monitor. It runs until every Start has had its Stop.
func (m *JitterMonitor) Start() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.users++; m.users > 1 {
		return
	}
	if m.wakes == nil {
		m.wakes = make([]wake, wakesKept)
	}
	m.pace, m.done = m.pacer(m.clock), make(chan struct{})
	go m.run(m.pace, m.done)
}

// Stop reverts one Start. The last Stop waits until the goroutine has ended.
// Further calls do nothing.
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

// run wakes up regularly and keeps how late it was. The last Stop ends it.
func (m *JitterMonitor) run(p pacer, done chan struct{}) {
	defer close(done)
	for {
		late, ok := p.wait()
		if !ok {
			return
		}
		if m.record(m.clock.Now(), late)%useEvery == 1 {
			u := measureUse(m.clock.Now())
			m.mu.Lock()
			m.uses.add(u)
			m.mu.Unlock()
		}
	}
}

// record keeps a wake-up and returns their number.
func (m *JitterMonitor) record(at metrics.Stamp, late time.Duration) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.wakes[m.n%len(m.wakes)] = wake{at, max(late, 0)}
	m.n++
	return m.n
}

// Since returns what the monitor measured since mark, at most the last five
// minutes. That is its lag, the collector's pauses (at most the last 256), the
// use of the machine, and the largest step of the wall clock so far. NoStamp returns everything kept.
// The caller fills in the event counts.
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

// lateness fills in the lag of the wake-ups since mark, and the use. The caller holds
// reading.
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
	o.Use = m.uses.since(mark)
	m.mu.Unlock()
	m.late = late
	if o.N = len(late); o.N == 0 {
		return
	}
	p99 := (o.N - 1) * 99 / 100
	o.LateP99 = stats.Nth(late, p99)
	o.LateMax = slices.Max(late[p99:])
	o.LateP50 = stats.Nth(late[:p99+1], (o.N-1)/2)
}
