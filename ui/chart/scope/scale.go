package scope

import (
	"math"

	"tokscope/metrics"
)

// Ends of the axis of gaps in ms: five decades.
const (
	leastMs = 0.1
	mostMs  = 10e3
)

// scale maps gaps in ms to rows of dots, counted from the bottom. The ends of
// the axis lie in the middle of the outer cells, so that a number beside a cell
// stands for its middle.
type scale struct {
	lo, hi float64
	linear bool
	rows   int // cells
}

// share is the place of ms between the ends, 0 to 1 within.
func (c scale) share(ms float64) float64 {
	if c.linear {
		return (ms - c.lo) / (c.hi - c.lo)
	}
	if !(ms > 0) {
		return math.Inf(-1)
	}
	return math.Log(ms/c.lo) / math.Log(c.hi/c.lo)
}

// height is the height of ms in dots above the lower edge.
func (c scale) height(ms float64) float64 { return 2 + c.share(ms)*float64(4*c.rows-4) }

// dot is the row of dots that holds ms. off is 1 where ms lies above the
// picture and -1 where it lies below; the dot is then the outermost.
func (c scale) dot(ms float64) (y, off int) {
	switch h := math.Floor(c.height(ms)); {
	case h >= float64(4*c.rows):
		return 4*c.rows - 1, 1
	case !(h >= 0):
		return 0, -1
	default:
		return int(h), 0
	}
}

// value is the gap in ms at a height in dots.
func (c scale) value(dots float64) float64 {
	f := (dots - 2) / max(float64(4*c.rows-4), 1)
	if c.linear {
		return c.lo + f*(c.hi-c.lo)
	}
	return c.lo * math.Pow(c.hi/c.lo, f)
}

// ranges keeps the ends of the linear axis, so that they change rarely.
type ranges struct {
	id     int
	lo, hi float64
}

// choose returns the scale for gaps from min to max and a plot of that many
// rows of cells.
func (k *ranges) choose(d *Data, rows int) scale {
	c := scale{lo: leastMs, hi: mostMs, linear: d.Linear, rows: rows}
	if d.Linear {
		c.lo, c.hi = k.around(d)
		return c
	}
	lo, hi := extent(d)
	for _, from := range [...]float64{1, 0.1, 10} {
		if from <= lo && hi <= from*1000 {
			c.lo, c.hi = from, from*1000
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
	half = Nice(min(half, mid))
	if w := (k.hi - k.lo) / 2; k.id == d.Stream.ID && mid > k.lo+w/2 && mid < k.hi-w/2 && w >= half/2.1 && w <= half*2.1 {
		return k.lo, k.hi
	}
	q := half / 2
	lo = max(math.Floor((mid-half)/q)*q, 0)
	*k = ranges{d.Stream.ID, lo, lo + 2*half + q}
	return k.lo, k.hi
}

// tick is a number of an axis.
type tick struct {
	v     float64
	major bool // has the first claim to a place
}

// ticks appends the numbers of the axis, 1-2-5: on the logarithmic one the
// decades before the twos and fives between them.
func (c scale) ticks(out []tick) []tick {
	out = out[:0]
	if c.linear {
		step := Nice((c.hi - c.lo) / max(float64(c.rows-1)/2, 1))
		for v := math.Ceil(c.lo/step-1e-9) * step; v <= c.hi+step*1e-9 && len(out) < 64; v += step {
			out = append(out, tick{v, true})
		}
		return out
	}
	for v := c.hi; v > c.lo*0.99; v /= 10 {
		out = append(out, tick{v, true})
	}
	for v := c.lo; v < c.hi*0.99; v *= 10 {
		out = append(out, tick{2 * v, false}, tick{5 * v, false})
	}
	return out
}
