package loadgen

import (
	"context"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/pick"
)

// Slot returns how long a step of shards takes, in whole seconds: the users join, then the
// load stays for Bounds.Most. Step i has the i-th slot after StartAt, whatever happens. Who
// comes late begins in the slot that runs, so all are together again at its end.
func (c *Curve) Slot() time.Duration { return c.joining() + c.Bounds.Most }

// joining returns how long users take to join: one answer, as for a spreader, but as assumed,
// because all shards must have the same.
func (c *Curve) joining() time.Duration {
	if c.Open() {
		return 0
	}
	answer := seconds(assumedTTFT + outputTokens(c.Config)/assumedSpeed)
	return time.Duration(wholeSeconds(min(answer, mostSpread))) * time.Second
}

// over reports whether the slot of step i is over, or nearly. It is false for a whole load.
func (c *Curve) over(i int) bool {
	return c.Shard.Parted() && time.Since(c.StartAt) > time.Duration(i+1)*c.Slot()-minKept
}

// apart returns how much later than those of shard 0 its users join, of that many in all.
func (c *Curve) apart(users int) time.Duration {
	return c.joining() * time.Duration(c.Shard.Index) / time.Duration(max(users, 1))
}

// timed measures the steps of a shard.
type timed struct {
	*Load
	c *Curve
}

// MeasureStep implements measurer.
func (m *timed) MeasureStep(ctx context.Context, s Step) loadstat.Point {
	i := m.c.current.Load().n - 1
	end := m.c.StartAt.Add(time.Duration(i+1) * m.c.Slot())
	begin := end.Add(-m.c.Slot() + m.c.apart(s.Users-m.View().Target*m.c.Shard.Of))
	s.Users, s.Rate = m.c.Shard.Users(s.Users), m.c.Shard.Rate(s.Rate)
	sleep(ctx, max(time.Until(begin), 0), nil, m.Done())
	if s.Rate <= 0 {
		(&spreader{m.Load, max(time.Until(end.Add(-m.c.Bounds.Most)), 0)}).join(ctx, s.Users)
	}
	// What came before the end is counted soon after it.
	s.Fixed, s.Max = true, max(time.Until(end)+settled+2*sampleEvery, sampleEvery)
	p := m.Load.MeasureStep(ctx, s)
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
		p.Begun, p.Unbegun = w.unended(l.phase(l.deps.now()), t.start(to))
	}
	return p
}
