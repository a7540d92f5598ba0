package metrics

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"tokscope/metrics/stats"
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
	var f weightedFold
	f.weigh(x)
	f.average(x)
	f.spread(x)
	return f.dist(scale, observations, why)
}

// partsDist is weightedDist of a sample that comes in ascending parts. It asks for
// them three times.
func partsDist(parts iter.Seq[[]weighted], scale float64, observations int, why Why) Dist {
	var f weightedFold
	for part := range parts {
		f.weigh(part)
	}
	for part := range parts {
		f.average(part)
	}
	for part := range parts {
		f.spread(part)
	}
	return f.dist(scale, observations, why)
}

// weightedFold makes a Dist in three passes: weigh, average, spread. Each takes the
// sample in ascending parts.
type weightedFold struct {
	levels
	mean, dev   float64
	first, last float64
	some        bool // first and last are set
}

func (f *weightedFold) weigh(part []weighted) {
	for _, e := range part {
		f.total += e.w
	}
	if len(part) == 0 {
		return
	}
	if !f.some {
		f.first, f.some = part[0].v, true
	}
	f.last = part[len(part)-1].v
}

func (f *weightedFold) average(part []weighted) {
	mean, total := f.mean, f.total
	for _, e := range part {
		mean += e.v * (e.w / total)
	}
	f.mean = mean
}

func (f *weightedFold) spread(part []weighted) {
	mean, dev, total := f.bounded(), f.dev, f.total
	for _, e := range part {
		dev += (e.v - mean) * (e.v - mean) * (e.w / total)
	}
	f.dev = dev
	f.walk(part)
}

// bounded is the mean, which rounding must not take out of the sample.
func (f *weightedFold) bounded() float64 { return min(max(f.mean, f.first), f.last) }

func (f *weightedFold) dist(scale float64, observations int, why Why) Dist {
	n := observations
	if f.total <= 0 || n == 0 {
		return emptyDist(why)
	}
	d := Dist{N: n, Method: stats.QuantileMethod, StdDev: Unknown(Needs(2)),
		Min: Finite(f.first*scale, n), Max: Finite(f.last*scale, n), Mean: Finite(f.bounded()*scale, n)}
	if n > 1 {
		// The sample correction (n − 1) of Distribution, for n measurements.
		d.StdDev = Finite(math.Sqrt(f.dev*float64(n)/float64(n-1))*scale, n)
	}
	d.P50 = percentile(n, MinP50, f.at(0, f.last)*scale)
	d.P90 = percentile(n, MinP90, f.at(1, f.last)*scale)
	d.P95 = percentile(n, MinP95, f.at(2, f.last)*scale)
	d.P99 = percentile(n, MinP99, f.at(3, f.last)*scale)
	return d
}

// levels finds four quantiles of an ascending sample. One pass serves all of
// them, since they rise.
type levels struct {
	total, seen float64 // weight of all, and of what was walked
	q           [4]float64
	found       int // of q
	waiting     int // of these, the last ones, that lie between their value and the next
	share       [4]float64
}

// walk goes on with the next part of the sample.
func (l *levels) walk(part []weighted) {
	for _, e := range part {
		for ; l.waiting > 0; l.waiting-- {
			k := l.found - l.waiting
			l.q[k] = stats.Between(l.q[k], e.v, l.share[k])
		}
		if l.found == len(l.q) {
			return
		}
		l.seen += e.w // elements with index < seen have values up to e.v
		for ; l.found < len(l.q); l.found++ {
			h := max(l.total-1, 0) * [4]float64{0.50, 0.90, 0.95, 0.99}[l.found]
			floor := math.Floor(h)
			if floor >= l.seen {
				break
			}
			l.q[l.found], l.share[l.found] = e.v, h-floor
			if floor+1 >= l.seen {
				l.waiting++
			}
		}
	}
}

// at returns a quantile after the walk; last is the largest value.
func (l *levels) at(k int, last float64) float64 {
	if k >= l.found {
		return last
	}
	return l.q[k]
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
