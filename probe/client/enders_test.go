package client

import (
	"runtime"
	"slices"
	"sync"
	"testing"
)

// However many streams end together, as many goroutines as processors end them, and
// what an end has brought comes before further ends.
func TestManyEndsTakeFewGoroutines(t *testing.T) {
	const streams = 1000
	var x enders
	var mu sync.Mutex
	var all sync.WaitGroup
	at, most := 0, 0
	all.Add(2 * streams)
	work := func(after func()) func() {
		return func() {
			defer all.Done()
			mu.Lock()
			at++
			most = max(most, at)
			mu.Unlock()
			runtime.Gosched()
			after()
			mu.Lock()
			at--
			mu.Unlock()
		}
	}
	for range streams {
		x.do(work(func() { x.follow(work(func() {})) }))
	}
	all.Wait()
	if n := runtime.GOMAXPROCS(0); most > n {
		t.Errorf("%d ends at the same time with %d processors", most, n)
	}
}

func TestWhatAnEndBroughtComesFirst(t *testing.T) {
	x := enders{running: runtime.GOMAXPROCS(0)} // nobody begins
	var order []int
	for i := range 3 {
		x.do(func() {
			order = append(order, i)
			x.follow(func() { order = append(order, 10+i) })
		})
	}
	x.loop()
	if want := []int{0, 10, 1, 11, 2, 12}; !slices.Equal(order, want) {
		t.Errorf("the order is %v, want %v", order, want)
	}
}
