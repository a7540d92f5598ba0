package chart

import "tokscope/ui/format"

// logFrom is the ratio of the longest to the shortest length above which their axis
// is logarithmic.
const logFrom = 10

// Lengths makes a an axis of tokens that holds lo to hi, both above 0: 1k, 2k, 5k. It
// is logarithmic where hi is more than ten times lo, else linear and begins at 0.
func (a *Axis) Lengths(lo, hi float64) {
	before, labeled := *a, len(a.Ticks) > 0
	if hi > logFrom*lo {
		a.Decades(lo, hi)
	} else {
		a.Linear(hi)
	}
	if labeled && before.Min == a.Min && before.Max == a.Max && before.Log == a.Log {
		return
	}
	for i := range a.Ticks {
		a.Ticks[i].Label = tokens(a.Ticks[i].At)
	}
}

// tokens formats a tick of a number of tokens: "200", "1k", "1.5k", "2M".
func tokens(v float64) string {
	switch {
	case v >= 1e6:
		return format.Exact(round3(v/1e6)) + "M"
	case v >= 1e3:
		return format.Exact(round3(v/1e3)) + "k"
	}
	return format.Exact(round3(v))
}
