package load

import (
	"strconv"

	"tokscope/metrics"
	"tokscope/metrics/request"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
)

// requests is the panel of the ended requests, one a row. It keeps the filter,
// the selection and the scroll position.
type requests struct {
	list   request.View
	at     metrics.Stamp // when list was taken; NoStamp before
	filter string
	parsed request.Filter
	match  request.Selection

	cursor int // ID of the selected request; 0: the first row
	index  int // its row among those that match
	first  int // first row shown
	rows   int // that fit

	columns []requestColumn // in the last frame
	signed  bool            // a row of it has the sign of figures only
}

// onRequest is a row of the panel, onRequestColumn a heading.
type (
	onRequest       int
	onRequestColumn string
)

// update takes the requests anew, at most four times a second unless now.
func (s *requests) update(list request.View, at metrics.Stamp) {
	grown := list.Ended != s.list.Ended || list.Began != s.list.Began
	s.at = at
	if !grown {
		return
	}
	s.list = list
	s.selectRows()
}

// setFilter sets the filter; it stays as it is after an error.
func (s *requests) setFilter(text string) error {
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
func (s *requests) selectRows() {
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
	s.move(0) // it has left the list
}

// move moves the selection by that many rows.
func (s *requests) move(by int) {
	n := len(s.match.Rows)
	if n == 0 {
		s.cursor, s.index = 0, 0
		return
	}
	s.index = min(max(s.index+by, 0), n-1)
	s.cursor = s.list.Row(s.match.Rows[s.index]).ID
}

// selected returns the selected request, nil without one.
func (s *requests) selected() *request.Row {
	if s.index >= len(s.match.Rows) {
		return nil
	}
	return s.list.Row(s.match.Rows[s.index])
}

// requestColumn is a column of the panel.
type requestColumn struct {
	head  string
	width int    // with the space before it
	sort  string // the field that a click sorts by
	least int    // columns of the panel from which on it is shown
	write func(p *canvas, l *line, v *request.View, r *request.Row)
}

var requestColumns = []requestColumn{
	{"#", 6, "number", 0, func(p *canvas, l *line, _ *request.View, r *request.Row) { l.Field(themes.Dim, p.Count(r.N), l.Left()) }},
	{"user", 6, "user", 62, func(p *canvas, l *line, _ *request.View, r *request.Row) {
		l.Field(themes.Dim, p.Count(r.User), l.Left())
	}},
	{"sent", 9, "sent", 70, func(p *canvas, l *line, v *request.View, r *request.Row) {
		text := draw.Unknown
		if d, ok := r.Sent.Sub(v.Began); ok {
			text = p.Ms(float64(d) / 1e6)
		}
		l.Field(themes.Dim, text, l.Left())
	}},
	{"TTFT", 10, "ttft", 0, timeOf(func(r *request.Row) metrics.Value { return r.TTFT.Value() })},
	{"TPOT", 10, "tpot", 0, timeOf(func(r *request.Row) metrics.Value { return r.TPOT.Value() })},
	{"longest gap", 13, "gap", 44, timeOf(func(r *request.Row) metrics.Value { return r.Longest.Value() })},
	{"total", 10, "total", 92, timeOf(func(r *request.Row) metrics.Value { return r.Total.Value() })},
	{"tokens", 8, "tokens", 58, func(p *canvas, l *line, _ *request.View, r *request.Row) {
		text := p.WholeOf(r.Tokens.Value())
		if r.Estimated && r.Tokens.Value().OK {
			text = p.Join("~", text)
		}
		l.Field(roleOf(r), text, l.Left())
	}},
}

// timeOf writes a time of a request.
func timeOf(of func(*request.Row) metrics.Value) func(*canvas, *line, *request.View, *request.Row) {
	return func(p *canvas, l *line, _ *request.View, r *request.Row) {
		l.Field(roleOf(r), p.Duration(of(r)), l.Left())
	}
}

// roleOf is the role of a request's figures: those that count are strong.
func roleOf(r *request.Row) themes.Role {
	if !r.Good() || r.Suspect() {
		return themes.Dim
	}
	return themes.Text
}

// onlyFigures marks a request that cannot be opened.
const onlyFigures = "figures only"

// panel draws the list.
func (s *requests) panel(p *canvas, r draw.Rect) {
	if r.Empty() {
		return
	}
	title := p.Join("requests ─ ", p.Count(s.list.Ended), " ended")
	if s.filter != "" {
		title = p.Join("requests ─ / ", sanitize.Line(s.filter, max(r.W/2, 8)))
	}
	right := p.Join(p.Count(len(s.match.Rows)), " of ", p.Count(s.list.Len()))
	if s.list.Len() == 0 {
		right = ""
	}
	in := p.Box(r, themes.Border, title, right)
	foot := min(max(in.H-3, 0), 2)
	s.rows = max(in.H-1-foot, 0)
	s.first = max(min(s.first, s.index), s.index-s.rows+1)
	s.first = max(min(s.first, len(s.match.Rows)-s.rows), 0)
	s.heads(p, in)
	for i := range min(s.rows, len(s.match.Rows)-s.first) {
		s.row(p, draw.Rect{X: in.X, Y: in.Y + 1 + i, W: in.W, H: 1}, s.first+i)
	}
	if len(s.match.Rows) == 0 {
		text := "a request is listed when it has ended"
		if s.list.Len() > 0 {
			text = "no request matches: / changes the filter, esc removes it"
		}
		p.Grid.Center(in.X, in.Y+in.H/3, in.W, p.Chrome(text), p.Glyphs, themes.Dim)
	}
	s.foot(p, in, foot)
}

// foot says what there is to know of the selected request, and what is kept.
func (s *requests) foot(p *canvas, in draw.Rect, rows int) {
	if rows == 0 {
		return
	}
	if r := s.selected(); r != nil && rows > 1 {
		l := p.Row(in, in.H-2)
		l.Skip(2)
		l.Write(themes.Strong, p.Join("#", p.Count(r.N)))
		l.Skip(2)
		if !s.list.Kept(r.ID) {
			l.Write(themes.Warn, p.Chrome(format.RequestsRule()))
			l.Skip(2)
		}
		text := format.RequestRemarks(r)
		if text == "" && s.list.Kept(r.ID) {
			text = "enter opens it in the scope"
		}
		l.Raw(themes.Dim, p.Chrome(text))
	}
	l := p.Row(in, in.H-1)
	l.Skip(2)
	if s.signed {
		l.Set(themes.Dim, p.Glyphs.Ring)
		l.Write(themes.Dim, p.Join(" ", onlyFigures, "   "))
	}
	l.Cut(themes.Dim, format.RequestsKept(&s.list))
}

// heads chooses the columns and writes their headings.
func (s *requests) heads(p *canvas, in draw.Rect) {
	s.columns, s.signed = s.columns[:0], false
	l := p.Row(in, 0)
	l.Skip(2)
	for _, c := range requestColumns {
		if in.W < c.least {
			continue
		}
		s.columns = append(s.columns, c)
		text, role := c.head, themes.Dim
		if c.sort == s.parsed.Order.Field {
			role = themes.Accent
			arrow := p.Glyphs.Up
			if s.parsed.Order.Descending {
				arrow = p.Glyphs.Down
			}
			text = p.Keep(append(append(p.Scratch(), text...), string(arrow)...))
		}
		cell := p.Line(l.X, l.Y, c.width)
		cell.Field(role, text, c.width)
		p.Grid.Target(draw.Rect{X: l.X, Y: l.Y, W: c.width, H: 1}, onRequestColumn(c.sort))
		l.Skip(c.width)
	}
	l.Skip(2)
	l.Whole(themes.Dim, "ended")
}

// row writes a request.
func (s *requests) row(p *canvas, at draw.Rect, i int) {
	r := s.list.Row(s.match.Rows[i])
	p.Grid.Target(at, onRequest(i))
	l := p.Row(at, 0)
	if i == s.index {
		l.Set(themes.Accent, p.Glyphs.Ghost)
	}
	l.X = at.X + 2
	for c := range s.columns {
		cell := p.Line(l.X, l.Y, s.columns[c].width)
		s.columns[c].write(p, &cell, &s.list, r)
		l.Skip(s.columns[c].width)
	}
	l.Skip(2)
	if !s.list.Kept(r.ID) {
		if n := len(onlyFigures); l.Left() < n {
			p.Grid.Set(at.X+1, at.Y, p.Glyphs.Ring, themes.Dim)
			s.signed = true
		} else {
			note := p.Line(l.End-n, l.Y, n)
			note.Write(themes.Faint, onlyFigures)
			l.End -= n + 1
		}
	}
	s.ended(p, &l, r)
	if i == s.index {
		p.Grid.Style(draw.Rect{X: at.X + 1, Y: at.Y, W: at.W - 1, H: 1}, themes.Selected)
	}
}

// ended writes how a request ended, by shape and color.
func (s *requests) ended(p *canvas, l *line, r *request.Row) {
	switch {
	case r.Good() && (r.Doubts > 0 || r.Delay.Code != ""):
		word, role := "doubt", themes.Dim
		switch {
		case r.Suspect():
			word, role = "suspect", themes.Warn
		case r.Delay.Code != "":
			word, role = "lag", themes.Warn
		}
		l.Set(role, p.Glyphs.Stall)
		l.Skip(1)
		l.Whole(role, word)
	case r.Good():
		l.Set(themes.Good, p.Glyphs.Check)
	case r.State == metrics.Cancelled:
		l.Set(themes.Dim, p.Glyphs.Ring)
		l.Skip(1)
		l.Whole(themes.Dim, "stopped")
	default:
		l.Set(themes.Bad, p.Glyphs.Times)
		l.Skip(1)
		if r.Status >= 300 {
			l.Write(themes.Bad, p.Keep(strconv.AppendInt(p.Scratch(), int64(r.Status), 10)))
			l.Skip(1)
		}
		if l.Left() >= 4 {
			l.Cut(themes.Dim, format.RequestEnded(r))
		}
	}
}
