package metrics

import "math"

// SketchMethod names the method of the quantiles of a Sketch.
const SketchMethod = "log histogram, 64 bins an octave (within 0.6 %)"

const (
	sketchBins = 64 // an octave
	sketchLow  = -10
	sketchHigh = 20 // 2^-10 ms is 1 µs, 2^20 ms are 17 minutes
	sketchLen  = (sketchHigh - sketchLow) * sketchBins
)

// Sketch is a distribution of times in ms in fixed memory (8 kB), for too
// many values to keep, such as the gaps of a thousand streams. Its quantiles
// are within 0.6 % of the true ones; smallest, largest and mean are exact.
// The zero value is empty and ready.
type Sketch struct {
	n        int
	sum, sq  float64
	min, max float64
	bins     [sketchLen]uint32
}

// Add counts a time of ms > 0; others are not counted.
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
	s.bins[sketchBin(ms)]++
}

// sketchBin returns the bin of ms: the exponent and six bits of the mantissa
// would give bins equal in width within an octave; the logarithm gives equal
// ratios.
func sketchBin(ms float64) int {
	i := int(math.Floor((math.Log2(ms) - sketchLow) * sketchBins))
	return min(max(i, 0), sketchLen-1)
}

// sketchValue is the middle of bin i.
func sketchValue(i int) float64 {
	return math.Exp2(sketchLow + (float64(i)+0.5)/sketchBins)
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
		return Unknown("no known gap")
	}
	return Finite(s.quantiles([]float64{0.5})[0], s.n)
}

// quantiles returns those at the rising levels q, for n > 0.
func (s *Sketch) quantiles(q []float64) []float64 {
	out := make([]float64, len(q))
	k, seen := 0, 0
	for i := 0; i < sketchLen && k < len(q); i++ {
		if s.bins[i] == 0 {
			continue
		}
		seen += int(s.bins[i])
		for k < len(q) && float64(seen) > q[k]*float64(s.n-1) {
			out[k] = min(max(sketchValue(i), s.min), s.max)
			k++
		}
	}
	for ; k < len(q); k++ {
		out[k] = s.max
	}
	return out
}

// Dist describes what was counted; why is the reason when it is nothing.
func (s *Sketch) Dist(why string) Dist {
	n := s.n
	if n == 0 {
		d := emptyDist(why)
		d.Method = SketchMethod
		return d
	}
	q := s.quantiles([]float64{0.50, 0.90, 0.95, 0.99})
	mean := min(max(s.sum/float64(n), s.min), s.max)
	d := Dist{N: n, Method: SketchMethod, Min: Finite(s.min, n), Max: Finite(s.max, n), Mean: Finite(mean, n), StdDev: Unknown(needs2)}
	if n > 1 {
		d.StdDev = Finite(math.Sqrt(max(s.sq-mean*s.sum, 0)/float64(n-1)), n)
	}
	d.P50 = percentile(n, MinP50, q[0])
	d.P90 = percentile(n, MinP90, q[1])
	d.P95 = percentile(n, MinP95, q[2])
	d.P99 = percentile(n, MinP99, q[3])
	return d
}

// Histogram fills h anew with what was counted: every bin of the sketch goes
// where its middle lies.
func (s *Sketch) Histogram(h *Histogram) *Histogram {
	h.Reset()
	for i, c := range &s.bins {
		if c == 0 {
			continue
		}
		h.N += int(c)
		switch b := h.bin(sketchValue(i)); {
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
