package load

import (
	"fmt"
	"slices"

	"tokscope/metrics"
	"tokscope/metrics/request"
	"tokscope/ui/format"
	"tokscope/ui/screen"
	"tokscope/ui/screen/listing"
)

// lister moves the selection of the panel in use: the list of requests while it
// fills the screen, else the lanes.
type lister struct {
	list  *listing.List
	from  listing.Source
	view  *View
	lanes func() *lanes

	lengthsAt metrics.Stamp // when View.Ended was taken
}

// shown reports whether the list fills the screen.
func (s *lister) shown() bool { return s.view.Max == RequestsPanel }

// rank is the rank of the key that shows it, 0 for the usual one. Before a load
// the list is empty, and other keys come first.
func (s *lister) rank() int {
	switch {
	case s.shown():
		return 7
	case !s.view.Load.Running && s.view.Load.Sent == 0:
		return 51
	}
	return 0
}

// move moves the selection by rows.
func (s *lister) move(by int) {
	if s.shown() {
		s.list.Move(by)
		return
	}
	s.lanes().MoveRow(s.view, by)
}

// page moves the selection by pages.
func (s *lister) page(by int) {
	if s.shown() {
		s.list.Page(by)
		return
	}
	s.lanes().MovePage(s.view, by)
}

// step moves the selection to another request or user.
func (s *lister) step(by int) {
	if s.shown() {
		s.list.Move(by)
		return
	}
	s.lanes().Move(s.view, by)
}

// edge moves it to the first or the last.
func (s *lister) edge(by int) {
	if s.shown() {
		s.list.Edge(by)
		return
	}
	s.lanes().Move(s.view, by*MaxUsers)
}

// sample takes the requests anew while the list is shown, four times a second
// while they change.
func (s *lister) sample(force bool) {
	if s.shown() {
		s.list.Sample(s.view.Load.Now, force || !s.view.Load.Running)
	}
}

// ask shows the list and opens the line of its filter.
func (s *lister) ask() {
	max := s.view.Max
	s.view.Max = RequestsPanel
	s.sample(true)
	s.list.Ask(func() { s.view.Max = max })
}

// leave removes the filter; false where there is none.
func (s *lister) leave() bool { return s.shown() && s.list.Leave() }

// openable reports whether a request is selected.
func (s *lister) openable() bool { return s.shown() && s.list.Selected() != nil }

// suggestions are filters for the objectives of the load.
func (s *lister) suggestions() (list []string) {
	for _, o := range s.view.Load.SLOs {
		if !o.AtLeast && slices.Contains([]string{"ttft", "tpot", "total"}, o.Name) {
			list = append(list, fmt.Sprintf("%s>%s sort:-%s", o.Name, format.Exact(o.Limit), o.Name))
		}
	}
	return list
}

// ended are the requests of the load that runs, or has run.
type ended struct{ Backend }

// Requests implements listing.Source.
func (b ended) Requests() request.View { return b.LoadRequests() }

// Request implements listing.Source.
func (b ended) Request(id int) (metrics.Stream, bool) { return b.LoadRequest(id) }

// newLister returns the lister of the Load screen.
func (s *Screen) newLister() lister {
	from := ended{s.back}
	list := listing.New(listing.Config{
		Host: s.host, From: from, One: "request", Of: screen.Load,
		Users: true, Kept: format.RequestsKept, Rule: format.RequestsRule,
		Title: func(r *request.Row) string { return fmt.Sprintf("request %d of the load, user %d", r.N, r.User) },
		Suggest: func() []string {
			more := s.list.suggestions()
			if user, ok := s.pic.lanes.Selected(&s.view); ok {
				more = append(more, fmt.Sprintf("user:%d", user))
			}
			return more
		},
	})
	s.pic.requests = list
	return lister{list: list, from: from, view: &s.view, lanes: func() *lanes { return &s.pic.lanes }}
}

// recorded are the requests of a recorded load.
type recorded struct{ ReplayBackend }

// Requests implements listing.Source.
func (b recorded) Requests() request.View { return b.LoadReplayRequests() }

// Request implements listing.Source.
func (b recorded) Request(id int) (metrics.Stream, bool) {
	v, missing, ok := b.LoadReplayRequest(id)
	return v, ok && missing != metrics.ReplayNoEvents
}

// newLister returns the lister of a recorded load.
func (s *Replay) newLister() lister {
	from := recorded{s.from}
	list := listing.New(listing.Config{
		Host: s.host, From: from, One: "request", Of: screen.LoadReplay,
		Title: func(r *request.Row) string { return fmt.Sprintf("request %d, recorded", r.N) },
		Kept:  func(v *request.View) string { return format.LoadReplayKept(v, &s.at) },
		Rule:  func() string { return format.LoadReplayRule },
		Note: func(v *metrics.Stream) string {
			if _, missing, _ := s.from.LoadReplayRequest(v.ID); missing != "" {
				return format.ReplayMissing(missing)
			}
			if v.TextRemoved {
				return format.ReplayNoText
			}
			return ""
		},
		Suggest: func() []string { return s.list.suggestions() },
	})
	return lister{list: list, from: from, view: &s.view, lanes: func() *lanes { return &s.pic.lanes }}
}
