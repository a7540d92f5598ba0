package live

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/metrics/request"
	"tokscope/ui/format"
	"tokscope/ui/screen"
	"tokscope/ui/screen/listing"
)

// lister is the list of the session's runs. While it fills the screen, it is what
// the keys of rows move; else they scroll the text.
type lister struct {
	s    *Screen
	list *listing.List

	runs  []metrics.Run // that the list has
	left  int           // older ones that it has not
	ended request.View  // of them
	names runList
}

// newLister returns the list of the runs of s.
func newLister(s *Screen) *lister {
	l := &lister{s: s}
	l.list = listing.New(listing.Config{
		Host: s.host, From: l, One: "run", Of: screen.Live, Kept: format.RunsKept, Suggest: l.suggestions,
		Title: func(r *request.Row) string { return fmt.Sprintf("run %d", r.N) },
		Rule:  func() string { return "it is left out" },
	})
	s.pic.list = l.list
	return l
}

// Requests implements listing.Source.
func (l *lister) Requests() request.View { return l.ended }

// Request implements listing.Source.
func (l *lister) Request(id int) (metrics.Stream, bool) {
	for _, r := range l.s.back.Runs() {
		if r.Stream.ID == id {
			return r.Stream, true
		}
	}
	return metrics.Stream{}, false
}

// sample takes the runs of the view, when they are others.
func (l *lister) sample() {
	runs, left := l.s.view.Runs, l.s.view.RunsLeftOut
	if left == l.left && len(runs) == len(l.runs) && (len(runs) == 0 || &runs[0] == &l.runs[0]) {
		return
	}
	l.runs, l.left = runs, left
	rows := make([]request.Row, len(runs))
	for i := range runs {
		rows[i] = request.RowOf(runs[i].Stream.ID, 0, &runs[i].Stream, &runs[i].Figures)
	}
	l.ended = request.ViewOf(0, rows)
	l.ended.Ended += left
	l.names = listRuns(runs)
	l.list.Names = l.list.Names[:0]
	for c, differ := range l.names.differ {
		if differ {
			l.list.Names = append(l.list.Names,
				listing.Names{Head: listHeads[c], Width: l.names.widest[c], Of: func(id int) string { return l.name(id, c) }})
		}
	}
	l.list.Sample(l.s.view.Now, true)
}

// name returns what a run has in a column.
func (l *lister) name(id, column int) string {
	i := slices.IndexFunc(l.runs, func(r metrics.Run) bool { return r.Stream.ID == id })
	if i < 0 {
		return ""
	}
	return l.names.names[i][column]
}

// suggestMost is how many names are suggested.
const suggestMost = 6

// suggestions are filters for the names in which runs differ.
func (l *lister) suggestions() (list []string) {
	for c, key := range [...]string{byEndpoint: "endpoint", byModel: "model"} {
		if !l.names.differ[c] {
			continue
		}
		for _, n := range l.names.names {
			text := key + ":" + n[c]
			if !strings.ContainsAny(n[c], ` ",`) && n[c] != "" && !slices.Contains(list, text) && len(list) < suggestMost {
				list = append(list, text)
			}
		}
	}
	return list
}

// shown reports whether the list fills the screen.
func (l *lister) shown() bool { return l.s.view.Max == RunsPanel }

// openable reports whether a run is selected.
func (l *lister) openable() bool { return l.shown() && l.list.Selected() != nil }

// ask shows the list and opens the line of its filter.
func (l *lister) ask() {
	max := l.s.view.Max
	l.s.view.Max = RunsPanel
	l.sample()
	l.list.Ask(func() { l.s.view.Max = max })
}

// open shows the selected run in the scope.
func (l *lister) open() tea.Cmd {
	if !l.shown() {
		return nil
	}
	return l.list.Open()
}

// leave removes the filter; false where there is none.
func (l *lister) leave() bool { return l.shown() && l.list.Leave() }

// backWord is the word of the key that goes back.
func (l *lister) backWord() string {
	switch {
	case l.shown() && l.list.Filter() != "":
		return "show all"
	case l.s.nested():
		return "back"
	}
	return ""
}

// panelRank is the rank of the key of the next panel now, 0 for the usual one.
func (l *lister) panelRank() int {
	switch {
	case l.shown():
		return 9
	case l.s.maximized():
		return 18
	}
	return 0
}

// rowWord is what up and down move.
func (l *lister) rowWord() string {
	switch {
	case l.shown():
		return "run"
	case l.s.pic.Scrollable():
		return "scroll"
	}
	return ""
}

// move moves the selection by rows, or scrolls the text.
func (l *lister) move(by int) {
	if l.shown() {
		l.list.Move(by)
		return
	}
	l.s.pic.Scroll(by)
}

// page does the same by pages.
func (l *lister) page(by int) {
	if l.shown() {
		l.list.Page(by)
		return
	}
	l.s.pic.Page(by)
}

// edge goes to the first row or the beginning of the text, for by > 0 to the last
// row or the end.
func (l *lister) edge(by int) {
	switch {
	case l.shown():
		l.list.Edge(by)
	case by > 0:
		l.s.pic.End()
	default:
		l.s.pic.Home()
	}
}
