package metrics

import "cmp"

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
