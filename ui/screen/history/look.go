package history

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics/history"
	"tokscope/ui/sanitize"
	"tokscope/ui/screen"
)

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

// answered takes an answer.
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

// setFilter asks for what matches text.
func (s *Screen) setFilter(text string) tea.Cmd {
	if text == s.ask.filter {
		return nil
	}
	s.ask.filter, s.ask.series, s.ask.change, s.moved = text, nil, time.Time{}, false
	s.view.Selected, s.view.Top = 0, 0
	return s.load()
}
