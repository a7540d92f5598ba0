package watchstat

import (
	"math"

	"tokscope/metrics/stats"
)

// Spread is what the values of a baseline are like where one number does not say it.
type Spread struct {
	Code SpreadCode `json:"shape"`
	// Low and High are the medians of the two levels, or the 10th and the 90th
	// percentile; Share is that of the values at the upper level.
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	Share float64 `json:"upper_share"`
}

// SpreadCode says of which kind a spread is. Its values are those of the JSON.
type SpreadCode string

// The kinds.
const (
	Narrow    SpreadCode = ""
	Wide      SpreadCode = "wide"
	TwoLevels SpreadCode = "two_levels"
)

const (
	// levelShare is the least share of the values at either level, levelRatio how far
	// the levels are apart at least: no value lies between them.
	levelShare, levelRatio = 0.15, 1.5
	// wideRatio is that of the 90th to the 10th percentile from which values are wide.
	wideRatio = 2.5
)

// spreadOf returns the spread of ascending values.
func spreadOf(values []float64) (s Spread) {
	n := len(values)
	if n < MinValues || !(values[0] > 0) {
		return s
	}
	least := max(int(math.Ceil(levelShare*float64(n))), 2)
	at, widest := 0, levelRatio
	for i := least; i <= n-least; i++ {
		if r := values[i] / values[i-1]; r >= widest {
			at, widest = i, r
		}
	}
	if at > 0 {
		return Spread{TwoLevels, stats.Quantile(values[:at], 0.5), stats.Quantile(values[at:], 0.5),
			float64(n-at) / float64(n)}
	}
	if low, high := stats.Quantile(values, 0.1), stats.Quantile(values, 0.9); high >= wideRatio*low {
		return Spread{Code: Wide, Low: low, High: high}
	}
	return s
}
