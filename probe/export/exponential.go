package export

import "math"

// Bounds of an exponential histogram, as in the data model of OpenTelemetry.
const (
	maxScale   = 20
	minScale   = -10
	maxBuckets = 160
)

// exponential is a histogram whose buckets have edges base^i with
// base = 2^(2^-scale). Bucket i holds values in (base^i, base^(i+1)]. The scale
// falls when values spread over more than maxBuckets. Create it with
// newExponential. Values of 0 and below count as 0.
type exponential struct {
	scale       int
	zero        uint64
	counts      map[int]uint64 // of the buckets that have values, above 0
	first, last int            // of counts; 0 without one
}

func newExponential() exponential { return exponential{scale: maxScale, counts: map[int]uint64{}} }

// add counts v, which is finite.
func (e *exponential) add(v float64) {
	if v <= 0 {
		e.zero++
		return
	}
	e.count(bucketOf(v, e.scale), 1)
}

// count adds n values to bucket i. The scale falls as far as the buckets need to fit.
func (e *exponential) count(i int, n uint64) {
	if len(e.counts) == 0 {
		e.first, e.last = i, i
	}
	e.counts[i] += n
	e.first, e.last = min(e.first, i), max(e.last, i)
	shift := 0
	for e.last>>shift-e.first>>shift >= maxBuckets && e.scale-shift > minScale {
		shift++
	}
	e.lower(shift)
}

// lower lowers the scale: each step joins two neighbors.
func (e *exponential) lower(shift int) {
	if shift <= 0 {
		return
	}
	joined := make(map[int]uint64, len(e.counts))
	for i, n := range e.counts {
		joined[i>>shift] += n
	}
	e.scale, e.counts, e.first, e.last = e.scale-shift, joined, e.first>>shift, e.last>>shift
}

// merge adds the counts of o, which stays as it is.
func (e *exponential) merge(o *exponential) {
	e.zero += o.zero
	if len(o.counts) > 0 {
		e.lower(e.scale - o.scale)
	}
	for i, n := range o.counts {
		e.count(i>>(o.scale-e.scale), n)
	}
}

// buckets returns the counts from bucket offset on, nil without values above 0.
func (e *exponential) buckets() (offset int, counts []uint64) {
	if len(e.counts) == 0 {
		return 0, nil
	}
	counts = make([]uint64, e.last-e.first+1)
	for i, n := range e.counts {
		counts[i-e.first] = n
	}
	return e.first, counts
}

// bucketOf returns the index of v > 0 at a scale.
func bucketOf(v float64, scale int) int {
	frac, exp := math.Frexp(v) // v = frac · 2^exp, frac in [0.5, 1)
	top := exp - 1             // of the power of two at or below v
	if frac == 0.5 {
		top-- // a power of two is the upper edge of its bucket
	}
	if scale <= 0 {
		return top >> -scale
	}
	if frac == 0.5 {
		return (top+1)<<scale - 1
	}
	i := int(math.Ceil(math.Ldexp(math.Log2(frac), scale))) - 1 + exp<<scale
	// Rounding must not move a value beyond the powers of two around it.
	return min(max(i, top<<scale), (top+1)<<scale-1)
}
