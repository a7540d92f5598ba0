package listing

import (
	"strconv"

	"tokscope/metrics"
	"tokscope/metrics/request"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
)

// onRow is a row of the panel, onHead a heading.
type (
	onRow  int
	onHead string
)

// column is a column of the panel.
type column struct {
	head  string
	width int    // with the space before it
	sort  string // the field that a click sorts by, "" for none
	least int    // columns of the panel from which on it is shown
	later bool   // names come first: it is shown where they leave room
	write func(s *List, p *draw.Canvas, l *draw.Line, r *request.Row)
}

// users is the column of lists with users.
const users = "user"

var columns = []column{
	{"#", 6, "number", 0, false, func(_ *List, p *draw.Canvas, l *draw.Line, r *request.Row) {
		l.Field(themes.Dim, p.Count(r.N), l.Left())
	}},
	{users, 6, "user", 62, false, func(_ *List, p *draw.Canvas, l *draw.Line, r *request.Row) {
		l.Field(themes.Dim, p.Count(r.User), l.Left())
	}},
	{"sent", 9, "sent", 70, true, func(s *List, p *draw.Canvas, l *draw.Line, r *request.Row) {
		text := draw.Unknown
		if d, ok := r.Sent.Sub(s.list.Began); ok {
			text = p.Ms(float64(d) / 1e6)
		}
		l.Field(themes.Dim, text, l.Left())
	}},
	{"TTFT", 10, "ttft", 0, false, timeOf(func(r *request.Row) metrics.Value { return r.TTFT.Value() })},
	{"TPOT", 10, "tpot", 0, false, timeOf(func(r *request.Row) metrics.Value { return r.TPOT.Value() })},
	{"longest gap", 13, "gap", 44, false, timeOf(func(r *request.Row) metrics.Value { return r.Longest.Value() })},
	{"total", 10, "total", 92, true, timeOf(func(r *request.Row) metrics.Value { return r.Total.Value() })},
	{"tokens", 8, "tokens", 58, true, func(_ *List, p *draw.Canvas, l *draw.Line, r *request.Row) {
		text := p.WholeOf(r.Tokens.Value())
		if r.Estimated && r.Tokens.Value().OK {
			text = p.Join("~", text)
		}
		l.Field(roleOf(r), text, l.Left())
	}},
}

// timeOf writes a time of a request.
func timeOf(of func(*request.Row) metrics.Value) func(*List, *draw.Canvas, *draw.Line, *request.Row) {
	return func(_ *List, p *draw.Canvas, l *draw.Line, r *request.Row) {
		l.Field(roleOf(r), p.Duration(of(r)), l.Left())
	}
}

// nameOf is the column of names n, in that many columns.
func nameOf(n Names, width int) column {
	return column{head: n.Head, width: width, write: func(_ *List, _ *draw.Canvas, l *draw.Line, r *request.Row) {
		l.Skip(2)
		l.Raw(themes.Dim, n.Of(r.ID))
	}}
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

// Draw draws the list as a panel in r.
func (s *List) Draw(p *draw.Canvas, r draw.Rect) {
	if r.Empty() {
		return
	}
	title := p.Join(s.One, "s ─ ", p.Count(s.list.Ended), " ended")
	if s.filter != "" {
		title = p.Join(s.One, "s ─ / ", sanitize.Line(s.filter, max(r.W/2, 8)))
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
		text := "a " + s.One + " is listed when it has ended"
		if s.list.Len() > 0 {
			text = "no " + s.One + " matches: / changes the filter, esc removes it"
		}
		p.Grid.Center(in.X, in.Y+in.H/3, in.W, p.Chrome(text), p.Glyphs, themes.Dim)
	}
	s.foot(p, in, foot)
}

// foot says what there is to know of the selected request, and what is kept.
func (s *List) foot(p *draw.Canvas, in draw.Rect, rows int) {
	if rows == 0 {
		return
	}
	if r := s.Selected(); r != nil && rows > 1 {
		l := p.Row(in, in.H-2)
		l.Skip(2)
		l.Write(themes.Strong, p.Join("#", p.Count(r.N)))
		l.Skip(2)
		if !s.list.Kept(r.ID) {
			l.Write(themes.Warn, p.Chrome(s.Rule()))
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
	l.Cut(themes.Dim, s.Kept(&s.list))
}

// Room of a row beside its columns.
const (
	signRoom  = 2  // the selection before them
	endedRoom = 14 // how the request ended, behind them: "✗ 429 rate" at least
	nameLeast = 6  // of a name with two blanks before it; narrower says nothing
	nameMost  = 18
)

// choose chooses the columns for a panel of w columns. Names stand behind the
// number, as many as fit.
func (s *List) choose(w int) {
	s.columns = s.columns[:0]
	room := w - signRoom - endedRoom
	fits := func(c *column) bool { return w >= c.least && (c.head != users || s.Users) }
	for i := range columns {
		if c := &columns[i]; fits(c) && !(c.later && len(s.Names) > 0) {
			room -= c.width
		}
	}
	for i := range columns {
		c := &columns[i]
		if i == 1 {
			room = s.name(room)
		}
		switch {
		case !fits(c) || c.later && len(s.Names) > 0 && c.width > room:
			continue
		case c.later && len(s.Names) > 0:
			room -= c.width
		}
		s.columns = append(s.columns, *c)
	}
}

// name adds the names that fit into that room, and returns what they leave.
func (s *List) name(room int) int {
	for _, n := range s.Names {
		if width := min(max(n.Width, len(n.Head))+2, nameMost, room); width >= nameLeast {
			s.columns = append(s.columns, nameOf(n, width))
			room -= width
		}
	}
	return room
}

// heads chooses the columns and writes their headings.
func (s *List) heads(p *draw.Canvas, in draw.Rect) {
	s.choose(in.W)
	s.signed = false
	l := p.Row(in, 0)
	l.Skip(signRoom)
	for i := range s.columns {
		c := &s.columns[i]
		text, role := c.head, themes.Dim
		if c.sort != "" && c.sort == s.parsed.Order.Field {
			role = themes.Accent
			arrow := p.Glyphs.Up
			if s.parsed.Order.Descending {
				arrow = p.Glyphs.Down
			}
			text = p.Keep(append(append(p.Scratch(), text...), string(arrow)...))
		}
		cell := p.Line(l.X, l.Y, c.width)
		if c.sort == "" {
			cell.Skip(2)
			cell.Cut(role, text)
		} else {
			cell.Field(role, text, c.width)
			p.Grid.Target(draw.Rect{X: l.X, Y: l.Y, W: c.width, H: 1}, onHead(c.sort))
		}
		l.Skip(c.width)
	}
	l.Skip(2)
	l.Whole(themes.Dim, "ended")
}

// row writes a request.
func (s *List) row(p *draw.Canvas, at draw.Rect, i int) {
	r := s.list.Row(s.match.Rows[i])
	p.Grid.Target(at, onRow(i))
	l := p.Row(at, 0)
	if i == s.index {
		l.Set(themes.Accent, p.Glyphs.Ghost)
	}
	l.X = at.X + signRoom
	for c := range s.columns {
		cell := p.Line(l.X, l.Y, s.columns[c].width)
		s.columns[c].write(s, p, &cell, r)
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
	ended(p, &l, r)
	if i == s.index {
		p.Grid.Style(draw.Rect{X: at.X + 1, Y: at.Y, W: at.W - 1, H: 1}, themes.Selected)
	}
}

// ended writes how a request ended, by shape and color.
func ended(p *draw.Canvas, l *draw.Line, r *request.Row) {
	sign, outcome := draw.Outcome(p.Glyphs, r.State)
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
		l.Set(outcome, sign)
	default:
		l.Set(outcome, sign)
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
