package stats

import (
	"cmp"
	"math"
	"slices"
)

// exactLimit is the size of both samples up to which [MannWhitney] counts all
// divisions.
const exactLimit = 50

// MannWhitney returns the U statistic of a, and the two-sided p-value that the
// values of a and b come from one distribution (Mann and Whitney, Annals of
// Mathematical Statistics 18(1), 1947): twice the smaller tail, at most 1. With at
// most 50 values each p is exact, with and without ties; else it is the normal
// approximation with corrections for ties and continuity. Both are NaN with an
// empty sample; p is 1 if all values are equal. NaN must not occur.
func MannWhitney(a, b []float64) (u, p float64) {
	m, n := len(a), len(b)
	if m == 0 || n == 0 {
		return math.NaN(), math.NaN()
	}
	ranks, equal := Ranks(slices.Concat(a, b))
	tied := 0.0 // the sum of t³-t over ties
	for _, n := range equal {
		t := float64(n)
		tied += t*t*t - t
	}
	fm, fn := float64(m), float64(n)
	u = -fm * (fm + 1) / 2
	for _, rank := range ranks[:m] {
		u += rank
	}
	switch exact := m <= exactLimit && n <= exactLimit; {
	case exact && tied == 0:
		return u, min(2*tailsU(m, n)[int(min(u, fm*fn-u))], 1)
	case exact:
		return u, exactTied(m, n, equal, int(2*u))
	}
	sum := fm + fn
	deviation := math.Sqrt(fm * fn / 12 * (sum + 1 - tied/(sum*(sum-1))))
	if deviation == 0 {
		return u, 1
	}
	z := max(math.Abs(u-fm*fn/2)-0.5, 0) / deviation
	return u, min(math.Erfc(z/math.Sqrt2), 1)
}

// Ranks returns the ranks of values, from 1, those of equal ones averaged, and how many
// values are equal to each other, of the lowest first. NaN must not occur.
func Ranks(xs []float64) (ranks []float64, equal []int) {
	order := orderOf(xs)
	ranks = make([]float64, len(xs))
	for i := 0; i < len(order); {
		j := i
		for ; j < len(order) && xs[order[j]] == xs[order[i]]; j++ {
		}
		for _, k := range order[i:j] {
			ranks[k] = float64(i+j+1) / 2
		}
		equal = append(equal, j-i)
		i = j
	}
	return ranks, equal
}

// orderOf returns the indexes of values in the order of these, equal ones as they stand.
func orderOf(xs []float64) []int {
	order := make([]int, len(xs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(xs[i], xs[j]) })
	return order
}

// exactTied returns the two-sided p-value of twice the U of samples of m and n, of
// which so many values are equal each, ascending (Streitberg and Röhmel, Statistical
// Software Newsletter 12(1), 1986). With ties the distribution need not be symmetric.
func exactTied(m, n int, equal []int, twice int) float64 {
	// ways[i][k] is the number of divisions of the values so far that give i of them
	// to a, with twice the U k.
	ways := make([][]float64, m+1)
	for i := range ways {
		ways[i] = make([]float64, 2*m*n+1)
	}
	ways[0][0] = 1
	seen := 0
	for _, t := range equal {
		// A row goes to higher ones, which are done, and stays for no value more.
		for i := min(m, seen); i >= max(seen-n, 0); i-- {
			b := seen - i
			for j := max(t+b-n, 1); j <= min(t, m-i); j++ {
				choices, more := math.Exp(logChoose(t, j)), j*(2*b+t-j)
				to := ways[i+j][more:]
				for k, count := range ways[i][:2*i*b+1] {
					to[k] += choices * count
				}
			}
		}
		seen += t
	}
	below, above, all := 0.0, 0.0, 0.0
	for k, count := range ways[m] {
		all += count
		if k <= twice {
			below += count
		}
		if k >= twice {
			above += count
		}
	}
	return min(2*min(below, above)/all, 1)
}

// MannWhitneyLeast returns the smallest p-value that [MannWhitney] can give for
// samples of m and n of at most 50 values: that of two samples that do not overlap.
func MannWhitneyLeast(m, n int) float64 {
	if m == 0 || n == 0 {
		return 1
	}
	return min(2*math.Exp(-logChoose(m+n, m)), 1)
}

// MannWhitneyNeeds returns how many values each of two samples must have for a p-value
// of alpha or less.
func MannWhitneyNeeds(alpha float64) int {
	n := 1
	for MannWhitneyLeast(n, n) > alpha {
		n++
	}
	return n
}

// tailsU returns the probability of each U of samples of m and n, or a smaller one,
// up to the middle m·n/2. Above it the distribution is the same mirrored.
func tailsU(m, n int) []float64 {
	// The number of orders with each U is a coefficient of the Gaussian binomial, the
	// product of (1-x^(n+i))/(1-x^i) over i = 1 to m (Andrews, The Theory of
	// Partitions, 1976, chapter 3). Here it is a share of all orders.
	tails := make([]float64, m*n/2+1)
	tails[0] = 1
	for i := 1; i <= m; i++ {
		for u := len(tails) - 1; u >= n+i; u-- {
			tails[u] -= tails[u-n-i]
		}
		share := float64(i) / float64(n+i)
		for u := range tails {
			if tails[u] *= share; u >= i {
				tails[u] += tails[u-i]
			}
		}
	}
	for u := 1; u < len(tails); u++ {
		tails[u] += tails[u-1]
	}
	return tails
}

// HodgesLehmann returns the median of all differences a[i] - b[j], and its
// confidence interval at level alpha from the order statistics of the differences
// (Hodges and Lehmann, Annals of Mathematical Statistics 34(2), 1963; the
// interval by Moses, as in Hollander and Wolfe, Nonparametric Statistical
// Methods, §4.3). The interval is exact under the conditions of [MannWhitney],
// else approximate. Of logarithms, exp of the results is a ratio. All are NaN
// with an empty sample; an end is infinite if the samples are too small for alpha.
func HodgesLehmann(a, b []float64, alpha float64) (shift, lo, hi float64) {
	m, n := len(a), len(b)
	if m == 0 || n == 0 {
		return math.NaN(), math.NaN(), math.NaN()
	}
	d := differences{slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))}
	all := m * n
	shift = d.at((all - 1) / 2)
	if all%2 == 0 {
		shift = shift/2 + d.at(all/2)/2
	}
	skip := skipped(m, n, alpha)
	if skip < 0 {
		return shift, math.Inf(-1), math.Inf(1)
	}
	return shift, d.at(skip), d.at(all - 1 - skip)
}

// skipped returns how many differences lie outside of the interval on each side;
// -1: no interval has the level.
func skipped(m, n int, alpha float64) int {
	if m <= exactLimit && n <= exactLimit {
		tails := tailsU(m, n)
		return lowest(0, m*n/2, func(u int) bool { return 2*tails[u] > alpha }) - 1
	}
	fm, fn := float64(m), float64(n)
	c := fm*fn/2 + math.Sqrt2*math.Erfinv(alpha-1)*math.Sqrt(fm*fn*(fm+fn+1)/12)
	return int(math.Floor(c)) - 1
}

// differences are all a[i] - b[j] of two ascending samples.
type differences struct{ a, b []float64 }

// atMost returns the number of differences that are at most x.
func (d differences) atMost(x float64) int {
	count, j := 0, 0
	for i := range d.a { // the first j of b with a[i] - b[j] <= x moves up with i
		for j < len(d.b) && d.a[i]-d.b[j] > x {
			j++
		}
		count += len(d.b) - j
	}
	return count
}

// at returns the k-th smallest difference, from 0, without building them all.
func (d differences) at(k int) float64 {
	lo := Ordered(d.a[0] - d.b[len(d.b)-1])
	hi := Ordered(d.a[len(d.a)-1] - d.b[0])
	for lo < hi {
		mid := lo + (hi-lo)/2
		if d.atMost(unordered(mid)) > k {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return unordered(lo)
}

// Holm returns the p-values adjusted so that all tests hold together (Holm,
// Scandinavian Journal of Statistics 6(2), 1979), in the order given.
func Holm(ps []float64) []float64 {
	out, largest := make([]float64, len(ps)), 0.0
	for rank, i := range orderOf(ps) {
		largest = max(largest, min(float64(len(ps)-rank)*ps[i], 1))
		out[i] = largest
	}
	return out
}
