package metrics

import "math"

// octaves is a grid of bins of equal ratio, per of them to a factor of two,
// from 2^low to 2^high ms. Values outside count in the first or the last bin.
// Sketch and LagHistogram use such grids in different resolutions. A
// LagHistogram also allows one goroutine to add while others read.
//
// Two histograms do not use them. Histogram is a picture for a screen; its
// few bins must have their edges at powers of ten. The buckets of the
// embedded endpoint's /metrics have the bounds of vLLM.
type octaves struct{ low, high, per int }

// bin returns the bin of ms by the logarithm. The exponent and some bits of
// the mantissa would give bins of equal width within an octave; the logarithm
// gives equal ratios.
func (o octaves) bin(ms float64) int {
	if !(ms > 0) {
		return 0
	}
	i := int(math.Floor((math.Log2(ms) - float64(o.low)) * float64(o.per)))
	return min(max(i, 0), (o.high-o.low)*o.per-1)
}

// middle returns the middle of bin i, ms.
func (o octaves) middle(i int) float64 {
	return math.Exp2(float64(o.low) + (float64(i)+0.5)/float64(o.per))
}

// edge returns the lower edge of bin i, ms. The first bin also has what is
// smaller, so its edge is 0.
func (o octaves) edge(i int) float64 {
	if i <= 0 {
		return 0
	}
	return math.Exp2(float64(o.low) + float64(i)/float64(o.per))
}

// walk starts a search for quantiles; count returns the content of a bin.
func (o octaves) walk(count func(i int) int) binWalk { return binWalk{grid: o, count: count, last: -1} }

// binWalk passes once through the bins of a grid, upwards.
type binWalk struct {
	grid       octaves
	count      func(i int) int
	next, seen int
	last       int // the last non-empty bin, -1 before any
}

// beyond returns the middle, in ms, of the first bin at which the cumulative
// count exceeds rank. Ranks must not fall from call to call. Beyond the last
// value it returns the middle of the last non-empty bin and false; 0 when all
// bins are empty.
func (w *binWalk) beyond(rank float64) (ms float64, ok bool) {
	for n := (w.grid.high - w.grid.low) * w.grid.per; w.next < n && !(float64(w.seen) > rank && w.last >= 0); w.next++ {
		if c := w.count(w.next); c > 0 {
			w.seen += c
			w.last = w.next
		}
	}
	if w.last < 0 {
		return 0, false
	}
	return w.grid.middle(w.last), float64(w.seen) > rank
}
