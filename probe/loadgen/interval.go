package loadgen

import (
	"tokscope/metrics"
	"tokscope/metrics/loadstat"
)

// batchIntervals is the least number of intervals of the timeline in a batch
// of throughput: with one, a batch would be as long as the server's pauses.
const batchIntervals = 2

// peak returns the most tokens received in any second that begins with an
// interval of from..to (to excluded), and at least the throughput total. It is
// unknown where no token came.
func (t *timeline) peak(from, to int, total metrics.Value) metrics.Value {
	from, to = max(from, t.next-len(t.ring)), min(to, t.next)
	if !total.OK {
		return total
	}
	if to-from < perSecond {
		return metrics.Unknown(metrics.WhyUnderSecond)
	}
	most, sum := total.V, 0.0
	for i := from; i < to; i++ {
		sum += t.ring[i%len(t.ring)].tokens
		if first := i - perSecond; first >= from {
			sum -= t.ring[first%len(t.ring)].tokens
		}
		most = max(most, sum)
	}
	if most <= 0 {
		return metrics.Unknown(metrics.WhyNoChunkEnd)
	}
	return metrics.Finite(most, 0)
}

// throughputInterval returns the interval of the throughput total over the
// intervals from..to (to excluded).
func (t *timeline) throughputInterval(from, to int, total metrics.Value) loadstat.Interval {
	n := to - from
	if n < batchIntervals*loadstat.Batches {
		return loadstat.NoInterval(metrics.WhyShortWindow)
	}
	var means [loadstat.Batches]float64
	for i := range means {
		a, b := from+i*n/loadstat.Batches, from+(i+1)*n/loadstat.Batches
		sum := t.sum(a, b)
		means[i] = sum.tokens / (float64(b-a) * sliceLen.Seconds())
	}
	return loadstat.BatchInterval(total, means[:])
}

// speedInterval returns the interval of the mean speed of a user. each are the
// speeds of the requests, in the order in which they ended.
func speedInterval(speed metrics.Value, each []float64) loadstat.Interval {
	n := len(each)
	if n < loadstat.Batches {
		return loadstat.NoInterval(metrics.Needs(loadstat.Batches))
	}
	var means [loadstat.Batches]float64
	for i := range means {
		part := each[i*n/loadstat.Batches : (i+1)*n/loadstat.Batches]
		for _, v := range part {
			means[i] += v / float64(len(part))
		}
	}
	return loadstat.BatchInterval(speed, means[:])
}

// intervals fills the intervals of p, whose window is the intervals from..to
// (to excluded). A window that is not steady has none: its mean is moving.
func (w *window) intervals(p *loadstat.Point, from, to int, records []record) {
	if !p.Steady {
		p.TotalInterval = loadstat.NoInterval(metrics.WhyNotSteady)
		p.SpeedInterval = p.TotalInterval
		return
	}
	p.TotalInterval = w.timeline.throughputInterval(from, to, p.Total)
	p.SpeedInterval = speedInterval(p.Speed, column(records, loadstat.RowSpeed))
}
