package loadgen

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/slo"
)

// Merge has the parts of all shards of one step. The figures come from the code of a
// window: from all requests, gaps and tokens in the time that the parts have in common,
// never from figures of the parts.
type Merge struct {
	Rate      float64 // of all parts, requests per second; 0 in a closed loop
	SLOs      []slo.Objective
	Fits      bool          // prompts vary in length
	MinWindow time.Duration // a shorter window is not steady
	Of        int           // shards
	parts     []loadstat.Part
	points    []loadstat.Point // what the shards say beside their parts
	shards    []int            // whose they are
	lag       metrics.Dist     // how late requests left, of the worst shard
}

// Add adds the part of a shard with its own point, and how late its requests left. The error
// says that no shard writes such a one.
func (m *Merge) Add(shard int, part loadstat.Part, p loadstat.Point, lag metrics.Dist) error {
	long := (part.To - part.From) / metrics.Stamp(time.Second)
	ok := part.From >= 0 && part.To >= part.From && part.To-part.From == long*metrics.Stamp(time.Second) &&
		part.To < metrics.Stamp(24*time.Hour) && part.Users >= 0 && part.Users <= loadstat.MaxUsers &&
		len(part.Gaps) == int(long) && len(part.Intervals) == int(long)*perSecond
	for _, v := range part.Intervals {
		ok = ok && len(v) == len(new(interval).sums()) && slices.Max(v) < 1e12 && slices.Min(v) > -1e12
	}
	for i := range part.Gaps {
		ok = ok && new(metrics.Sketch).Import(part.Gaps[i])
	}
	for i := range part.Rows {
		ok = ok && len(part.Rows[i].Figures) == loadstat.RowLength
	}
	if !ok {
		return errors.New("its requests or its window are not as tokscope writes them")
	}
	if m.parts, m.points, m.shards = append(m.parts, part), append(m.points, p), append(m.shards, shard); lag.N > 0 &&
		(m.lag.N == 0 || lag.Max.V > m.lag.Max.V) {
		m.lag = lag
	}
	return nil
}

// Slower returns the shard whose requests are slower than those of than, the step, by more than the
// noise of both, with its own point: the slowest; nil without one.
func (m *Merge) Slower(than *loadstat.Point) (shard int, p *loadstat.Point) {
	for i := range m.points {
		if q := &m.points[i]; q.Slower(than) && (p == nil || q.Speed.V < p.Speed.V) {
			shard, p = m.shards[i], q
		}
	}
	return shard, p
}

// Step computes the figures. It is an error where parts are missing, unless that is allowed, and
// where they have not a second in common. Of missing parts the step is never steady.
func (m *Merge) Step(allowMissing bool) (out loadstat.SweepStep, err error) {
	missing := m.Of - len(m.parts)
	if missing > 0 && !allowMissing {
		return out, fmt.Errorf("%d of %d shards measured nothing", missing, m.Of)
	}
	from, to := metrics.Stamp(0), metrics.Stamp(24*time.Hour)
	for i := range m.parts {
		from, to = max(from, m.parts[i].From), min(to, m.parts[i].To)
	}
	if to-from < metrics.Stamp(time.Second) || len(m.parts) == 0 {
		return out, errors.New("the windows of the shards have nothing in common")
	}
	n, t := int((to-from)/metrics.Stamp(sliceLen)), newTimeline(from, time.Duration(to-from))
	t.interval(n - 1)
	w := newWindow(&Config{SLOs: m.SLOs, Window: time.Duration(to - from), MinWindow: m.MinWindow}, t)
	w.fits, w.rate, w.warm = m.Fits, m.Rate, true
	gaps := new(metrics.Sketch)
	var running, lasting []float64
	for i := range m.parts {
		p := &m.parts[i]
		w.users += p.Users
		skip := int((from - p.From) / metrics.Stamp(sliceLen))
		for k, v := range p.Intervals[skip : skip+n] {
			for j, sum := range t.interval(k).sums() {
				*sum += v[j]
			}
		}
		for _, second := range p.Gaps[skip/perSecond : (skip+n)/perSecond] {
			gaps.Import(second)
		}
		for _, r := range p.Rows {
			if r.Start >= from && r.End < to {
				w.records = append(w.records, r)
			}
		}
		for _, f := range p.Faults {
			if f.At >= from && f.At < to {
				w.fails = append(w.fails, failure{f.At, metrics.FaultCount{Kind: f.Kind, N: 1}})
			}
		}
		running, lasting = append(running, p.Begun...), append(lasting, p.Unbegun...)
	}
	for k := range n { // the parts were sampled side by side
		t.interval(k).sampled /= float64(len(m.parts))
	}
	slices.SortFunc(w.records, func(a, b record) int { return cmp.Compare(a.End, b.End) })
	out = loadstat.SweepStep{Rate: m.Rate, Lag: m.lag,
		Point: loadstat.Point{Users: w.users, Asked: m.Rate, From: from, To: to}}
	p, sum := &out.Point, t.sum(0, n)
	w.fill(p, phase{now: to, queue: sum.waiting > 0}, w.records, w.fails, gaps, &sum)
	if m.Rate > 0 {
		p.FromIntendedAtLeast = metrics.AtLeastOf(column(w.records, loadstat.RowFromSchedule), running, lasting)
	}
	p.Why = loadstat.Steady(w.steadiness(0, n, 0, 0, 0, w.records))
	if missing > 0 {
		p.Why = loadstat.Unsteady{Code: loadstat.UnsteadyShards, N: float64(missing), Of: float64(m.Of)}
	}
	p.Steady, p.Peak = p.Why == loadstat.Unsteady{}, t.peak(0, n, p.Total)
	w.intervals(p, 0, n, w.records)
	p.Stamps, p.Delay = loadstat.StampsOf(m.points, ""), loadstat.WorstDelay(m.points)
	var faults []metrics.FaultCount
	for i := range m.points {
		_, of := m.points[i].Failures()
		for _, f := range of {
			faults = metrics.AddFaults(faults, f)
		}
	}
	addFailures(&out, &loadstat.View{}, 0, faults, nil)
	return out, nil
}
