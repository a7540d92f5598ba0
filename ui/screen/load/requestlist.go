package load

import (
	"fmt"
	"slices"

	"tokscope/metrics"
	"tokscope/metrics/request"
	"tokscope/ui/format"
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

// shown reports whether the list is shown: it fills the screen, or has the place of
// the lanes, which a recording does not have.
func (s *lister) shown() bool {
	return s.view.Max == RequestsPanel || s.view.Max == NoPanel && s.view.Replay != nil
}

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

// rows is what the keys of rows move.
func (s *lister) rows() listing.Mover {
	if s.shown() {
		return s.list
	}
	return laneRows{s.view, s.lanes()}
}

// laneRows moves the selection of the lanes.
type laneRows struct {
	view *View
	of   *lanes
}

// Move implements listing.Mover.
func (r laneRows) Move(by int) { r.of.MoveRow(r.view, by) }

// Page implements listing.Mover.
func (r laneRows) Page(by int) { r.of.MovePage(r.view, by) }

// Edge implements listing.Mover.
func (r laneRows) Edge(by int) { r.of.Move(r.view, by*MaxUsers) }

// step moves the selection to another request or user.
func (s *lister) step(by int) {
	if s.shown() {
		s.list.Move(by)
		return
	}
	s.lanes().Move(s.view, by)
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

// ended are the requests of a load that have ended.
type ended struct{ of Source }

// Requests implements listing.Source.
func (e ended) Requests() request.View { return e.of.LoadRequests() }

// Request implements listing.Source.
func (e ended) Request(id int) (metrics.Stream, bool) { return e.of.LoadRequest(id) }

// newLister returns the lister of the screen. c says what is special of its list.
func (s *Screen) newLister(c listing.Config) lister {
	from := ended{s.from}
	c.Host, c.From, c.One = s.host, from, "request"
	c.Suggest = func() []string {
		more := s.list.suggestions()
		if user, ok := s.pic.lanes.Selected(&s.view); ok {
			more = append(more, fmt.Sprintf("user:%d", user))
		}
		return more
	}
	s.pic.requests = listing.New(c)
	return lister{list: s.pic.requests, from: from, view: &s.view, lanes: func() *lanes { return &s.pic.lanes }}
}
