package stats

import "math"

// Divided returns the probability with which values that were drawn from one
// distribution, and then divided without a look at them, lie as far apart as low and
// high, both ascending and not empty: the two-sided p of [MannWhitney]. Where no value
// of low lies above one of high, the gap between them counts too, so that one value
// among nine can be sure. Of n values whose larger ones fall off as an exponential does,
// which is a slower fall than that of a normal distribution, the gap above the k smaller or
// larger ones exceeds c times the sum of the two ranges with a probability of
//
//	Π i/(i + c·k)   over i = 1 … n−1 without k
//
// by the independence of exponential spacings (Rényi, Acta Mathematica Hungarica 4,
// 1953). k is the size of the smaller group. NaN and infinities must not occur.
func Divided(low, high []float64) float64 {
	_, p := MannWhitney(low, high)
	gap := high[0] - low[len(low)-1]
	if gap <= 0 {
		return p
	}
	k, n := min(len(low), len(high)), len(low)+len(high)
	c := gap / (low[len(low)-1] - low[0] + high[len(high)-1] - high[0])
	if math.IsInf(c, 1) { // two values, each as often as its group is large
		return 0
	}
	for i := 1; i < n; i++ {
		if i != k {
			p *= float64(i) / (float64(i) + c*float64(k))
		}
	}
	return p
}
