package watchstat

import (
	"math"
	"sort"

	"tokscope/metrics/pick"
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
	return soonest(designs(m, targets, rounds), func(rank int) float64 {
		return shifted(float64(m-rank+1) / float64(m+1))
	})
}

// earlyDesign chooses of designs for suspicions that for a step after which every value is twice
// one of base, ascending values from before it.
func earlyDesign(designs []Design, base []float64) (Design, bool) {
	return soonest(designs, func(rank int) float64 {
		above := pick.Count(base, func(v *float64) bool { return 2**v > base[rank-1] })
		return min((float64(above)+0.5)/float64(len(base)+1), 0.97)
	})
}

// designs returns what DesignOf chooses of, without Delay.
func designs(m, targets int, rounds float64) (all []Design) {
	if m < MinValues {
		return nil
	}
	part := allowed(false, targets)
	last := 0
	for _, q := range quantiles {
		rank := min(int(math.Ceil(q*float64(m))), m)
		if rank == last {
			continue
		}
		last = rank
		all = append(all, steps(rank, 1, stats.ShareAbove(m, rank, part.bound), part.parts, rounds)...)
	}
	return all
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
	all := steps(rank, leastFailed, stats.ShareAbove(m, rank, part.bound), part.parts, rounds)
	return soonest(all, func(int) float64 { return 0.75 })
}

// steps returns the designs with that rank, that many values at least, and alarms of all
// figures so many rounds apart, of which the figure has the parts-th part. above is the
// share of exceedances that the baselines do not exceed.
func steps(rank, least int, above, parts, rounds float64) (all []Design) {
	for _, up := range ups {
		if above*float64(up+1) > 0.9 { // above the balance of the steps the sum rises by itself
			continue
		}
		apart := func(height int) float64 {
			c := stats.Cusum{Up: up, Height: height}
			return c.RunLength(above)
		}
		rare := func(height int) bool { return height > maxHeight || apart(height) >= parts*rounds }
		low := (least-1)*up + 1
		high := low
		for !rare(high) {
			low, high = high+1, 2*high
		}
		if h := low + sort.Search(high-low, func(i int) bool { return rare(low + i) }); h <= maxHeight {
			all = append(all, Design{Rank: rank, Up: up, Height: h, Rounds: apart(h) / parts})
		}
	}
	return all
}

// soonest returns the design that finds a change soonest after which after of its rank is
// the share of values above the limit. ok is false if none finds it.
func soonest(all []Design, after func(rank int) float64) (best Design, ok bool) {
	best.Delay = math.Inf(1)
	for _, d := range all {
		share := after(d.Rank)
		if share*float64(d.Up+1) < 1.2 || float64(d.Height)/float64(d.Up) > best.Delay {
			continue
		}
		c := d.Cusum()
		if d.Delay = c.RunLength(share); d.Delay < best.Delay {
			best, ok = d, true
		}
	}
	return best, ok
}

// shifted returns the share above a limit after the change, if it was p before.
func shifted(p float64) float64 {
	z := math.Sqrt2 * math.Erfinv(1-2*p)
	return math.Erfc((z-shift)/math.Sqrt2) / 2
}
