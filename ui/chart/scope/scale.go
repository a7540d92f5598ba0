package scope

import (
	"math"

	"tokscope/metrics"
	"tokscope/ui/chart"
)

// Ends of the axis of gaps in ms: five decades.
const (
	leastMs = 0.1
	mostMs  = 10e3
)

// ranges keeps the ends of the linear axis, so that they change rarely.
type ranges struct {
	id     int
	lo, hi float64
}

// choose returns the scale for gaps from min to max and a plot of that many
// rows of cells.
func (k *ranges) choose(d *Data, rows int) chart.Scale {
	c := chart.Scale{Min: leastMs, Max: mostMs, Log: !d.Linear, Rows: rows}
	if d.Linear {
		c.Min, c.Max = k.around(d)
		return c
	}
	lo, hi := extent(d)
	for _, from := range [...]float64{1, 0.1, 10} {
		if from <= lo && hi <= from*1000 {
			c.Min, c.Max = from, from*1000
			break
		}
	}
	return c
}

// extent is the smallest and the largest gap that the axis should hold.
func extent(d *Data) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	hold := func(ms float64) {
		if ms > 0 {
			lo, hi = min(lo, ms), max(hi, ms)
		}
	}
	add := func(f *metrics.Figures) {
		if f.Gaps.N > 0 {
			hold(f.Gaps.Min.V)
			hold(f.Gaps.Max.V)
		}
	}
	add(d.Figures)
	for _, r := range d.Past {
		add(&r.Figures)
	}
	if d.Pinned != nil {
		add(&d.Pinned.Figures)
	}
	hold(d.Reading)
	hold(d.Open)
	return lo, hi
}

// around is the linear range around the median: two and a half times the
// distance to the p90 on both sides, and at least a tenth of the median.
func (k *ranges) around(d *Data) (lo, hi float64) {
	g := &d.Figures.Gaps
	if !g.P50.OK || !(g.P50.V > 0) {
		return 0, 100
	}
	mid, half := g.P50.V, g.P50.V/10
	if g.P90.OK {
		half = max(half, 2.5*(g.P90.V-mid))
	}
	half = chart.Nice(min(half, mid))
	if w := (k.hi - k.lo) / 2; k.id == d.Stream.ID && mid > k.lo+w/2 && mid < k.hi-w/2 && w >= half/2.1 && w <= half*2.1 {
		return k.lo, k.hi
	}
	q := half / 2
	lo = max(math.Floor((mid-half)/q)*q, 0)
	*k = ranges{d.Stream.ID, lo, lo + 2*half + q}
	return k.lo, k.hi
}
