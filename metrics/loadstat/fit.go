package loadstat

import (
	"math"
	"slices"

	"tokscope/metrics"
	"tokscope/metrics/stats"
)

// TTFTFit is the line TTFT = A + B·prompt tokens: A is a constant in ms, B is
// in ms per token, and N is the number of requests.
type TTFTFit struct {
	A metrics.Value `json:"a_ms"`
	B metrics.Value `json:"b_ms_per_token"`
	// Off is the median distance of a request from the line, ms:
	//
	//	median |ttft − (a + b·prompt)|
	Off metrics.Value `json:"median_miss_ms"`
	// R2 is the share of the spread of TTFT that prompt length explains, 0 to
	// 1. Outliers do not count (Rousseeuw and Leroy 1987, section 2.3):
	//
	//	1 − (median |ttft − (a + b·prompt)| / median |ttft − median ttft|)²
	//
	// It is 0 where the line is further off than the median.
	R2 metrics.Value `json:"r2"`
	// Longest is how far the longest prompts, those of at least 90 % of High, are off
	// the line: median of (ttft − line) / line, 0.1 for 10 % above. The line of Theil and
	// Sen passes them by as outliers where TTFT grows faster than the length. Unknown
	// with fewer than two of them, and where the line is not above 0 there.
	Longest metrics.Value `json:"longest_off,omitempty" form:"bare"`
	// Low and High are the shortest and the longest of the prompts, tokens.
	// TTFT outside of them was not measured. 0 without requests.
	Low  float64 `json:"prompt_tokens_min" form:"null=zero"`
	High float64 `json:"prompt_tokens_max" form:"null=zero"`
	N    int     `json:"n"` // requests; the last 200 at most
}

// bends is how far the longest prompts may be off the line. Further off, TTFT is no line
// over these lengths.
const bends = 0.10

// Bends reports whether TTFT is no line over the lengths that were seen. A is no fixed
// cost of a request then, and a length between the seen ones cannot be read from the line.
func (f *TTFTFit) Bends() bool { return f.Longest.OK && math.Abs(f.Longest.V) > bends }

// minFit is the number of requests below which the line is unknown.
const minFit = 8

// FitTTFT fits TTFT = a + b·prompt tokens to requests, ms and ms per token,
// after Theil and Sen, see stats.Slope:
//
//	b = median of (ttft_j − ttft_i)/(prompt_j − prompt_i) over all pairs with prompt_i ≠ prompt_j
//	a = median of ttft_i − b·prompt_i
//
// Almost a third of the requests may be outliers (queued behind others) without
// moving it much. It uses the last fitMost requests; N is the number used. A
// request with a NaN is left out. Unknown with fewer than eight requests: where all are left
// out, because the server did not count their prompts.
// Also unknown when all prompts have about the same length (within 20 %): a
// line through one point has any slope.
func FitTTFT(prompts, ttfts []float64) TTFTFit {
	n := min(len(prompts), len(ttfts))
	x, y := make([]float64, 0, n), make([]float64, 0, n)
	for i := range n {
		if metrics.Finite(prompts[i], 1).OK && metrics.Finite(ttfts[i], 1).OK {
			x, y = append(x, prompts[i]), append(y, ttfts[i])
		}
	}
	if len(x) > fitMost {
		x, y = x[len(x)-fitMost:], y[len(y)-fitMost:]
	}
	if n > 0 && len(x) == 0 {
		return NoFit(0, metrics.WhyNoPromptCount)
	}
	if n = len(x); n < minFit {
		return NoFit(n, metrics.Needs(minFit))
	}
	same := metrics.WhyEqualPrompts
	lo, hi := slices.Min(x), slices.Max(x)
	if !(hi-lo > 0.2*math.Abs(hi)) {
		return NoFit(n, same)
	}
	slope := metrics.Finite(stats.Slope(x, y, nil), n)
	if !slope.OK {
		return NoFit(n, same)
	}
	f := TTFTFit{N: n, Low: lo, High: hi, B: slope}
	rest := make([]float64, 0, n)
	for i := range x {
		if r := y[i] - f.B.V*x[i]; metrics.Finite(r, 1).OK {
			rest = append(rest, r)
		}
	}
	if len(rest) == 0 {
		return NoFit(n, metrics.WhyTooLarge)
	}
	f.A = metrics.Finite(stats.Median(rest), n)
	f.Off = metrics.Finite(medianOff(rest, f.A.V), n)
	f.Longest = longestOff(x, y, &f)
	f.R2 = metrics.Unknown(metrics.WhyEqualTTFT)
	if wide := medianOff(y, stats.Median(slices.Clone(y))); f.Off.OK && wide > 0 {
		left := f.Off.V / wide
		f.R2 = metrics.Finite(max(1-left*left, 0), n)
	}
	return f
}

// NoFit returns an unknown fit of n requests with its reason.
func NoFit(n int, why metrics.Why) TTFTFit {
	u := metrics.Unknown(why)
	return TTFTFit{A: u, B: u, Off: u, R2: u, Longest: u, N: n}
}

// longestOff returns TTFTFit.Longest of the requests x, y.
func longestOff(x, y []float64, f *TTFTFit) metrics.Value {
	var off []float64
	for i := range x {
		if x[i] >= 0.9*f.High {
			off = append(off, y[i]/(f.A.V+f.B.V*x[i])-1)
		}
	}
	if len(off) < 2 {
		return metrics.Unknown(metrics.Needs(2))
	}
	if line := f.A.V + f.B.V*f.High; !(line > 0) {
		return metrics.Unknown(metrics.WhyTooLarge)
	}
	return metrics.Finite(stats.Median(off), len(off))
}

// fitMost bounds the requests of a fit: 200 requests give 19 900 slopes.
const fitMost = 200

// medianOff returns the median distance of x from middle. It changes x.
func medianOff(x []float64, middle float64) float64 {
	for i := range x {
		x[i] = math.Abs(x[i] - middle)
	}
	return stats.Median(x)
}
