package watchstat

import (
	"slices"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/stats"
)

// The same hour of previous days. A rise that at least half of daysNeeded or more
// days have had at this time of the day is usual.
const (
	daysNeeded = 3
	daysKept   = 14
	// around widens the time of the day of the rise on both sides.
	around = 15 * time.Minute
	// nearly is how much of the present median a quarter of a day's probes must
	// reach. A quarter, because the rise may begin or end within the time.
	nearly = 0.9
	// pastKept bounds what is kept for that, in probes: 14 days of one every 30 s.
	pastKept = 40_320
)

// Point is what is kept of a probe for later days and for charts.
type Point struct {
	At     time.Time
	Values [Timed]float32 // ms; 0: unknown
	Failed bool
}

// Days says what previous days had at the same time of the day.
type Days struct {
	N int `json:"days_compared"` // days with probes at that time
	// Like counts, of these, days of which a quarter of the probes were above the
	// limit and nearly as slow.
	Like int `json:"days_alike"`
}

// Usual reports whether the rise comes every day.
func (d Days) Usual() bool { return d.N >= daysNeeded && 2*d.Like >= d.N }

// days compares the median of a figure from one moment to another with the same
// time of previous days. of is Failures or a time; limit is that of its watch, now
// its present median, or share. The time is that of the clocks at the location of
// from: what comes every day follows people, who change their clocks.
func days(all []Point, of Figure, limit, now float64, from, to time.Time, every time.Duration) (d Days) {
	wide := max(around, every)
	for back := 1; back <= daysKept; back++ {
		a := from.AddDate(0, 0, -back)
		b := a.Add(to.Sub(from) + wide)
		a = a.Add(-wide)
		i, _ := slices.BinarySearchFunc(all, a, func(p Point, t time.Time) int { return p.At.Compare(t) })
		var values []float64
		for ; i < len(all) && !all[i].At.After(b); i++ {
			switch p := &all[i]; {
			case of == Failures && p.Failed:
				values = append(values, 1)
			case of == Failures:
				values = append(values, 0)
			case p.Values[of] > 0:
				values = append(values, float64(p.Values[of]))
			}
		}
		if high, ok := levelOf(of, values, 0.75); ok {
			d.N++
			if (of == Failures || high > limit) && high >= nearly*now {
				d.Like++
			}
		}
	}
	return d
}

// levelOf returns a quantile of values of a figure, of failures their share; ok is false
// without any. It sorts them.
func levelOf(f Figure, values []float64, q float64) (level float64, ok bool) {
	switch {
	case len(values) == 0:
		return 0, false
	case f == Failures:
		return metrics.Mean(values, metrics.WhyNoChunk).V, true
	}
	slices.Sort(values)
	return stats.Quantile(values, q), true
}
