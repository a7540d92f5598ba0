package app

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"
)

// heapSteps maps the bytes in use, stacks included, to the growth in per cent
// before the garbage collector runs. It starts with Go's own 100, for the few
// megabytes of one stream. Its steps limit the growth to some 14 MB. A
// thousand streams use 36 MB, and more at their end: with a growth of 5 MB a
// probe of them stays below 85 MB, with 10 MB it was 85 to 97. The last step is for
// long answers: on a busy machine a collection takes 0.2 s, and what arrives
// meanwhile comes on top of the growth.
//
// It costs little because few bytes become garbage: 1000 streams of 250 tokens
// take 16 collections, where Go's own setting takes 6. A low setting for all
// sizes would run the collector several times per second with the embedded
// endpoint in the same program.
var heapSteps = []struct {
	from    uint64
	percent int
}{{0, 100}, {20 << 20, 50}, {28 << 20, 15}, {56 << 20, 12}}

// heapSlack is how far use must fall below a step before the step is
// reverted. Without it, a heap near a step would change the setting at every
// collection, and each change stops the program for some 30 µs.
const heapSlack = 0.8

// streamHeap is what a stream of some hundred tokens takes of the heap, its
// connection included, and leastExpected the number of streams from which
// expectStreams acts.
const (
	streamHeap    = 32 << 10
	leastExpected = 128
)

// theHeap is adjusted when BoundHeap was called.
var theHeap heapWatch

// BoundHeap limits garbage while thousands of streams run, unless the user
// set GOGC. Call it once, before measuring begins.
func BoundHeap() {
	w := &theHeap
	w.mu.Lock()
	defer w.mu.Unlock()
	if os.Getenv("GOGC") == "" && !w.armed {
		w.armed = true
		w.arm()
	}
}

// expectStreams lets the heap grow to what n streams take before the next
// collection. Without it the collector runs at 4, 8, 16 and 32 MB while they
// connect, and each time it scans all their stacks for next to no garbage.
func expectStreams(n int) {
	w := &theHeap
	w.mu.Lock()
	defer w.mu.Unlock()
	if n < leastExpected || !w.armed {
		return
	}
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	if percent := growthTo(live[0].Value.Uint64(), uint64(n)*streamHeap); percent > 0 {
		w.expecting = true
		debug.SetGCPercent(percent)
	}
}

// growthTo returns the growth in per cent from live to want bytes, 0 when it is
// less than Go's own. Go takes its least heap, 4 MB, for a smaller one.
func growthTo(live, want uint64) (percent int) {
	live = max(live, 4<<20)
	if want <= 2*live {
		return 0
	}
	return int(100 * (want - live) / live)
}

// heapWatch adjusts the setting after every collection.
type heapWatch struct {
	mu        sync.Mutex
	armed     bool
	expecting bool // the setting is that of expectStreams, until the next collection
	step      int
	samples   [2]metrics.Sample
}

// lookAgain is the time after which heapWatch looks once more. An object that is
// made while a collection runs outlives it, so that collection has no cleanup.
// With a thousand requests that begin together it was one in five, and the growth
// then stayed at 100 per cent of 31 MB.
const lookAgain = 50 * time.Millisecond

// arm makes w run after the next collection, as the cleanup of an object that
// is already garbage.
func (w *heapWatch) arm() {
	runtime.AddCleanup(new([16]byte), func(w *heapWatch) {
		w.look(true)
		w.arm()
		time.AfterFunc(lookAgain, func() { w.look(false) })
	}, w)
}

// look chooses the setting for what is in use; collected: right after a collection.
func (w *heapWatch) look(collected bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.expecting && !collected {
		return
	}
	w.samples[0].Name, w.samples[1].Name = "/gc/heap/live:bytes", "/gc/scan/stack:bytes"
	metrics.Read(w.samples[:])
	inUse := uint64(0)
	for _, s := range w.samples {
		if s.Value.Kind() == metrics.KindUint64 {
			inUse += s.Value.Uint64()
		}
	}
	if step := heapStep(w.step, inUse); w.expecting || step != w.step {
		w.expecting, w.step = false, step
		debug.SetGCPercent(heapSteps[step].percent)
	}
}

// heapStep returns the step for that many bytes in use. now is the current
// one.
func heapStep(now int, inUse uint64) int {
	step := 0
	for i, s := range heapSteps {
		from := s.from
		if i <= now {
			from = uint64(float64(from) * heapSlack)
		}
		if inUse >= from {
			step = i
		}
	}
	return step
}
