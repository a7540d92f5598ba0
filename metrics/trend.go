package metrics

import (
	"cmp"
	"math"
	"tokscope/metrics/stats"
)

// The gaps of a response are divided, in order, into bins of equal size. A
// bin's point is the median of its gaps at its middle chunk. A trend needs
// minBins of the smallest bins, that is MinTrend gaps. At maxBins the bins
// double in width. Medians of eight keep stalls from bending the line; at
// most maxBins points keep the computation cheap.
const (
	firstBin = 8
	minBins  = 8
	maxBins  = 32
	// MinTrend is the number of known gaps below which Figures.Trend is unknown.
	MinTrend = firstBin * minBins
)

// trendFold keeps the bins. It depends on the gaps alone, not on how they are
// grouped into calls.
type trendFold struct {
	size    int
	next    int       // first gap of the series that is not in a bin yet
	x, y    []float64 // of the points
	scratch []float64
}

func (t *trendFold) empty() trendFold {
	return trendFold{size: firstBin, x: t.x[:0], y: t.y[:0], scratch: t.scratch[:0]}
}

func (t *trendFold) extend(series []gapPoint) {
	for t.next+t.size <= len(series) {
		bin := series[t.next : t.next+t.size]
		t.scratch = t.scratch[:0]
		for _, g := range bin {
			t.scratch = append(t.scratch, g.ms)
		}
		t.x = append(t.x, float64(bin[len(bin)/2].ordinal))
		t.y = append(t.y, stats.Median(t.scratch))
		t.next += t.size
		if len(t.x) == maxBins {
			t.size *= 2
			t.next, t.x, t.y = 0, t.x[:0], t.y[:0]
		}
	}
}

// line returns the slope of the points, in ms per chunk. sure reports whether
// Kendall's test of the points rejects "no trend" at 5 %, two-sided.
func (t *trendFold) line() (slope float64, sure bool) {
	s := 0
	for i, a := range t.y {
		for _, b := range t.y[i+1:] {
			s += cmp.Compare(b, a)
		}
	}
	n := float64(len(t.y))
	deviation := math.Sqrt(n * (n - 1) * (2*n + 5) / 18)
	return stats.Slope(t.x, t.y, &t.scratch), (math.Abs(float64(s))-1)/deviation > 1.96
}

// leastTrend is the least change, in percent per 1000 tokens, that is worth a word.
const leastTrend = 1.0

// HasTrend reports whether Trend is worth a word: more than chance, and not small.
func (f *Figures) HasTrend() bool {
	return f.Trend.OK && f.TrendSure && math.Abs(f.Trend.V) >= leastTrend
}

// trendOf computes Figures.Trend and TrendSure.
//
//	Trend = 100 · 1000 · slope / (tokens per chunk) / median gap
//
// in percent of the median per 1000 tokens (per 1000 chunks while tokens are
// unknown). It grows with the KV cache, since every token reads all of it.
// Unknown below MinTrend known gaps.
func (f *ingest) trendOf(perChunk Value) (v Value, sure bool) {
	if len(f.gaps.series) < MinTrend {
		return Unknown(Needs(MinTrend)), false
	}
	slope, sure := f.trend.line()
	per := 1.0
	if perChunk.OK && perChunk.V > 0 {
		per = perChunk.V
	}
	v = Finite(slope/per/stats.Quantile(f.gaps.sorted, 0.5)*1000*100, len(f.gaps.series))
	return v, sure && v.OK
}
