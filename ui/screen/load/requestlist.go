package load

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/metrics/request"
	"tokscope/ui/dialog"
	"tokscope/ui/format"
	"tokscope/ui/screen"
)

// lister carries out what a person does with the list of requests.
type lister struct {
	host screen.Host
	back Backend
	view *View
	pic  *picture

	lengthsAt metrics.Stamp // when View.Ended was taken
}

// shown reports whether the list fills the screen.
func (s *lister) shown() bool { return s.view.Max == RequestsPanel }

// sample takes the requests anew while the list is shown, four times a second
// while the load runs.
func (s *lister) sample(force bool) {
	l, list := &s.view.Load, &s.pic.requests
	if !s.shown() || !force && l.Running && l.Now >= list.at && l.Now-list.at < figuresEvery {
		return
	}
	list.update(s.back.LoadRequests(), l.Now)
}

// move moves the selection by rows: in the list, else among the lanes.
func (s *lister) move(by int) {
	if s.shown() {
		s.pic.requests.move(by)
		return
	}
	s.pic.lanes.MoveRow(s.view, by)
}

// page moves the selection by pages.
func (s *lister) page(by int) {
	if s.shown() {
		s.pic.requests.move(by * max(s.pic.requests.rows-1, 1))
		return
	}
	s.pic.lanes.MovePage(s.view, by)
}

// step moves the selection to another request or user.
func (s *lister) step(by int) {
	if s.shown() {
		s.pic.requests.move(by)
		return
	}
	s.pic.lanes.Move(s.view, by)
}

// edge moves it to the first or the last.
func (s *lister) edge(by int) {
	if s.shown() {
		s.pic.requests.move(by * request.Figures * 2)
		return
	}
	s.pic.lanes.Move(s.view, by*MaxUsers)
}

// ask shows the list and opens the line of its filter. What is typed is tried at
// once.
func (s *lister) ask() {
	list, max := &s.pic.requests, s.view.Max
	before := list.filter
	s.view.Max = RequestsPanel
	s.sample(true)
	s.host.Open(dialog.NewRequestFilter(before, s.suggestions()), func(a dialog.Act) tea.Cmd {
		switch a := a.(type) {
		case dialog.UseFilter:
			return s.setFilter(a.Text)
		case dialog.PreviewFilter:
			return s.setFilter(a.Text)
		case dialog.Closed:
			s.view.Max = max
			return s.setFilter(before)
		}
		return nil
	})
}

// setFilter filters the list.
func (s *lister) setFilter(text string) tea.Cmd {
	if err := s.pic.requests.setFilter(text); err != nil {
		return s.host.Complain(err)
	}
	s.host.Changed()
	return nil
}

// sortBy sorts by a field, and the other way round the second time.
func (s *lister) sortBy(field string) tea.Cmd {
	o := s.pic.requests.parsed.Order
	text := "sort:-" + field
	if o.Field == field && o.Descending {
		text = "sort:" + field
	}
	words := slices.DeleteFunc(strings.Fields(s.pic.requests.filter), func(w string) bool { return strings.HasPrefix(w, "sort:") })
	return s.setFilter(strings.Join(append(words, text), " "))
}

// leave removes the filter; false where there is none.
func (s *lister) leave() bool {
	if !s.shown() || s.pic.requests.filter == "" {
		return false
	}
	_ = s.setFilter("") // the empty filter is no error
	return true
}

// suggestions are filters that match something now.
func (s *lister) suggestions() []string {
	list := []string{"sort:-ttft", "sort:-gap", "sort:-tpot", "status:failed", "status:429", "suspect:yes"}
	for _, o := range s.view.Load.SLOs {
		if !o.AtLeast && slices.Contains([]string{"ttft", "tpot", "total"}, o.Name) {
			list = append(list, fmt.Sprintf("%s>%s sort:-%s", o.Name, format.Exact(o.Limit), o.Name))
		}
	}
	if user, ok := s.pic.lanes.Selected(s.view); ok {
		list = append(list, fmt.Sprintf("user:%d", user))
	}
	var match request.Selection
	return slices.DeleteFunc(list, func(text string) bool {
		f, err := request.ParseFilter(text)
		if err != nil {
			return true
		}
		match.Select(&s.pic.requests.list, &f)
		return len(match.Rows) == 0
	})
}

// open shows the selected request in the scope.
func (s *lister) open() tea.Cmd {
	r := s.pic.requests.selected()
	if r == nil {
		return nil
	}
	s.pic.requests.move(0) // it stays selected
	v, ok := s.back.LoadRequest(r.ID)
	if !ok {
		return s.host.Say(fmt.Sprintf("request %d: %s", r.N, format.RequestsRule()))
	}
	return s.host.ShowStream(&past{s, *r, v})
}

// past is an ended request, lent to the screen that shows streams.
type past struct {
	list   *lister
	row    request.Row
	stream metrics.Stream
}

// Place implements screen.Source.
func (l *past) Place() screen.Place {
	return screen.Place{Stream: fmt.Sprintf("request %d of the load, user %d", l.row.N, l.row.User), From: "the list", Unit: "request"}
}

// Version implements screen.Source.
func (l *past) Version() uint64 { return uint64(l.row.ID) }

// Stream implements screen.Source.
func (l *past) Stream() (metrics.Stream, bool) { return l.stream, true }

// Running implements screen.Source: the list goes on.
func (l *past) Running() bool { return true }

// Sample implements screen.Source. An ended request does not change.
func (l *past) Sample() {}

// Sent implements screen.Source.
func (l *past) Sent() (w metrics.Workload, input, output metrics.Lengths) {
	return l.stream.Work, input, output
}

// Next implements screen.Source. It skips requests that cannot be opened.
func (l *past) Next(by int) bool {
	list := &l.list.pic.requests
	for i := list.index + by; i >= 0 && i < len(list.match.Rows); i += by {
		r := list.list.Row(list.match.Rows[i])
		if v, ok := l.list.back.LoadRequest(r.ID); ok {
			list.move(i - list.index)
			l.row, l.stream = *r, v
			return true
		}
	}
	return false
}

// Close implements screen.Source.
func (l *past) Close() tea.Cmd { return l.list.host.Show(screen.Load) }
