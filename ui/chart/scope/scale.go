package scope

import (
	"math"

	"tokscope/metrics"
	"tokscope/metrics/stats"
	"tokscope/ui/chart"
)

const (
	leastSpan = 3.0 // the largest gap on the axis is at least so many times the smallest
	// loose is how many times wider than needed the axis may be while chunks arrive,
	// so that it changes rarely.
	loose = 1.6
	// leftOut is the share of the gaps beyond each end of the axis, at least one gap.
	leftOut = 0.01
)

// ranges keeps the ends of the axis of gaps.
type ranges struct {
	lo, hi  float64
	spreads [2 + MostPast]spread // of the stream, the pinned run, the earlier ones
}

// choose returns the scale for a plot of that many rows of cells: it holds the middle
// of the gaps of the stream and of the pinned run, and before there is one those of the
// earlier runs. Without any it has no length.
func (k *ranges) choose(d *Data, rows int) chart.Scale {
	lo, hi := k.spreads[0].middle(d.Stream)
	hold := func(i int, s *metrics.Stream) {
		switch l, h := k.spreads[i].middle(s); {
		case hi == 0:
			lo, hi = l, h
		case h > 0:
			lo, hi = min(lo, l), max(hi, h)
		}
	}
	if d.Pinned != nil {
		hold(1, &d.Pinned.Stream)
	}
	if past := latest(d.Past); !(hi > 0) {
		for i, r := range past {
			hold(2+i, &r.Stream)
		}
	}
	if !(hi > 0) {
		return chart.Scale{Min: 1, Max: 1, Log: true, Rows: rows}
	}
	needLo, needHi := lo, hi
	if hi < leastSpan*lo {
		mid := math.Sqrt(lo * hi)
		lo, hi = mid/math.Sqrt(leastSpan), mid*math.Sqrt(leastSpan)
	}
	held := k.lo <= needLo && needHi <= k.hi && k.hi/k.lo <= loose*hi/lo
	if !held || d.Stream.State.Ended() {
		k.lo, k.hi = lo, hi
	}
	return chart.Scale{Min: k.lo, Max: k.hi, Log: !d.Linear, Rows: rows}
}

// latest are the earlier runs that are drawn.
func latest(past []*metrics.Run) []*metrics.Run { return past[max(len(past)-MostPast, 0):] }

// spreadBins are those of a spread, in ms: from a microsecond to an hour.
var spreadBins = stats.Octaves{Low: -10, High: 22, Per: 32}

// spread counts the known gaps of a stream by their length. Each is counted once.
type spread struct {
	id, done, n int
	zero        metrics.Stamp
	bins        []int32
}

// middle is the range of the gaps without the outermost ones at both ends, to the
// edges of the bins: all of them while they are two. hi is 0 without a gap.
func (c *spread) middle(s *metrics.Stream) (lo, hi float64) {
	if c.id != s.ID || c.zero != s.Marks.Sent || c.done > len(s.Chunks) || c.bins == nil {
		*c = spread{id: s.ID, zero: s.Marks.Sent, bins: c.bins}
		if c.bins == nil {
			c.bins = make([]int32, spreadBins.Len())
		}
		clear(c.bins)
	}
	for ; c.done < len(s.Chunks); c.done++ {
		if ms, ok := s.Gap(c.done); ok && ms > 0 {
			c.bins[spreadBins.Bin(ms)]++
			c.n++
		}
	}
	if c.n == 0 {
		return 0, 0
	}
	out := int32(0)
	if c.n > 2 {
		out = int32(math.Ceil(leftOut * float64(c.n)))
	}
	first, last, left := 0, len(c.bins)-1, out
	for ; c.bins[first] <= left; first++ {
		left -= c.bins[first]
	}
	for left = out; c.bins[last] <= left; last-- {
		left -= c.bins[last]
	}
	half := math.Exp2(0.5 / float64(spreadBins.Per)) // of a bin
	return spreadBins.Middle(first) / half, spreadBins.Middle(last) * half
}
