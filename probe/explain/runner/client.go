package runner

import (
	"sync"

	"tokscope/metrics"
	"tokscope/probe/explain"
)

// clients gathers the clients' measurements over HTTP since the last change,
// in engine time.
type clients struct {
	mu        sync.Mutex
	since     metrics.Stamp // of the last change
	disturbed metrics.Stamp // the last moment of uneven time
	time      float64       // seconds of engine time per second of wall time
	ttft      sums
	tpot      sums
}

type sums struct {
	n   int
	sum float64
}

func (s *sums) add(v metrics.Value, times float64) {
	if v.OK {
		s.n++
		s.sum += v.V * times
	}
}

func (s *sums) mean() metrics.Value {
	if s.n == 0 {
		return metrics.Unknown(metrics.WhyNotConstantScale)
	}
	return metrics.Known(s.sum/float64(s.n), s.n)
}

// begin restarts the measurement.
func (c *clients) begin(now metrics.Stamp, time float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.since, c.disturbed, c.time, c.ttft, c.tpot = now, now, time, sums{}, sums{}
}

// disturb excludes the requests under way: time stops, or continues at that speed.
func (c *clients) disturb(now metrics.Stamp, time float64) {
	c.mu.Lock()
	c.disturbed, c.time = now, time
	c.mu.Unlock()
}

// ended adds a client's ended request.
func (c *clients) ended(_ int, v *metrics.Stream, f *metrics.Figures) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if v.State != metrics.Done || v.Marks.Start < c.since || v.Marks.Start < c.disturbed {
		return
	}
	c.ttft.add(f.TTFT, c.time)
	c.tpot.add(f.TPOT, c.time)
}

// into adds the clients' figures to the engine's.
func (c *clients) into(f *explain.Measured) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f.ClientTTFT, f.ClientTPOT = c.ttft.mean(), c.tpot.mean()
}
