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

// fineEdges are the lower edges of 64 bins of an octave, as the fractions of
// floats; behind the last one is the end of all fractions. The bins of a grid
// with fewer to an octave are joined from them.
var fineEdges = func() (edges [finePer + 1]uint64) {
	for i := range edges {
		edges[i] = math.Float64bits(math.Exp2(float64(i)/finePer)) - math.Float64bits(1)
	}
	return edges
}()

const (
	finePer      = 64      // a multiple of per of every grid
	fractionBits = 64 - 12 // of a float64
	cellBits     = 6       // the highest of them that say where to look first
)

// fineCells has, for each value of the highest bits of a fraction, the bin of the
// smallest number with those bits.
var fineCells = func() (cells [1 << cellBits]uint8) {
	bin := uint8(0)
	for i := range cells {
		for fineEdges[bin+1] <= uint64(i)<<(fractionBits-cellBits) {
			bin++
		}
		cells[i] = bin
	}
	return cells
}()

// bin returns the bin of ms by the logarithm: the exponent is the octave, and a
// table has the logarithm of the fraction. Bits of the fraction alone would give
// bins of equal width within an octave.
func (o octaves) bin(ms float64) int {
	if !(ms > 0) {
		return 0
	}
	bits := math.Float64bits(ms)
	octave := int(bits>>fractionBits) - 1023 // small and infinite numbers lie outside of every grid
	fraction := bits & (1<<fractionBits - 1)
	fine := fineCells[fraction>>(fractionBits-cellBits)]
	for fraction >= fineEdges[fine+1] {
		fine++
	}
	i := (octave-o.low)*o.per + int(fine)*o.per/finePer
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
