package metrics

import (
	"math"
	"slices"
)

// TTFTFit is TTFT = A + B·prompt tokens: A ms whatever the prompt, B ms a
// token. N is the number of requests behind it.
type TTFTFit struct {
	A, B Value
	N    int
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
// moving it much. It takes the last fitMost of the pairs of values; n says how
// many those are. Unknown with fewer than eight requests, and when all prompts
// are about as long (within 20 %): a line through one place has any slope.
func FitTTFT(prompts, ttfts []float64) (a, b Value, n int) {
	n = min(len(prompts), len(ttfts))
	x, y := make([]float64, 0, n), make([]float64, 0, n)
	for i := range n {
		if finite(prompts[i], 1).OK && finite(ttfts[i], 1).OK {
			x, y = append(x, prompts[i]), append(y, ttfts[i])
		}
	}
	if len(x) > fitMost {
		x, y = x[len(x)-fitMost:], y[len(y)-fitMost:]
	}
	n = len(x)
	if n < minFit {
		u := Unknown(needs(minFit))
		return u, u, n
	}
	if lo, hi := slices.Min(x), slices.Max(x); !(hi-lo > 0.2*math.Abs(hi)) {
		u := Unknown("all prompts are about as long")
		return u, u, n
	}
	slopes := make([]float64, 0, n*(n-1)/2)
	for i := range x {
		for j := range i {
			if s := (y[j] - y[i]) / (x[j] - x[i]); finite(s, 1).OK {
				slopes = append(slopes, s)
			}
		}
	}
	if len(slopes) == 0 {
		u := Unknown("all prompts are about as long")
		return u, u, n
	}
	b = finite(median(slopes), n)
	rest := make([]float64, 0, n)
	for i := range x {
		if r := y[i] - b.V*x[i]; finite(r, 1).OK {
			rest = append(rest, r)
		}
	}
	if a = b; len(rest) > 0 {
		a = finite(median(rest), n)
	}
	return a, b, n
}

// fitMost bounds the pairs that are looked at: 200 requests are 19 900 slopes.
const fitMost = 200

// median sorts x, which is not empty, and returns its middle.
func median(x []float64) float64 {
	slices.Sort(x)
	return Quantile(x, 0.5)
}
