package history

import (
	"cmp"
	"slices"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/comparison"
	"tokscope/metrics/history"
	"tokscope/metrics/pick"
	"tokscope/metrics/watchstat"
	"tokscope/ui/format"
	"tokscope/ui/report"
	"tokscope/ui/say"
)

// Store answers what was measured.
type Store func(history.Query) (history.View, error)

// Lately says how the newest runs of each series are that a report has, see judge.
func Lately(store Store, v *history.View, now time.Time) (all []watchstat.View, err error) {
	for i := range v.Series[:min(len(v.Series), report.HistoryBlocks)] {
		one, err := judge(store, &v.Series[i], now)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

// judge says how the newest runs of a series are to those before them at a moment, as the
// screen does: what has changed is among the changes of s then, and the latest of them has
// the figures of the requests on its two sides.
func judge(store Store, s *history.SeriesView, now time.Time) (watchstat.View, error) {
	a := answer{now: now, to: now, at: -1, shown: s}
	_, v, err := lately(store, &s.Series, now)
	if err == nil {
		s.Changes = v.WithChange(s.Changes)
		err = a.compare(store)
	}
	return v, err
}

// find compares the shown series with its baseline or with the time before its
// change, and counts the others. all are the series of the time shown.
func (a *answer) find(store Store, all []history.SeriesView) error {
	s := a.shown
	f := &a.finding
	*f = say.HistoryFinding{Lately: f.Lately,
		Label: label(&s.Series, a.rows.Series), Now: a.now, Shown: a.length.Duration(),
		N: s.N, Failed: s.Failed,
	}
	if a.fits {
		f.From = a.from
		if a.to.Before(a.now) {
			f.To = a.to
		}
	}
	for g := range f.Usual {
		f.Usual[g] = history.Mix(pick.Each(s.Slots, func(x *history.Slot) history.Quantiles { return x.Figures[g] })...)
	}
	lately, judged := map[history.Series]bool{}, map[history.Series]bool{}
	for i := range all {
		lately[all[i].Series] = all[i].N > 0
		judged[all[i].Series] = len(all[i].Slots) >= judgeSlots
	}
	for i := range a.rows.Series { // with all changes they have
		switch o := &a.rows.Series[i]; {
		case o.Series == s.Series || !lately[o.Series]:
		case latest(o, a.now) >= 0:
			f.Changed++
		case judged[o.Series] && a.steady(store, &o.Series):
			f.Steady++
		}
	}
	if err := a.compare(store); err != nil || f.Result != nil {
		return err
	}
	f.Reference, a.at = say.Unreferenced, -1 // also of a baseline that is as new as the last request
	f.Result = a.alone(store)
	return nil
}

// compare compares what sides chooses, and gives the change that it is about those figures:
// the chart and the sentence have one number. Without two sides the result is nil.
func (a *answer) compare(store Store) error {
	before, now := a.sides()
	s, f := a.shown, &a.finding
	if f.Reference == say.Unreferenced {
		return nil
	}
	x, err := sample(store, &s.Series, before)
	if err != nil {
		return err
	}
	y, err := sample(store, &s.Series, now)
	if err != nil || len(y) == 0 {
		return err
	}
	r := comparison.Of(x, y)
	f.Result = &r
	if f.Reference == say.AgainstBefore {
		s.Changes = slices.Clone(s.Changes)
		if c, row := &s.Changes[a.at], r.Row(s.Changes[a.at].Figure); row != nil && row.Different() && !row.Zero {
			c.Before, c.After, c.Ratio, c.Low, c.High, c.NBefore, c.NAfter = row.A,
				row.B, row.Ratio, row.Low, row.High, row.NA, row.NB
		}
	}
	return nil
}

// steady reports whether the newest requests of another series are as usual. Of few
// requests, or of a series beyond the first, nothing is usual.
func (a *answer) steady(store Store, s *history.Series) bool {
	if a.finding.Steady >= mostSteady {
		return false
	}
	_, now, err := lately(store, s, a.to)
	return err == nil && now.State == watchstat.Usual && now.Recent.Failed == 0
}

// mostSteady bounds the series that are looked at beside the shown one.
const mostSteady = 12

// sides chooses what is compared: the time of the baseline with that since the
// change after it, or the two sides of a change.
func (a *answer) sides() (before, now [2]time.Time) {
	s, f := a.shown, &a.finding
	at := a.chosen()
	if base := s.Baseline; base != nil && (at < 0 || a.change.IsZero()) {
		f.Reference, f.Since = say.AgainstBaseline, base.To
		a.at = -1
		for i := range s.Changes {
			if c := &s.Changes[i]; main(c.Figure) && !c.At.Before(base.To) {
				f.Since, a.at = c.At, i
			}
		}
		if f.Since.Before(a.from) && a.at < 0 {
			f.Since = a.from
		}
		return [2]time.Time{base.From, base.To}, [2]time.Time{f.Since, a.to}
	}
	if at < 0 {
		return before, now
	}
	a.at = at
	f.Reference, f.Since = say.AgainstBefore, s.Changes[at].At
	before, now = [2]time.Time{s.First, f.Since}, [2]time.Time{f.Since, a.to}
	for i := range s.Changes { // its neighbors of the same figure
		switch c := &s.Changes[i]; {
		case c.Figure != s.Changes[at].Figure:
		case c.At.Before(f.Since):
			before[0] = c.At
		case c.At.After(f.Since) && c.At.Before(now[1]):
			now[1] = c.At
		}
	}
	return before, now
}

// chosen returns the change that the person chose, else the newest recent one; -1
// without one.
func (a *answer) chosen() int {
	s, best := a.shown, -1
	for i, c := range pick.All(s.Changes) {
		if c.At.Equal(a.change) && main(c.Figure) && (best < 0 || order(c.Figure) < order(s.Changes[best].Figure)) {
			best = i
		}
	}
	if best < 0 {
		return latest(s, a.now)
	}
	return best
}

// alone returns the figures of the time shown, compared with nothing.
func (a *answer) alone(store Store) *comparison.Result {
	x, err := sample(store, &a.shown.Series, [2]time.Time{a.from, a.to})
	if err != nil {
		return nil
	}
	r := comparison.Of(nil, x)
	for i := range r.Rows { // exact, where slots are mixed
		a.finding.Usual[r.Rows[i].Figure] = history.QuantilesOf(slices.Clone(r.Rows[i].ValuesB))
	}
	return &r
}

// sample returns the requests of a series in a span, the newest if there are too
// many.
func sample(store Store, s *history.Series, span [2]time.Time) ([]history.Entry, error) {
	v, err := store(history.Query{Series: s, From: span[0], To: span[1], Limit: sampleMost})
	for _, e := range pick.All(v.Entries) {
		if figures, ok := e.Measured(); ok { // also of one that was stopped after its first token
			e.State, e.Figures = metrics.Done, figures
		}
	}
	return v.Entries, err
}

// label names a series: its endpoint, and what tells it from others of the same
// name.
func label(s *history.Series, all []history.SeriesView) string {
	name := format.Name(cmp.Or(s.Endpoint, s.URL), 24)
	var model, work, cold bool
	for i := range all {
		o := &all[i].Series
		if o.Endpoint != s.Endpoint {
			continue
		}
		model = model || o.Model != s.Model
		work = work || o.Workload != s.Workload
		cold = cold || o.Cold != s.Cold
	}
	return format.Join(" ", name, format.If(model || name == "", format.Name(s.Model, 24)),
		format.If(work, format.Name(s.Workload, 16)), format.If(cold && s.Cold, "cold"))
}
