package listing

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/metrics/request"
	"tokscope/ui/screen"
)

// Open shows the selected request on the screen that shows streams.
func (s *List) Open() tea.Cmd {
	r := s.Selected()
	if r == nil {
		return nil
	}
	s.Move(0) // it stays selected
	v, ok := s.Request(r.ID)
	if !ok {
		return s.Host.Say(fmt.Sprintf("%s %d: %s", s.One, r.N, s.Rule()))
	}
	return s.Host.ShowStream(&past{s, *r, v})
}

// past is an ended request, lent to the screen that shows streams.
type past struct {
	list   *List
	row    request.Row
	stream metrics.Stream
}

func (l *past) Place() screen.Place {
	p := screen.Place{Stream: l.list.Title(&l.row), Short: fmt.Sprintf("%s %d", l.list.One, l.row.N),
		From: "the list", Unit: l.list.One, Past: true, Of: l.list.Of, Work: l.stream.Work}
	if l.list.Note != nil {
		p.Note = l.list.Note(&l.stream)
	}
	return p
}

func (l *past) Version() uint64                { return uint64(l.row.ID) }
func (l *past) Stream() (metrics.Stream, bool) { return l.stream, true }

// Sample implements screen.Source. An ended request does not change.
func (l *past) Sample() {}

// Next implements screen.Source. It skips requests that cannot be opened.
func (l *past) Next(by int) bool {
	return l.list.Find(by, func(r *request.Row) bool {
		v, ok := l.list.Request(r.ID)
		if ok {
			l.row, l.stream = *r, v
		}
		return ok
	})
}
