package loadgen

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"tokscope/metrics"
)

// The stacks of a load count the processors of its beginning, which the program
// sets after its packages are initialized.
func TestStacksCountTheProcessorsOfTheirLoad(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	for _, procs := range []int{before + 3, before} {
		runtime.GOMAXPROCS(procs)
		synctest.Test(t, func(t *testing.T) {
			l := newLoad(Config{}, deps{now: func() metrics.Stamp { return 0 }})
			var all sync.WaitGroup
			var under, most atomic.Int64
			for range 10 * procs {
				all.Go(func() {
					l.stacks.run(func() {
						n := under.Add(1)
						for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
						}
						time.Sleep(time.Second) // until all that may run do
						under.Add(-1)
					})
				})
			}
			all.Wait()
			if got := int(most.Load()); got != 2*procs {
				t.Errorf("%d processors: %d calls at the same time, want %d", procs, got, 2*procs)
			}
		})
	}
}
