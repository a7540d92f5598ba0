package load

import (
	"fmt"
	"slices"

	"tokscope/ui/format"
	"tokscope/ui/screen/listing"
)

// listed reports whether the list of requests is shown: it fills the screen, or has
// the place of the lanes, which a recording does not have.
func (s *Screen) listed() bool {
	return s.view.Max == RequestsPanel || s.view.Max == NoPanel && s.rec != nil
}

// rows is what the keys of rows move: the list while it is shown, else the lanes.
func (s *Screen) rows() listing.Mover {
	if s.listed() {
		return s.list
	}
	return &s.pic.lanes
}

// step selects another request or user.
func (s *Screen) step(by int) {
	if s.listed() {
		s.list.Move(by)
	} else {
		s.pic.lanes.Step(by)
	}
}

// showList lets the list fill the screen.
func (s *Screen) showList() (undo func()) {
	before := s.view.Max
	s.view.Max = RequestsPanel
	s.sampleEnded(true)
	return func() { s.view.Max = before }
}

// suggestions are filters for the objectives of the load, and for the selected user.
func (s *Screen) suggestions() (list []string) {
	for _, o := range s.view.Load.SLOs {
		if !o.AtLeast && slices.Contains([]string{"ttft", "tpot", "total"}, o.Name) {
			list = append(list, fmt.Sprintf("%s>%s sort:-%s", o.Name, format.Exact(o.Limit), o.Name))
		}
	}
	if user, ok := s.pic.lanes.Selected(); ok {
		list = append(list, fmt.Sprintf("user:%d", user))
	}
	return list
}

// newList returns the list of the screen. c says what is special of it.
func (s *Screen) newList(c listing.Config) *listing.List {
	c.Host, c.One, c.Suggest = s.host, "request", s.suggestions
	c.Request, c.Shown, c.Show = s.from.LoadRequest, s.listed, s.showList
	s.pic.requests = listing.New(c)
	return s.pic.requests
}
