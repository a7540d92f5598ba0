package app

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"
)

func TestHeapStep(t *testing.T) {
	const mb = 1 << 20
	for _, c := range []struct {
		now   int
		inUse uint64
		want  int
	}{
		{0, 0, 0}, {0, 19 * mb, 0}, {0, 20 * mb, 1}, {0, 55 * mb, 2}, {0, 300 * mb, 3},
		{1, 39 * mb, 1}, {1, 17 * mb, 1}, {1, 15 * mb, 0},
		{3, 45 * mb, 3}, {3, 44 * mb, 2},
		{2, 33 * mb, 2}, {2, 31 * mb, 1}, {2, 5 * mb, 0},
	} {
		if got := heapStep(c.now, c.inUse); got != c.want {
			t.Errorf("step %d with %d MB in use is followed by %d, want %d", c.now, c.inUse/mb, got, c.want)
		}
	}
}

// TestBoundHeap checks that a program with much memory in use allows less
// garbage, and as much as Go itself after it releases that memory.
func TestBoundHeap(t *testing.T) {
	t.Setenv("GOGC", "")
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	percent := func() int {
		s := []metrics.Sample{{Name: "/gc/gogc:percent"}}
		metrics.Read(s)
		return int(s[0].Value.Uint64())
	}
	become := func(want int) {
		t.Helper()
		for limit := time.Now().Add(20 * time.Second); percent() != want; time.Sleep(time.Millisecond) {
			if time.Now().After(limit) {
				t.Fatalf("GOGC is %d, want %d", percent(), want)
			}
			runtime.GC() // the cleanup runs on another goroutine
		}
	}
	BoundHeap()
	much := make([]byte, 64<<20)
	become(12)
	runtime.KeepAlive(much)
	become(100)
}
