package stats

import "math"

// Octaves is a grid of bins of equal ratio, Per of them to a factor of two,
// from 2^Low to 2^High. Values outside count in the first or the last bin. Per
// divides 64. [Sketch] and metrics.LagHistogram use such grids in different
// resolutions. A LagHistogram also allows one goroutine to add while others read.
//
// Two histograms do not use them. metrics.Histogram is a picture for a screen; its
// few bins must have their edges at powers of ten. The buckets of the
// embedded endpoint's /metrics have the bounds of vLLM.
type Octaves struct{ Low, High, Per int }

// Len returns the number of bins.
func (o Octaves) Len() int { return (o.High - o.Low) * o.Per }

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

// Bin returns the bin of v by the logarithm: the exponent is the octave, and a
// table has the logarithm of the fraction. Bits of the fraction alone would give
// bins of equal width within an octave.
func (o Octaves) Bin(v float64) int {
	if !(v > 0) {
		return 0
	}
	bits := math.Float64bits(v)
	octave := int(bits>>fractionBits) - 1023 // small and infinite numbers lie outside of every grid
	fraction := bits & (1<<fractionBits - 1)
	fine := fineCells[fraction>>(fractionBits-cellBits)]
	for fraction >= fineEdges[fine+1] {
		fine++
	}
	i := (octave-o.Low)*o.Per + int(fine)*o.Per/finePer
	return min(max(i, 0), o.Len()-1)
}

// Middle returns the middle of bin i.
func (o Octaves) Middle(i int) float64 {
	return math.Exp2(float64(o.Low) + (float64(i)+0.5)/float64(o.Per))
}

// edge returns the lower edge of bin i, the smallest value that [Octaves.Bin] puts
// there. The first bin also has what is smaller, so its edge is 0; that behind the
// last one is infinite.
func (o Octaves) edge(i int) float64 {
	switch {
	case i <= 0:
		return 0
	case i >= o.Len():
		return math.Inf(1)
	}
	fraction := fineEdges[i%o.Per*(finePer/o.Per)]
	return math.Float64frombits(uint64(o.Low+i/o.Per+1023)<<fractionBits | fraction)
}

// Below returns the value below which at least that share (0..1) of the values lies
// that are counted in the bins, at the middle of its bin; 0 without any. Of few values
// it is the next larger one.
func (o Octaves) Below(share float64, count func(bin int) int) float64 {
	total := 0
	for i := range o.Len() {
		total += count(i)
	}
	if total == 0 {
		return 0
	}
	r := ranks{n: o.Len(), weight: func(i int) float64 { return float64(count(i)) }}
	return o.Middle(r.beyond(math.Floor(share * float64(total))))
}
