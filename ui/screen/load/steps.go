package load

import (
	"math"
	"slices"

	"tokscope/ui/draw"
	"tokscope/ui/format"
)

// steps are those of a slider, ascending. Its track is logarithmic, from the first
// to the last of them.
type steps []float64

// userSteps and rateSteps are the steps of the sliders. MaxUsers is the right end of
// that of the users; a typed rate may lie outside of the other's.
var (
	userSteps = steps{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, MaxUsers}
	rateSteps = steps{leastRate, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, mostRate}
)

// MaxUsers is the right end of the slider of the users. leastRate and mostRate are
// the ends of that of the rate, requests a second.
const (
	MaxUsers            = 1024
	leastRate, mostRate = 0.1, 1000.0
)

// stepsOf are those of the rate's slider, or of the users'.
func stepsOf(open bool) steps { return format.Either(open, rateSteps, userSteps) }

// next is the value one step from v: the end of the slider where there is none.
func (s steps) next(v float64, by int) float64 {
	const close = 1 + 1e-9
	if by < 0 {
		i := slices.IndexFunc(s, func(step float64) bool { return step*close >= v })
		return s[max(format.Either(i < 0, len(s), i)-1, 0)]
	}
	i := slices.IndexFunc(s, func(step float64) bool { return step > v*close })
	return s[format.Either(i < 0, len(s)-1, i)]
}

// column is the column of v on a track, 0 to w-1.
func (s steps) column(v float64, w int) int {
	least, most := s[0], s[len(s)-1]
	f := math.Log(min(max(v, least), most)/least) / math.Log(most/least)
	return int(math.Round(f * float64(max(w-1, 0))))
}

// at is the inverse of column for column x of the screen: a step if one lies in it,
// else a value between steps, of a rate with two digits, of users a whole one.
func (s steps) at(track draw.Rect, x int) float64 {
	w := track.W
	if w < 2 {
		return 1
	}
	col := min(max(x-track.X, 0), w-1)
	for _, step := range s {
		if s.column(step, w) == col {
			return step
		}
	}
	v := s[0] * math.Pow(s[len(s)-1]/s[0], float64(col)/float64(w-1))
	if s[0] < 1 {
		return tidy(format.Digits(v, 2))
	}
	return math.Round(v)
}

// rateFine is the rate one in its second digit from rate: 12 to 13, 1.2 to 1.3.
func rateFine(rate float64, by int) float64 {
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
