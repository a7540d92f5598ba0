package history

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics/history"
	"tokscope/ui/format"
	"tokscope/ui/screen"
	"tokscope/ui/screen/listing"
)

// choose makes run i of all that match the chosen one. The chart follows to its
// series.
func (s *Screen) choose(i int) tea.Cmd {
	v := &s.view
	i = min(max(i, 0), max(v.rows.Matching-1, 0))
	if i == v.Selected && s.moved {
		return nil
	}
	v.Selected, s.moved = i, true
	s.host.Changed()
	v.scroll(s.pic.visible)
	return tea.Batch(s.point(), s.more())
}

// point puts the cursor of the chart on the chosen run. Another series is asked
// for a moment later, once the person has chosen a run.
func (s *Screen) point() tea.Cmd {
	v := &s.view
	v.Cursor = time.Time{}
	e := v.row(v.Selected)
	if e == nil || v.shown == nil {
		return nil
	}
	if e.Series == v.shown.Series {
		v.Cursor = e.At
		return nil
	}
	if !s.moved || s.ask.series != nil && *s.ask.series == e.Series {
		return nil
	}
	s.moves++
	n := s.moves
	return tea.Tick(settles, func(time.Time) tea.Msg { return settledMsg{n} })
}

// settles is how long a choice stands before the chart follows to its series, so
// that scrolling asks for rows alone.
const settles = 120 * time.Millisecond

// settled lets the chart follow to the series of the chosen run, unless the person
// has moved on.
func (s *Screen) settled(m settledMsg) tea.Cmd {
	e := s.view.row(s.view.Selected)
	if m.moves != s.moves || e == nil {
		return nil
	}
	series := e.Series
	s.ask.series, s.ask.change = &series, time.Time{}
	return s.load()
}

// more asks for rows when the visible ones come near the end of the loaded ones.
func (s *Screen) more() tea.Cmd {
	v := &s.view
	rows := s.pic.visible
	if s.rows || v.rows.Matching == 0 {
		return nil
	}
	above := v.offset == 0 || v.Top-v.offset >= rowsNear
	below := v.offset+len(v.rows.Entries) >= v.rows.Matching || v.offset+len(v.rows.Entries)-(v.Top+rows) >= rowsNear
	if above && below {
		return nil
	}
	s.rows = true
	q := history.Query{Filter: s.ask.filter, Offset: max(v.Top-rowsAhead/2, 0), Limit: rowsAhead + rows}
	return command(func(ctx context.Context) screen.Reply {
		view, err := s.back.HistoryView(ctx, q)
		return func() tea.Cmd { return s.rowsCame(&q, &view, err) }
	})
}

// rowsCame takes rows, and asks again where the person is elsewhere by now.
func (s *Screen) rowsCame(q *history.Query, rows *history.View, err error) tea.Cmd {
	s.rows = false
	if err != nil {
		return s.host.Complain(err)
	}
	v := &s.view
	if q.Filter != s.ask.filter || q.Filter != v.filter {
		return nil
	}
	v.rows.Entries, v.offset, v.rows.Matching = rows.Entries, q.Offset, rows.Matching
	s.host.Changed()
	return tea.Batch(s.point(), s.more())
}

func (s *Screen) page() int { return max(s.pic.visible-1, 1) }

// nextFigure shows the next figure that the series has.
func (s *Screen) nextFigure() {
	v := &s.view
	at := slices.Index(figures, v.Figure)
	for i := 1; i < len(figures); i++ {
		if f := figures[(at+i)%len(figures)]; v.has(f) {
			v.Figure = f
			return
		}
	}
}

// zoom shows the next longer time, after the longest the shortest.
func (s *Screen) zoom() tea.Cmd {
	next := s.view.length + 1
	s.ask.span = format.Either(next < spans, next, TenMinutes)
	return s.load()
}

// place is where n goes: a change point, or the first of failures that are near each other.
type place struct {
	at     time.Time
	failed bool
}

// placesShown is the part of the chart within which failures are one place.
const placesShown = 24

// places returns those of the shown series, ascending: of the change points that a sentence
// may be about the large ones, if there are any.
func (s *Screen) places() (all []place) {
	if s.view.shown == nil {
		return nil
	}
	large := func(c history.Change) bool { return main(c.Figure) && c.Large(newsFrom) }
	some := slices.ContainsFunc(s.view.shown.Changes, large)
	for _, c := range s.view.shown.Changes {
		if at := (place{at: c.At}); (large(c) || !some && main(c.Figure)) && !slices.Contains(all, at) {
			all = append(all, at)
		}
	}
	var last time.Time
	near := s.view.to.Sub(s.view.from) / placesShown
	for i := range s.view.shown.Slots {
		slot := &s.view.shown.Slots[i]
		if slot.Failed == 0 {
			continue
		}
		if slot.From.Sub(last) > near {
			all = append(all, place{slot.From, true})
		}
		last = slot.From
	}
	slices.SortStableFunc(all, func(a, b place) int { return a.at.Compare(b.at) })
	return all
}

// step goes to the place so many further, newer ones for positive by. Beyond the last
// comes the baseline, if one is set, then the first again.
func (s *Screen) step(by int) tea.Cmd {
	all := s.places()
	if len(all) == 0 {
		return nil
	}
	places, now := len(all), slices.Index(all, s.place)
	series := s.view.shown.Series
	s.ask.series = &series
	if s.view.shown.Baseline != nil { // it is one of the places
		places++
	}
	next := now + by
	if now < 0 { // none is chosen
		next = format.Either(by > 0, 0, len(all)-1)
	}
	next = (next + places) % places
	if next == len(all) {
		s.place, s.ask.change = place{}, time.Time{}
		return s.load()
	}
	s.place = all[next]
	if s.place.at.Before(s.view.from) {
		s.ask.span = All
	}
	if s.place.failed {
		return s.seek(s.place.at, &series, " failed>0")
	}
	s.ask.change = s.place.at
	return tea.Batch(s.load(), s.seek(s.place.at, &series, ""))
}

// seek chooses the first run of a series from a moment on that has terms besides those of
// the filter. It asks the store how many are newer.
func (s *Screen) seek(t time.Time, series *history.Series, terms string) tea.Cmd {
	if !s.view.order.Time() || !s.view.order.Descending {
		return nil // the runs are not in the order of time
	}
	q := history.Query{Filter: s.ask.filter, From: t, Limit: 1}
	return command(func(ctx context.Context) screen.Reply {
		first := history.Query{Filter: q.Filter + terms, Series: series, From: t, Limit: 1, Sort: "at"}
		view, err := s.back.HistoryView(ctx, first)
		if err == nil && len(view.Entries) > 0 {
			q.From = view.Entries[0].At
			view, err = s.back.HistoryView(ctx, q)
		} else {
			view.Matching = 1
		}
		return func() tea.Cmd {
			if err != nil {
				return s.host.Complain(err)
			}
			return s.choose(view.Matching - 1)
		}
	})
}

// sortBy sorts by a field, names upward, and the other way round the second time.
func (s *Screen) sortBy(field string) tea.Cmd {
	o, up := s.view.order, field == "endpoint" || field == "model" || field == "workload"
	if o.Field == field {
		up = o.Descending
	}
	return s.orderBy(listing.OrderBy(field, up))
}

// orderBy sorts by that term of a filter. The newest come first without one.
func (s *Screen) orderBy(order string) tea.Cmd {
	if order == "sort:-at" {
		order = ""
	}
	return s.setFilter(listing.WithOrder(s.ask.filter, order))
}
