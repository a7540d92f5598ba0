package app

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"

	"tokscope/metrics/testkit"
)

func TestHeapStep(t *testing.T) {
	const mb = 1 << 20
	for _, c := range []struct {
		now   int
		inUse uint64
		want  int
	}{
		{0, 0, 0}, {0, 19 * mb, 0}, {0, 20 * mb, 1}, {0, 27 * mb, 1}, {0, 28 * mb, 2}, {0, 63 * mb, 2}, {0, 64 * mb, 3},
		{0, 300 * mb, 3},
		{1, 27 * mb, 1}, {1, 17 * mb, 1}, {1, 15 * mb, 0},
		{2, 23 * mb, 2}, {2, 22 * mb, 1}, {2, 5 * mb, 0}, {3, 52 * mb, 3}, {3, 51 * mb, 2},
	} {
		testkit.Is(t, heapStep(c.now, c.inUse), c.want, "step", c.now, "with", c.inUse/mb, "MB in use is followed by")
	}
}

func gcPercent() int {
	s := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(s)
	return int(s[0].Value.Uint64())
}

// becomes collects until the setting is want.
func becomes(t *testing.T, want int) {
	t.Helper()
	for limit := time.Now().Add(20 * time.Second); gcPercent() != want; time.Sleep(time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatalf("GOGC is %d, want %d", gcPercent(), want)
		}
		runtime.GC() // the cleanup runs on another goroutine
	}
}

// TestBoundHeap checks that a program with much memory in use allows less
// garbage, and as much as Go itself after it releases that memory.
func TestBoundHeap(t *testing.T) {
	t.Setenv("GOGC", "")
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	BoundHeap()
	much := make([]byte, 64<<20)
	becomes(t, 6)
	runtime.KeepAlive(much)
	becomes(t, 100)
}

// A thousand streams are about to connect: nothing is collected before the heap
// has grown to what they take.
func TestHeapExpectsStreams(t *testing.T) {
	const mb = 1 << 20
	for _, c := range []struct {
		live, stacks, want uint64
		percent            int
	}{
		{0, 0, 32 * mb, 700}, {4 * mb, 0, 32 * mb, 700}, {8 * mb, 0, 32 * mb, 300}, {8 * mb, 4 * mb, 32 * mb, 200},
		{16 * mb, 0, 32 * mb, 100}, {25 * mb, 0, 32 * mb, 28}, {40 * mb, 0, 32 * mb, 0},
	} {
		if got := growthTo(c.live, c.stacks, c.want); got != c.percent {
			t.Errorf("from %d to %d MB: %d %%, want %d", c.live/mb, c.want/mb, got, c.percent)
		}
	}
	t.Setenv("GOGC", "")
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	BoundHeap()
	becomes(t, 100)
	expectStreams(leastExpected - 1)
	testkit.Is(t, gcPercent(), 100, "GOGC is … before few streams")
	defer func() {
		theHeap.mu.Lock()
		defer theHeap.mu.Unlock()
		theHeap.expected = 0
	}()
	expectStreams(20_000)
	runtime.GC()
	if got := gcPercent(); got < 1000 { // 720 MB from a few
		t.Errorf("GOGC is %d before 20,000 streams", got)
	}
}
