package stats

import (
	"iter"
	"math"
	"slices"
)

// SketchMethod names the method of the quantiles of a [Sketch].
const SketchMethod = "log histogram, 64 bins an octave (within 0.6 %)"

// grid covers 1 µs to 17 minutes in ms.
var grid = Octaves{Low: -10, High: 20, Per: finePer}

const bins = (20 + 10) * finePer // of grid

// edges are the edges of grid.
var edges = func() (all [bins + 1]float64) {
	for i := range all {
		all[i] = grid.edge(i)
	}
	return all
}()

// Sketch is a distribution of times in ms in fixed memory (15 kB, and 31 kB more
// once a time is hidden), for too many values to keep, such as the gaps of a
// thousand streams. Of times from 1 µs to 17 minutes its quantiles are within 0.6 %
// of those of the values by [QuantileMethod]; smallest, largest, mean and deviation
// are exact. Sketches are merged without a loss. The zero value is empty and ready.
type Sketch struct {
	n            int
	total        float64 // weight
	mean, square float64 // square: Σ weight · (value − mean)²
	min, max     float64
	bins         [bins]float64
	hidden       *hidden // nil until a value is
}

// hidden are the differences of two bounds to the values of a Sketch. Where only the
// sum of several values is known, the sample lies between two: one in which all of
// them are alike and as small as can be, and one in which they are as large.
type hidden struct {
	low, high [bins]float64
	top       float64 // largest value of the upper bound
}

// Add adds a time v > 0 with a weight; it ignores other values.
func (s *Sketch) Add(v, weight float64) {
	if !(v > 0) || math.IsInf(v, 0) {
		return
	}
	s.join(1, v, v, moments{weight, v, 0})
	s.bins[grid.Bin(v)] += weight
}

// AddSorted adds ascending values above 0, each times scale and with its weight
// divided by it.
func (s *Sketch) AddSorted(x []Weighted, scale float64) {
	if len(x) == 0 {
		return
	}
	m := momentsOf(x)
	s.join(len(x), x[0].V*scale, x[len(x)-1].V*scale, moments{m.total / scale, m.mean * scale, m.square * scale})
	for i := 0; i < len(x); {
		bin := grid.Bin(x[i].V * scale)
		sum, end := x[i].W, edges[bin+1]
		for i++; i < len(x) && x[i].V*scale < end; i++ {
			sum += x[i].W
		}
		s.bins[bin] += sum / scale
	}
}

// join takes the figures of n other values.
func (s *Sketch) join(n int, least, most float64, m moments) {
	if s.n == 0 || least < s.min {
		s.min = least
	}
	if s.n == 0 || most > s.max {
		s.max = most
	}
	s.n += n
	off, share := m.mean-s.mean, m.total/(s.total+m.total)
	s.square += m.square + off*off*s.total*share
	s.mean += off * share
	s.total += m.total
}

// N returns the number of times that were added.
func (s *Sketch) N() int { return s.n }

// Merge adds what o has.
func (s *Sketch) Merge(o *Sketch) {
	if o.n > 0 {
		s.join(o.n, o.min, o.max, moments{o.total, o.mean, o.square})
		for i, w := range &o.bins {
			s.bins[i] += w
		}
	}
	if o.hidden == nil {
		return
	}
	h := s.bounds()
	h.top = max(h.top, o.hidden.top)
	for i := range h.low {
		h.low[i] += o.hidden.low[i]
		h.high[i] += o.hidden.high[i]
	}
}

// Reset clears the sketch and keeps its memory.
func (s *Sketch) Reset() {
	h := s.hidden
	if h != nil {
		*h = hidden{}
	}
	*s = Sketch{hidden: h}
}

// Figures returns the smallest and the largest value, and mean and sample deviation
// of n measurements. All are 0 when it is empty, the deviation also of one.
func (s *Sketch) Figures() (least, mean, deviation, most float64) {
	m := moments{s.total, s.mean, s.square}
	return s.min, min(max(s.mean, s.min), s.max), m.deviation(s.n), s.max
}

// Quantiles fills out with the quantiles at the rising levels, between the two
// neighboring ranks, as of the values themselves. s is not empty.
func (s *Sketch) Quantiles(levels, out []float64) {
	quantiles(bins, func(bin int) float64 { return s.bins[bin] }, s.middle, s.total, levels, out)
}

// middle returns the middle of a bin, within the values.
func (s *Sketch) middle(bin int) float64 { return min(max(grid.Middle(bin), s.min), s.max) }

// All returns the middles of the bins that are not empty, ascending and within the
// values, with their weights.
func (s *Sketch) All() iter.Seq2[float64, float64] {
	return func(yield func(v, weight float64) bool) {
		for i, w := range &s.bins {
			if w > 0 && !yield(s.middle(i), w) {
				return
			}
		}
	}
}

// Part is a time that N values of 0 or more share in an unknown way: they sum to
// Sum, with AtMost to that or less.
type Part struct {
	Sum    float64
	N      int
	AtMost bool
}

// mostParts bounds the values of one part that are told apart. Further ones count as
// large as the last.
const mostParts = 4096

// Hide counts values, each of a weight, whose sizes are unknown: those of now beyond
// those of was, which is a part that was hidden before, or one value that was added;
// without N nothing.
//
// Of k values of 0 or more that sum to t the i-th longest is at most t/i, and the
// longest at least t/k. So each quantile of all lies between that of
//
//	t/k and k − 1 times 0          and that of          t, t/2, … t/k
func (s *Sketch) Hide(now, was Part, weight float64) {
	if now.N <= was.N || !(now.Sum >= 0) || math.IsInf(now.Sum, 0) {
		return
	}
	h, w := s.bounds(), weight
	h.low[0] += w * float64(now.N-was.N)
	if !now.AtMost {
		least := 0 // the bin of what was in its place
		if was.N > 0 {
			least = grid.Bin(was.Sum / float64(was.N))
		}
		h.low[least] -= w
		h.low[grid.Bin(now.Sum/float64(now.N))] += w
	}
	h.top = max(h.top, now.Sum/float64(was.N+1))
	for i := was.N + 1; i <= now.N; i++ {
		if i > mostParts {
			h.high[grid.Bin(now.Sum/mostParts)] += w * float64(now.N-i+1)
			break
		}
		h.high[grid.Bin(now.Sum/float64(i))] += w
	}
}

// Leave takes a value that was added out of both bounds: hidden ones stand for it.
func (s *Sketch) Leave(v, weight float64) {
	h, bin := s.bounds(), grid.Bin(v)
	h.low[bin] -= weight
	h.high[bin] -= weight
}

func (s *Sketch) bounds() *hidden {
	if s.hidden == nil {
		s.hidden = new(hidden)
	}
	return s.hidden
}

// Bounds fills low and high with the bounds of the quantiles at the rising levels of
// all values, those hidden too, rounded outwards to the edges of bins. s is not empty.
func (s *Sketch) Bounds(levels, low, high []float64) {
	h := s.bounds()
	top := max(s.max, h.top)
	s.bound(&h.low, func(bin int) float64 { return edges[bin] }, levels, low)
	s.bound(&h.high, func(bin int) float64 { return min(edges[bin+1], top) }, levels, high)
	for k := range levels {
		high[k] = max(high[k], low[k])
	}
}

// bound fills out with the quantiles at the levels of the values with a difference.
func (s *Sketch) bound(by *[bins]float64, edge func(bin int) float64, levels, out []float64) {
	total := 0.0
	weight := func(bin int) float64 { return s.bins[bin] + by[bin] }
	for i := range by {
		total += weight(i)
	}
	quantiles(bins, weight, edge, total, levels, out)
}

// Export returns all that s knows: number, weight, mean, Σ weight · (value − mean)², smallest,
// largest, largest of the upper bound, and for each bin that is not empty its number, its
// weight and the differences of both bounds.
func (s *Sketch) Export() []float64 {
	h := s.hidden
	if h == nil {
		h = new(hidden)
	}
	out := []float64{float64(s.n), s.total, s.mean, s.square, s.min, s.max, h.top}
	for i, w := range &s.bins {
		if w != 0 || h.low[i] != 0 || h.high[i] != 0 {
			out = append(out, float64(i), w, h.low[i], h.high[i])
		}
	}
	return out
}

// Import adds what Export has returned, as Merge does. It reports false, and adds nothing,
// where no sketch can be so.
func (s *Sketch) Import(v []float64) bool {
	if len(v)%4 != 3 || len(v) < 7 || min(v[0], v[1], v[3]) < 0 ||
		v[0] > 0 && !(0 < v[4] && v[4] <= v[5] && len(v) > 7) {
		return false
	}
	o, h := Sketch{n: int(v[0]), total: v[1], mean: v[2], square: v[3], min: v[4], max: v[5]}, &hidden{top: v[6]}
	for b := range slices.Chunk(v[7:], 4) {
		const rounding = 1e-6
		if !(b[0] >= 0 && b[0] < bins) || b[1] < 0 || b[1]+min(b[2], b[3]) < -rounding {
			return false
		}
		i := int(b[0])
		if o.bins[i], h.low[i], h.high[i] = b[1], b[2], b[3]; b[2] != 0 || b[3] != 0 {
			o.hidden = h
		}
	}
	s.Merge(&o)
	return true
}
