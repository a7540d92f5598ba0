package history

import (
	"context"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics/history"
)

// choose makes run i of all that match the chosen one. The chart follows to its
// series.
func (s *looker) choose(i int) tea.Cmd {
	v := &s.view
	i = min(max(i, 0), max(v.Matching-1, 0))
	if i == v.Selected && s.moved {
		return nil
	}
	v.Selected, s.moved = i, true
	s.host.Changed()
	v.scroll(s.pic.canvas.visible)
	return tea.Batch(s.point(), s.more())
}

// point puts the cursor of the chart on the chosen run. Another series is asked
// for a moment later, once the person has chosen a run.
func (s *looker) point() tea.Cmd {
	v := &s.view
	v.Cursor = time.Time{}
	e := v.row(v.Selected)
	if e == nil || v.Shown == nil {
		return nil
	}
	if e.Series == v.Shown.Series {
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
func (s *looker) settled(m settledMsg) tea.Cmd {
	e := s.view.row(s.view.Selected)
	if m.moves != s.moves || e == nil {
		return nil
	}
	series := e.Series
	s.ask.series, s.ask.change = &series, time.Time{}
	return s.load()
}

// more asks for rows when the visible ones come near the end of the loaded ones.
func (s *looker) more() tea.Cmd {
	v := &s.view
	rows := s.pic.canvas.visible
	if s.rows || v.Matching == 0 {
		return nil
	}
	above := v.First == 0 || v.Top-v.First >= rowsNear
	below := v.First+len(v.Rows) >= v.Matching || v.First+len(v.Rows)-(v.Top+rows) >= rowsNear
	if above && below {
		return nil
	}
	s.rows = true
	first := max(v.Top-rowsAhead/2, 0)
	q := history.Query{Filter: s.ask.filter, Offset: first, Limit: rowsAhead + rows}
	back := s.back
	return command(func(ctx context.Context) tea.Msg {
		view, err := back.HistoryView(ctx, q)
		return rowsMsg{q.Filter, first, view, err}
	})
}

// rowsCame takes rows, and asks again where the person is elsewhere by now.
func (s *looker) rowsCame(m *rowsMsg) tea.Cmd {
	s.rows = false
	if m.err != nil {
		return s.host.Complain(m.err)
	}
	v := &s.view
	if m.filter != s.ask.filter || m.filter != v.Filter {
		return nil
	}
	v.Rows, v.First, v.Matching = m.view.Entries, m.first, m.view.Matching
	s.host.Changed()
	return tea.Batch(s.point(), s.more())
}

func (s *looker) page() int { return max(s.pic.canvas.visible-1, 1) }

// nextFigure shows the next figure that the series has.
func (s *looker) nextFigure() tea.Cmd {
	v := &s.view
	at := slices.Index(figures, v.Figure)
	for i := 1; i < len(figures); i++ {
		if f := figures[(at+i)%len(figures)]; v.has(f) {
			v.Figure, s.ask.figure = f, f
			return s.load() // the sparklines
		}
	}
	return nil
}

func (s *looker) scale() { s.view.Linear = !s.view.Linear }

// zoom shows the next longer time, after the longest the shortest.
func (s *looker) zoom() tea.Cmd {
	s.ask.span = s.view.Span + 1
	if s.ask.span >= spans {
		s.ask.span = TenMinutes
	}
	return s.load()
}

// changes returns the change points of the shown series that a sentence may be
// about, ascending, those of one moment once: the large ones, if there are any.
func (s *looker) changes() []time.Time {
	var at, large []time.Time
	if s.view.Shown == nil {
		return nil
	}
	for i := range s.view.Shown.Changes {
		c := &s.view.Shown.Changes[i]
		if !main(c.Figure) {
			continue
		}
		if len(at) == 0 || c.At.After(at[len(at)-1]) {
			at = append(at, c.At)
		}
		if (c.Ratio >= newsFrom || c.Ratio <= 1/newsFrom) && (len(large) == 0 || c.At.After(large[len(large)-1])) {
			large = append(large, c.At)
		}
	}
	if len(large) > 0 {
		return large
	}
	return at
}

// step goes to the change point so many further, newer ones for positive by.
// Beyond the last comes the baseline, if one is set, then the first again.
func (s *looker) step(by int) tea.Cmd {
	all := s.changes()
	if len(all) == 0 {
		return nil
	}
	now := len(all) // none is chosen
	if !s.ask.change.IsZero() {
		now = max(slices.IndexFunc(all, s.ask.change.Equal), 0)
	}
	places := len(all)
	series := s.view.Shown.Series
	s.ask.series = &series
	if s.view.Shown.Baseline != nil { // it is one of the places
		places++
	}
	next := now + by
	if now == len(all) && by > 0 {
		next = 0
	}
	next = (next + places) % places
	if next == len(all) {
		s.ask.change = time.Time{}
		return s.load()
	}
	s.ask.change = all[next]
	if all[next].Before(s.view.From) {
		s.ask.span = All
	}
	return tea.Batch(s.load(), s.seek(all[next], &series))
}

// seek chooses the first run of a series from a moment on. It asks the store how
// many are newer.
func (s *looker) seek(t time.Time, series *history.Series) tea.Cmd {
	if !s.view.Order.Time() || !s.view.Order.Descending {
		return nil // the runs are not in the order of time
	}
	q := history.Query{Filter: s.ask.filter, From: t, Limit: 1}
	back := s.back
	return command(func(ctx context.Context) tea.Msg {
		first, err := back.HistoryView(ctx, history.Query{Filter: q.Filter, Series: series, From: t, Limit: 1, Sort: "at"})
		if err != nil || len(first.Entries) == 0 {
			return seekMsg{err: err}
		}
		q.From = first.Entries[0].At
		view, err := back.HistoryView(ctx, q)
		return seekMsg{view.Matching - 1, err}
	})
}

// sortBy sorts by a field, and the other way round the second time.
func (s *looker) sortBy(field string) tea.Cmd {
	if field == "" {
		return nil
	}
	o := s.view.Order
	text := "sort:-" + field
	if o.Field == field && o.Descending {
		text = "sort:" + field
	}
	if o.Field != field && (field == "endpoint" || field == "model" || field == "workload") {
		text = "sort:" + field
	}
	return s.setFilter(withSort(s.ask.filter, text))
}

// withSort replaces the order in a filter.
func withSort(filter, order string) string {
	words := slices.DeleteFunc(strings.Fields(filter), func(w string) bool { return len(w) > 5 && w[:5] == "sort:" })
	if order == "sort:-at" {
		order = ""
	}
	if order != "" {
		words = append(words, order)
	}
	return strings.Join(words, " ")
}
