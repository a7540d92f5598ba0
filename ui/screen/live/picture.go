package live

import (
	"time"

	"tokscope/metrics"
	"tokscope/metrics/verdict"
	"tokscope/themes"
	"tokscope/ui/chart/scope"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/say"
	"tokscope/ui/screen"
	"tokscope/ui/screen/listing"
)

// picture draws the Live screen. It caches only what makes the next frame
// cheap; its panels keep their own state. It belongs to one goroutine.
type picture struct {
	canvas canvas
	ghost  ghost

	id         int           // of the stream last drawn
	ttfts      []float64     // of comparable runs
	median     metrics.Value // of them
	counted    int           // runs behind it
	countedFor int           // for this stream
	countedAs  metrics.Conditions

	retry time.Duration // left of the wait before a retry, as drawn last

	defs   definitions
	means  draw.Memo[int, []textRow] // beside the other panels
	lens   glass
	said   conclusion
	body   textPanel
	scope  scopePanel
	all    allFigures
	trends trends
	runs   runs
	list   *listing.List // of the runs; nil without one
}

// target is a panel that can be clicked.
type target uint8

const (
	onFigures target = iota
	onReading
	onScope
	onText
)

// newPicture returns a screen that follows the text.
func newPicture() *picture {
	return &picture{id: -1, countedFor: -1, body: textPanel{follow: true}, scope: scopePanel{cursor: -1}}
}

// Draw paints v into r. It covers everything in r and touches nothing
// outside. Any size works.
func (s *picture) Draw(g *draw.Grid, r draw.Rect, v *View) {
	p := &s.canvas
	defer p.Open(g, r, v.Glyphs)()
	if s.id != v.Stream.ID {
		s.id, s.body.follow, s.body.at.top = v.Stream.ID, true, 0
		s.scope.cursor, s.scope.zoom = -1, scope.Auto
	}
	if s.scope.cursor >= len(v.Stream.Chunks) {
		s.scope.cursor = -1
	}
	p.see(v, s)
	s.retry, _ = retryLeft(v)
	s.compare(v)
	s.all.shown, s.scope.list = false, s.scope.list[:0]
	lay := layout(r, v.Lens != "")
	switch {
	case failedEarly(&v.Stream):
		need, whole := s.body.failureRows(p, r.W-2)
		lay = lay.failed(r, need, whole, len(s.scope.past) > 0)
	case lay.compact && v.Stream.Fault != nil && r.H < roomyH: // its words need the rows
		lay.text.H, lay.scope = lay.text.H+lay.scope.H, draw.Rect{}
	}
	if v.Max != NoPanel {
		lay = alone(r, v.Max, s.scope.cursor >= 0)
	}
	p.boxless = lay.compact
	switch {
	case p.boxless:
		s.prepare(v, lay.text.W-2)
	case lay.text.Empty():
		s.prepare(v, r.Inner().W)
	default:
		s.prepare(v, lay.text.Inner().W)
	}
	if s.panels(p, lay); v.Max == NoPanel {
		s.dim(p, &lay)
	}
	if s.defs.shown = v.Definitions; s.defs.shown {
		s.define(p, lay, r)
	}
}

// prepare updates the caches. Its cost depends on the new part of the stream.
func (s *picture) prepare(v *View, text int) {
	s.body.textWidth = max(text, 1)
	was := len(s.body.text.spans)
	if s.body.text.update(&v.Stream, text) && was > 0 && !s.body.follow {
		// Another width: stay at about the same place.
		s.body.at.top = s.body.at.top * s.body.text.rows() / (was + 1)
	}
	s.ghost.advance(&s.body.text, &v.Stream, v.Now, v.Pace)
}

func (s *picture) panels(p *canvas, lay plan) {
	s.said.draw(p, lay.said)
	if !lay.said.Empty() {
		p.said = s.said.said
	}
	p.messaged = p.v.Message != "" && lay.chunkLine && !lay.chunk.Empty()
	if !lay.text.Empty() {
		s.body.textPanel(p, lay.text)
	}
	if !lay.answer.Empty() {
		s.body.response(p, lay.answer)
	}
	if !lay.means.Empty() {
		s.meaning(p, lay.means)
	}
	if !lay.now.Empty() {
		p.Grid.Target(lay.now, onFigures)
		if p.v.Max == NowPanel {
			s.all.panel(p, lay.now)
		} else {
			p.nowPanel(lay.now)
		}
	}
	s.lensPanel(p, lay)
	if !lay.scope.Empty() {
		s.scope.panel(p, lay.scope)
	}
	if p.cursor >= 0 && lay.chunk.Empty() {
		_, lay.chunk = lay.now.SplitV(-1)
		p.Grid.Fill(lay.chunk, ' ', themes.Text)
	}
	low := p.cursor >= 0 || p.messaged // the row of the chunk is taken
	if !lay.chunk.Empty() && (low || !lay.runsLine) {
		s.chunk(p, lay)
	}
	switch {
	case lay.runs.Empty() || low && lay.runs == lay.chunk:
	case p.v.Max == RunsPanel && s.list != nil:
		s.list.Draw(&p.Canvas, lay.runs)
	case lay.runsLine:
		s.runs.runsLine(p, lay.runs, s.scope.list)
	default:
		s.runs.runsPanel(p, lay.runs, s.scope.list)
	}
}

// chunk draws one chunk in its row or box: that of the cursor, without one a message that
// has no place elsewhere, and else the chunk after the longest gap.
func (s *picture) chunk(p *canvas, lay plan) {
	at := format.Either(p.cursor < 0, p.v.Figures.LongestChunk, p.cursor)
	switch at = min(at, len(p.v.Stream.Chunks)-1); {
	case p.cursor < 0 && p.messaged:
		captioned(p, lay.chunk)
	case !lay.chunkLine:
		s.scope.chunkPanel(p, lay.chunk, at)
	case at >= 0:
		l := p.Row(lay.chunk, 0)
		l.Skip(1)
		s.scope.chunkLine(p, l, at)
	}
}

// Animating reports whether the picture changes by time alone: a request is
// running, or arrived text still fades. A frozen picture does not change.
func (s *picture) Animating(v *View) bool {
	st := &v.Stream
	switch {
	case v.Frozen || st.State == metrics.Idle:
		return false
	case s.counting(v), !st.State.Ended():
		return true
	case v.ReducedMotion || len(st.Chunks) == 0:
		return false
	}
	return v.Now-st.Chunks[len(st.Chunks)-1].At < themes.Fades*fadeStep
}

// scrolled is what the keys of rows move: the definitions or all figures while they
// are shown, else the text.
func (s *picture) scrolled() *scroll {
	switch {
	case s.defs.shown:
		return &s.defs.at
	case s.all.shown:
		return &s.all.at
	}
	return &s.body.at
}

// Move moves it by lines, up when negative. At its end the text follows what arrives
// again.
func (s *picture) Move(lines int) {
	at := s.scrolled()
	if at.move(lines); at == &s.body.at {
		s.body.follow = at.top == at.last()
	}
}

// Page moves it by pages, up when negative.
func (s *picture) Page(pages int) { s.Move(pages * max(s.scrolled().room-1, 1)) }

// Edge shows its beginning, of the text with a cursor on the first chunk if there is
// one; for by > 0 the end, which the text follows again, without a cursor.
func (s *picture) Edge(by int) {
	at := s.scrolled()
	switch {
	case by > 0 && at == &s.body.at:
		s.End()
		return
	case by < 0 && s.scope.cursor >= 0 && !s.defs.shown:
		s.setCursor(0)
	}
	s.Move(by * at.rows)
}

// End follows the end of the text, without a cursor.
func (s *picture) End() {
	s.ClearCursor()
	s.body.follow = true
}

// Scrollable reports whether there is more than is in view.
func (s *picture) Scrollable() bool {
	at := s.scrolled()
	return at.last() > 0 && at.room > 0
}

// canvas is what the panels draw with, the view they draw, and what several of
// them draw of.
type canvas struct {
	draw.Canvas
	v        *View
	ghost    *ghost
	cursor   int            // chunk, -1 for none
	median   *metrics.Value // TTFT of comparable runs
	trends   *trends        // of the figures over the last of them
	messaged bool           // the message has a row of its own
	said     []verdict.Code // of the conclusion as it is on the screen
	boxless  bool           // panels have no boxes
}

type line = draw.Line

// see points the canvas at a new frame of s.
func (p *canvas) see(v *View, s *picture) {
	p.v, p.ghost, p.median = v, &s.ghost, &s.median
	p.trends, p.said = &s.trends, nil
	p.messaged, p.boxless = false, false
	p.cursor = s.scope.cursor
}

// box draws the frame of a panel and returns the space inside: all of it where panels
// have none.
func (p *canvas) box(r draw.Rect, title, right string) draw.Rect {
	if p.boxless {
		return r
	}
	return p.Box(r, themes.Border, title, right)
}

// Parts draws panels of Live on another screen, so that a stream looks the same there.
type Parts struct{ pic *picture }

// NewParts returns the parts of one screen.
func NewParts() Parts { return Parts{newPicture()} }

// Scope draws the scope of the whole stream in a box with that title, and with that click
// target on it.
func (s Parts) Scope(g *draw.Grid, r draw.Rect, v *View, title string, on draw.Target) {
	p := &s.pic.canvas
	p.Begin(g, v.Glyphs)
	p.see(v, s.pic)
	s.pic.scope.title, s.pic.scope.zoom = title, scope.Whole
	s.pic.scope.panel(p, r)
	g.Target(r, on)
}

// Facts draws the facts beside the figures, as many as have room.
func (s Parts) Facts(g *draw.Grid, r draw.Rect, v *View) {
	p := &s.pic.canvas
	p.Begin(g, v.Glyphs)
	p.see(v, s.pic)
	p.facts(r)
}

// scroll is where a panel stands that shows some of its rows.
type scroll struct {
	top  int // first row in view
	room int // rows that fit
	rows int // all of them
}

// fit gives the panel so many rows in that room.
func (s *scroll) fit(rows, room int) {
	s.rows, s.room = rows, room
	s.move(0)
}

// move moves it by rows, up when negative.
func (s *scroll) move(by int) { s.top = min(max(s.top+by, 0), s.last()) }

// last is the first row in view at the end.
func (s *scroll) last() int { return max(s.rows-s.room, 0) }

// where says which rows are in view, "" where all are.
func (s *scroll) where(p *canvas, row string) string {
	if s.last() == 0 || s.room <= 0 {
		return ""
	}
	return p.Join(row, " ", p.Int(s.top+1), "–", p.Int(min(s.top+s.room, s.rows)), " of ", p.Count(s.rows))
}

// conclusion is the row that says what the figures show. It keeps the text of
// the last findings and width.
type conclusion struct {
	of    []verdict.Finding
	width int
	text  string
	said  []verdict.Code // of the findings in it
}

func conclude(v *View) []verdict.Finding {
	return verdict.Of(verdict.Input{Stream: &v.Stream, Figures: &v.Figures,
		Now: v.Now, Earlier: v.Runs, Session: true, Pinned: v.Pinned, Lens: v.Lens, Task: v.Task})
}

// draw writes as much of the findings as fits into the row. A sentence about
// another endpoint than the chosen one is dim and names it.
func (s *conclusion) draw(p *canvas, r draw.Rect) {
	if r.Empty() {
		return
	}
	l := p.Row(r, 0)
	l.Skip(1)
	if p.v.Stream.State == metrics.Idle {
		l.Cut(themes.Dim, "no request sent yet")
		return
	}
	role := themes.Strong
	if f := p.v.Findings; len(f) > 0 && (f[0].Grade == verdict.Bad || f[0].Grade == verdict.Spoils) &&
		p.v.Stream.State != metrics.Failed { // of that the message below is in red
		role = themes.Headline
	}
	other := p.v.Other
	if other == "" && screen.Elsewhere(&p.v.Stream, p.v.Endpoint) {
		other = safeName(p.v.Stream.Endpoint.Name)
	}
	if other != "" {
		role = themes.Dim
		l.Write(role, p.Join("last run, ", other, ": "))
	}
	// each change of the findings is a new slice
	if f, w := p.v.Findings, l.Left(); s.width != w || len(s.of) != len(f) || len(f) > 0 && &s.of[0] != &f[0] {
		s.of, s.width = f, w
		s.text, s.said = say.ConclusionFit(s.of, w)
	}
	l.Cut(role, s.text)
}

// dim takes the color from the figures of another run. Their box keeps its
// name.
func (s *picture) dim(p *canvas, lay *plan) {
	if p.v.Other == "" {
		return
	}
	p.Grid.Style(lay.said, themes.Dim)
	for _, r := range [...]draw.Rect{lay.text, lay.now, lay.scope, lay.lens, lay.chunk} {
		if r.H > 2 && !p.boxless {
			r = r.Inset(1, 1)
		}
		if !p.messaged || r.H > 1 {
			p.Grid.Style(r, themes.Dim)
		}
	}
}
