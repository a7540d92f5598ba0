package transport

import (
	"os"
	"runtime"
	"strconv"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// policies counts this process's threads by scheduling policy.
func policies(t *testing.T) map[uint32]int {
	t.Helper()
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	out := map[uint32]int{}
	for _, task := range tasks {
		tid, err := strconv.Atoi(task.Name())
		if err != nil {
			t.Fatal(err)
		}
		if a, err := unix.SchedGetAttr(tid, 0); err == nil {
			out[a.Policy]++
		}
	}
	return out
}

func TestBackground(t *testing.T) {
	before := policies(t)[unix.SCHED_IDLE]
	ready, quit, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		undo, err := Background()
		defer undo()
		if err != nil {
			t.Error(err)
		}
		close(ready)
		<-quit
	}()
	<-ready
	// Threads created from now on are ordinary, also those created for the
	// goroutine.
	var wg sync.WaitGroup
	block := make(chan struct{})
	for range 20 {
		wg.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			<-block
		})
	}
	if n := policies(t)[unix.SCHED_IDLE]; n != before+1 {
		t.Errorf("%d threads yield to all others, want %d", n, before+1)
	}
	close(block)
	wg.Wait()
	close(quit)
	<-done
}
