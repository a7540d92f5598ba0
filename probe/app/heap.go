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
// megabytes of one stream. A thousand streams use 37 MB: with a growth of 4 MB a probe of them takes 76 to 79
// MB, with 5 MB it was 77 to 82, with 10 MB 85 to 97. In a load they use 80 to 90 MB, where
// 6 per cent are 5 MB again and keep 4 MB of a peak of 120. Long answers
// need the last steps as well: on a busy machine a collection takes 0.2 s, and what arrives meanwhile comes on top of
// the growth.
//
// It costs little because few bytes become garbage. A low setting for all
// sizes would run the collector several times per second with the embedded
// endpoint in the same program.
var heapSteps = []struct {
	from    uint64
	percent int
}{{0, 100}, {20 << 20, 50}, {28 << 20, 12}, {64 << 20, 6}}

// heapSlack is how far use must fall below a step before the step is
// reverted. Without it, a heap near a step would change the setting at every
// collection, and each change stops the program for some 30 µs.
const heapSlack = 0.8

// streamHeap is what a stream of some hundred tokens takes of the heap, its
// connection included, and leastExpected the number of streams from which
// expectStreams acts.
const (
	streamHeap    = 36 << 10
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

// expectStreams lets the heap grow to what n streams take before a collection, now
// and later. Without it the collector runs at 4, 8, 16 and 32 MB while they connect,
// and at each MB that they give back at their ends. Each time it scans all their
// stacks, for little garbage.
func expectStreams(n int) {
	w := &theHeap
	w.mu.Lock()
	defer w.mu.Unlock()
	if n < leastExpected || !w.armed {
		return
	}
	w.expected = uint64(n) * streamHeap
	w.set()
}

// growthTo returns the growth in per cent that lets a live heap become want bytes.
// Go takes the growth of the heap and of all stacks together. A live heap below 4
// MB, Go's minimum, counts as 4 MB.
func growthTo(live, stacks, want uint64) (percent int) {
	live = max(live, 4<<20)
	if want <= live {
		return 0
	}
	return int(100 * (want - live) / (live + stacks))
}

// heapWatch adjusts the setting after every collection.
type heapWatch struct {
	mu       sync.Mutex
	armed    bool
	expected uint64 // bytes up to which nothing need be collected
	step     int
	percent  int // the setting; 0: Go's own
	samples  [2]metrics.Sample
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
		w.look()
		w.arm()
		time.AfterFunc(lookAgain, w.look)
	}, w)
}

func (w *heapWatch) look() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.set()
}

// set chooses the setting for what is in use since the last collection. The caller
// holds mu.
func (w *heapWatch) set() {
	w.samples[0].Name, w.samples[1].Name = "/gc/heap/live:bytes", "/gc/scan/stack:bytes"
	metrics.Read(w.samples[:])
	live, inUse := uint64(0), uint64(0)
	for i, s := range w.samples {
		if s.Value.Kind() != metrics.KindUint64 {
			continue
		}
		if inUse += s.Value.Uint64(); i == 0 {
			live = inUse
		}
	}
	w.step = heapStep(w.step, inUse)
	if percent := max(heapSteps[w.step].percent, growthTo(live, inUse-live, w.expected)); percent != w.percent {
		w.percent = percent
		debug.SetGCPercent(percent)
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
