package loadgen

import (
	"context"
	"math"
	"slices"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/pick"
	"tokscope/metrics/slo"
)

// A shard measures the steps in slots that all shards have in common, whatever happens in
// them: step i has the i-th slot after Curve.StartAt. In it the users join, then the load
// stays for Bounds.Most. Who comes late begins in the slot that runs, so all shards are
// together again at its end.

// rowsKept bounds the requests of a step that a shard keeps for a merge, 150 bytes each in
// its document.
const rowsKept = 1 << 17

// slot returns how long a slot is: whole seconds, as the windows of all shards.
func (c *Curve) slot() time.Duration { return c.joining() + c.Bounds.Most }

// joining returns how long users take to join: one answer, as for a spreader. It is not
// measured, because all shards must have the same.
func (c *Curve) joining() time.Duration {
	if c.Open() {
		return 0
	}
	answer := seconds(assumedTTFT + outputTokens(c.Config)/assumedSpeed)
	return time.Duration(wholeSeconds(min(answer, mostSpread))) * time.Second
}

// Timetable returns how long the steps of a shard take together.
func (c *Curve) Timetable() time.Duration { return time.Duration(len(c.Steps())) * c.slot() }

// over reports whether the slot of step i is over at now, or nearly: nobody could measure
// anything in it. It is false for a whole load.
func (c *Curve) over(i int, now time.Time) bool {
	return c.Shard.Parted() && now.Sub(c.StartAt) > time.Duration(i+1)*c.slot()-minKept
}

// upcoming returns the steps of left, all of c, whose slot is not over; the last of them in
// any case.
func (c *Curve) upcoming(left []Step) []Step {
	for i := 0; len(left) > 1 && c.over(i, time.Now()); i++ {
		left = left[1:]
	}
	return left
}

// share returns the part of the shard in s.
func (c *Curve) share(s Step) Step {
	s.Users, s.Rate = c.Shard.Users(s.Users), c.Shard.Rate(s.Rate)
	return s
}

// apart returns how much later than those of shard 0 the users of the shard join where
// that many join together.
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
	begin := m.c.StartAt.Add(time.Duration(i) * m.c.slot())
	end := begin.Add(m.c.slot())
	own := m.c.share(s)
	sleep(ctx, max(time.Until(begin.Add(m.c.apart(s.Users-m.View().Target*m.c.Shard.Of))), 0), nil, m.Done())
	if s.Rate <= 0 {
		left := time.Until(end.Add(-m.c.Bounds.Most)) // of the time in which users join
		(&spreader{m.Load, max(left, 0)}).join(ctx, own.Users)
	}
	// What came before the end is counted soon after it.
	own.Fixed, own.Max = true, max(time.Until(end)+settled+2*sampleEvery, sampleEvery)
	p := m.Load.MeasureStep(ctx, own)
	if ctx.Err() == nil && m.View().Running {
		part := m.part(metrics.Stamp(end.Sub(m.c.StartAt)), p.Waiting.OK)
		part.Step, part.Users = i, own.Users
		m.c.Part(part)
	}
	return p
}

// part returns what happened in the present window before end, counted from the origin of
// the shard, or before now where that is earlier.
func (l *Load) part(end metrics.Stamp, queue bool) loadstat.Part {
	l.mu.Lock()
	defer l.mu.Unlock()
	w, t, origin := &l.window, l.window.timeline, l.c.Origin
	to := max(min(t.index(end+origin), t.index(l.deps.now()-metrics.Stamp(settled))), w.from)
	to = w.from + (to-w.from)/perSecond*perSecond
	if !w.warm {
		to = w.from
	}
	p := loadstat.Part{From: t.start(w.from) - origin, To: t.start(to) - origin, Queue: queue, LeftOut: w.leftOut}
	for i := w.from; i < to; i++ {
		one := t.sum(i, i+1)
		p.Intervals = append(p.Intervals, one.row())
	}
	for second := range (to - w.from) / perSecond {
		p.Gaps = append(p.Gaps, w.gaps.span(second, second+1).Export())
	}
	for i := range w.rows {
		if r := &w.rows[i]; r.end < t.start(to) {
			p.Rows = append(p.Rows, r.row(origin, w.slos))
		}
	}
	for _, f := range w.fails {
		if f.at < t.start(to) {
			p.Faults = append(p.Faults, loadstat.PartFault{At: f.at - origin, Kind: f.fault.Kind})
		}
	}
	if w.rate > 0 {
		p.Begun, p.Unbegun = w.unended(l.phase(l.deps.now()), t.start(to))
	}
	return p
}

// row keeps r for a merge.
func (w *window) row(r record) {
	switch {
	case !w.parted:
	case len(w.rows) >= rowsKept:
		w.leftOut++
	default:
		w.rows = append(w.rows, r)
	}
}

// rowFigures is the number of figures of a row before those of the objectives.
const rowFigures = 14

// row returns the row of a part.
func (r *record) row(origin metrics.Stamp, slos []slo.Objective) []metrics.Value {
	yes := func(b bool) float64 {
		if b {
			return 1
		}
		return 0
	}
	out := make([]metrics.Value, 0, rowFigures+len(slos))
	for _, v := range [rowFigures]float64{float64(r.start-origin) / 1e6, float64(r.end-origin) / 1e6, yes(r.ok),
		yes(r.leftOpen), yes(r.atOnce), float64(r.tokens), r.ttft, r.tpot, r.total, r.speed, r.prompt, r.intended,
		number(r.mlperf[0]), number(r.mlperf[1])} {
		out = append(out, metrics.Finite(v, 1))
	}
	for _, o := range slos {
		out = append(out, metrics.Finite(float64(r.slo[max(slices.Index(sloNames, o.Name), 0)]), 1))
	}
	return out
}

// recordOf returns what row was made of, its times counted from the common begin; ok is
// false where it is no such row.
func recordOf(row []metrics.Value, slos []slo.Objective) (r record, ok bool) {
	if len(row) != rowFigures+len(slos) {
		return r, false
	}
	v := pick.Each(row, func(v *metrics.Value) float64 { return number(*v) })
	r = record{start: metrics.Stamp(math.Round(v[0] * 1e6)), end: metrics.Stamp(math.Round(v[1] * 1e6)), ok: v[2] == 1,
		leftOpen: v[3] == 1, atOnce: v[4] == 1, tokens: float32(v[5]),
		ttft: v[6], tpot: v[7], total: v[8], speed: v[9], prompt: v[10], intended: v[11],
		mlperf: [2]metrics.Value{row[12], row[13]}}
	for i, o := range slos {
		r.slo[max(slices.Index(sloNames, o.Name), 0)] = float32(v[rowFigures+i])
	}
	return r, row[0].OK && row[1].OK && r.end >= r.start && r.tokens >= 0
}
