package loadgen

import (
	"slices"
	"time"

	"tokscope/metrics"
)

// keepPoint puts the point of the present stay into the path, if it has been
// long enough to say something: l.mu is held. What was steady at any time of
// the stay is kept as it was then, when it no longer is. Nothing is kept of a
// hold, where what runs only ends, nor of a stay at whose end users of the one
// before still had to leave: its tokens are theirs as well.
func (w *Load) keepPoint(p metrics.Stamp) {
	s := &w.stay
	if s.gaps == nil || s.began == 0 && s.users == 0 && s.rate == 0 {
		return
	}
	if w.holding || s.best == nil && w.leavers() > 0 {
		return
	}
	now := w.point(p)
	t := s.with(now)
	if shown := w.shown(); s.frozen != nil {
		t = *shown
	} else if !now.Steady && s.best != nil {
		t = *s.best
	}
	if !t.point.Steady && (t.point.To-t.point.From < metrics.Stamp(minKept) || t.point.Tokens <= 0) {
		return
	}
	judge(&t.point, t.records, w.slos)
	w.path = append(w.path, t)
	w.jotPoint(t.point)
	if len(w.path) > pathKept {
		w.path = slices.Delete(w.path, 0, len(w.path)-pathKept)
	}
	total := 0
	for i := len(w.path) - 1; i >= 0; i-- {
		if total += len(w.path[i].records); total > recordsOnPath {
			w.path[i].records = nil
		}
	}
}

// leavers is how many users of before still have to leave: l.mu is held.
func (p *Load) leavers() int {
	n := 0
	for _, u := range p.users {
		if u.leaving {
			n++
		}
	}
	return n
}

// freeze keeps the live point of a load that is told to end, unless all of its
// requests count: l.mu is held.
func (l *Load) freeze() {
	s := &l.stay
	if l.ending || l.c.Shape.Requests > 0 || l.holding || l.leavers() > 0 {
		return
	}
	if now := l.point(l.world.now()); now.Tokens > 0 {
		t := s.with(now)
		s.frozen = &t
	}
}

// kept is what an ending load shows in place of its last window, nil when that
// is the best there is: l.mu is held. Of a load with a number of requests all of
// them count, and none is left out for having been the last.
func (l *Load) shown() *judged {
	s := &l.stay
	switch {
	case l.c.Shape.Requests > 0 && s.frozen == nil && !l.holding:
		return nil
	case s.best != nil && (l.idled || s.frozen != nil):
		return s.best // as it was before it came to its end
	case s.frozen != nil:
		return s.frozen
	case l.idled && l.holding && len(l.path) > 0:
		return &l.path[len(l.path)-1]
	}
	return nil
}

// points is the path for a view, and the last steady point at one user: l.mu
// is held.
func (p *Load) points(live *metrics.Point) (points []metrics.Point, alone *metrics.Point) {
	points = make([]metrics.Point, len(p.path))
	for i := range p.path {
		points[i] = p.path[i].point
		if q := &points[i]; q.Steady && q.Users == 1 && q.Asked == 0 {
			alone = q
		}
	}
	if live.Steady && live.Users == 1 && live.Asked == 0 {
		q := *live
		alone = &q
	}
	return points, alone
}

// nextSecond adds to the series what has happened since its last entry, once
// that is a second: l.mu is held.
func (s *Load) nextSecond(now metrics.Stamp) {
	c := &s.second
	end := c.at + metrics.Stamp(time.Second)
	if now < end+metrics.Stamp(settled) {
		return
	}
	from, to := s.tape.index(c.at), s.tape.index(end)
	sum := s.tape.sum(from, to)
	e := metrics.Sample{At: end, Users: s.target, Failed: c.failed, Total: max(sum.tokens, 0), Speed: pooled(&sum), Gap: c.gaps.Median()}
	if s.stay.rate > 0 {
		e.Users = len(s.users)
	}
	if e.TTFT = metrics.Unknown("no first chunk in this second"); len(c.ttft) > 0 {
		e.TTFT = metrics.Distribution(c.ttft).P50
	}
	if len(s.series) >= 2*seriesKept {
		s.series = slices.Clone(s.series[len(s.series)-seriesKept:])
	}
	s.series = append(s.series, e) // views share it: only ever appended to
	c.at, c.ttft, c.failed = end, c.ttft[:0], 0
	c.gaps.Reset()
}

// taken is a point with the requests behind it, so that it can be judged by
// other objectives later.
type judged struct {
	point   metrics.Point
	records []record
}

// take keeps p, which was just computed, with the requests behind it.
func (w *window) with(p metrics.Point) judged {
	return judged{point: p, records: slices.Clone(w.recs[:min(p.GoodShare.N, len(w.recs))])}
}
