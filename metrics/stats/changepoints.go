package stats

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Limits of [ChangePoints].
const (
	// MinSegment is the least number of values on each side of a change point.
	MinSegment = 5
	// permutations of one test: enough for p-values down to 0.001.
	permutations = 999
)

// ChangePoints returns where the distribution of the series changed, in order: the
// index of the first value after each change. It is
// E-divisive with exponent 1 (Matteson and James, Journal of the American
// Statistical Association 109, 2014): a segment is divided where the energy distance
// of the parts is largest, if that is larger than in random orders of the segment,
// until no segment divides. The same seed gives the same answer. Values must be
// finite. The time grows with the square of their number.
//
// The paper tests the best division of all segments and stops at the first that is
// no more than chance. Here each segment is tested, so alpha is the level of one
// segment: a series with k changes has k+1 such tests.
//
// Random orders take neighbors as independent. So a division must also be larger
// than that in random orders of the values around their means, times [Inflation].
func ChangePoints(xs []float64, alpha float64, seed uint64) (found []int) {
	random := rand.New(rand.NewPCG(seed, 0xed1))
	segments := [][2]int{{0, len(xs)}}
	for len(segments) > 0 {
		last := len(segments) - 1
		from, to := segments[last][0], segments[last][1]
		segments = segments[:last]
		cut, p, only := division(xs[from:to], alpha, 1, random)
		if only {
			// Another change may lie in one part, and make the rest look alike.
			first := cut
			if cut, p, _ = division(xs[from:from+first], alpha, stricter, random); p > alpha {
				if cut, p, _ = division(xs[from+first:to], alpha, stricter, random); p <= alpha {
					cut += first
				}
			}
		}
		if p > alpha {
			continue
		}
		found = append(found, from+cut)
		segments = append(segments, [2]int{from, from + cut}, [2]int{from + cut, to})
	}
	slices.Sort(found)
	return found
}

// stricter is the factor of the inflation of a part that was not chosen for itself.
const stricter = 3

// division returns where a segment divides, and its p-value. only reports that no
// more than the likeness of neighbors, whose inflation is taken times factor, speaks
// against the division.
func division(xs []float64, alpha, factor float64, random *rand.Rand) (cut int, p float64, only bool) {
	cut, q := divide(xs)
	if cut < 0 {
		return cut, 1, false
	}
	if p = significance(xs, q, alpha, random); p > alpha {
		return cut, p, false
	}
	rest := around(xs, cut)
	p = max(p, significance(rest, q/(factor*inflation(rest)), alpha, random))
	return cut, p, p > alpha
}

// divide returns where the scaled energy distance of the values before and those
// after, up to some end, is largest, and that distance. cut is -1 if the segment
// is too short.
func divide(xs []float64) (cut int, largest float64) {
	n := len(xs)
	if n < 2*MinSegment {
		return -1, 0
	}
	cut, largest = -1, math.Inf(-1)
	// toLeft[k] is the sum of |x[i]-x[k]| over the i before the cut; pairs[k] over all
	// pairs of values before k. inverse[i] is 1/i: a division takes longer than all else here.
	toLeft, pairs, inverse := make([]float64, n), make([]float64, n+1), make([]float64, n+1)
	for k, last := range xs {
		inverse[k+1] = 1 / float64(k+1)
		toAll := 0.0
		for _, x := range xs[:k] {
			toAll += math.Abs(x - last)
		}
		pairs[k+1] = pairs[k] + toAll
	}
	for c := 1; c <= n-MinSegment; c++ {
		last, across := xs[c-1], 0.0
		// Parts that are too short are added up only.
		short := min(c+MinSegment-1, n)
		if c < MinSegment {
			short = n
		}
		for k := c; k < short; k++ {
			toLeft[k] += math.Abs(last - xs[k])
			across += toLeft[k]
		}
		within, before := pairs[c], pairs[c]*inverse[c-1]
		for k := short; k < n; k++ {
			toLeft[k] += math.Abs(last - xs[k])
			across += toLeft[k]
			right := k + 1 - c
			after := pairs[k+1] - within - across
			// left*right/(left+right) times the energy distance
			// 2 across/(left right) - 2 within/(left (left-1)) - 2 after/(right (right-1))
			q := 2 * inverse[k+1] * (across - float64(right)*before - float64(c)*after*inverse[right-1])
			if q > largest {
				cut, largest = c, q
			}
		}
	}
	return cut, largest
}

// significance returns the p-value of the largest distance among random orders of
// the segment. It stops early when p is certain to be above alpha.
func significance(xs []float64, q, alpha float64, random *rand.Rand) float64 {
	order := slices.Clone(xs)
	enough := int(alpha*(permutations+1)) + 1
	extreme := 0
	for r := range permutations {
		random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		if _, other := divide(order); other >= q {
			if extreme++; extreme >= enough {
				return float64(extreme+1) / float64(r+2)
			}
		}
	}
	return float64(extreme+1) / float64(permutations+1)
}

// Inflation returns by how much neighbors that are alike raise the variance of the
// mean of a series that changes its level at cut: 1 for independent values. It is
// the sum of the autocorrelations around both means, with those of the initial
// sequence whose sums of two are above 0 (Geyer, Statistical Science 7(4), 1992),
// corrected for the length of the series.
func Inflation(xs []float64, cut int) float64 { return inflation(around(xs, cut)) }

// around returns the differences of the values to the mean of their part.
func around(xs []float64, cut int) []float64 {
	rest := make([]float64, 0, len(xs))
	for _, part := range [][]float64{xs[:cut], xs[cut:]} {
		sum := 0.0
		for _, x := range part {
			sum += x
		}
		for _, x := range part {
			rest = append(rest, x-sum/float64(len(part)))
		}
	}
	return rest
}

// inflation is that of values around their means.
func inflation(rest []float64) float64 {
	n := len(rest)
	product := func(lag int) (sum float64) {
		for i := lag; i < n; i++ {
			sum += rest[i] * rest[i-lag]
		}
		return sum
	}
	square := product(0)
	if !(square > 0) {
		return 1
	}
	sum := -1.0
	for lag := 0; lag+1 < n/2; lag += 2 {
		two := (product(lag) + product(lag+1)) / square
		if two <= 0 {
			break
		}
		sum += 2 * two
	}
	sum = max(sum, 1)
	return sum * (1 + 7*sum/float64(n))
}
