package metrics

import (
	"cmp"
	"math"
	"slices"
)

// weighted is a value that represents w equal ones.
type weighted struct {
	v float64
	w float64
}

// weightedDist describes the expanded sample: every v·scale repeated w times;
// w need not be an integer. x is sorted by v. observations is the number of
// measurements: it becomes N and decides which percentiles are given. The
// tokens of one gap are one measurement, not many.
func weightedDist(x []weighted, scale float64, observations int, why Why) Dist {
	var total, mean float64
	for _, e := range x {
		total += e.w
	}
	if total <= 0 || observations == 0 {
		return emptyDist(why)
	}
	for _, e := range x {
		mean += e.v * (e.w / total)
	}
	first, last := x[0].v, x[len(x)-1].v
	mean = min(max(mean, first), last)
	dev := 0.0
	for _, e := range x {
		dev += (e.v - mean) * (e.v - mean) * (e.w / total)
	}
	// One pass serves all quantiles, since they rise.
	var q [4]float64
	k, seen := 0, 0.0
	level := [4]float64{0.50, 0.90, 0.95, 0.99}
	for i := 0; i < len(x) && k < len(q); i++ {
		seen += x[i].w // elements with index < seen have values up to x[i].v
		for k < len(q) {
			h := max(total-1, 0) * level[k]
			floor := math.Floor(h)
			if floor >= seen {
				break
			}
			next := x[i].v
			if floor+1 >= seen && i+1 < len(x) {
				next = x[i+1].v
			}
			q[k] = Between(x[i].v, next, h-floor)
			k++
		}
	}
	for ; k < len(q); k++ {
		q[k] = last
	}
	n := observations
	d := Dist{N: n, Method: QuantileMethod,
		Min: Finite(first*scale, n), Max: Finite(last*scale, n), Mean: Finite(mean*scale, n), StdDev: Unknown(Needs(2))}
	if n > 1 {
		// The sample correction (n − 1) of Distribution, for n measurements.
		d.StdDev = Finite(math.Sqrt(dev*float64(n)/float64(n-1))*scale, n)
	}
	d.P50 = percentile(n, MinP50, q[0]*scale)
	d.P90 = percentile(n, MinP90, q[1]*scale)
	d.P95 = percentile(n, MinP95, q[2]*scale)
	d.P99 = percentile(n, MinP99, q[3]*scale)
	return d
}

// mergeSorted merges the ascending fresh into the ascending into, in place
// from the back: O(len(into) + len(fresh)), without sorting the sorted part.
func mergeSorted[T any](into, fresh []T, less func(a, b *T) bool) []T {
	n, m := len(into), len(fresh)
	into = append(into, fresh...)
	i, j := n-1, m-1
	for k := n + m - 1; j >= 0; k-- {
		if i >= 0 && less(&fresh[j], &into[i]) {
			into[k] = into[i]
			i--
		} else {
			into[k] = fresh[j]
			j--
		}
	}
	return into
}

func lessFloat(a, b *float64) bool     { return *a < *b }
func lessWeighted(a, b *weighted) bool { return compareWeighted(*a, *b) < 0 }

// compareWeighted orders by value, then by weight, so that the order of a
// sample does not depend on the order of arrival.
func compareWeighted(a, b weighted) int {
	switch {
	case a.v < b.v:
		return -1
	case a.v > b.v:
		return 1
	}
	return cmp.Compare(a.w, b.w)
}

// sortWeighted sorts x by compareWeighted. Where all weigh the same, as in most
// streams, it sorts the values alone, in half of the time. buf is scratch, which
// grows.
func sortWeighted(x []weighted, buf *[]float64) {
	for i := range x {
		if x[i].w != x[0].w {
			slices.SortFunc(x, compareWeighted)
			return
		}
	}
	values := (*buf)[:0]
	for i := range x {
		values = append(values, x[i].v)
	}
	slices.Sort(values)
	for i := range x {
		x[i].v = values[i]
	}
	*buf = values
}

// insertWeighted inserts e in order and returns its index.
func insertWeighted(x []weighted, e weighted) ([]weighted, int) {
	at, _ := slices.BinarySearchFunc(x, e, compareWeighted)
	return slices.Insert(x, at, e), at
}
