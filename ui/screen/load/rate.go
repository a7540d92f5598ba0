package load

import (
	"math"

	"tokscope/ui/draw"
)

// leastRate and mostRate are the ends of the rate's slider, requests a second.
// A typed rate may lie outside.
const leastRate, mostRate = 0.1, 1000.0

// rateSteps and userSteps are the steps of the sliders.
var (
	rateSteps = [...]float64{0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000}
	userSteps = [...]float64{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024}
)

// RateStep is the rate one step of the slider from rate: 0.1, 0.2, 0.5 … 1000.
func RateStep(rate float64, by int) float64 {
	const close = 1 + 1e-9
	if by < 0 {
		for i := len(rateSteps) - 1; i > 0; i-- {
			if rateSteps[i]*close < rate {
				return rateSteps[i]
			}
		}
		return leastRate
	}
	for _, step := range rateSteps {
		if step > rate*close {
			return step
		}
	}
	return mostRate
}

// RateFine is the rate one in its second digit from rate: 12 to 13, 1.2 to 1.3.
func RateFine(rate float64, by int) float64 {
	rate = min(max(rate, leastRate), mostRate)
	unit := math.Pow(10, math.Floor(math.Log10(rate)+1e-9)-1)
	if by < 0 && math.Round(rate/unit) <= 10 {
		unit /= 10
	}
	return tidy((math.Round(rate/unit) + float64(by)) * unit)
}

// tidy bounds a rate and removes the errors of its last digits.
func tidy(rate float64) float64 {
	rate = min(max(rate, leastRate), mostRate)
	unit := math.Pow(10, 3-math.Floor(math.Log10(rate)))
	return math.Round(rate*unit) / unit
}

// rateColumn is the column of a rate on a track, 0 to w-1.
func rateColumn(rate float64, w int) int {
	f := math.Log(min(max(rate, leastRate), mostRate)/leastRate) / math.Log(mostRate/leastRate)
	return int(math.Round(f * float64(max(w-1, 0))))
}

// rateAt is the inverse of rateColumn: a step of the slider if one lies in the
// column, else a rate of two digits between steps.
func rateAt(track draw.Rect, x int) float64 {
	w := track.W
	if w < 2 {
		return 1
	}
	col := min(max(x-track.X, 0), w-1)
	for _, step := range rateSteps {
		if rateColumn(step, w) == col {
			return step
		}
	}
	rate := leastRate * math.Pow(mostRate/leastRate, float64(col)/float64(w-1))
	return tidy(twoDigits(rate))
}

// twoDigits rounds a rate above 0.
func twoDigits(rate float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(rate))-1)
	return math.Round(rate/unit) * unit
}
