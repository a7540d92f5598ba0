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
	// probes of each, in nine baselines of ten, if no other series has more than
	// its part of them.
	Rounds float64
	// Delay is how many probes a change by two deviations takes to be found.
	Delay float64
}

// Cusum returns the watch of the design.
func (d *Design) Cusum() stats.Cusum { return stats.Cusum{Up: d.Up, Height: d.Height} }

// ups are the steps that are tried, quantiles the limits.
var (
	ups       = []int{1, 2, 3, 4, 6, 8, 12}
	quantiles = []float64{0.75, 0.8, 0.9, 0.95, 1}
)

// Split of the false alarms between failures and times. A run of failures is found
// soon only if the bound of their share is low, and 20 probes without one bound it
// at 14 % with half of the unlucky baselines, at 20 % with an eighth of them.
const (
	failureDoubt  = 0.5  // of the baselines in which the interval does not hold
	failureAlarms = 0.25 // of the false alarms
	// leastFailed is how many failures in a row an alarm needs at least: a cause
	// that lasts for moments spoils two.
	leastFailed = 3
)

// allowance says which part of the false alarms one series may have.
type allowance struct {
	bound float64 // quantile of the true share above the limit, over baselines
	parts float64 // the series may have the parts-th part of the false alarms
}

// allowed returns the part of a time, or of failures, when so many targets are
// watched.
func allowed(failures bool, targets int) allowance {
	n := float64(max(targets, 1))
	if failures {
		return allowance{1 - unlucky*failureDoubt/n, n / failureAlarms}
	}
	n *= Timed
	return allowance{1 - unlucky*(1-failureDoubt)/n, n / (1 - failureAlarms)}
}

// unlucky is the share of baselines in which the printed interval does not hold.
const unlucky = 0.1

// DesignOf returns how a figure with m values in its baseline is watched, as one of
// the times of so many targets, when false alarms of all figures together must be
// rounds apart. Of all limits and steps with that property it takes those that find
// a change soonest. ok is false if none has it.
func DesignOf(m, targets int, rounds float64) (best Design, ok bool) {
	return designOf(m, targets, rounds, shifted)
}

// EarlyDesignOf is DesignOf for suspicions: it is made for a change so large that
// nearly every value lies above the limit.
func EarlyDesignOf(m, targets int, rounds float64) (Design, bool) {
	return designOf(m, targets, rounds, func(float64) float64 { return 0.9 })
}

// designOf is DesignOf for a change after which the share above the limit is after of
// that before.
func designOf(m, targets int, rounds float64, after func(float64) float64) (best Design, ok bool) {
	if m < MinValues {
		return Design{}, false
	}
	best.Delay = math.Inf(1)
	part := allowed(false, targets)
	last := 0
	for _, q := range quantiles {
		rank := min(int(math.Ceil(q*float64(m))), m)
		if rank == last {
			continue
		}
		last = rank
		above := stats.ShareAbove(m, rank, part.bound)
		share := after(float64(m-rank+1) / float64(m+1))
		best, ok = soonest(best, ok, rank, 1, above, share, part.parts*rounds)
	}
	best.Rounds /= part.parts
	return best, ok
}

// FailureDesignOf is DesignOf for failures: m requests of a baseline of which
// failed did not end well. The bound of their true share is that of Clopper and
// Pearson (Biometrika 26, 1934). It is made for a server that fails three times of
// four: a run of failures is found soon, and one that fails half the time not late.
func FailureDesignOf(m, failed, targets int, rounds float64) (Design, bool) {
	if m < MinValues || failed >= m {
		return Design{}, false
	}
	rank := m - failed
	part := allowed(true, targets)
	d, ok := soonest(Design{Delay: math.Inf(1)}, false, rank, leastFailed,
		stats.ShareAbove(m, rank, part.bound), 0.75, part.parts*rounds)
	d.Rounds /= part.parts
	return d, ok
}

// soonest returns best, or a design with that rank that finds a change sooner, with
// that many values at least and alarms that are so many values apart. above is the
// share of exceedances that the baselines do not exceed, after that of the change.
func soonest(best Design, ok bool, rank, least int, above, after, apart float64) (Design, bool) {
	for _, up := range ups {
		// Above the balance of the steps the sum rises by itself.
		if above*float64(up+1) > 0.9 || after*float64(up+1) < 1.2 {
			continue
		}
		c := stats.Cusum{Up: up}
		for c.Height = (least-1)*up + 1; c.Height <= maxHeight; c.Height++ {
			if float64(c.Height)/float64(up) > best.Delay {
				break // found no sooner than best even if every value exceeds
			}
			between := c.RunLength(above)
			if between < apart {
				continue
			}
			if delay := c.RunLength(after); delay < best.Delay {
				best, ok = Design{rank, up, c.Height, between, delay}, true
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
