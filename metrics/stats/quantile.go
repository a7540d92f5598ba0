package stats

import (
	"cmp"
	"math"
	"slices"
)

// QuantileMethod names the method of every quantile of this program.
//
//	h = (n − 1)·q      i = ⌊h⌋      Q(q) = x[i] + (h − i)·(x[i+1] − x[i])
//
// over the sorted sample x[0..n). It is type 7 of Hyndman and Fan 1996,
// "Sample Quantiles in Statistical Packages". NumPy and R use it by default,
// so figures can be checked against theirs.
const QuantileMethod = "linear interpolation (Hyndman-Fan type 7)"

// Quantile returns the q-quantile (0..1) of sorted by [QuantileMethod]. sorted
// must be ascending and not empty. The result lies within [sorted[0],
// sorted[n-1]] and never falls when q grows.
func Quantile(sorted []float64, q float64) float64 {
	last := len(sorted) - 1
	if !(q > 0) {
		q = 0
	}
	h := min(q, 1) * float64(last)
	i := int(h)
	if i >= last {
		return sorted[last]
	}
	return Between(sorted[i], sorted[i+1], h-float64(i))
}

// Lower returns the lower of the two values around the q-quantile of sorted, which Quantile
// interpolates: it is one of them.
func Lower(sorted []float64, q float64) float64 {
	return sorted[min(int(max(q, 0)*float64(len(sorted)-1)), len(sorted)-1)]
}

// Between returns the point f (0..1) of the way from a to b ≥ a.
func Between(a, b, f float64) float64 {
	if a == b || f == 0 { // also of infinities
		return a
	}
	d := b - a
	if math.IsInf(d, 0) { // a and b at the two ends of the float64 range
		return a*(1-f) + b*f
	}
	return min(a+d*f, b)
}

// Median returns the median of x as [Quantile] does of a sorted x; NaN of an
// empty one. It changes the order of x, in a tenth of the time of a sort.
func Median(x []float64) float64 {
	n := len(x)
	if n == 0 {
		return math.NaN()
	}
	upper := Nth(x, n/2)
	if n%2 == 1 {
		return upper
	}
	return Between(slices.Max(x[:n/2]), upper, 0.5)
}

// Nth moves the value of rank k (from 0) of x into place k and returns it.
// Values before it are not larger, values after it not smaller. A few ranks of
// many values cost a fraction of a sort. k must be a place of x, and no value
// may be NaN. It is Hoare's method of 1961, with the median of three as pivot.
func Nth[T cmp.Ordered](x []T, k int) T {
	for lo, hi := 0, len(x)-1; lo < hi; {
		a, b, c := x[lo], x[lo+(hi-lo)/2], x[hi]
		pivot := max(min(a, b), min(max(a, b), c))
		i, j := lo, hi
		for i <= j {
			for x[i] < pivot {
				i++
			}
			for x[j] > pivot {
				j--
			}
			if i <= j {
				x[i], x[j] = x[j], x[i]
				i, j = i+1, j-1
			}
		}
		switch {
		case k <= j:
			hi = j
		case k >= i:
			lo = i
		default:
			return x[k]
		}
	}
	return x[k]
}

// Slope returns the slope of the line of Theil 1950 and Sen 1968, the median of
// the slopes between all pairs of points with different x. Almost a third of the
// points may be outliers without moving it much. NaN without such a pair. room is
// scratch, which grows; nil is fine.
func Slope(x, y []float64, room *[]float64) float64 {
	var own []float64
	if room == nil {
		room = &own
	}
	slopes := (*room)[:0]
	for i := range x {
		for j := range i {
			if s := (y[i] - y[j]) / (x[i] - x[j]); !math.IsNaN(s) && !math.IsInf(s, 0) {
				slopes = append(slopes, s)
			}
		}
	}
	*room = slopes
	return Median(slopes)
}

// Logs returns the natural logarithms of values.
func Logs(values []float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = math.Log(v)
	}
	return out
}

// Ordered maps a float to an integer so that their orders agree; both zeros are
// one.
func Ordered(x float64) uint64 {
	bits := math.Float64bits(x + 0) // not minus zero
	if bits>>63 == 1 {
		return ^bits
	}
	return bits | 1<<63
}

// unordered is the inverse of [Ordered].
func unordered(i uint64) float64 {
	if i>>63 == 1 {
		return math.Float64frombits(i &^ (1 << 63))
	}
	return math.Float64frombits(^i)
}
