package transport

import (
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
)

func TestJitterMonitorRunsWhileStarted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := NewClock()
		m := NewJitterMonitor(clock)
		m.pacer = newTimerPacer // the system's timer does not follow virtual time
		time.Sleep(time.Second)
		if n := m.Since(metrics.NoStamp).N; n != 0 {
			t.Errorf("%d beats before Start", n)
		}
		m.Start()
		m.Start()
		time.Sleep(time.Second)
		m.Stop()
		mark := clock.Now()
		time.Sleep(time.Second)
		if got := m.Since(mark); got.N < 99 || got.N > 101 || got.LateMax != 0 {
			t.Errorf("%d beats in a second, latest by %v", got.N, got.LateMax)
		}
		m.Stop()
		m.Stop() // one Stop too many
		end := clock.Now()
		time.Sleep(time.Second)
		if n := m.Since(end).N; n > 1 {
			t.Errorf("%d beats after the last Stop", n)
		}
		m.Start()
		time.Sleep(time.Second)
		m.Stop()
	})
}

func TestJitterMonitorLateness(t *testing.T) {
	m := NewJitterMonitor(NewClock())
	m.wakes = make([]wake, 200)
	for i := range 1000 {
		m.record(metrics.Stamp(i), time.Duration(i)*time.Microsecond)
	}
	m.record(1000, -time.Microsecond)
	for _, tt := range []struct {
		name          string
		mark          metrics.Stamp
		n             int
		p50, p99, max time.Duration
	}{
		{"all that is remembered", metrics.NoStamp, 200, 899 * time.Microsecond, 997 * time.Microsecond,
			999 * time.Microsecond},
		{"since a mark", 990, 11, 994 * time.Microsecond, 998 * time.Microsecond, 999 * time.Microsecond},
		{"an early beat counts as punctual", 1000, 1, 0, 0, 0},
		{"nothing yet", 1001, 0, 0, 0, 0},
	} {
		got := m.Since(tt.mark)
		testkit.That(t, got.N == tt.n && got.LateP50 == tt.p50 && got.LateP99 == tt.p99 && got.LateMax == tt.max,
			"%s: n %d, p50 %v, p99 %v, max %v", tt.name, got.N, got.LateP50, got.LateP99, got.LateMax)
	}
}

func TestJitterMonitorCountsCollectorPauses(t *testing.T) {
	clock := NewClock()
	m := NewJitterMonitor(clock)
	runtime.GC()
	mark := clock.Now()
	before := m.Since(mark).GCPauses
	runtime.GC()
	runtime.GC()
	got := m.Since(mark)
	testkit.That(t, got.GCPauses >= before+2 && got.GCTotal > 0,
		"%d pauses of %v after two collections", got.GCPauses, got.GCTotal)
}

// A thousand streams that end at once must not leave megabytes of garbage.
func TestSinceAllocatesNothing(t *testing.T) {
	m := NewJitterMonitor(NewClock())
	m.wakes = make([]wake, wakesKept)
	for i := range 3000 {
		m.record(metrics.Stamp(i), time.Millisecond)
	}
	m.Since(metrics.NoStamp)
	testkit.Allocates(t, 1, 20, func() { m.Since(metrics.NoStamp) }, "a question")
}

// The system's pacer wakes, stops at once and can be started again.
func TestPacerStops(t *testing.T) {
	m := NewJitterMonitor(NewClock())
	for range 3 {
		mark := m.clock.Now()
		m.Start()
		for m.Since(mark).N < 5 {
			time.Sleep(time.Millisecond)
		}
		m.Stop()
		o := m.Since(mark)
		testkit.That(t, o.LateMax >= 0 && o.LateP50 <= time.Minute, "lateness %+v", o)
	}
}
