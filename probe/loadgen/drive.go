package loadgen

import (
	"math"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
)

// driver changes what makes the requests of its load begin. It has no lock: its
// methods are called with the load's mutex locked.
type driver struct {
	*Load
	ramps   bool           // slope is the ramp that runs
	slope   slope          // of the users, or of the rate of an open loop
	waiting loadstat.Drive // a ramp that waits for consent; zero without one
}

// SetDrive changes what makes requests begin and returns what it was before,
// so that a second call restores it. Running requests continue when an open
// loop becomes a closed one or the reverse; arrivals that were not sent are
// dropped then. Users are bounded by 1 and loadstat.MaxUsers. It ends a ramp. Where a
// ramp needs consent, nothing changes before it is given. In an ending load it
// does nothing.
func (l *Load) SetDrive(d loadstat.Drive) (was loadstat.Drive) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.deps.now()
	was = l.driver.now(now)
	l.change(false, func(now metrics.Stamp) { l.driver.set(now, d) })
	return was
}

// now returns what makes requests begin now. That of a ramp has its end and the time
// left.
func (l *driver) now(now metrics.Stamp) loadstat.Drive {
	d := loadstat.Drive{Users: l.pool.target}
	if a := &l.pool.arrivals; a.open {
		d = loadstat.Drive{Users: l.c.Shape.Users, Rate: rounded(a.rate.at(now)), Poisson: a.poisson}
	}
	if s := &l.slope; l.ramps && now < s.end {
		d.To, d.Within = s.to, time.Duration(s.end-max(now, s.begin))
	}
	return d
}

// rounded returns v with four significant digits.
func rounded(v float64) float64 {
	if !(v > 0) {
		return 0
	}
	unit := math.Pow(10, math.Floor(math.Log10(v))-3)
	return math.Round(v/unit) * unit
}

// set is SetDrive.
func (l *driver) set(now metrics.Stamp, d loadstat.Drive) {
	if l.pool.ending || math.IsInf(d.Rate, 0) || math.IsNaN(d.Rate) {
		return
	}
	if !d.Ramps() {
		d.To, d.Within = 0, 0
	}
	if d.Open() {
		d.To = min(d.To, loadstat.MostRate)
		l.opens(now, d)
	} else {
		d.Users, d.To = min(max(d.Users, 1), loadstat.MaxUsers), min(d.To, loadstat.MaxUsers)
		l.closes(now, d)
	}
	l.publishNow(now)
}

// closes makes a closed loop of d, which is within the bounds.
func (l *driver) closes(now metrics.Stamp, d loadstat.Drive) {
	most := d.Users
	if d.Ramps() {
		most = max(most, int(d.To))
	}
	allowed := l.consent.allow(most)
	if d.Ramps() && allowed < most {
		l.consent.users, l.waiting = 0, d
		return
	}
	n := min(d.Users, allowed)
	switch {
	case l.pool.open():
		l.beginWindow(now, n, 0)
		l.c.Shape.Rate = 0
		l.pool.closes(n, now)
	case n != l.pool.target || l.ramps || d.Ramps():
		l.beginWindow(now, n, 0)
		l.pool.resize(n, now)
	}
	if d.Ramps() {
		l.begin(now, d)
	}
}

// opens makes an open loop of d, whose rate is finite.
func (l *driver) opens(now metrics.Stamp, d loadstat.Drive) {
	a := &l.pool.arrivals
	l.pool.arrive(now)
	if same := a.open && a.rate == level(d.Rate) && a.poisson == d.Poisson; !same || l.ramps || d.Ramps() {
		l.beginWindow(now, 0, d.Rate)
	}
	l.c.Shape.Users, l.c.Shape.Rate, l.c.Shape.Poisson = max(d.Users, 0), d.Rate, d.Poisson
	l.pool.schedules(now, level(d.Rate), d.Poisson)
	if d.Ramps() {
		l.begin(now, d)
	}
}

// begin begins the ramp of d with the next interval of the timeline. The
// window of its begin has just begun.
func (l *driver) begin(now metrics.Stamp, d loadstat.Drive) {
	t := l.window.timeline
	first := t.index(now) + 1
	long := max(int(math.Round(float64(d.Within)/float64(sliceLen))), 1)
	l.ramps, l.slope = true, slope{from: d.From(), to: d.To, begin: t.start(first), end: t.start(first + long)}
	l.window.slices(l.slope, first, first+long)
	if d.Open() {
		a := &l.pool.arrivals
		a.change(now, l.slope, d.Poisson)
		signal(a.changed)
	}
}

// end ends the ramp where it is; without one it does nothing.
func (l *driver) end(now metrics.Stamp) {
	if !l.ramps {
		return
	}
	l.ramps = false
	if a := &l.pool.arrivals; a.open {
		a.change(now, level(rounded(a.rate.at(now))), a.poisson)
		l.c.Shape.Rate = a.rate.to
		signal(a.changed)
	}
}

// climb moves the load along its ramp, and ends the ramp at its end.
func (l *driver) climb(now metrics.Stamp) {
	if !l.ramps || l.pool.ending {
		return
	}
	for _, p := range l.window.finishSlices(l.phase(now)) {
		l.journal.point(p)
	}
	s := &l.slope
	done := now >= s.end+metrics.Stamp(settled)
	if !l.pool.open() {
		// Toward the end: a number of users is there from its moment on.
		n := int(s.from + math.Trunc(s.at(now)-s.from+math.Copysign(1e-9, s.to-s.from)))
		if n != l.pool.target {
			l.pool.resize(n, now)
		}
		if done {
			l.beginWindow(now, n, 0)
		}
	} else if done {
		l.beginWindow(now, 0, s.to)
	}
}

// slicing makes the points of a window whose load is on a ramp. Each covers one
// slice, and counts what happened in it: tokens received, gaps and requests
// that ended, whenever they were sent.
type slicing struct {
	slope slope
	first int // interval at which the present slice begins
	last  int // interval after the ramp
	long  int // intervals of a slice, whole seconds
}

// The number and the length of the slices of a ramp.
const (
	slicesOfRamp = 30
	longestSlice = 30 * time.Second
	perSecond    = int(time.Second / sliceLen)
)

// slices makes w measure a ramp from interval first to last (excluded).
func (w *window) slices(s slope, first, last int) {
	w.ramp = newSlicing(s, first, last, w.reach.most)
	w.warm = true
	w.restart(first)
}

// newSlicing returns the slices of a ramp from interval first to last
// (excluded), none longer than most.
func newSlicing(s slope, first, last int, most time.Duration) *slicing {
	seconds := min(wholeSeconds(time.Duration(last-first)*sliceLen/slicesOfRamp), int(min(longestSlice, most)/time.Second))
	return &slicing{slope: s, first: first, last: last, long: max(seconds, 1) * perSecond}
}

// end returns the interval after the present slice. A rest of less than a
// second belongs to the last one.
func (s *slicing) end() int {
	if end := s.first + s.long; s.last-end >= perSecond {
		return end
	}
	return s.last
}

// finishSlices adds the finished slices to the path and returns their points.
func (w *window) finishSlices(p phase) (points []loadstat.Point) {
	s := w.ramp
	for to := w.timeline.index(p.now - metrics.Stamp(settled)); s != nil &&
		s.first < s.last && s.end() <= to; s.first = s.end() {
		q := w.slice(p, s.first, s.end())
		w.path.add(judged{point: q, records: nil})
		points = append(points, q)
	}
	return points
}

// slice returns the point of a ramp over the intervals from..to (to excluded).
func (w *window) slice(at phase, from, to int) loadstat.Point {
	t, s := w.timeline, &w.ramp.slope
	p := loadstat.Point{From: t.start(from), To: t.start(to)}
	p.Ramp = &loadstat.Ramp{From: s.at(p.From), To: s.at(p.To)}
	mean := s.area(p.From, p.To) / (float64(p.To-p.From) / 1e9)
	if p.To == p.From {
		mean = p.Ramp.From
	}
	if w.rate > 0 {
		p.Asked = rounded(mean)
	} else {
		p.Users = int(math.Round(mean))
	}
	sum := t.sum(from, to)
	records, fails := w.within(p.From, p.To)
	first := int((p.From - w.origin) / metrics.Stamp(time.Second))
	gaps := w.gaps.span(first, first+(to-from+perSecond-1)/perSecond)
	w.fill(&p, at, records, fails, gaps, &sum)
	p.Why = loadstat.Unsteady{Code: loadstat.UnsteadyRamp}
	return p
}

// present is the point of a ramp over the latest intervals, one slice at most.
func (w *window) present(at phase) loadstat.Point {
	to := min(max(w.timeline.index(at.now-metrics.Stamp(settled)), w.ramp.first), w.ramp.last)
	from := max(w.timeline.index(w.origin), to-w.ramp.long)
	p := w.slice(at, from, to)
	w.forget(min(p.From, w.timeline.start(w.ramp.first)))
	return p
}
