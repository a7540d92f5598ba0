package loadgen

import (
	"slices"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
)

// judged is a point with its requests, so that other objectives can judge it
// later. records is nil where too many are kept.
type judged struct {
	point   loadstat.Point
	records []record
}

// path is the finished points of a load, oldest first. It belongs to the window.
type path []judged

// add appends a point. It drops the oldest points beyond pathKept, and the
// requests of the oldest beyond recordsOnPath.
func (p *path) add(t judged) {
	*p = append(*p, t)
	if len(*p) > pathKept {
		*p = slices.Delete(*p, 0, len(*p)-pathKept)
	}
	total := 0
	for i := len(*p) - 1; i >= 0; i-- {
		if total += len((*p)[i].records); total > recordsOnPath {
			(*p)[i].records = nil
		}
	}
}

// points returns the path for a view, and the last steady point at one user
// with the work setup, nil without one. live is the point of the current window.
func (p path) points(live *loadstat.Point, setup int) (points []loadstat.Point, alone *loadstat.Point) {
	points = make([]loadstat.Point, len(p))
	for i := range p {
		points[i] = p[i].point
		if q := &points[i]; q.Setup == setup && q.Steady && q.Users == 1 && q.Asked == 0 {
			alone = q
		}
	}
	if live.Setup == setup && live.Steady && live.Users == 1 && live.Asked == 0 {
		q := *live
		alone = &q
	}
	return points, alone
}

// with combines p, just computed, with its requests.
func (w *window) with(p loadstat.Point) judged {
	return judged{point: p, records: slices.Clone(w.records[:min(p.GoodShare.N, len(w.records))])}
}

// keep appends the point of the current window to the path and returns it;
// nil where the window was too short. If the window was ever steady and no
// longer is, its last steady point is kept. Nothing is kept on hold, nor
// while users of the previous window are still leaving: their tokens would be
// mixed in.
func (w *window) keep(p phase) *loadstat.Point {
	if w.began == 0 && w.users == 0 && w.rate == 0 { // before the first
		return nil
	}
	if p.holding || w.best == nil && p.leaving > 0 {
		return nil
	}
	if w.ramp != nil {
		return w.keepRest(p)
	}
	now := w.point(p)
	t := w.with(now)
	if shown := w.shown(p); w.frozen != nil {
		t = *shown
	} else if !now.Steady && w.best != nil {
		t = *w.best
	}
	if !t.point.Steady && (t.point.To-t.point.From < metrics.Stamp(minKept) || t.point.Tokens <= 0) {
		return nil
	}
	judge(&t.point, t.records, w.slos)
	w.path.add(t)
	return &t.point
}

// keepRest appends the part of the present slice of a ramp that is measured.
func (w *window) keepRest(p phase) *loadstat.Point {
	to := min(w.timeline.index(p.now-metrics.Stamp(settled)), w.ramp.last)
	if to-w.ramp.first < int(minKept/sliceLen) {
		return nil
	}
	q := w.slice(p, w.ramp.first, to)
	if q.Tokens <= 0 {
		return nil
	}
	w.ramp.first = to
	w.path.add(judged{point: q})
	return &q
}

// freeze keeps the current point of a load that begins to end. It does
// nothing on hold, and while users are leaving.
func (w *window) freeze(p phase) {
	if p.ending || p.holding || p.leaving > 0 {
		return
	}
	if now := w.point(p); now.Tokens > 0 {
		t := w.with(now)
		w.frozen = &t
	}
}

// shown returns the point that replaces the current one in an ending load;
// nil to keep the current one.
func (w *window) shown(p phase) *judged {
	switch {
	case w.best != nil && (p.idle || w.frozen != nil):
		return w.best // as it was before the load began to end
	case w.frozen != nil:
		return w.frozen
	case p.idle && p.holding && len(w.path) > 0 && w.path[len(w.path)-1].point.Setup == w.setup:
		return &w.path[len(w.path)-1]
	}
	return nil
}

// live returns the point to show at p: the current one, or its replacement in
// an ending load. It remembers a steady one.
func (w *window) live(p phase) loadstat.Point {
	now := w.point(p)
	if now.Steady && w.frozen == nil {
		best := w.with(now)
		w.best = &best
	} else if t := w.shown(p); t != nil {
		now = t.point
		if t.records != nil {
			judge(&now, t.records, w.slos)
		}
	}
	return now
}
