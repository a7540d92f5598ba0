package transport

import (
	"os"
	"runtime"
	"strconv"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"tokscope/metrics/testkit"
)

// low counts this process's threads that have the nice value of the background.
func low(t *testing.T) (n int) {
	t.Helper()
	tasks := testkit.Must(os.ReadDir("/proc/self/task"))(t)
	for _, task := range tasks {
		tid := testkit.Must(strconv.Atoi(task.Name()))(t)
		if a, err := unix.SchedGetAttr(tid, 0); err == nil && a.Nice >= backgroundNice {
			n++
		}
	}
	return n
}

func TestBackground(t *testing.T) {
	if a, err := unix.SchedGetAttr(0, 0); err == nil && a.Nice >= backgroundNice {
		t.Skip("this process has a low priority already: no thread of it stands out")
	}
	before := low(t)
	ready, quit, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		undo, err := Background()
		defer undo()
		testkit.Is(t, err, nil)
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
	testkit.Is(t, low(t), before+1, "threads give way")
	close(block)
	wg.Wait()
	close(quit)
	<-done
}
