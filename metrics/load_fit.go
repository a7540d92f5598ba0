package metrics

import (
	"math"
	"slices"
)

// TTFTFit is TTFT = A + B·prompt tokens: A ms whatever the prompt, B ms a
// token, by N requests.
type TTFTFit struct {
	A, B Value
	// Off is how far half of the requests lie from the line at most, ms:
	//
	//	median |ttft − (a + b·prompt)|
	Off Value
	// R2 is how much of the spread of TTFT the length of the prompt explains,
	// 0 to 1. Outliers do not count (Rousseeuw and Leroy 1987, section 2.3):
	//
	//	1 − (median |ttft − (a + b·prompt)| / median |ttft − median ttft|)²
	//
	// and 0 where the line lies further off than the median does.
	R2 Value
	// Low and High are the shortest and the longest of the prompts, tokens: how
	// TTFT goes outside of them was not seen. 0 while there are none.
	Low, High float64
	N         int
}

// minFit: fewer requests than this give no line worth the name.
const minFit = 8

// FitTTFT fits TTFT = a + b·prompt tokens to requests, ms and ms per token,
// after Theil 1950 and Sen 1968:
//
//	b = median of (ttft_j − ttft_i)/(prompt_j − prompt_i) over all pairs with prompt_i ≠ prompt_j
//	a = median of ttft_i − b·prompt_i
//
// A third of the requests may be outliers (queued behind others) without
// moving it much. It takes the last fitMost of the pairs of values; N says how
// many those are. A pair of which one is NaN is left out. Unknown with fewer
// than eight requests, and when all prompts are about as long (within 20 %): a
// line through one place has any slope.
func FitTTFT(prompts, ttfts []float64) TTFTFit {
	n := min(len(prompts), len(ttfts))
	x, y := make([]float64, 0, n), make([]float64, 0, n)
	for i := range n {
		if Finite(prompts[i], 1).OK && Finite(ttfts[i], 1).OK {
			x, y = append(x, prompts[i]), append(y, ttfts[i])
		}
	}
	if len(x) > fitMost {
		x, y = x[len(x)-fitMost:], y[len(y)-fitMost:]
	}
	n = len(x)
	if n < minFit {
		return NoFit(n, Needs(minFit))
	}
	const same = "all prompts are about as long"
	lo, hi := slices.Min(x), slices.Max(x)
	if !(hi-lo > 0.2*math.Abs(hi)) {
		return NoFit(n, same)
	}
	slopes := make([]float64, 0, n*(n-1)/2)
	for i := range x {
		for j := range i {
			if s := (y[j] - y[i]) / (x[j] - x[i]); Finite(s, 1).OK {
				slopes = append(slopes, s)
			}
		}
	}
	if len(slopes) == 0 {
		return NoFit(n, same)
	}
	f := TTFTFit{N: n, Low: lo, High: hi, B: Finite(median(slopes), n)}
	rest := make([]float64, 0, n)
	for i := range x {
		if r := y[i] - f.B.V*x[i]; Finite(r, 1).OK {
			rest = append(rest, r)
		}
	}
	if len(rest) == 0 {
		return NoFit(n, "the values are too large")
	}
	f.A = Finite(median(rest), n)
	f.Off = Finite(medianOff(rest, f.A.V), n)
	f.R2 = Unknown("TTFT is the same for all")
	if wide := medianOff(y, median(slices.Clone(y))); f.Off.OK && wide > 0 {
		left := f.Off.V / wide
		f.R2 = Finite(max(1-left*left, 0), n)
	}
	return f
}

// NoFit is a fit that is not known, of n requests, with the reason.
func NoFit(n int, why string) TTFTFit {
	u := Unknown(why)
	return TTFTFit{A: u, B: u, Off: u, R2: u, N: n}
}

// fitMost bounds the pairs that are looked at: 200 requests are 19 900 slopes.
const fitMost = 200

// medianOff is the median distance of x from middle. It changes x.
func medianOff(x []float64, middle float64) float64 {
	for i := range x {
		x[i] = math.Abs(x[i] - middle)
	}
	return median(x)
}

// median returns the middle of x, which is not empty, as Quantile does of a
// sorted one. It changes the order of x: sorting 19 900 slopes would take ten
// times as long.
func median(x []float64) float64 {
	n := len(x)
	upper := nth(x, n/2)
	if n%2 == 1 {
		return upper
	}
	return Between(slices.Max(x[:n/2]), upper, 0.5)
}

// nth puts the value of rank k (from 0) of x into its place, none larger before
// it and none smaller behind it, and returns it (Hoare 1961, with the middle of
// three as pivot). No value is NaN.
func nth(x []float64, k int) float64 {
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
