package stats

import (
	"cmp"
	"math"
	"slices"
)

// Weighted is a value V that represents W equal ones; W need not be whole.
type Weighted struct{ V, W float64 }

// Compare orders by value, then by weight, so that the order of a sample does not
// depend on the order of arrival.
func (a Weighted) Compare(b Weighted) int {
	switch {
	case a.V < b.V:
		return -1
	case a.V > b.V:
		return 1
	}
	return cmp.Compare(a.W, b.W)
}

// SortWeighted sorts x by Compare. Where all weigh the same, as in most streams, it
// sorts the values alone, in half of the time. buf is scratch, which grows.
func SortWeighted(x []Weighted, buf *[]float64) {
	for i := range x {
		if x[i].W != x[0].W {
			slices.SortFunc(x, Weighted.Compare)
			return
		}
	}
	values := (*buf)[:0]
	for i := range x {
		values = append(values, x[i].V)
	}
	slices.Sort(values)
	for i := range x {
		x[i].V = values[i]
	}
	*buf = values
}

// WeightedFigures returns mean and sample deviation of the ascending x, which is not
// empty. The deviation is that of len(x) measurements, 0 of one.
func WeightedFigures(x []Weighted) (mean, deviation float64) {
	m := momentsOf(x)
	return min(max(m.mean, x[0].V), x[len(x)-1].V), m.deviation(len(x))
}

// WeightedQuantiles fills out with the quantiles at the rising levels of the
// expanded sample, every value of the ascending x repeated W times, by
// [QuantileMethod]. x is not empty.
func WeightedQuantiles(x []Weighted, levels, out []float64) {
	total := 0.0
	for i := range x {
		total += x[i].W
	}
	quantiles(len(x), func(i int) float64 { return x[i].W }, func(i int) float64 { return x[i].V }, total, levels, out)
}

// moments are the weight of a sample, its mean, and Σ weight · (value − mean)².
type moments struct{ total, mean, square float64 }

func momentsOf(x []Weighted) (m moments) {
	for i := range x {
		m.total += x[i].W
		m.mean += x[i].V * x[i].W
	}
	m.mean /= m.total
	for i := range x {
		d := x[i].V - m.mean
		m.square += d * d * x[i].W
	}
	return m
}

// deviation returns the sample deviation of n measurements.
func (m moments) deviation(n int) float64 {
	if n < 2 {
		return 0
	}
	return math.Sqrt(m.square / m.total * float64(n) / float64(n-1))
}

// ranks goes once through n ascending values, which have weights, to find those of
// rising ranks.
type ranks struct {
	n      int
	weight func(i int) float64 // what is not above 0 counts as 0
	next   int
	seen   float64
	last   int // the last value with a weight
}

// slack absorbs the rounding of summed weights.
const slack = 1e-6

// beyond returns the index of the first value up to which more than rank is summed,
// else of the last one with a weight.
func (r *ranks) beyond(rank float64) int {
	for ; r.next < r.n && r.seen <= rank+slack; r.next++ {
		if w := r.weight(r.next); w > 0 {
			r.seen += w
			r.last = r.next
		}
	}
	return r.last
}

// quantiles fills out with the quantiles at the rising levels of n ascending values
// with weights that sum to total, by [QuantileMethod] of the expanded sample.
func quantiles(n int, weight, value func(i int) float64, total float64, levels, out []float64) {
	r := ranks{n: n, weight: weight}
	for k, q := range levels {
		h := max(total-1, 0) * q
		rank := math.Floor(h)
		lower := r.beyond(rank)
		ahead := r // the next level may have the same rank
		out[k] = Between(value(lower), value(ahead.beyond(rank+1)), h-rank)
	}
}
