package transport

import (
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"tokscope/metrics"
)

func TestHeartBeatsWhileStarted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := NewClock()
		h := NewHeart(clock)
		h.pacer = newTimerPacer // the system's own timer knows no virtual time
		time.Sleep(time.Second)
		if n := h.Since(metrics.NoStamp).N; n != 0 {
			t.Errorf("%d beats before Start", n)
		}
		h.Start()
		h.Start()
		time.Sleep(time.Second)
		h.Stop()
		mark := clock.Now()
		time.Sleep(time.Second)
		if got := h.Since(mark); got.N < 99 || got.N > 101 || got.LateMax != 0 {
			t.Errorf("%d beats in a second, latest by %v", got.N, got.LateMax)
		}
		h.Stop()
		h.Stop() // once too often
		end := clock.Now()
		time.Sleep(time.Second)
		if n := h.Since(end).N; n > 1 {
			t.Errorf("%d beats after the last Stop", n)
		}
		h.Start()
		time.Sleep(time.Second)
		h.Stop()
	})
}

func TestHeartLateness(t *testing.T) {
	h := NewHeart(NewClock())
	h.beats = make([]beat, 200)
	for i := range 1000 {
		h.beat(metrics.Stamp(i), time.Duration(i)*time.Microsecond)
	}
	h.beat(1000, -time.Microsecond)
	for _, tt := range []struct {
		name          string
		mark          metrics.Stamp
		n             int
		p50, p99, max time.Duration
	}{
		{"all that is remembered", metrics.NoStamp, 200, 899 * time.Microsecond, 997 * time.Microsecond, 999 * time.Microsecond},
		{"since a mark", 990, 11, 994 * time.Microsecond, 998 * time.Microsecond, 999 * time.Microsecond},
		{"an early beat counts as punctual", 1000, 1, 0, 0, 0},
		{"nothing yet", 1001, 0, 0, 0, 0},
	} {
		got := h.Since(tt.mark)
		if got.N != tt.n || got.LateP50 != tt.p50 || got.LateP99 != tt.p99 || got.LateMax != tt.max {
			t.Errorf("%s: n %d, p50 %v, p99 %v, max %v", tt.name, got.N, got.LateP50, got.LateP99, got.LateMax)
		}
	}
}

func TestHeartSeesTheCollector(t *testing.T) {
	clock := NewClock()
	h := NewHeart(clock)
	runtime.GC()
	mark := clock.Now()
	before := h.Since(mark).GCPauses
	runtime.GC()
	runtime.GC()
	got := h.Since(mark)
	if got.GCPauses < before+2 || got.GCTotal <= 0 {
		t.Errorf("%d pauses of %v after two collections", got.GCPauses, got.GCTotal)
	}
}

// A thousand streams that end at once must not leave megabytes behind each.
func TestAskingTheHeartLeavesNoGarbage(t *testing.T) {
	h := NewHeart(NewClock())
	h.beats = make([]beat, beatsKept)
	for i := range 3000 {
		h.beat(metrics.Stamp(i), time.Millisecond)
	}
	h.Since(metrics.NoStamp)
	if n := testing.AllocsPerRun(20, func() { h.Since(metrics.NoStamp) }); n > 1 {
		t.Errorf("%v allocations a question", n)
	}
}

// The system's pacer beats, stops at once, and can be started again; on a
// machine that has time it is punctual well below the runtime's timer.
func TestPacerBeatsAndStops(t *testing.T) {
	h := NewHeart(NewClock())
	for range 3 {
		mark := h.clock.Now()
		h.Start()
		for h.Since(mark).N < 5 {
			time.Sleep(time.Millisecond)
		}
		h.Stop()
		if o := h.Since(mark); o.LateMax < 0 || o.LateP50 > time.Minute {
			t.Errorf("lateness %+v", o)
		}
	}
}

// Both pacers side by side, so that the difference can be seen.
func BenchmarkPacer(b *testing.B) {
	for _, x := range []struct {
		name string
		new  func(*Clock) pacer
	}{{"system", newPacer}, {"runtime", newTimerPacer}} {
		b.Run(x.name, func(b *testing.B) {
			h := NewHeart(NewClock())
			h.pacer = x.new
			h.Start()
			for b.Loop() {
				time.Sleep(beatEvery)
			}
			h.Stop()
			o := h.Since(metrics.NoStamp)
			b.ReportMetric(float64(o.LateP50)/1e3, "late-p50-µs")
			b.ReportMetric(float64(o.LateP99)/1e3, "late-p99-µs")
		})
	}
}
