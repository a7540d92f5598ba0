package watchstat

import (
	"cmp"
	"slices"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/history"
	"tokscope/metrics/pick"
)

// Defaults of a Plan.
const (
	DefaultEvery = 30 * time.Second
	DefaultLearn = 20
	// DefaultBetween and leastRounds are the wanted interval between false alarms:
	// a week, or so many rounds of probes where a week has fewer.
	DefaultBetween = 7 * 24 * time.Hour
	leastRounds    = 500
	// betweenSuspicions is the same of suspicions that are none.
	betweenSuspicions = 8 * 24 * time.Hour
)

// Plan is how a target is watched.
type Plan struct {
	Every time.Duration // between two probes of the target, above 0
	// Learn is how many good probes make the baseline when none is given; 0 is
	// DefaultLearn.
	Learn int
	// Targets are watched together, 1 or more: their false alarms add up.
	Targets int
	// Between is the wanted interval between false alarms of all targets; 0 is
	// DefaultBetween.
	Between time.Duration
	// Location has the clocks by which an hour is the same on other days; nil is
	// that of this machine.
	Location *time.Location
}

// rounds returns the wanted interval in probes of each target, by default that one.
func (p *Plan) rounds(byDefault time.Duration) float64 {
	return float64(cmp.Or(p.Between, max(byDefault, leastRounds*p.Every))) / float64(p.Every)
}

// earlyRounds is rounds of suspicions that are none: so many as betweenSuspicions has at
// the default interval, or fewer where its own has fewer.
func (p *Plan) earlyRounds() float64 {
	return min(float64(betweenSuspicions/DefaultEvery), p.rounds(betweenSuspicions))
}

// State is the state of a target.
type State uint8

// The states.
const (
	Learning State = iota // the baseline has too few probes
	Usual
	Suspected // slower, but not certain yet
	Daily     // slower, as on other days at this time
	Changed   // an incident
)

// String returns the state's name in JSON.
func (s State) String() string {
	return [...]string{"learning", "usual", "suspected", "daily", "changed"}[s]
}

// Event is what a probe changed. Each comes once, at the edge. Its values are those of the
// JSON.
type Event string

// The events.
const (
	NoEvent  Event = ""
	Learned  Event = "learned"       // the baseline is complete
	Began    Event = "changed"       // an incident
	Worse    Event = "worse"         // failures joined it
	Recurs   Event = "daily"         // a rise that other days had at this time: no incident
	Ended    Event = "over"          // an incident, or such a rise, is over
	Suspects Event = "suspected"     // a figure is slower, and not certainly
	Dropped  Event = "not_confirmed" // it was nothing: a suspicion is over
)

// Watch watches one target. It is not safe for concurrent use.
type Watch struct {
	plan    Plan
	v       View // without what View fills in: Good, Needs, N, Between, Rows and Change
	series  [Figures]series
	learned []history.Entry
	change  *incident
	suspect *incident       // nil unless the state is Suspected
	judge   *Judge          // nil without conditions
	newest  []history.Entry // the last recentProbes, without their figures
}

// incident is a change or a suspicion, and its Change without what View adds.
type incident struct {
	Change
	probe   int // the first of the change
	byProbe int // the one that found it
	dated   Figure
	failing bool
	figures [Figures]bool
}

// span is the time of the change, after the probe that found it.
func (c *incident) span() span { return span{since: c.Since, until: c.Ended, after: c.byProbe} }

// New returns a watch that learns its baseline.
func New(p Plan) *Watch {
	if p.Learn == 0 {
		p.Learn = DefaultLearn
	}
	return &Watch{plan: p, v: View{Series: Figures * max(p.Targets, 1)}}
}

// Remember adds entries from before the watch, ascending in time, to what the same
// hour is compared with. It comes before the first Add.
func (w *Watch) Remember(entries []history.Entry) {
	for i := range entries {
		w.remember(&entries[i])
	}
}

// Baseline sets the baseline to entries of the same series, ascending in time. It
// reports whether they are enough to watch a figure; if not, the watch learns.
func (w *Watch) Baseline(name string, entries []history.Entry) bool {
	if w.adopt(entries) {
		w.v.Baseline = name
		return true
	}
	return false
}

// Add adds an ended probe. Probes come in the order of time.
func (w *Watch) Add(e history.Entry) Event {
	w.v.Probes++
	w.v.Last = e
	if e.Failed > 0 {
		w.v.Failed++
	}
	defer w.remember(&e)
	if len(w.newest) == recentProbes {
		w.newest = w.newest[1:]
	}
	w.newest = append(w.newest, history.Entry{Failed: e.Failed, Fault: e.Fault, Status: e.Status})
	if e.Suspect {
		w.v.Suspect++
		return NoEvent
	}
	if w.v.State == Learning {
		w.learned = append(w.learned, e)
		if good(w.learned) >= w.plan.Learn && w.adopt(w.learned) {
			w.learned = nil
			return Learned
		}
		return NoEvent
	}
	event := w.follow(&e)
	if w.judge != nil {
		w.judge.add(&e, event, w.v.State)
	}
	return event
}

// good returns how many entries did not fail.
func good(entries []history.Entry) int {
	return pick.Count(entries, func(e *history.Entry) bool { return e.Failed == 0 && !e.Suspect })
}

// adopt makes entries the baseline.
func (w *Watch) adopt(entries []history.Entry) bool {
	var values [Figures][]value
	failed, n := 0, 0
	for i := range entries {
		e := &entries[i]
		if e.Suspect {
			continue
		}
		n++
		probe := i - len(entries) + 1 + w.v.Probes
		for f, v := range ValuesOf(e) {
			if v.OK {
				values[f] = append(values[f], value{v.V, e.At, probe})
			}
		}
		fails := min(e.Failed, 1)
		failed += fails
		values[Failures] = append(values[Failures], value{float64(fails), e.At, probe})
	}
	if good(entries) < MinValues {
		return false
	}
	any := false
	rounds := w.plan.rounds(DefaultBetween)
	for f := range Figure(Figures) {
		s := &w.series[f]
		s.learn(values[f])
		if f == Failures {
			if d, ok := FailureDesignOf(n, failed, w.plan.Targets, rounds); ok {
				s.watch(d, s.base)
				s.limit = 0.5
			}
			continue
		}
		if d, ok := DesignOf(len(values[f]), w.plan.Targets, rounds); ok {
			s.watch(d, s.base)
			w.foresee(s)
			any = true
		}
	}
	if any && w.judge != nil {
		for i := range entries {
			if e := &entries[i]; e.Failed == 0 && !e.Suspect {
				w.judge.base = append(w.judge.base, e.Figures)
			}
		}
	}
	if any {
		w.v.State, w.v.From, w.v.To = Usual, entries[0].At, entries[len(entries)-1].At
		w.series[Failures].redesign = 2 * n
	}
	return any
}

// follow watches the probe e against the baseline.
func (w *Watch) follow(e *history.Entry) Event {
	raised, sawUsual := false, false
	add := func(f Figure, v float64) {
		s := &w.series[f]
		changed, usual := s.add(value{v, e.At, w.v.Probes})
		if s.early.watched && s.grow(&s.early, v, w.v.State == Usual) {
			w.foresee(s)
		}
		raised, sawUsual = raised || changed, sawUsual || usual
		if changed && w.change != nil && w.change.Ended.IsZero() {
			w.change.figures[f] = true
		}
	}
	fails := float64(min(e.Failed, 1))
	add(Failures, fails)
	w.growFailures(fails)
	for f, v := range ValuesOf(e) {
		if v.OK {
			add(Figure(f), v.V)
		}
	}
	lasting := w.v.State == Changed || w.v.State == Daily
	switch {
	case !lasting && raised:
		return w.begin(e)
	case lasting && w.v.State == Changed && w.series[Failures].raised && !w.change.failing:
		w.change.failing = true
		return Worse
	case lasting && sawUsual && !slices.ContainsFunc(w.series[:], func(s series) bool { return s.raised }):
		return w.end()
	case !lasting:
		return w.suspicion(e)
	case w.v.State == Daily:
		// It may outlast, or outgrow, what other days had.
		if w.compareDays(w.change, e, e.At.Add(-clearAt*w.plan.Every), 0.5); !w.change.Days.Usual() {
			w.v.State, w.change.Found, w.change.byProbe = Changed, e.At, w.v.Probes
			return Began
		}
	}
	return NoEvent
}

// mostKnown is how many probes make the design of failures at most.
const mostKnown = 4096

// growFailures counts a probe that the failures have followed. What is known of them grows
// with every usual probe, so that a run of failures is found sooner: a few good probes say
// little about how rare failures are.
func (w *Watch) growFailures(fails float64) {
	s := &w.series[Failures]
	usual := w.v.State == Usual || w.v.State == Suspected
	if !s.watched || s.redesign > mostKnown || !s.grow(&s.detector, fails, usual) {
		return
	}
	s.redesign *= 2
	failed := pick.Count(s.usual, func(v *float64) bool { return *v > 0 })
	if d, ok := FailureDesignOf(len(s.usual), failed, w.plan.Targets, w.plan.rounds(DefaultBetween)); ok {
		s.design, s.cusum = d, d.Cusum()
	}
}

// mostUsual is how many of the newest usual values of a figure say when it is suspected.
const mostUsual = 512

// foresee makes the design of suspicions of s anew, of all that is known to be usual.
func (w *Watch) foresee(s *series) {
	base := slices.Sorted(slices.Values(s.usual))
	if d, ok := earlyDesign(designs(len(base), w.plan.Targets, w.plan.earlyRounds()), base); ok {
		s.early.watch(d, base)
	}
	if len(s.usual) >= mostUsual {
		s.usual = slices.Clone(s.usual[mostUsual/2:])
	}
	s.redesign = min(2*len(s.usual), mostUsual)
}

// compareDays compares the change with the same time of other days, from its
// beginning or from a later moment on. of is the quantile of its times that those days
// must have had nearly: below the middle where they are few.
func (w *Watch) compareDays(c *incident, e *history.Entry, from time.Time, of float64) {
	if c.Since.After(from) {
		from = c.Since
	}
	// At or below the limit it is about to be over.
	s := &w.series[c.dated]
	values := s.in(span{since: from})
	if now, ok := levelOf(c.dated, values, 0.5); ok && now > s.limit {
		now, _ = levelOf(c.dated, values, of)
		from = from.In(cmp.Or(w.plan.Location, time.Local))
		c.Days = days(w.v.Past, c.dated, s.limit, now, from, e.At, w.plan.Every)
	}
}

// begin begins an incident that the probe e found.
func (w *Watch) begin(e *history.Entry) Event {
	w.change, w.suspect = w.found(e, func(s *series) *detector { return &s.detector }), nil
	w.change.failing = w.series[Failures].raised
	if w.compareDays(w.change, e, w.change.Since, 0.5); w.change.Days.Usual() {
		w.v.State = Daily
		return Recurs
	}
	w.v.State = Changed
	return Began
}

// found returns what the raised detectors have found by the probe e. The figure in which
// it is sharpest dates it.
func (w *Watch) found(e *history.Entry, of func(*series) *detector) *incident {
	c := &incident{Change: Change{Found: e.At}, byProbe: w.v.Probes}
	sharpest := -1.0
	for f := range Figure(Figures) {
		s := &w.series[f]
		if !of(s).raised {
			continue
		}
		c.figures[f] = true
		if v, sharp := s.began(of(s)); sharp > sharpest {
			sharpest, c.Since, c.probe, c.dated = sharp, v.at, v.probe, f
		}
	}
	return c
}

// suspicion begins and ends what is not certain yet. What other days had at this time is
// no suspicion.
func (w *Watch) suspicion(e *history.Entry) Event {
	raised := slices.ContainsFunc(w.series[:], func(s series) bool { return s.early.raised })
	switch {
	case raised && w.suspect == nil:
		c := w.found(e, func(s *series) *detector { return &s.early })
		// It may be dated to before the rise: of so few, some more would be most.
		if w.compareDays(c, e, e.At.Add(-2*w.plan.Every), 0.25); !c.Days.Usual() {
			w.suspect, w.v.State = c, Suspected
			return Suspects
		}
	case w.suspect != nil && !raised:
		w.suspect, w.v.State = nil, Usual
		return Dropped
	}
	return NoEvent
}

// end ends the incident at the first probe of the recovery that came last.
func (w *Watch) end() Event {
	for f := range w.series {
		if s := &w.series[f]; w.change.figures[f] && s.cleared.at.After(w.change.Ended) {
			w.change.Ended = s.cleared.at
		}
	}
	for f := range w.change.Rows {
		w.change.Rows[f] = w.row(Figure(f), w.change.span())
		w.change.Rows[f].Changed = w.change.figures[f]
		w.series[f].reset()
		w.series[f].early.reset()
	}
	w.v.State = Usual
	return Ended
}

// remember keeps e for the same hour of later days.
func (w *Watch) remember(e *history.Entry) {
	if e.Suspect {
		return
	}
	p := Point{At: e.At, Failed: e.Failed > 0}
	for f, v := range ValuesOf(e) {
		if v.OK {
			p.Values[f] = float32(v.V)
		}
	}
	if len(w.v.Past) >= 2*pastKept {
		w.v.Past = slices.Clone(w.v.Past[pastKept:])
	}
	w.v.Past = append(w.v.Past, p)
}

// Typicals are the figures of which a program has the medians.
var Typicals = []Figure{TTFT, TPOT, Total}

// Typical returns the medians of Typicals over the probes of the 72 h before at. N are
// probes.
func (w *Watch) Typical(at time.Time) (out [Timed]metrics.Value) {
	for _, f := range Typicals {
		var m metrics.Middle
		for i := len(w.v.Past) - 1; i >= 0 && w.v.Past[i].At.After(at.Add(-72*time.Hour)); i-- {
			if v := w.v.Past[i].Values[f]; v > 0 {
				m.Add(metrics.Known(float64(v), 1))
			}
		}
		out[f] = m.Median(metrics.WhyNoChunk)
	}
	return out
}
