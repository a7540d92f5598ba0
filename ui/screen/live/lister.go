package live

import (
	"fmt"
	"slices"
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/pick"
	"tokscope/metrics/request"
	"tokscope/ui/say"
	"tokscope/ui/screen"
	"tokscope/ui/screen/listing"
)

// lister is the list of the session's runs.
type lister struct {
	own  *own
	list *listing.List

	runs []metrics.Run // that the list has
	left int           // older ones that it has not
}

// newLister returns the list of the runs of o.
func newLister(o *own) *lister {
	l := &lister{own: o}
	l.list = listing.New(listing.Config{
		Host: o.host, Request: l.run,
		Shown: o.listed, Show: l.show, One: "run", Of: screen.Live, Kept: say.RunsKept, Suggest: l.suggestions,
		Title: func(r *request.Row) string { return fmt.Sprintf("run %d", r.N) },
		Rule:  func() string { return "it is left out" },
	})
	o.pic.list = l.list
	return l
}

// run is the stream of a run; false when it was dropped.
func (l *lister) run(id int) (metrics.Stream, bool) {
	r, ok := pick.Value(l.own.back.Runs(), func(r *metrics.Run) bool { return r.Stream.ID == id })
	return r.Stream, ok
}

// sample takes the runs of the view, when they are others.
func (l *lister) sample() {
	v := &l.own.view
	runs, left := v.Runs, v.RunsLeftOut
	if !l.own.pic.runs.update(runs) && left == l.left {
		return
	}
	l.runs, l.left = runs, left
	ended := request.ViewOf(0, pick.Each(runs, func(r *metrics.Run) request.Row {
		return request.RowOf(r.Stream.ID, 0, &r.Stream, &r.Figures)
	}))
	ended.Ended += left
	l.list.Names = l.own.pic.runs.names
	l.list.Update(ended)
}

// suggestMost is how many names are suggested.
const suggestMost = 6

// suggestions are filters for the names in which runs differ.
func (l *lister) suggestions() (list []string) {
	for _, n := range l.list.Names {
		for i := range l.runs {
			name := n.Of(l.runs[i].Stream.ID)
			text := n.Head + ":" + name
			if (n.Head == "endpoint" || n.Head == "model") && name != "" && !strings.ContainsAny(name, ` ",`) &&
				!slices.Contains(list, text) && len(list) < suggestMost {
				list = append(list, text)
			}
		}
	}
	return list
}

// show lets the list fill the screen.
func (l *lister) show() (undo func()) {
	v := &l.own.view
	before := v.Max
	v.Max = RunsPanel
	l.sample()
	return func() { v.Max = before }
}
