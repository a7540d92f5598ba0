package metrics

import (
	"math"
	"slices"
	"tokscope/metrics/stats"
)

// sample is an ascending sample: values of weight 1, or weighted ones.
type sample struct {
	values []float64
	list   []weighted
	sums   []float64 // the weights of list before each one, and of all
}

func floats(x []float64) sample { return sample{values: x} }

// weights returns x as a sample. Its sums are in buf, which grows.
func weights(x []weighted, buf *[]float64) sample {
	sums, sum := slices.Grow((*buf)[:0], len(x)+1), 0.0
	for i := range x {
		sums = append(sums, sum)
		sum += x[i].w
	}
	sums = append(sums, sum)
	*buf = sums
	return sample{list: x, sums: sums}
}

func (s *sample) len() int { return len(s.values) + len(s.list) }

func (s *sample) value(i int) float64 {
	if s.list != nil {
		return s.list[i].v
	}
	return s.values[i]
}

// before returns the weight of the first i values.
func (s *sample) before(i int) float64 {
	if s.list != nil {
		return s.sums[i]
	}
	return float64(i)
}

// from returns the first index of [i, n) whose value is at least v, else n.
func (s *sample) from(i, n int, v float64) int {
	for i < n {
		if mid := int(uint(i+n) >> 1); s.value(mid) < v {
			i = mid + 1
		} else {
			n = mid
		}
	}
	return i
}

// beyond returns the first index of [i, n) up to which more than w is summed, the
// value there included, else n.
func (s *sample) beyond(i, n int, w float64) int {
	for i < n {
		if mid := int(uint(i+n) >> 1); s.before(mid+1) <= w {
			i = mid + 1
		} else {
			n = mid
		}
	}
	return i
}

// quantiles returns the quantiles at boundLevels of s with its difference. It
// sorts the difference, and looks at few values of s between two of its own.
func (e *edge) quantiles(s sample) [len(boundLevels)]float64 {
	e.sort()
	n := s.len()
	f := finder{s: s, total: s.before(n)}
	for _, w := range e.list {
		f.total += w.w
	}
	for _, w := range e.list { // before the values of s that are as large
		f.to(s.from(f.at, n, w.v))
		if f.seen += w.w; w.w > 0 {
			f.reached(w.v)
		}
	}
	f.to(n)
	for ; f.upper < len(boundLevels); f.upper++ {
		k := f.upper
		f.q[k] = f.last
		if k < f.lower {
			h := rankOf(f.total, k)
			f.q[k] = stats.Between(f.low[k], f.last, h-math.Floor(h))
		}
	}
	return f.q
}

// finder finds quantiles in values that it is shown in ascending order. Each
// quantile lies between the values of two ranks.
type finder struct {
	s            sample
	at           int     // values of s so far
	total, seen  float64 // weights: of all, and so far
	last         float64
	low, q       [len(boundLevels)]float64
	lower, upper int // levels whose lower rank is found, and whose both are
}

// lowerRank and upperRank return the weight beyond which the value of that rank
// of level k is seen.
func (f *finder) lowerRank(k int) float64 { return math.Floor(rankOf(f.total, k)) + rankSlack }
func (f *finder) upperRank(k int) float64 { return math.Floor(rankOf(f.total, k)) + 1 + rankSlack }

// reached takes v, whose weight is in seen.
func (f *finder) reached(v float64) {
	f.last = v
	for ; f.lower < len(boundLevels) && f.lowerRank(f.lower) < f.seen; f.lower++ {
		f.low[f.lower] = v
	}
	for ; f.upper < f.lower && f.upperRank(f.upper) < f.seen; f.upper++ {
		f.close(v)
	}
}

func (f *finder) close(v float64) {
	h := rankOf(f.total, f.upper)
	f.q[f.upper] = stats.Between(f.low[f.upper], v, h-math.Floor(h))
}

// to takes the values of s up to index end.
func (f *finder) to(end int) {
	if end == f.at {
		return
	}
	// Weights of s alone, where others have been seen.
	more := f.seen - f.s.before(f.at)
	f.seen = more + f.s.before(end)
	for ; f.lower < len(boundLevels) && f.lowerRank(f.lower) < f.seen; f.lower++ {
		f.low[f.lower] = f.s.value(min(f.s.beyond(f.at, end, f.lowerRank(f.lower)-more), end-1))
	}
	for ; f.upper < f.lower && f.upperRank(f.upper) < f.seen; f.upper++ {
		f.close(f.s.value(min(f.s.beyond(f.at, end, f.upperRank(f.upper)-more), end-1)))
	}
	f.at, f.last = end, f.s.value(end-1)
}
