package metrics

import (
	"math"
	"tokscope/metrics/stats"
)

// SketchMethod names the method of the quantiles of a Sketch.
const SketchMethod = "log histogram, 64 bins an octave (within 0.6 %)"

// sketchGrid covers 1 µs to 17 minutes.
var sketchGrid = octaves{low: -10, high: 20, per: 64}

const sketchLen = (20 + 10) * 64 // of sketchGrid

// Sketch is a distribution of times in ms in fixed memory (8 kB), for too
// many values to keep, such as the gaps of a thousand streams. Of times from 1 µs
// to 17 minutes its quantiles are within 0.6 % of those of the values by
// QuantileMethod; smallest, largest and mean are exact. The zero value is empty
// and ready.
type Sketch struct {
	n        int
	sum, sq  float64
	min, max float64
	bins     [sketchLen]uint32
}

// Add counts a time of ms > 0; it ignores other values.
func (s *Sketch) Add(ms float64) {
	if !(ms > 0) || math.IsInf(ms, 0) {
		return
	}
	if s.n == 0 || ms < s.min {
		s.min = ms
	}
	if s.n == 0 || ms > s.max {
		s.max = ms
	}
	s.n++
	s.sum += ms
	s.sq += ms * ms
	s.bins[sketchGrid.bin(ms)]++
}

// N returns the number of counted times.
func (s *Sketch) N() int { return s.n }

// Merge adds the counts of o.
func (s *Sketch) Merge(o *Sketch) {
	if o.n == 0 {
		return
	}
	if s.n == 0 || o.min < s.min {
		s.min = o.min
	}
	if s.n == 0 || o.max > s.max {
		s.max = o.max
	}
	s.n += o.n
	s.sum += o.sum
	s.sq += o.sq
	for i, c := range &o.bins {
		s.bins[i] += c
	}
}

// Reset clears the sketch.
func (s *Sketch) Reset() { *s = Sketch{} }

// Median returns the median, unknown when empty.
func (s *Sketch) Median() Value {
	if s.n == 0 {
		return Unknown(WhyNoGap)
	}
	return Finite(s.quantiles([]float64{0.5})[0], s.n)
}

// quantiles returns the quantiles at the rising levels q by stats.QuantileMethod, for
// n > 0: between the two neighboring ranks, as of the values themselves. The lower
// rank alone would be off by the whole distance to a stall.
func (s *Sketch) quantiles(q []float64) []float64 {
	out := make([]float64, len(q))
	w := sketchGrid.walk(func(i int) int { return int(s.bins[i]) })
	for k := range q {
		h := q[k] * float64(s.n-1)
		rank := math.Floor(h)
		lower, _ := w.beyond(rank)
		ahead := w // the next level may have the same rank
		upper, _ := ahead.beyond(rank + 1)
		out[k] = min(max(stats.Between(lower, upper, h-rank), s.min), s.max)
	}
	return out
}

// Dist describes the counted times; why is the reason when it is empty.
func (s *Sketch) Dist(why Why) Dist {
	n := s.n
	if n == 0 {
		d := emptyDist(why)
		d.Method = SketchMethod
		return d
	}
	q := s.quantiles([]float64{0.50, 0.90, 0.95, 0.99})
	mean := min(max(s.sum/float64(n), s.min), s.max)
	d := Dist{N: n, Method: SketchMethod, Min: Finite(s.min, n),
		Max: Finite(s.max, n), Mean: Finite(mean, n), StdDev: Unknown(Needs(2))}
	if n > 1 {
		d.StdDev = Finite(math.Sqrt(max(s.sq-mean*s.sum, 0)/float64(n-1)), n)
	}
	d.P50 = percentile(n, MinP50, q[0])
	d.P90 = percentile(n, MinP90, q[1])
	d.P95 = percentile(n, MinP95, q[2])
	d.P99 = percentile(n, MinP99, q[3])
	return d
}

// Histogram resets h and fills it: every bin of the sketch counts at its
// middle.
func (s *Sketch) Histogram(h *Histogram) *Histogram {
	h.Reset()
	for i, c := range &s.bins {
		if c == 0 {
			continue
		}
		h.N += int(c)
		switch b := h.bin(sketchGrid.middle(i)); {
		case b < 0:
			h.Below += int(c)
		case b >= len(h.Counts):
			h.Above += int(c)
		default:
			h.Counts[b] += int(c)
		}
	}
	return h
}
