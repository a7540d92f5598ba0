package sim

import (
	"slices"
	"sync"

	"tokscope/probe/sim/engine"
)

// Bounds of the histograms' buckets in seconds: vLLM's.
var (
	ttftBounds = []float64{.001, .005, .01, .02, .04, .06, .08, .1, .25, .5, .75, 1, 2.5, 5, 7.5, 10, 20, 40, 80, 160, 640, 2560}
	itlBounds  = []float64{.01, .025, .05, .075, .1, .15, .2, .3, .4, .5, .75, 1, 2.5, 5, 7.5, 10, 20, 40, 80}
	timeBounds = []float64{.3, .5, .8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 120, 240, 480, 960, 1920, 7680}
)

// meters counts what /metrics tells about one engine. Times are seconds on the
// wall, slow motion included.
type meters struct {
	mu      sync.Mutex
	ttft    histogram
	itl     histogram
	e2e     histogram
	queue   histogram
	prefill histogram
	decode  histogram
	ended   uint64
}

func newMeters() *meters {
	return &meters{ttft: newHistogram(ttftBounds), itl: newHistogram(itlBounds), e2e: newHistogram(timeBounds),
		queue: newHistogram(timeBounds), prefill: newHistogram(timeBounds), decode: newHistogram(timeBounds)}
}

// tokens books what one step yielded for one request: gap seconds after its
// tokens before these, or as the first.
func (m *meters) tokens(y engine.Emission, first bool, gap float64, t *phaseTimes) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if first {
		m.ttft.add(t.ttft(), 1)
	} else {
		m.itl.add(gap/float64(y.N), y.N)
	}
	if y.Request.Finished {
		m.ended++
		m.e2e.add(t.ttft()+t.decode, 1)
		m.queue.add(t.queue, 1)
		m.prefill.add(t.prefill, 1)
		m.decode.add(t.decode, 1)
	}
}

// histogram counts values by the smallest bound that is not below them. It is no
// distribution to take quantiles from (metrics.Sketch is) but a format: the
// buckets of a Prometheus histogram, with the bounds that vLLM exposes.
type histogram struct {
	bounds []float64
	counts []uint64 // one more than bounds
	sum    float64
}

func newHistogram(bounds []float64) histogram {
	return histogram{bounds: bounds, counts: make([]uint64, len(bounds)+1)}
}

func (h *histogram) add(v float64, n int) {
	i, _ := slices.BinarySearch(h.bounds, v)
	h.counts[i] += uint64(n)
	h.sum += v * float64(n)
}
