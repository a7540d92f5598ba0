package loadgen

import (
	"cmp"
	"errors"
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
	parts     []mergedPart
}

// mergedPart is a part that was read: of its rows as little as a window keeps.
type mergedPart struct {
	loadstat.Part
	rows []record
}

// errPart is the error of what no shard writes.
var errPart = errors.New("its requests or its window are not as tokscope writes them")

// Add adds a part. The error says that no shard writes such a one.
func (m *Merge) Add(p loadstat.Part) error {
	long := (p.To - p.From) / metrics.Stamp(time.Second)
	ok := p.From >= 0 && p.To >= p.From && p.To-p.From == long*metrics.Stamp(time.Second) && p.Users >= 0 &&
		p.To < metrics.Stamp(24*time.Hour) && p.Users <= loadstat.MaxUsers && len(p.Gaps) == int(long) &&
		len(p.Intervals) == int(long)*perSecond
	for _, v := range p.Intervals {
		ok = ok && len(v) == len(new(interval).sums()) && slices.Max(v) < 1e12 && slices.Min(v) > -1e12
	}
	for i := range p.Gaps {
		ok = ok && new(metrics.Sketch).Import(p.Gaps[i])
	}
	all := mergedPart{Part: p}
	for i := range p.Rows {
		x := &p.Rows[i]
		r := record{start: x.Start, end: x.End, ok: x.OK, leftOpen: x.LeftOpen, atOnce: x.AtOnce, tokens: float32(x.Tokens)}
		for k, to := range r.figures() {
			if ok = ok && len(x.Figures) == len(r.figures()); ok {
				*to = number(x.Figures[k])
			}
		}
		all.rows = append(all.rows, r)
	}
	if !ok {
		return errPart
	}
	all.Rows = nil
	m.parts = append(m.parts, all)
	return nil
}

// Point computes the figures. It is an error where the parts have not a second in common.
func (m *Merge) Point() (loadstat.Point, error) {
	from, to := metrics.Stamp(0), metrics.Stamp(24*time.Hour)
	for i := range m.parts {
		from, to = max(from, m.parts[i].From), min(to, m.parts[i].To)
	}
	if to-from < metrics.Stamp(time.Second) || len(m.parts) == 0 {
		return loadstat.Point{}, errors.New("the windows of the shards have nothing in common")
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
		for k := range p.rows {
			if r := &p.rows[k]; r.start >= from && r.end < to {
				w.records = append(w.records, *r)
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
	slices.SortFunc(w.records, func(a, b record) int { return cmp.Compare(a.end, b.end) })
	p, sum := loadstat.Point{Users: w.users, Asked: m.Rate, From: from, To: to}, t.sum(0, n)
	w.fill(&p, phase{now: to, queue: sum.waiting > 0}, w.records, w.fails, gaps, &sum)
	if m.Rate > 0 {
		p.FromIntendedAtLeast = metrics.AtLeastOf(column(w.records, intended), running, lasting)
	}
	p.Why = loadstat.Steady(w.steadiness(0, n, 0, 0, 0, w.records))
	if missing := m.Of - len(m.parts); missing > 0 {
		p.Why = loadstat.Unsteady{Code: loadstat.UnsteadyShards, N: float64(missing), Of: float64(m.Of)}
	}
	p.Steady, p.Peak = p.Why == loadstat.Unsteady{}, t.peak(0, n, p.Total)
	w.intervals(&p, 0, n, w.records)
	return p, nil
}
