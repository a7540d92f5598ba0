package tap

import (
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/turn"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/say"
	"tokscope/ui/screen/listing"
	"tokscope/ui/screen/live"
)

// picture draws the screen. It belongs to one goroutine.
type picture struct {
	draw.Canvas
	parts live.Parts
	first int // row of the table shown first
	rows  int // of the table, in the last frame
}

func newPicture() picture { return picture{parts: live.NewParts()} }

// Click targets: a turn by its Stream.ID, and the scope.
type (
	onTurn  int
	onScope struct{}
)

// Sizes at which the layout changes.
const (
	boxesFrom  = 16 // rows and, times four, columns: below, no boxes and no panel of a turn
	sentenceH  = 2
	turnLeast  = 9 // rows of the panel of a turn
	turnMost   = 18
	factsWide  = 48
	factsSmall = 33
	labelW     = 10
)

// Draw paints v into r. It covers everything in r and touches nothing outside. Any
// size works.
func (p *picture) Draw(g *draw.Grid, r draw.Rect, v *View) {
	if r.Empty() {
		return
	}
	defer g.Clip(r)()
	g.Fill(r, ' ', themes.Text)
	p.Begin(g, v.Look.Glyphs)
	t := v.turn()
	if t == nil {
		p.Middle(r.Inset(2, 0), themes.Strong, none(v))
		return
	}
	compact := r.H < boxesFrom || r.W < 4*boxesFrom
	head, body := r.SplitV(format.Either(compact, (r.H+1)/2, sentenceH))
	p.sentence(head.Inset(1, 0), v)
	if compact {
		p.table(body, v)
		return
	}
	turns, low := body.SplitV(body.H - min(max(body.H*2/5, turnLeast), turnMost))
	p.turns(turns, v)
	scope, facts := low.SplitH(low.W - format.Either(low.W < 110, factsSmall, max(low.W*2/5, factsWide)))
	stream := p.stream(v, t)
	name := say.TapTurn(&v.Session, t)
	p.parts.Scope(g, scope, stream, name, onScope{})
	p.facts(p.Box(facts, themes.Border, p.Join(name, " ─ facts"), ""), v, t, stream)
}

// none says that no turn has come, and at the end what to do.
func none(v *View) string {
	if v.Live {
		return say.TapWaits(&v.Session, &v.About)
	}
	return say.TapNone(&v.Session, &v.About)
}

// sentence says what the newest turn does, and what stood out last. What is wrong has the
// color of that.
func (p *picture) sentence(r draw.Rect, v *View) {
	newest, bad := v.newest(), (*turn.Turn)(nil)
	for i := range v.Session.Turns {
		if t := &v.Session.Turns[i]; say.TapBad(t) {
			bad = t
		}
	}
	first := r
	if bad != nil {
		first.H = (r.H + 1) / 2
	}
	role := format.Either(newest.Stream().State > metrics.Done, themes.Bad, themes.Strong)
	y := p.clauses(first, first.H, role, say.TapNewest(&v.Session, newest), say.TapBrief(&v.Session, newest))
	if bad != nil && (bad != newest || bad.Cache.Lost != nil) {
		_, rest := r.SplitV(y)
		p.clauses(rest, rest.H, themes.Warn, say.TapStoodOut(&v.Session, bad))
	}
}

// clauses writes the first of some texts that fits into so many rows, else as many clauses of
// the last as do, and returns the rows used.
func (p *picture) clauses(r draw.Rect, most int, role themes.Role, texts ...string) int {
	fits := func(s string) bool {
		rows := 0
		for range draw.Rows(p.Chrome(s), r.W) {
			rows++
		}
		return rows <= min(most, r.H)
	}
	text := ""
	for _, text = range texts {
		if fits(text) {
			break
		}
	}
	return p.Wrapped(r, 0, most, role, format.Clauses(text, fits))
}

// turns is the table with the lanes, and below it the session.
func (p *picture) turns(r draw.Rect, v *View) {
	title := format.Either(v.Own, "turns, each from its start", "turns")
	in := p.Box(r, themes.Border, title, "")
	p.legend(draw.Rect{X: r.X + draw.Width(title) + 5, Y: r.Y, W: r.W - draw.Width(title) - 7, H: 1})
	list, low := in.SplitV(in.H - max(in.H*2/5, 2))
	if low.H > 3 {
		list.H-- // a blank row
	}
	p.table(list, v)
	for _, f := range v.Facts {
		l := p.Row(low, 0)
		_, text := low.SplitH(labelW)
		brief, _, _ := strings.Cut(f.Text, " = ")
		if n := p.clauses(text, 2, themes.Text, f.Text, brief); n > 0 {
			l.Write(themes.Dim, f.Name)
			_, low = low.SplitV(n)
		}
	}
}

// table are the turns as rows, as many as fit with the selected one among them.
func (p *picture) table(r draw.Rect, v *View) {
	p.rows = max(r.H-1, 0)
	p.first = listing.Scroll(p.first, v.row(v.Selected), p.rows, len(v.rows))
	cols := listing.Choose(nil, columns, min(r.W*9/20, 50))
	w := listing.Mark
	for i := range cols {
		w += cols[i].Width
	}
	var shown []*turn.Turn
	for i := p.first; i < min(p.first+p.rows, len(v.rows)); i++ {
		shown = append(shown, &v.Session.Turns[v.rows[i]])
	}
	l := p.Row(r, 0)
	l.Skip(listing.Mark)
	listing.Heads(&p.Canvas, l, cols, "", false, nil)
	l.To(r.X + w + 2)
	axisOf := p.axis(l, v, shown)
	for i, t := range shown {
		at := draw.Rect{X: r.X, Y: r.Y + 1 + i, W: w, H: 1}
		id := t.Stream().ID
		p.Grid.Target(draw.Rect{X: r.X, Y: at.Y, W: r.W, H: 1}, onTurn(id))
		listing.Row(&p.Canvas, at, cols, p.row(v, p.first+i), draw.Target(onTurn(id)), id == v.Selected)
		p.lane(p.Line(l.X, at.Y, r.Right()-l.X), axisOf(t), t)
	}
}

// axis writes the numbers of the lanes and returns the axis of each.
func (p *picture) axis(l draw.Line, v *View, shown []*turn.Turn) func(*turn.Turn) *axis {
	if v.Own {
		of := side(shown, l.Left())
		if len(shown) > 0 {
			of(shown[0]).ticks(&p.Canvas, l, func(*part) string { return "0 s" })
		}
		return of
	}
	a := clock(shown, l.Left())
	a.ticks(&p.Canvas, l, func(b *part) string {
		for _, t := range shown {
			if st := t.Stream(); st.Marks.Start == b.from {
				return st.Wall.UTC().Format("15:04:05") + format.If(b.x == 0, " UTC")
			}
		}
		return ""
	})
	return func(*turn.Turn) *axis { return &a }
}

// stream is a turn as Live draws it.
func (p *picture) stream(v *View, t *turn.Turn) *live.View {
	s := &live.View{Stream: *t.Stream(), Figures: t.Run.Figures, Now: t.Stream().Now, Endpoint: t.Stream().Endpoint,
		Look: *v.Look}
	if !s.Stream.State.Ended() && v.Live {
		s.Now = max(s.Now, v.Now)
	}
	return s
}

// facts are those of a turn: what the tap knows, and below it what Live says of a stream.
func (p *picture) facts(r draw.Rect, v *View, t *turn.Turn, stream *live.View) {
	y := 0
	fact := func(label string, role themes.Role, most int, texts ...string) {
		_, at := r.SplitV(y)
		l := p.Row(at, 0)
		if label != "" {
			_, at = at.SplitH(live.LabelRoom)
		}
		if n := p.clauses(at, most, role, texts...); n > 0 {
			l.Write(themes.Dim, label)
			y += n
		}
	}
	st := t.Stream()
	fact("", themes.Warn, 3, format.If(v.Live, say.TapQuiet(&v.About, st, stream.Now)))
	fact("", themes.Bad, 2, format.If(st.State > metrics.Done, say.TapFault(st)))
	fact("", themes.Text, 5, say.TapSplit(t), format.Duration(say.TapTook(t)))
	fact("cache", format.Either(t.Cache.Lost != nil, themes.Warn, themes.Text), 4, say.TapCache(&v.Session, t))
	fact("asked", themes.Text, 2, say.TapRequest(t))
	fact("the tap", themes.Text, 2, say.TapPassed(t))
	_, rest := r.SplitV(y)
	p.parts.Facts(p.Grid, rest, stream)
}
