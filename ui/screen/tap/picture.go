package tap

import (
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/turn"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
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

// Click targets: a row of the table, and the scope.
type (
	onRow   int
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
	defer p.Open(g, r, v.Look.Glyphs)()
	t := v.turn()
	if t == nil {
		p.Middle(r.Inset(2, 0), themes.Strong, say.TapNone(&v.Session, &v.About, v.Live))
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
	stream := &live.View{Stream: *t.Stream(), Figures: t.Run.Figures, Now: t.Stream().Now, Endpoint: t.Stream().Endpoint,
		Look: *v.Look}
	name := say.TapTurn(&v.Session, t)
	p.parts.Scope(g, scope, stream, name, onScope{})
	p.facts(p.Box(facts, themes.Border, p.Join(name, " ─ facts"), ""), v, t, stream)
}

// sentence says what the newest turn does, and what stood out last. What is wrong has the
// color of that.
func (p *picture) sentence(r draw.Rect, v *View) {
	newest, bad := v.newest(), v.bad()
	rows := format.Either(bad == nil, r.H, (r.H+1)/2)
	role := format.Either(newest.Stream().State > metrics.Done, themes.Bad, themes.Strong)
	now, _ := v.now(newest)
	_, rest := r.SplitV(p.text(r, rows, role, say.TapSays(&v.Session, newest, now)))
	if bad != nil && (bad != newest || bad.Cache.Lost != nil) {
		p.text(rest, rest.H, themes.Warn, say.TapStoodOut(&v.Session, bad))
	}
}

// text writes a text into so many rows, and returns the rows used. One that does not fit loses
// what took the time, else its last clauses: an ellipsis may cut a figure.
func (p *picture) text(r draw.Rect, most int, role themes.Role, text string) int {
	fits := func(s string) bool {
		rows := 0
		for range draw.Rows(p.Chrome(s), r.W) {
			rows++
		}
		return rows <= min(most, r.H)
	}
	if !fits(text) {
		text, _, _ = strings.Cut(text, " = ")
	}
	return p.Wrapped(r, 0, most, role, format.Clauses(text, fits))
}

// fact writes a text behind its label, and returns what is left of r.
func (p *picture) fact(r draw.Rect, label string, room int, role themes.Role, most int, text string) draw.Rect {
	l := p.Row(r, 0)
	_, at := r.SplitH(format.Either(label == "", 0, room))
	n := p.text(at, most, role, text)
	if n > 0 {
		l.Write(themes.Dim, label)
	}
	_, rest := r.SplitV(n)
	return rest
}

// turns is the table with the lanes, and below it the session.
func (p *picture) turns(r draw.Rect, v *View) {
	title := format.Either(v.Own, "turns, each from its start", "turns")
	if v.Filter != "" {
		title = p.Join("turns ─ / ", sanitize.Line(v.Filter, max(r.W/2, 8)))
	}
	in := p.Box(r, themes.Border, title, "")
	p.legend(p.Line(r.X+draw.Width(title)+4, r.Y, r.W-draw.Width(title)-6))
	list, low := in.SplitV(in.H - max(in.H*2/5, 2))
	if low.H > 3 {
		list.H-- // a blank row
	}
	p.table(list, v)
	for _, f := range v.Facts {
		low = p.fact(low, f.Name, labelW, themes.Text, 2, f.Text)
	}
}

// table are the turns as rows, as many as fit with the selected one among them.
func (p *picture) table(r draw.Rect, v *View) {
	if len(v.rows) == 0 {
		p.Middle(r, themes.Dim, "no turn matches: / changes the filter, esc removes it")
		return
	}
	p.rows = max(r.H-1, 0)
	p.first = draw.Scroll(p.first, v.row(), p.rows, len(v.rows))
	cols := listing.Choose(nil, columns, min(r.W*9/20, 50))
	w := listing.Mark
	for i := range cols {
		w += cols[i].Width
	}
	var shown []*turn.Turn
	for i := p.first; i < min(p.first+p.rows, len(v.rows)); i++ {
		shown = append(shown, v.at(i))
	}
	l := p.Row(r, 0)
	l.Skip(listing.Mark)
	listing.Heads(&p.Canvas, l, cols, "", false, nil)
	l.To(r.X + w + 2)
	a := newAxis(shown, v.Own, l.Left())
	for i, t := range shown {
		if i == 0 {
			a.ticks(&p.Canvas, l, t.Stream())
		}
		at := draw.Rect{X: r.X, Y: r.Y + 1 + i, W: w, H: 1}
		on := onRow(p.first + i)
		p.Grid.Target(draw.Rect{X: r.X, Y: at.Y, W: r.W, H: 1}, on)
		listing.Row(&p.Canvas, at, cols, row{p, v, p.first + i, t}, draw.Target(on), t.Stream().ID == v.Selected)
		p.lane(p.Line(l.X, at.Y, r.Right()-l.X), a, t)
	}
}

// facts are those of a turn: what the tap knows, and below it what Live says of a stream.
func (p *picture) facts(r draw.Rect, v *View, t *turn.Turn, stream *live.View) {
	fact := func(label string, role themes.Role, most int, text string) {
		r = p.fact(r, label, live.LabelRoom, role, most, text)
	}
	if now, silent := v.now(t); silent {
		fact("", themes.Warn, 3, now)
	}
	fact("", themes.Bad, 2, say.TapFault(t.Stream()))
	fact("", themes.Text, 5, say.TapSplit(t))
	fact("cache", format.Either(t.Cache.Lost != nil, themes.Warn, themes.Text), 4, say.TapCache(&v.Session, t))
	fact("asked", themes.Text, 2, say.TapRequest(t))
	added, unchanged := say.TapPassed([]turn.Turn{*t})
	fact("the tap", themes.Text, 3, format.Join("; ", added, unchanged))
	p.parts.Facts(p.Grid, r, stream)
}
