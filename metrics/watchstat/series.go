package watchstat

import (
	"slices"
	"time"

	"tokscope/metrics/pick"
	"tokscope/metrics/stats"
)

// Hysteresis. A figure that changed is usual again after clearAt probes within its
// limit; one above it sets that back by setBack.
const (
	clearAt = 10
	setBack = 2
	// dropAt is clearAt of a suspicion.
	dropAt = 5
)

// kept is how many of the last values of a figure are kept: they date a change and
// are compared with the baseline.
const kept = 256

// value is one value of a figure.
type value struct {
	v     float64
	at    time.Time
	probe int // its number, from 1; 0 and below: from before the watch
}

// number is the value alone.
func (v *value) number() float64 { return v.v }

// series watches one figure against its baseline.
type series struct {
	detector           // of changes
	early    detector  // of suspicions; a figure has one only with the other
	base     []float64 // of the baseline, ascending
	recent   []value   // the last values, those of a learned baseline included

	// usual are the base, in the order of time, and what followed while all was as usual.
	// The last held of them came since the sum of the detector that they grow last left 0. At
	// redesign of them its design is made anew: 20 values say little of how far a figure strays.
	usual          []float64
	held, redesign int
}

// grow counts a value that the watch has followed, and reports whether a new design of x is
// due: that of suspicions, or of the failures. A rise in progress counts once it is over, and
// not at all if it raises x. The limits of changes of a time stay: if they followed, a slow
// decline would never be found.
func (s *series) grow(x *detector, v float64, usual bool) bool {
	if !usual || x.raised {
		s.usual, s.held = s.usual[:len(s.usual)-s.held], 0
		return false
	}
	s.usual, s.held = append(s.usual, v), s.held+1
	if x.cusum.Since() > 0 {
		return false
	}
	s.held = 0
	return len(s.usual) >= s.redesign
}

// detector compares values with a limit.
type detector struct {
	design  Design
	watched bool // it has a design
	limit   float64
	cusum   stats.Cusum

	raised  bool
	clear   int // how far it is back within its limit
	cleared value
}

// learn sets the baseline, in the order of time.
func (s *series) learn(values []value) {
	s.usual = pick.Each(values, (*value).number)
	s.base = slices.Sorted(slices.Values(s.usual))
	s.recent = slices.Clone(values[max(0, len(values)-kept):])
}

// watch begins to watch with a design. base are the values of the baseline, ascending.
func (x *detector) watch(d Design, base []float64) {
	x.watched, x.design, x.cusum = true, d, d.Cusum()
	if len(base) > 0 {
		x.limit = base[d.Rank-1]
	}
}

// add adds a value and reports whether the figure has changed by it, or is usual
// again.
func (s *series) add(v value) (changed, usual bool) {
	if len(s.recent) == 2*kept {
		s.recent = slices.Clone(s.recent[kept:])
	}
	s.recent = append(s.recent, v)
	s.early.add(v, dropAt)
	return s.detector.add(v, clearAt)
}

// add adds a value and reports whether the detector is raised by it, or is no longer:
// after so many values within the limit.
func (x *detector) add(v value, clearAt int) (raised, cleared bool) {
	if !x.watched {
		return false, false
	}
	above := v.v > x.limit
	alarm := x.cusum.Add(above)
	switch {
	case !x.raised && alarm:
		x.raised, x.clear = true, 0
		return true, false
	case x.raised && above:
		x.clear = max(x.clear-setBack, 0)
	case x.raised:
		if x.clear == 0 {
			x.cleared = v
		}
		if x.clear++; x.clear >= clearAt {
			x.reset()
			return false, true
		}
	}
	return false, false
}

// reset makes the figure usual.
func (x *detector) reset() {
	x.raised, x.clear = false, 0
	x.cusum.Reset()
}

// Dating. A change is looked for among the last window values, not earlier than
// early values before the sum of the CUSUM rose.
const (
	window = 128
	early  = 8
)

// began returns the first value of the change, and how sharp the change is there:
// the share of the variance of the ranks that it explains. The split of the last
// values that explains most of it gives the level after the change; ranks make
// outliers harmless. refined then dates it. x is the detector that found it.
func (s *series) began(x *detector) (value, float64) {
	xs := s.recent[max(0, len(s.recent)-window):]
	n := len(xs)
	first := max(1, n-x.cusum.Since()-early)
	ranks, _ := stats.Ranks(pick.Each(xs, (*value).number))
	mean, total := float64(n+1)/2, 0.0
	sums := make([]float64, n+1)
	for i, r := range ranks {
		sums[i+1] = sums[i] + r - mean
		total += (r - mean) * (r - mean)
	}
	at, best := min(first, n-1), 0.0
	for t := first; t < n; t++ {
		// The sum of squares between the parts; the later one must be higher.
		if rise := -sums[t]; rise > 0 {
			if between := rise * rise * float64(n) / (float64(t) * float64(n-t)); between > best {
				at, best = t, between
			}
		}
	}
	if total > 0 {
		best /= total
	}
	return xs[s.refined(xs, first, at)], best
}

// refined returns where the values go from the level of the baseline to that from
// at on. It has the largest sum of what lies above the middle of both levels from
// there to the end, with values bounded to the levels.
func (s *series) refined(xs []value, first, at int) int {
	low, high := stats.Median(slices.Clone(s.base)), stats.Median(pick.Each(xs[at:], (*value).number))
	if !(high > low) {
		return at
	}
	sum, most := 0.0, 0.0
	for i := len(xs) - 1; i >= first; i-- {
		sum += min(max((xs[i].v-low)/(high-low), 0), 1) - 0.5
		if sum > most {
			at, most = i, sum
		}
	}
	return at
}

// span is a part of what was watched.
type span struct {
	since, until time.Time // until is not part of it; zero for no end
	after        int       // a probe, which is not part of it either; 0 for none
	newest       int       // only so many values, the last ones; 0 for all
}

// in returns the kept values of a span.
func (s *series) in(x span) []float64 {
	var out []float64
	for _, v := range s.recent {
		if !v.at.Before(x.since) && (x.until.IsZero() || v.at.Before(x.until)) && (x.after == 0 || v.probe > x.after) {
			out = append(out, v.v)
		}
	}
	if x.newest > 0 {
		out = out[max(len(out)-x.newest, 0):]
	}
	return out
}
