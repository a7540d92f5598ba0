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
	scale  int
	zero   uint64
	offset int      // index of the first of counts
	counts []uint64 // at most maxBuckets; empty before the first value above 0
}

func newExponential() exponential { return exponential{scale: maxScale} }

// add counts v, which is finite.
func (e *exponential) add(v float64) {
	if v <= 0 {
		e.zero++
		return
	}
	i := bucketOf(v, e.scale)
	lo, hi := i, i
	if len(e.counts) > 0 {
		lo, hi = min(i, e.offset), max(i, e.offset+len(e.counts)-1)
	}
	if shift := e.excess(lo, hi); shift > 0 {
		e.lower(shift)
		i = bucketOf(v, e.scale)
	}
	e.reach(i)
	e.counts[i-e.offset]++
}

// excess returns by how much the scale must fall for the buckets lo to hi to fit.
func (e *exponential) excess(lo, hi int) (shift int) {
	for hi>>shift-lo>>shift >= maxBuckets && e.scale-shift > minScale {
		shift++
	}
	return shift
}

// lower lowers the scale: each step joins two neighbors.
func (e *exponential) lower(shift int) {
	if shift <= 0 {
		return
	}
	e.scale -= shift
	if len(e.counts) == 0 {
		return
	}
	first, last := e.offset>>shift, (e.offset+len(e.counts)-1)>>shift
	joined := make([]uint64, last-first+1)
	for i, n := range e.counts {
		joined[(e.offset+i)>>shift-first] += n
	}
	e.offset, e.counts = first, joined
}

// reach extends counts to bucket i.
func (e *exponential) reach(i int) {
	switch {
	case len(e.counts) == 0:
		e.offset, e.counts = i, []uint64{0}
	case i < e.offset:
		e.counts = append(make([]uint64, e.offset-i, e.offset-i+len(e.counts)), e.counts...)
		e.offset = i
	case i >= e.offset+len(e.counts):
		e.counts = append(e.counts, make([]uint64, i-e.offset-len(e.counts)+1)...)
	}
}

// merge adds the counts of o, which stays as it is.
func (e *exponential) merge(o exponential) {
	e.zero += o.zero
	if len(o.counts) == 0 {
		return
	}
	o.counts = append([]uint64(nil), o.counts...)
	e.lower(e.scale - o.scale)
	o.lower(o.scale - e.scale)
	if len(e.counts) > 0 {
		shift := e.excess(min(e.offset, o.offset), max(e.offset+len(e.counts), o.offset+len(o.counts))-1)
		e.lower(shift)
		o.lower(shift)
	}
	e.reach(o.offset)
	e.reach(o.offset + len(o.counts) - 1)
	for i, n := range o.counts {
		e.counts[o.offset+i-e.offset] += n
	}
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
