package history

import (
	"math"
	"time"

	"tokscope/metrics/history"
	"tokscope/metrics/stats"
)

// The same hour of other days. A pattern is taken from a series of daysNeeded days
// on, for slots of at most widest.
const (
	daysNeeded = 3
	widest     = 3 * time.Hour
	day        = 24 * time.Hour
	hours      = 48 // places of the pattern in a day
	near       = 45 * time.Minute
)

// hasDays reports whether slots cover enough days for a daily pattern.
func hasDays(at []*history.Slot) bool {
	n := len(at)
	return n > 0 && at[0].Width <= widest && at[n-1].From.Add(at[n-1].Width).Sub(at[0].From) >= daysNeeded*day
}

// withoutDays returns values less what comes every day at their time, by the clocks
// of a location: the classical decomposition of a series. What comes every day is
// the median, over the days, of the difference to the mean of the 24 hours around. A
// lasting change lies in that mean but for the day of the change, which is one of
// several. Values are unchanged where there are too few days.
func withoutDays(at []*history.Slot, values []float64, zone *time.Location) []float64 {
	if !hasDays(at) {
		return values
	}
	rest := make([]float64, len(values))
	places := make([]time.Duration, len(values)) // since midnight
	for i, mean := range meansOfDays(at, values) {
		rest[i] = values[i] - mean
		middle := at[i].From.Add(at[i].Width / 2).In(zone)
		hour, minute, second := middle.Clock()
		places[i] = time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute + time.Duration(second)*time.Second
	}
	var pattern [hours]float64
	const step = day / hours
	wide := max(near, at[0].Width/2)
	for h := range pattern {
		var values []float64
		for i, place := range places {
			if off := (place - time.Duration(h)*step + day) % day; off <= wide || day-off <= wide {
				values = append(values, rest[i])
			}
		}
		if len(values) >= daysNeeded {
			pattern[h] = stats.Median(values)
		}
	}
	out := make([]float64, len(values))
	for i, place := range places {
		h, share := math.Modf(float64(place) / float64(step))
		out[i] = values[i] - (1-share)*pattern[int(h)%hours] - share*pattern[int(h+1)%hours]
	}
	return out
}

// meansOfDays returns the mean of the 24 hours around each slot; at the ends, of the
// first and the last 24 hours.
func meansOfDays(at []*history.Slot, values []float64) []float64 {
	out := make([]float64, len(values))
	first, end := at[0].From, at[len(at)-1].From.Add(at[0].Width)
	from, to, sum := 0, 0, 0.0
	for i := range values {
		begin := at[i].From.Add(-day / 2)
		if last := end.Add(-day); begin.After(last) {
			begin = last
		}
		if begin.Before(first) {
			begin = first
		}
		for ; to < len(at) && at[to].From.Before(begin.Add(day)); to++ {
			sum += values[to]
		}
		for ; at[from].From.Before(begin); from++ {
			sum -= values[from]
		}
		out[i] = sum / float64(to-from)
	}
	return out
}
