package loadgen

import (
	"context"
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

// Step is one step of a sweep.
type Step struct {
	Users int     // of a closed loop
	Rate  float64 // of an open loop; takes the place of Users
	// Requests, when > 0, must have been measured before the step ends (Max all
	// the same ends it).
	Requests int
	Min, Max time.Duration
}

// Measure sets users, waits until the window is steady and at least min long,
// but no longer than max in all, and returns the point: steady, or with the
// reason why it is not. It returns early when ctx or the load ends. The users
// remain.
func (l *Load) Measure(ctx context.Context, users int, min, max time.Duration) metrics.Point {
	return l.MeasureStep(ctx, Step{Users: users, Min: min, Max: max})
}

// MeasureStep is Measure for any step.
func (l *Load) MeasureStep(ctx context.Context, s Step) metrics.Point {
	if s.Rate > 0 {
		l.SetRate(s.Rate)
	} else {
		l.Resize(s.Users)
	}
	var until <-chan time.Time
	if s.Max > 0 {
		t := time.NewTimer(s.Max)
		defer t.Stop()
		until = t.C
	}
	l.mu.Lock()
	if now := l.world.now(); now > l.stay.began+metrics.Stamp(sampleEvery) {
		// It was there already: the step still has a window of its own.
		l.newStay(now, l.stay.users, l.stay.rate)
	}
	stay := l.stay.began
	l.mu.Unlock()
	for {
		l.mu.Lock()
		figures, reach := l.figures, l.reach()
		l.mu.Unlock()
		ended := false
		select {
		case <-figures:
		case <-l.done:
			ended = true
		case <-until:
			ended = true
		case <-ctx.Done():
			ended = true
		}
		v := l.View()
		p := v.Live
		if ended {
			l.mu.Lock()
			if best := l.stay.best; !p.Steady && best != nil && l.stay.began == stay && time.Duration(best.point.To-best.point.From) >= s.Min {
				p = best.point
			}
			l.mu.Unlock()
			return p
		}
		if p.Steady && time.Duration(p.To-p.From) >= min(s.Min, reach) && p.TTFT.N >= s.Requests {
			return p
		}
	}
}
