package history

import (
	"iter"
	"slices"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/stats"
)

// MaxSlots is the largest number of slots of a series.
const MaxSlots = 2000

// Widths are the widths of slots, narrow to wide. Slots begin at multiples of
// their width since 1970 in UTC.
var Widths = []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 3 * time.Hour, 24 * time.Hour}

// Begin returns the beginning of the slot of that width at a moment, both in ns since
// 1970.
func Begin(at int64, width time.Duration) int64 {
	rest := at % int64(width)
	if rest < 0 {
		rest += int64(width)
	}
	return at - rest
}

// QuantilesOf returns the quantiles of finite values by stats.QuantileMethod.
// It sorts them.
func QuantilesOf(values []float64) Quantiles {
	n := len(values)
	if n == 0 {
		return Quantiles{}
	}
	slices.Sort(values)
	q := func(p float64) float64 { return stats.Quantile(values, p) }
	return Quantiles{N: n, Min: values[0], P10: q(0.1), P25: q(0.25),
		P50: q(0.5), P75: q(0.75), P90: q(0.9), Max: values[n-1]}
}

// Counts reports whether the figures of e belong to those of its series: it ended
// well and is not suspect.
func (e *Entry) Counts() bool { return e.State == metrics.Done && !e.Suspect }

// Measured returns the figures of e that belong to those of its series: all of a request
// that ended well, those up to the first token of one that a person stopped after it.
// ok is false for all others.
func (e *Entry) Measured() (f Figures, ok bool) {
	switch {
	case e.Counts():
		return e.Figures, true
	case e.State != metrics.Cancelled || e.Suspect || !e.Figures[TTFT].OK:
		return f, false
	}
	for id := range f {
		f[id] = metrics.Unknown(metrics.WhyUnfinished)
	}
	copy(f[:TTFC+1], e.Figures[:TTFC+1])
	return f, true
}

// Sums gathers entries of one series. The zero Sums is empty.
type Sums struct {
	N, Failed int
	values    [NumFigures][]float64
}

// Add adds e. A request that a person stopped before its first token is not counted.
func (s *Sums) Add(e *Entry) {
	figures, ok := e.Measured()
	if e.State == metrics.Cancelled && !ok {
		return
	}
	s.N += e.N
	s.Failed += e.Failed
	for f, v := range figures {
		if v.OK {
			s.values[f] = append(s.values[f], v.V)
		}
	}
}

// Figures returns the quantiles of what was added, and empties s.
func (s *Sums) Figures() (out [NumFigures]Quantiles) {
	for f := range s.values {
		out[f] = QuantilesOf(s.values[f])
		s.values[f] = s.values[f][:0]
	}
	s.N, s.Failed = 0, 0
	return out
}

// Slots divides entries of one series, in the order of time, into slots of that width,
// ascending. An entry is not used after the next one.
func Slots(entries iter.Seq[*Entry], width time.Duration) (slots []Slot) {
	from := int64(0) // of the slot under way
	var sums Sums
	finish := func() {
		if sums.N > 0 {
			slot := Slot{From: time.Unix(0, from).UTC(), Width: width, N: sums.N, Failed: sums.Failed}
			slot.Figures = sums.Figures()
			slots = append(slots, slot)
		}
	}
	for e := range entries {
		if begin := Begin(e.At.UnixNano(), width); begin != from {
			finish()
			from = begin
		}
		sums.Add(e)
	}
	finish()
	return slots
}
