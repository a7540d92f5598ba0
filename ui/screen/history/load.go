package history

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/metrics/history"
	"tokscope/metrics/pick"
	"tokscope/metrics/watchstat"
	"tokscope/ui/draw"
	"tokscope/ui/sanitize"
	"tokscope/ui/say"
	"tokscope/ui/screen"
)

// question is what the screen wants to know.
type question struct {
	filter   string
	offset   int              // of the rows
	series   *history.Series  // of the chart; nil chooses the most important
	endpoint metrics.Endpoint // of the other screens
	span     Span
	change   time.Time // the chosen change point; zero is the newest, or the baseline
}

// answer is what the store knows.
type answer struct {
	question
	err     error
	now     time.Time
	version uint64

	rows     history.View // entries from offset on, and all series with their changes
	order    history.Order
	shown    *history.SeriesView // of the chart, nil before any
	from, to time.Time           // of the chart
	length   Span                // that was chosen
	fits     bool                // from and to are those of the runs, or of the filter
	at       int                 // of shown.Changes: the one the phases are about, -1 for none
	finding  say.HistoryFinding
	differ   several
}

// Bounds of one look.
const (
	sampleMost = 5000               // requests of each side of a comparison
	recent     = 7 * 24 * time.Hour // a change older than this is what is usual
	judgeSlots = 20                 // slots below which no change can be found
)

// ask asks the store. It runs in a command.
func ask(ctx context.Context, b Backend, q question) (a answer) {
	a = answer{question: q, now: time.Now().UTC(), at: -1}
	a.version = b.HistoryVersion(ctx)
	filter, err := history.ParseFilter(q.filter, a.now)
	if err != nil {
		a.err = err
		return a
	}
	if a.order = filter.Order; a.order == (history.Order{}) {
		a.order = history.Newest
	}
	store := func(q history.Query) (history.View, error) { return b.HistoryView(ctx, q) }
	a.rows, a.err = store(history.Query{Filter: q.filter, Offset: q.offset, Limit: rowsAhead})
	if a.err != nil || len(a.rows.Series) == 0 {
		return a
	}
	a.differ = differences(a.rows.Series)
	named := func(s *history.SeriesView) bool { return q.series != nil && s.Series == *q.series }
	atHand := func(s *history.SeriesView) bool { return s.Series.Of(&q.endpoint) } // the one measured last
	chosen := cmp.Or(pick.First(a.rows.Series, named), pick.First(a.rows.Series, atHand), important(a.rows.Series, a.now))
	a.place(chosen, &filter)
	trend, err := store(history.Query{Filter: q.filter, From: a.from, To: a.to, Limit: 1})
	if err != nil {
		a.err = err
		return a
	}
	shown := *chosen
	shown.Slots, shown.N, shown.Failed = nil, 0, 0
	same := func(s *history.SeriesView) bool { return s.Series == shown.Series }
	if s := pick.First(trend.Series, same); s != nil {
		shown.Slots, shown.N, shown.Failed = s.Slots, s.N, s.Failed
		a.fit(s.First, s.Last)
	}
	a.shown = &shown
	if a.err = a.look(store); a.err != nil {
		return a
	}
	a.err = a.find(store, trend.Series)
	return a
}

// fit narrows an automatic window to what was measured in it, from first to last: of a minute
// of runs an axis of a day shows a point. It ends now, unless the runs are long ago.
func (a *answer) fit(first, last time.Time) {
	if a.span != Auto {
		return
	}
	took := last.Sub(first)
	margin := max(took/marginParts, time.Second)
	if from := first.Add(-margin); from.After(a.from) {
		a.from, a.fits = from, true
	}
	if a.to.Sub(last) > max(took, time.Minute) {
		a.to, a.fits = last.Add(margin), true
	}
}

// marginParts is the part of a window that fits its runs that stays empty at an end.
const marginParts = 40

// place chooses the time of the chart.
func (a *answer) place(s *history.SeriesView, f *history.Filter) {
	a.to = a.now
	if !f.To.IsZero() && f.To.Before(a.to) {
		a.to, a.fits = f.To, true
	}
	a.length = cmp.Or(a.span, fitting(s, a.to)) // Auto is none
	switch d := a.length.Duration(); {
	case !f.From.IsZero():
		a.from, a.fits = f.From, true
	case d > 0:
		a.from = a.to.Add(-d)
	default:
		a.from = s.First
		if b := s.Baseline; b != nil && b.From.Before(a.from) {
			a.from = b.From
		}
	}
	if least := a.to.Add(-time.Minute); a.from.After(least) {
		a.from = least
	}
}

// fitting returns the shortest span of a day or more that holds the latest change and a good
// part of what there is.
func fitting(s *history.SeriesView, now time.Time) Span {
	need := now.Sub(s.Last)
	if i := latest(s, now); i >= 0 {
		need = max(need, now.Sub(s.Changes[i].At)*4/3)
	}
	switch {
	case need <= 20*time.Hour:
		return Day
	case need <= 7*24*time.Hour:
		return Week
	case need <= 30*24*time.Hour:
		return Month
	}
	return All
}

// main reports whether a change of that figure is worth a sentence: the others
// follow from these.
func main(f history.Figure) bool {
	return f == history.TTFT || f == history.TPOT || f == history.Total || f == history.Throughput
}

// newsFrom is the ratio from which a change is worth a sentence. Many endpoints
// are some percent slower by day; such changes are in the chart.
const newsFrom = 1.15

// latest returns the index of the newest change that is worth a sentence, -1 without
// one. Of those of one moment it is that of the figure that matters most.
func latest(s *history.SeriesView, now time.Time) int {
	found := -1
	for i := len(s.Changes) - 1; i >= 0; i-- {
		c := &s.Changes[i]
		switch {
		case !main(c.Figure) || now.Sub(c.At) >= recent || !c.Large(newsFrom):
		case found < 0:
			found = i
		case s.Changes[found].At.Sub(c.At) > oneChange:
			return found
		case order(c.Figure) < order(s.Changes[found].Figure):
			found = i
		}
	}
	return found
}

// oneChange is the time within which changes of several figures are one.
const oneChange = 30 * time.Minute

// order is the place of a figure among those that matter.
func order(f history.Figure) int { return slices.Index(figures, f) }

// look sees how the newest requests of the shown series are to those before them, and
// draws few requests each at its own moment.
func (a *answer) look(store Store) error {
	s := a.shown
	v, now, err := lately(store, &s.Series, a.to)
	if err != nil || len(v.Entries) == 0 {
		return err
	}
	a.finding.Lately = &now
	s.Changes = now.WithChange(s.Changes)
	if first, all := v.Entries[0].At, v.Matching == len(v.Entries); all || first.Before(a.from) {
		inside := slices.DeleteFunc(v.Entries, func(e history.Entry) bool { return e.At.Before(a.from) })
		s.Slots = history.Slots(func(yield func(*history.Entry) bool) {
			for i := 0; i < len(inside) && yield(&inside[i]); i++ {
			}
		}, a.to.Sub(a.from)/chartColumns)
	}
	return nil
}

// chartColumns is the number of slots of a chart of few requests.
const chartColumns = 400

// lately returns the newest requests of a series before a moment, ascending, and how they are
// to those before them.
func lately(store Store, s *history.Series, to time.Time) (history.View, watchstat.View, error) {
	v, err := store(history.Query{Series: s, To: to.Add(time.Nanosecond), Limit: watchstat.LatelyMost})
	slices.Reverse(v.Entries)
	return v, watchstat.Lately(v.Entries), err
}

// important returns the series with the largest recent change, else the one that
// was measured last. Of changes that are equal it takes the first.
func important(all []history.SeriesView, now time.Time) *history.SeriesView {
	best, largest := &all[0], 0.0
	for _, s := range pick.All(all) {
		size := 0.0
		if i := latest(s, now); i >= 0 && s.Changes[i].Ratio > 0 {
			size = math.Abs(math.Log(s.Changes[i].Ratio))
		}
		if size > largest {
			best, largest = s, size
		}
	}
	return best
}

// differences says in what the series differ.
func differences(all []history.SeriesView) (d several) {
	a := &all[0].Series
	for i := range all {
		b := &all[i].Series
		d.endpoints = d.endpoints || a.Endpoint != b.Endpoint || a.URL != b.URL || a.API != b.API
		d.models = d.models || a.Model != b.Model
		d.workloads = d.workloads || a.Workload != b.Workload || a.Prompt != b.Prompt
		d.endpointW = max(d.endpointW, min(draw.Width(sanitize.Line(b.Endpoint, 20)), 20))
		d.modelW = max(d.modelW, min(draw.Width(sanitize.Line(b.Model, 24)), 24))
		d.workloadW = max(d.workloadW, min(draw.Width(sanitize.Line(b.Workload, 12)), 12))
		d.machines = d.machines || a.Machine != b.Machine
	}
	return d
}

// load asks the store about everything that is shown. While it is asked already,
// it asks once more afterwards.
func (s *Screen) load() tea.Cmd {
	if s.asked {
		s.again = true
		return nil
	}
	s.asked, s.again = true, false
	q := s.ask
	q.offset = max(s.view.Top-rowsAhead/3, 0)
	return command(func(ctx context.Context) screen.Reply {
		a := ask(ctx, s.back, q)
		return func() tea.Cmd { return s.answered(&a) }
	})
}

func (s *Screen) answered(a *answer) tea.Cmd {
	s.asked = false
	v := &s.view
	s.host.Changed()
	v.Loaded, v.Err, v.Busy = true, "", s.host.Busy()
	v.Version++
	s.known = a.version
	if a.err != nil {
		v.Err = sanitize.Line(a.err.Error(), 400)
	} else {
		s.accept(a)
	}
	if s.again {
		return s.load()
	}
	return tea.Batch(s.point(), s.more())
}

// accept puts an answer into the view. The chosen run stays chosen where newer ones
// have come.
func (s *Screen) accept(a *answer) {
	v := &s.view
	newer := a.rows.Matching - v.rows.Matching
	if s.moved && v.Selected > 0 && newer > 0 && v.filter == a.filter && a.order == history.Newest {
		v.Selected += newer
		v.Top += newer
	}
	v.answer = *a
	if !s.moved && v.shown != nil { // the newest run of the chart
		v.Selected, v.Top = 0, 0
		if v.offset == 0 {
			v.Selected = max(slices.IndexFunc(v.rows.Entries,
				func(e history.Entry) bool { return e.Series == v.shown.Series }), 0)
		}
	}
}

func (s *Screen) setFilter(text string) tea.Cmd {
	if text == s.ask.filter {
		return nil
	}
	s.ask.filter, s.ask.series, s.ask.change, s.moved = text, nil, time.Time{}, false
	s.view.Selected, s.view.Top = 0, 0
	return s.load()
}
