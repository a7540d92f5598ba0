package listing

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/metrics/request"
	"tokscope/ui/dialog"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/screen"
)

// Mover is what the keys of rows move: the selection of a List, or a text.
type Mover interface {
	// Move goes by rows, Page by pages, Edge to the first row or for by > 0 to the
	// last.
	Move(by int)
	Page(by int)
	Edge(by int)
}

// Config says what a List lists. All of it but the last three must be set.
type Config struct {
	Host screen.Host
	// Request is the stream of a row; false when only its figures are kept.
	Request func(id int) (metrics.Stream, bool)
	// Shown reports whether the list is on the screen. Show puts it there with its
	// newest rows, and returns what takes it away again.
	Shown func() bool
	Show  func() (undo func())
	One   string      // what a row is: "request"
	Of    screen.Name // the screen that has the list
	// Title names an opened row in the header: "request 3 of the load".
	Title func(r *request.Row) string
	// Kept says how many have ended and what is left of them. Rule says why the
	// selected row cannot be opened.
	Kept func(v *request.View) string
	Rule func() string
	// Suggest adds filters to those that the list suggests; nil adds none.
	Suggest func() []string
	// Note says what an opened stream lacks, in harmless text; nil: nothing.
	Note func(v *metrics.Stream) string
	// Users means that rows have users.
	Users bool
}

// Names is a column with a name of each row, in harmless text.
type Names struct {
	Head  string
	Width int // of the widest
	Of    func(id int) string
}

// List is a panel of ended requests, one a row. It keeps the filter, the selection
// and the scroll position. New makes one.
type List struct {
	Config
	// Names are columns before the figures, as many as fit.
	Names []Names

	list   request.View
	filter string
	parsed request.Filter
	match  request.Selection

	cursor int // ID of the selected request; 0: the first row
	index  int // its row among those that match
	first  int // first row shown
	rows   int // that fit

	known   []Column[item] // all that it can have
	columns []Column[item] // in the last frame
	signed  bool           // a row of it has the sign of figures only
}

// New returns an empty list.
func New(c Config) *List { return &List{Config: c} }

// Reset empties the list: what it has is of another load. The filter stays.
func (s *List) Reset() {
	s.list = request.View{}
	s.cursor, s.index, s.first = 0, 0, 0
	s.selectRows()
}

// Update shows the requests of list.
func (s *List) Update(list request.View) {
	if list.Ended == s.list.Ended && list.Began == s.list.Began {
		return
	}
	s.list = list
	s.selectRows()
}

// Filter returns the filter in use, "" without one.
func (s *List) Filter() string { return s.filter }

// SetFilter sets the filter; it stays as it is after an error.
func (s *List) SetFilter(text string) error {
	f, err := request.ParseFilter(text)
	if err != nil {
		return err
	}
	s.filter, s.parsed = text, f
	s.cursor, s.index, s.first = 0, 0, 0
	s.selectRows()
	return nil
}

// selectRows filters and sorts. The selected request stays selected, in the same
// row of the screen.
func (s *List) selectRows() {
	s.match.Select(&s.list, &s.parsed)
	if s.cursor == 0 {
		return
	}
	row := s.index - s.first
	for i, at := range s.match.Rows {
		if s.list.Row(at).ID == s.cursor {
			s.index, s.first = i, max(i-row, 0)
			return
		}
	}
	s.Move(0) // it has left the list
}

// Move moves the selection by that many rows.
func (s *List) Move(by int) {
	n := len(s.match.Rows)
	if n == 0 {
		s.cursor, s.index = 0, 0
		return
	}
	s.index = min(max(s.index+by, 0), n-1)
	s.cursor = s.list.Row(s.match.Rows[s.index]).ID
}

// Find selects the next row, or for by < 0 the one before, that is what is looked
// for. It reports whether there is one.
func (s *List) Find(by int, is func(r *request.Row) bool) bool {
	for i := s.index + by; i >= 0 && i < len(s.match.Rows); i += by {
		if is(s.list.Row(s.match.Rows[i])) {
			s.Move(i - s.index)
			return true
		}
	}
	return false
}

// Page moves the selection by pages.
func (s *List) Page(by int) { s.Move(by * max(s.rows-1, 1)) }

// Edge moves the selection to the first row, or for by > 0 to the last.
func (s *List) Edge(by int) { s.Move(by * request.Figures * 2) }

// Selected returns the selected request, nil without one.
func (s *List) Selected() *request.Row {
	if s.index >= len(s.match.Rows) {
		return nil
	}
	return s.list.Row(s.match.Rows[s.index])
}

// Openable reports whether a row that is shown is selected.
func (s *List) Openable() bool { return s.Shown() && s.Selected() != nil }

// Ask shows the list and opens the line of its filter. What is typed is tried at
// once. When the line is closed without a filter, all is as before.
func (s *List) Ask() {
	before, undo := s.filter, s.Show()
	s.Host.Open(dialog.NewRequestFilter(s.One, before, s.suggestions()), Typed(s.use, func() tea.Cmd {
		undo()
		return s.use(before)
	}))
}

// Typed answers the line of a filter: use gets what is typed and what is chosen, closed
// is called without a choice.
func Typed(use func(text string) tea.Cmd, closed func() tea.Cmd) func(dialog.Act) tea.Cmd {
	return func(a dialog.Act) tea.Cmd {
		switch a := a.(type) {
		case dialog.UseFilter:
			return use(a.Text)
		case dialog.PreviewFilter:
			return use(a.Text)
		case dialog.Closed:
			return closed()
		}
		return nil
	}
}

func (s *List) use(text string) tea.Cmd {
	if err := s.SetFilter(text); err != nil {
		return s.Host.Complain(err)
	}
	s.Host.Changed()
	return nil
}

// OrderBy is the term of a filter that sorts by a field, descending or up.
func OrderBy(field string, up bool) string {
	return format.Either(up, "sort:"+field, "sort:-"+field)
}

// WithOrder replaces the order in a filter; "" for none.
func WithOrder(filter, order string) string {
	words := slices.DeleteFunc(strings.Fields(filter), func(w string) bool { return strings.HasPrefix(w, "sort:") })
	if order != "" {
		words = append(words, order)
	}
	return strings.Join(words, " ")
}

// Leave removes the filter; false where none is shown.
func (s *List) Leave() bool {
	if !s.Shown() || s.filter == "" {
		return false
	}
	_ = s.use("") // the empty filter is no error
	return true
}

// Click selects a row, opens the selected one, or sorts by a heading. It reports
// whether t is one of these; without a list, s is nil, none is.
func (s *List) Click(t draw.Target) (cmd tea.Cmd, ours bool) {
	switch t := t.(type) {
	case onRow:
		if int(t) == s.index && s.cursor != 0 {
			return s.Open(), true
		}
		s.Move(int(t) - s.index)
		return nil, true
	case onHead:
		o, field := s.parsed.Order, string(t) // a second click sorts the other way round
		return s.use(WithOrder(s.filter, OrderBy(field, o.Field == field && o.Descending))), true
	}
	return nil, false
}

// suggestions are filters that match something now.
func (s *List) suggestions() []string {
	list := []string{"sort:-ttft", "sort:-gap", "sort:-tpot", "status:failed", "status:429", "suspect:yes"}
	if s.Suggest != nil {
		list = append(list, s.Suggest()...)
	}
	var match request.Selection
	return slices.DeleteFunc(list, func(text string) bool {
		f, err := request.ParseFilter(text)
		if err != nil {
			return true
		}
		match.Select(&s.list, &f)
		return len(match.Rows) == 0
	})
}

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
