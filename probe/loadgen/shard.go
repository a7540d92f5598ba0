package loadgen

import (
	"context"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/pick"
)

// Slot returns how long a step of shards takes, in whole seconds: the users join, then the
// load stays for Duration. Step i has the i-th slot after StartAt, whatever happens. Who
// comes late begins in the slot that runs, so all are together again at its end.
func (c *Curve) Slot() time.Duration { return c.joining() + c.Duration }

// joining returns how long users may take to join: one answer as assumed, because all shards
// must have the same.
func (c *Curve) joining() time.Duration {
	if c.Open() {
		return 0
	}
	return time.Duration(wholeSeconds(min(assumedAnswer(c.Config), mostSpread))) * time.Second
}

// over reports whether the slot of step i is over, or nearly. It is false for a whole load.
func (c *Curve) over(i int) bool {
	return c.Shard.Parted() && time.Since(c.StartAt) > time.Duration(i+1)*c.Slot()-minKept
}

// apart returns how long after the first user the one of that index joins, where that many
// join over the time of an answer.
func (c *Curve) apart(answer time.Duration, index, users int) time.Duration {
	return min(answer, c.joining()) * time.Duration(index) / time.Duration(max(users, 1))
}

// counting is how long after its end a step of a shard is counted.
const counting = settled + 2*sampleEvery

// timed measures the steps of a shard.
type timed struct {
	*spreader
	c     *Curve
	users int // of all shards in the step before
}

// join lets the users of this shard join from begin on, so that those of all shards, which grow
// to that many, join one after the other as the users of one load do.
func (m *timed) join(ctx context.Context, begin time.Time, users int) {
	own := m.c.Shard
	for n := m.View().Target; n < own.Users(users); n++ {
		at := begin.Add(m.c.apart(m.answer, n*own.Of+own.Index-m.users, users-m.users))
		if !sleep(ctx, max(time.Until(at), 0), nil, m.Done()) {
			return
		}
		m.Resize(n + 1)
	}
	m.users = users
}

// MeasureStep implements measurer.
func (m *timed) MeasureStep(ctx context.Context, s Step) loadstat.Point {
	i := m.c.current.Load().n - 1
	end := m.c.StartAt.Add(time.Duration(i+1) * m.c.Slot())
	begin := end.Add(-m.c.Slot())
	if m.users > 0 {
		begin = begin.Add(counting + 2*sampleEvery) // the step before is counted in all shards
	}
	sleep(ctx, max(time.Until(begin), 0), nil, m.Done())
	m.join(ctx, begin, s.Users)
	s.Users, s.Rate = m.c.Shard.Users(s.Users), m.c.Shard.Rate(s.Rate)
	// What came before the end is counted soon after it.
	s.Fixed, s.Max = true, max(time.Until(end)+counting, sampleEvery)
	p := m.Load.MeasureStep(ctx, s)
	m.learn(&p)
	if ctx.Err() == nil && m.View().Running {
		part := m.part(metrics.Stamp(end.Sub(m.c.StartAt)))
		part.Step, part.Users = i, s.Users
		m.c.Part(part)
	}
	return p
}

// part returns what happened in the present window before end.
func (l *Load) part(end metrics.Stamp) loadstat.Part {
	l.mu.Lock()
	defer l.mu.Unlock()
	w, t, origin := &l.window, l.window.timeline, l.c.Origin
	to := w.from
	if w.warm {
		to += max(min(t.index(end+origin), t.index(l.deps.now()-metrics.Stamp(settled)))-w.from, 0) / perSecond * perSecond
	}
	p := loadstat.Part{From: t.start(w.from) - origin, To: t.start(to) - origin}
	for i := w.from; i < to; i++ {
		one := t.sum(i, i+1)
		sums := one.sums()
		p.Intervals = append(p.Intervals, pick.Each(sums[:], func(v **float64) float64 { return **v }))
	}
	for second := range (to - w.from) / perSecond {
		p.Gaps = append(p.Gaps, w.gaps.span(second, second+1).Export())
	}
	for _, r := range w.rows {
		r.Start, r.End = r.Start-origin, r.End-origin
		p.Rows = append(p.Rows, r)
	}
	for _, f := range w.fails {
		p.Faults = append(p.Faults, loadstat.PartFault{At: f.at - origin, Kind: f.fault.Kind})
	}
	if w.rate > 0 {
		p.Begun, p.Unbegun = l.unended(w.began, t.start(to))
	}
	return p
}
