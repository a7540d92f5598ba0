package loadgen

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/pick"
	"tokscope/metrics/slo"
)

// Merge has the parts of all shards of one step. The figures come from the code of a
// window: from all requests, all gaps, and all tokens in the time that the parts have in
// common, never from figures of the parts.
type Merge struct {
	Rate float64 // of all parts, requests per second; 0 in a closed loop
	SLOs []slo.Objective
	Fits bool // prompts vary in length
	// MinWindow is the shortest window that can be steady.
	MinWindow time.Duration
	Missing   int // shards that have no part
	Of        int // shards

	parts []mergedPart
}

// mergedPart is a part that was read: of its rows as little as a window keeps.
type mergedPart struct {
	loadstat.Part
	rows      []record
	intervals []interval
}

// mostWindowSeconds bounds the windows of parts.
const mostWindowSeconds = int(mostWindow / time.Second)

// Add adds a part. The error says why no shard writes such a one.
func (m *Merge) Add(p loadstat.Part) error {
	long := int((p.To - p.From) / metrics.Stamp(time.Second))
	if p.From < 0 || p.To < p.From || long > mostWindowSeconds || p.Users < 0 || p.Users > loadstat.MaxUsers ||
		(p.To-p.From)%metrics.Stamp(time.Second) != 0 || len(p.Gaps) != long || len(p.Intervals) != long*perSecond {
		return errors.New("its window is not whole")
	}
	all := mergedPart{Part: p}
	for _, v := range p.Intervals {
		b, ok := intervalOf(v)
		if !ok {
			return errors.New("an interval is not as tokscope writes it")
		}
		all.intervals = append(all.intervals, b)
	}
	for _, row := range p.Rows {
		r, ok := recordOf(row, m.SLOs)
		if !ok {
			return errors.New("a request is not as tokscope writes it")
		}
		all.rows = append(all.rows, r)
	}
	for i := range p.Gaps {
		if !new(metrics.Sketch).Import(&p.Gaps[i]) {
			return errors.New("gaps are not as tokscope writes them")
		}
	}
	all.Rows, all.Intervals = nil, nil
	m.parts = append(m.parts, all)
	return nil
}

// Window returns the time that all parts have in common, from the common begin of the
// load. The end is not above the begin where they have none.
func (m *Merge) Window() (from, to metrics.Stamp) {
	for i := range m.parts {
		p := &m.parts[i]
		if from = max(from, p.From); i == 0 || p.To < to {
			to = p.To
		}
	}
	return from, to
}

// Point computes the figures. It is an error where the parts have not a second in common.
func (m *Merge) Point() (loadstat.Point, error) {
	from, to := m.Window()
	if to-from < metrics.Stamp(time.Second) {
		return loadstat.Point{}, fmt.Errorf("their windows have nothing in common")
	}
	n := int((to - from) / metrics.Stamp(sliceLen))
	t := newTimeline(from, time.Duration(to-from))
	t.interval(n - 1)
	config := Config{Shape: Shape{Drive: loadstat.Drive{Rate: m.Rate}}, SLOs: m.SLOs, Window: time.Duration(to - from),
		MinWindow: m.MinWindow}
	w := newWindow(&config, t)
	w.fits, w.rate, w.warm, w.origin = m.Fits, m.Rate, true, from
	at := phase{now: to}
	gaps := new(metrics.Sketch)
	var running, lasting []float64
	for i := range m.parts {
		p := &m.parts[i]
		w.users += p.Users
		at.queue = at.queue || p.Queue
		skip := int((from - p.From) / metrics.Stamp(sliceLen))
		for k := range p.intervals[skip : skip+n] {
			t.interval(k).add(&p.intervals[skip+k])
		}
		for k := range p.Gaps[skip/perSecond : (skip+n)/perSecond] {
			gaps.Import(&p.Gaps[skip/perSecond+k])
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
	slices.SortFunc(w.fails, func(a, b failure) int { return cmp.Compare(a.at, b.at) })
	p := loadstat.Point{Users: w.users, Asked: m.Rate, From: from, To: to}
	sum := t.sum(0, n)
	w.fill(&p, at, w.records, w.fails, gaps, &sum)
	if m.Rate > 0 {
		p.FromIntendedAtLeast = metrics.AtLeastOf(column(w.records, intended), running, lasting)
	}
	p.Why = loadstat.Steady(w.steadiness(0, n, 0, 0, 0, w.records))
	if m.Missing > 0 {
		p.Why = loadstat.Unsteady{Code: loadstat.UnsteadyShards, N: float64(m.Missing), Of: float64(m.Of)}
	}
	p.Steady = p.Why == loadstat.Unsteady{}
	p.Peak = t.peak(0, n, p.Total)
	w.intervals(&p, 0, n, w.records)
	return p, nil
}

// LeftOut returns how many requests the parts had no room for.
func (m *Merge) LeftOut() (n int) {
	for _, p := range pick.All(m.parts) {
		n += p.LeftOut
	}
	return n
}
