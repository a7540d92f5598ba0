package explain

import (
	"math"
	"strconv"

	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/cell"
)

// track is where time lies on the screen. Columns are counted from time 0, so
// that a step keeps its columns while the picture scrolls.
type track struct {
	r      cell.Rect
	first  int64   // the column at r.X
	now    int64   // the column of the clock
	column float64 // seconds, above 0
	steps  []metrics.EngineStep
	pools  bool // two lanes: prefill above
	half   int  // first row of the lower lane
}

// col is the column of a moment.
func (t *track) col(at float64) int64 {
	c := math.Floor(finite(at)/t.column + 1e-9)
	return int64(min(max(c, -1e15), 1e15))
}

// x is the place of a column on the screen, moved to just outside of r when it
// lies there.
func (t *track) x(col int64) int {
	return t.r.X + int(min(max(col-t.first, -1), int64(t.r.W)))
}

// span is the columns of a stretch of time on the screen: from x0 to before
// x1. It has one column at least unless it lies outside; whole is its width
// with what lies outside.
func (t *track) span(from, to float64) (x0, x1 int, whole int64) {
	a := t.col(from)
	b := max(t.col(to), a+1)
	return max(t.x(a), t.r.X), t.x(b), b - a
}

// gutter is the room for what the rows of the timeline are.
const gutter = 8

// timeline draws the engine's steps, newest right: width is time, height is
// how many tokens are in the step. In slow motion every step is a box with
// its words inside; in real time columns hold several (dense.go).
func (s *Screen) timeline(p *pen, r cell.Rect) {
	if r.Empty() {
		return
	}
	s.place("timeline", r, 0)
	border := themes.Border
	if marked(p.v, "timeline") {
		border = themes.BorderFocus
	}
	in := p.box(r, border, s.timelineTitle(p, r.W), "")
	s.legend(p, r)
	if in.H < 3 || in.W < gutter+8 {
		return
	}
	e := s.shownNow(p.v)
	body := cell.Rect{X: in.X + gutter, Y: in.Y + 1, W: in.W - gutter, H: in.H - 2}
	var client cell.Rect
	if in.H >= 5 {
		body, client = body.SplitV(-1)
	}
	t := s.window(p.v, e, body)
	s.time = t
	s.markLines(p, &t, in.Y)
	s.lanes(p, &t, e, in)
	s.arrivals(p, &t, e, client)
	s.axis(p, &t, in.Bottom()-1)
	s.cursorMark(p, &t, in)
	if len(e.Steps) == 0 && e.Doing == nil {
		p.g.Center(body.X, body.Y+body.H/2, body.W, p.chrome(s.nothing(p)), p.gl, themes.Dim)
	}
}

// nothing says why there is no step.
func (s *Screen) nothing(p *pen) string {
	e := &p.v.Explain
	switch {
	case e.Broken != "":
		return e.Broken
	case e.Running && e.Paused:
		return "paused before the first step"
	case e.Running:
		return "the first requests are on their way"
	}
	return "no users: nothing runs"
}

// shownNow is the view to animate: with reduced motion as old as the figures.
func (s *Screen) shownNow(v *View) *metrics.ExplainView {
	if v.ReducedMotion && s.now.known {
		return &s.now.view
	}
	return &v.Explain
}

func (s *Screen) timelineTitle(p *pen, w int) string {
	scale := p.keep(append(strconv.AppendFloat(p.num[:0], s.zoom.column*1e3, 'g', 4, 64), " ms a column"...))
	if w < 90 {
		return p.join("engine steps ─ ", scale)
	}
	return p.join("engine steps ─ width = time, ", scale, either(s.zoom.dense(), " ─ share of it", " ─ height = tokens"))
}

// legend names the signs in the upper border, each in its colour.
func (s *Screen) legend(p *pen, r cell.Rect) {
	const words = " x prefill  x decode  x preempted "
	n := len(words)
	title := cell.Width(s.timelineTitle(p, r.W))
	if title+n+8 > r.W {
		return
	}
	l := line{p, r.Right() - n - 2, r.Y, r.Right() - 2}
	for i, e := range [...]struct {
		glyph rune
		role  themes.Role
		word  string
	}{{p.gl.Shade, themes.Prefill, " prefill "}, {p.gl.Bars[3], themes.Decode, " decode "}, {p.gl.Stall, themes.Warn, " preempted "}} {
		if i == 0 {
			l.set(themes.Border, ' ')
		}
		l.set(e.role, e.glyph)
		l.put(themes.Dim, e.word)
		if i < 2 {
			l.set(themes.Border, ' ')
		}
	}
}

// window is the stretch of time in view: up to now, or back to the cursor.
func (s *Screen) window(v *View, e *metrics.ExplainView, body cell.Rect) track {
	t := track{r: body, column: s.zoom.column, steps: e.Steps}
	t.now = t.col(e.Clock)
	ahead := int64(0)
	if s.zoom.gaps() {
		ahead = int64(body.W / aheadShare)
	}
	t.first = t.now + ahead - int64(body.W) + 1
	if v.Cursor != 0 && len(e.Steps) > 0 {
		st := &e.Steps[min(v.index(v.Cursor), len(e.Steps)-1)]
		t.first = min(t.first, t.col(st.Start)-int64(body.W/8))
	}
	for i := len(e.Steps) - 1; i >= max(len(e.Steps)-8, 0) && !t.pools; i-- {
		t.pools = e.Steps[i].Pool != ""
	}
	t.half = body.Y
	if t.pools {
		t.half = body.Y + body.H/2
	}
	return t
}

// lanes draws the steps of every pool.
func (s *Screen) lanes(p *pen, t *track, e *metrics.ExplainView, in cell.Rect) {
	s.page = 0
	if !t.pools {
		s.lane(p, t, e, t.r, "")
		s.gutter(p, in, t.r, "")
		return
	}
	upper, lower := t.r.SplitV(t.half - t.r.Y)
	s.lane(p, t, e, upper, "prefill")
	s.lane(p, t, e, lower, "decode")
	s.gutter(p, in, upper, "prefill")
	s.gutter(p, in, lower, "decode")
}

// gutter names the pool, or the scale of the height.
func (s *Screen) gutter(p *pen, in, body cell.Rect, pool string) {
	if body.H < 1 {
		return
	}
	l := p.row(cell.Rect{X: in.X, Y: body.Y, W: gutter - 1, H: body.H}, 0)
	low := p.row(cell.Rect{X: in.X, Y: body.Y, W: gutter - 1, H: body.H}, body.H-1)
	switch {
	case pool != "":
		l.put(themes.Ink, pool)
	case s.zoom.dense() && body.H >= 3:
		l.put(themes.Axis, "longest")
		low.field(themes.Axis, "share", gutter-1)
	case s.zoom.dense():
		l.put(themes.Axis, "share")
	case body.H >= 2:
		l.field(themes.Axis, p.int(s.most(p)), gutter-2)
		low.field(themes.Axis, "1 token", gutter-1)
	}
}

// most is the number of tokens at the top of the scale.
func (s *Screen) most(p *pen) int {
	n := 256
	for n < p.v.Explain.Machine.Budget && n < 1<<20 {
		n *= 2
	}
	return n
}

// lane draws the steps of one pool over body.
func (s *Screen) lane(p *pen, t *track, e *metrics.ExplainView, body cell.Rect, pool string) {
	if body.H < 1 {
		return
	}
	if s.zoom.dense() {
		s.denseLane(p, t, e, body, pool)
		return
	}
	missed := 0
	for i := len(e.Steps) - 1; i >= 0 && missed < 4; i-- {
		st := &e.Steps[i]
		if st.Pool != pool {
			continue
		}
		if t.col(st.End) <= t.first {
			missed++ // pools overlap in time: one step may be older than the next
			continue
		}
		if x0, _, _ := t.span(st.Start, st.End); x0 >= body.Right() {
			continue
		}
		s.page++
		s.block(p, t, body, st, st.End)
	}
	if d := e.Doing; d != nil && d.Pool == pool {
		s.block(p, t, body, d, e.Clock)
	}
	for i := len(e.Steps) - 1; i >= 0 && t.col(e.Steps[i].End) > t.first; i-- {
		if st := &e.Steps[i]; st.Preempted > 0 && st.Pool == pool {
			s.thrown(p, t, body, e, st)
		}
	}
}

// height is that of n tokens in rows, in eighths of a row: one token is a row
// high, and from there on a doubling is always as high.
func (s *Screen) height(p *pen, n, rows int) int {
	if n <= 0 {
		return 0
	}
	f := math.Log2(float64(n)) / math.Log2(float64(s.most(p)))
	return 8 + int(min(f, 1)*float64(8*(rows-1))+0.5)
}

// block draws one step, filled up to until; what is still to come of the one
// under way is drawn as a shade.
func (s *Screen) block(p *pen, t *track, body cell.Rect, st *metrics.EngineStep, until float64) {
	x0, x1, whole := t.span(st.Start, st.End)
	if s.zoom.gaps() && whole >= 2 && t.x(t.col(st.Start)) == x0 {
		x0++
	}
	filled := x1
	if until < st.End {
		filled = max(min(t.x(t.col(until)+1), x1), x0)
	}
	decode, prefill := themes.Decode, themes.Prefill
	low := s.height(p, st.Decodes, body.H)
	high := s.height(p, st.Decodes+st.Prefilled, body.H)
	rows := 0 // of decode below prefill
	if st.Prefilled > 0 {
		if st.Decodes > 0 && body.H > 1 {
			rows = min(max((low+4)/8, 1), body.H-1)
		}
		high = max((high+4)/8, rows+1)
	}
	for x := x0; x < x1; x++ {
		if x >= filled {
			s.outline(p, body, x, max(high, (low+7)/8), st.Prefilled > 0)
			continue
		}
		full := p.gl.Block
		if x == x1-1 && !s.zoom.gaps() {
			full = p.gl.Parts[5] // where there is no room for a blank column a slit sets steps apart
		}
		if st.Prefilled == 0 {
			p.g.Bar(x, body.Bottom()-1, body.H, float64(low)/float64(8*body.H), p.gl, decode)
			for y := range low / 8 {
				p.g.Set(x, body.Bottom()-1-y, full, decode)
			}
			continue
		}
		for y := range high {
			if y < rows {
				p.g.Set(x, body.Bottom()-1-y, full, decode)
			} else {
				p.g.Set(x, body.Bottom()-1-y, p.gl.Shade, prefill)
			}
		}
	}
	if st.Prefilled == 0 {
		high = (low + 7) / 8
	}
	s.words(p, body, st, x0, filled, high, high-rows)
}

// outline is what a step under way will be.
func (s *Screen) outline(p *pen, body cell.Rect, x, high int, prefill bool) {
	if !prefill {
		high = 1
	}
	for y := range min(high, body.H) {
		p.g.Set(x, body.Bottom()-1-y, p.gl.LightShade, themes.Faint)
	}
}

// words writes what a step is into it, where it is wide enough: above a low
// one, across a high one, so that enough of it stays to be seen.
func (s *Screen) words(p *pen, body cell.Rect, st *metrics.EngineStep, x0, x1, high, rows int) {
	room := x1 - x0
	if room < 5 || room < 8 && st.Prefilled == 0 {
		return
	}
	y := body.Bottom() - 1 - high
	blanks := 0
	if y < body.Y {
		y, blanks = body.Y, 6
		if rows < 2 {
			blanks = 12
		}
		if high >= 3 {
			y++
		}
		if body.H == 1 {
			y = body.Y
		}
	}
	text := s.title(p, st, room-blanks)
	if text == "" {
		return
	}
	n := cell.Width(p.chrome(text))
	x := x0
	if blanks > 0 {
		x += (room - n) / 2
		p.g.Set(x-1, y, ' ', themes.Ink)
		p.g.Set(x+n, y, ' ', themes.Ink)
	}
	p.g.Text(x, y, p.chrome(text), themes.Strong, n)
}

// title is a step in at most room columns: "prefill 512 + 7 decode · 31.2 ms",
// or less of it.
func (s *Screen) title(p *pen, st *metrics.EngineStep, room int) string {
	d := p.fine((st.End - st.Start) * 1e3)
	if st.Prefilled <= 0 {
		short := p.join(p.int(st.Decodes), " decode")
		return within(room, p.join(short, " · ", d), short)
	}
	n := p.int(st.Prefilled)
	short := p.join("prefill ", n)
	if st.Decodes <= 0 {
		return within(room, p.join(short, " · ", d), short, n)
	}
	both := p.join(short, " + ", p.int(st.Decodes))
	return within(room, p.join(both, " decode · ", d), p.join(both, " decode"), both, short, n)
}

// within is the first of the texts that fits into room columns, "" when none does.
func within(room int, texts ...string) string {
	for _, t := range texts {
		if cell.Width(t) <= room {
			return t
		}
	}
	return ""
}

// thrown marks a step that threw requests out of the cache.
func (s *Screen) thrown(p *pen, t *track, body cell.Rect, e *metrics.ExplainView, st *metrics.EngineStep) {
	x0, x1, _ := t.span(st.Start, st.End)
	x := min((x0+x1)/2, x1-1)
	if x < t.r.X || x >= t.r.Right() {
		return
	}
	role := themes.Warn
	if fresh(p.v, e, st.End) {
		role = themes.Alert
	}
	p.g.Set(x, body.Y, p.gl.Stall, role)
	if n := p.int(st.Preempted); st.Preempted > 1 && x+len(n) < x1 {
		p.g.Text(x+1, body.Y, n, role, len(n))
	}
}

// fresh reports whether something of the engine's time at is so new that it
// draws the eye.
func fresh(v *View, e *metrics.ExplainView, at float64) bool {
	t := e.Knobs.Time
	if !(t > 0) {
		t = 1
	}
	return !v.ReducedMotion && e.Clock-at < flashFor*t
}
