package listing

import (
	"tokscope/metrics"
	"tokscope/metrics/request"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
	"tokscope/ui/say"
)

// onRow is a row of the panel, onHead a heading.
type (
	onRow  int
	onHead string
)

// item is a row with what its cells are drawn with.
type item struct {
	s *List
	p *draw.Canvas
	*request.Row
	sign int // the column of the sign of figures only
}

// columns are those of every list; names stand behind the number.
var columns = []Column[item]{
	{Head: "#", Sort: "number", Width: 6, Write: countOf(func(r *request.Row) int { return r.N })},
	{Head: "user", Sort: "user", Width: 6, Rank: 2, Write: countOf(func(r *request.Row) int { return r.User })},
	{Head: "sent", Sort: "sent", Width: 9, Rank: 6, Write: sent},
	{Head: "TTFT", Sort: "ttft", Width: 10, Write: timeOf(func(r *request.Row) metrics.Value { return r.TTFT })},
	{Head: "TPOT", Sort: "tpot", Width: 10, Write: timeOf(func(r *request.Row) metrics.Value { return r.TPOT })},
	{Head: "longest gap", Sort: "gap", Width: 13, Rank: 1,
		Write: timeOf(func(r *request.Row) metrics.Value { return r.Longest })},
	{Head: "total", Sort: "total", Width: 10, Rank: 7,
		Write: timeOf(func(r *request.Row) metrics.Value { return r.Total })},
	{Head: "tokens", Sort: "tokens", Width: 8, Rank: 5, Write: tokens},
	{Head: "ended", Width: 11, Text: true, Gap: 2, Least: 1, Write: ended},
	{Width: 3, Rank: 3, Least: 1}, // before names: "✗ 429 rate" at least
	{Width: 1 << 16, Rank: 8, Least: 1},
}

// Ranks and widths of the names: narrower ones than nameLeast say nothing.
const (
	namesRank           = 4
	nameLeast, nameMost = 6, 18 // with two blanks before them
)

func countOf(of func(*request.Row) int) func(draw.Line, item) {
	return func(l draw.Line, r item) { l.Field(themes.Dim, r.p.Count(of(r.Row)), l.Left()) }
}

func timeOf(of func(*request.Row) metrics.Value) func(draw.Line, item) {
	return func(l draw.Line, r item) { l.Field(roleOf(r.Row), r.p.Duration(of(r.Row)), l.Left()) }
}

func sent(l draw.Line, r item) {
	text := draw.Unknown
	if d, ok := r.Sent.Sub(r.s.list.Began); ok {
		text = r.p.Ms(float64(d) / 1e6)
	}
	l.Field(themes.Dim, text, l.Left())
}

func tokens(l draw.Line, r item) {
	text := r.p.WholeOf(r.Tokens)
	if r.Estimated && r.Tokens.OK {
		text = r.p.Join("~", text)
	}
	l.Field(roleOf(r.Row), text, l.Left())
}

// all are the columns of s, with its names behind the number.
func (s *List) all() []Column[item] {
	s.known = append(s.known[:0], columns[0])
	for _, n := range s.Names {
		s.known = append(s.known, Column[item]{Head: n.Head, Width: min(max(n.Width, len(n.Head))+2, nameMost),
			Text: true, Gap: 2, Least: nameLeast, Rank: namesRank,
			Write: func(l draw.Line, r item) { l.Raw(themes.Dim, n.Of(r.ID)) }})
	}
	for _, c := range columns[1:] {
		if c.Sort == "user" && !s.Users || c.Rank == 3 && len(s.Names) == 0 {
			continue
		}
		s.known = append(s.known, c)
	}
	return s.known
}

// roleOf is the role of a request's figures: those that count are strong.
func roleOf(r *request.Row) themes.Role {
	return format.Either(!r.Good() || r.Suspect(), themes.Dim, themes.Text)
}

// onlyFigures marks a request that cannot be opened.
const onlyFigures = "figures only"

// Draw draws the list as a panel in r; without a list, s is nil, it draws nothing.
func (s *List) Draw(p *draw.Canvas, r draw.Rect) {
	if s == nil || r.Empty() {
		return
	}
	title := p.Join(s.One, "s ─ ", p.Count(s.list.Ended), " ended")
	if s.filter != "" {
		title = p.Join(s.One, "s ─ / ", sanitize.Line(s.filter, max(r.W/2, 8)))
	}
	right := format.If(s.list.Len() > 0, p.Join(p.Count(len(s.match.Rows)), " of ", p.Count(s.list.Len())))
	in := p.Box(r, themes.Border, title, right)
	foot := min(max(in.H-3, 0), 2)
	s.rows = max(in.H-1-foot, 0)
	s.first = draw.Scroll(s.first, s.index, s.rows, len(s.match.Rows))
	s.columns, s.signed = Choose(s.columns[:0], s.all(), in.W-Mark), false
	l := p.Row(in, 0)
	l.Skip(Mark)
	o := s.parsed.Order
	Heads(p, l, s.columns, o.Field, o.Descending, func(field string) draw.Target { return onHead(field) })
	for i := range min(s.rows, len(s.match.Rows)-s.first) {
		at, row := s.first+i, draw.Rect{X: in.X, Y: in.Y + 1 + i, W: in.W, H: 1}
		Row(p, row, s.columns, item{s, p, s.list.Row(s.match.Rows[at]), row.X + 1}, onRow(at), at == s.index)
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
		text := say.RequestRemarks(r)
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

// ended writes how a request ended, and at the right whether it can be opened.
func ended(l draw.Line, r item) {
	p := r.p
	if !r.s.list.Kept(r.ID) {
		if n := len(onlyFigures); l.Left() < n {
			r.s.signed = true
			p.Grid.Set(r.sign, l.Y, p.Glyphs.Ring, themes.Dim)
		} else {
			note := p.Line(l.End-n, l.Y, n)
			note.Write(themes.Faint, onlyFigures)
			l.End -= n + 1
		}
	}
	if !r.Good() || r.Doubts == 0 && r.Delay.Code == "" {
		Ended(p, l, r.State, format.Either(r.Status < 300, 0, r.Status), say.RequestEnded(r.Row))
		return
	}
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
}
