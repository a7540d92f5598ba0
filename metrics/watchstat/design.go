package watchstat

import (
	"math"

	"tokscope/metrics/stats"
)

// MinValues is how many values of a figure a baseline must have. Below, no limit
// of use has the wanted interval between false alarms.
const MinValues = 10

// maxHeight bounds the sum of an alarm: a higher one finds changes too late.
const maxHeight = 200

// shift is the change for which [DesignOf] chooses, in deviations of a normal
// distribution. A choice for another one has the same false alarms.
const shift = 2

// Design is how one figure is watched.
type Design struct {
	// Rank is the limit: the Rank-th smallest value of the baseline.
	Rank int
	// Up and Height are those of the [stats.Cusum].
	Up, Height int
	// Rounds is the interval between false alarms of all series together, in
	// probes of each, in nine baselines of ten.
	Rounds float64
	// Delay is how many probes a change by two deviations takes to be found, and
	// Least the fewest of any change.
	Delay float64
	Least int
}

// Cusum returns the watch of the design.
func (d *Design) Cusum() stats.Cusum { return stats.Cusum{Up: d.Up, Height: d.Height} }

// ups are the steps that are tried, quantiles the limits.
var (
	ups       = []int{1, 2, 3, 4, 6, 8, 12}
	quantiles = []float64{0.75, 0.8, 0.9, 0.95, 1}
)

// DesignOf returns how a figure with m values in its baseline is watched, as one
// of so many series, when false alarms of all of them must be rounds apart. Of all
// limits and steps with that property it takes those that find a change soonest.
// ok is false if none has it.
func DesignOf(m, series int, rounds float64) (best Design, ok bool) {
	if m < MinValues {
		return Design{}, false
	}
	best.Delay = math.Inf(1)
	last := 0
	for _, q := range quantiles {
		rank := min(int(math.Ceil(q*float64(m))), m)
		if rank == last {
			continue
		}
		last = rank
		share := stats.ShareAbove(m, rank, stats.Baselines(series))
		after := shifted(float64(m-rank+1) / float64(m+1))
		best, ok = soonest(best, ok, rank, share, after, series, rounds)
	}
	return best, ok
}

// FailureDesignOf is DesignOf for failures: m requests of a baseline of which
// failed did not end well. The bound of their true share is that of Clopper and
// Pearson (Biometrika 26, 1934). It is made for a server that fails half the time.
func FailureDesignOf(m, failed, series int, rounds float64) (Design, bool) {
	if m < MinValues || failed >= m {
		return Design{}, false
	}
	rank := m - failed
	return soonest(Design{Delay: math.Inf(1)}, false, rank, stats.ShareAbove(m, rank, stats.Baselines(series)), 0.5, series, rounds)
}

// soonest returns best, or a design with that rank that finds a change sooner.
// share is the share of exceedances that the baselines do not exceed, after that of
// the change.
func soonest(best Design, ok bool, rank int, share, after float64, series int, rounds float64) (Design, bool) {
	for _, up := range ups {
		// Above the balance of the steps the sum rises by itself.
		if share*float64(up+1) > 0.9 || after*float64(up+1) < 1.2 {
			continue
		}
		c := stats.Cusum{Up: up}
		for c.Height = 1; c.Height <= maxHeight; c.Height++ {
			if float64(c.Height)/float64(up) > best.Delay {
				break // found no sooner than best even if every value exceeds
			}
			between := c.RunLength(share) / float64(max(series, 1))
			if between < rounds {
				continue
			}
			if delay := c.RunLength(after); delay < best.Delay {
				best, ok = Design{rank, up, c.Height, between, delay, (c.Height + up - 1) / up}, true
			}
			break
		}
	}
	return best, ok
}

// shifted returns the share above a limit after the change, if it was p before.
func shifted(p float64) float64 {
	z := math.Sqrt2 * math.Erfinv(1-2*p)
	return math.Erfc((z-shift)/math.Sqrt2) / 2
}
