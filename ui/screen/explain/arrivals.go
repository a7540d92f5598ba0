package explain

import (
	"math"

	"tokscope/metrics/serving"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
)

// arrivals draws, below the steps, when the chunks of the watched user came to
// its client, on the engine's time: a wide step and a long gap stand one above
// the other.
func (s *timeline) arrivals(p *canvas, t *track, e *serving.View, r draw.Rect) {
	if r.Empty() {
		return
	}
	w := &e.Watched
	l := p.Line(r.X-gutter, r.Y, gutter-1)
	l.Write(themes.Text, format.Either(w.User > 0, p.Join("user ", p.Int(w.User)), "client"))
	s.chunks(p, t, e, r, w)
	for i := len(p.heard.past) - 1; i >= 0; i-- {
		s.chunks(p, t, e, r, &p.heard.past[i])
	}
	if len(w.True)+len(p.heard.past) == 0 && len(e.Steps) > 0 && e.Running {
		l = p.Line(r.X, r.Y, r.W)
		l.Write(themes.Dim, "no token of this user yet")
	}
}

// chunks draws those of one request, the last first.
func (s *timeline) chunks(p *canvas, t *track, e *serving.View, r draw.Rect, w *serving.Watched) {
	next := math.NaN() // the arrival after this one
	for i := min(len(w.True), len(w.Steps), len(w.Stream.Chunks)) - 1; i >= 0; i-- {
		at, ok := arrival(e, w, i)
		if !ok {
			return
		}
		s.gapLine(p, t, r, at, next)
		if t.col(at) < t.first {
			return
		}
		next = at
	}
}

// made is when the engine made chunk i of w, on its clock; false where that step is no
// longer kept.
func made(e *serving.View, w *serving.Watched, i int) (float64, bool) {
	if i < 0 || i >= min(len(w.Steps), len(w.True), len(w.Stream.Chunks)) ||
		len(e.Steps) == 0 || w.Steps[i] < e.Steps[0].Number || w.Steps[i] > e.Steps[len(e.Steps)-1].Number {
		return 0, false
	}
	return e.Steps[w.Steps[i]-e.Steps[0].Number].End, true
}

// arrival is when chunk i of w reached its client, on the engine's clock: when it was
// made plus the delay from there to the client.
func arrival(e *serving.View, w *serving.Watched, i int) (float64, bool) {
	at, ok := made(e, w, i)
	if ok {
		if late, known := w.Stream.Chunks[i].At.Sub(w.True[i]); known {
			at += float64(late) / 1e9 * slowness(e.Pace())
		}
	}
	return at, ok
}

// gapLine draws the gap between two arrivals: a line as long as it lasted, in
// the color of its length, or the height of the longest where they share
// columns.
func (s *timeline) gapLine(p *canvas, t *track, r draw.Rect, at, next float64) {
	x0 := t.x(t.col(at))
	if !math.IsNaN(next) {
		x1 := t.x(t.col(next))
		ms := (next - at) * 1e3
		if s.zoom.dense() {
			if x1 >= r.X && x1 < r.Right() {
				p.Grid.Bar(x1, r.Y, 1, gapShare(ms), p.Glyphs, themes.Heat(draw.Heat(ms)))
			}
			return
		}
		from := max(x0+1, r.X)
		p.Grid.Across(from, r.Y, min(x1, r.Right())-from, p.Glyphs.H, themes.Heat(draw.Heat(ms)))
		if text := p.Ms(ms); x1-x0 > len(text)+4 && x0 >= r.X && x1 <= r.Right() {
			p.Grid.Text(x0+(x1-x0-len(text))/2, r.Y, text, themes.Heat(draw.Heat(ms)), len(text))
		}
	}
	if !s.zoom.dense() && x0 >= r.X && x0 < r.Right() {
		p.Grid.Set(x0, r.Y, p.Glyphs.Dot, themes.Text)
	}
}

// axis is the engine's clock below the timeline.
func (s *timeline) axis(p *canvas, t *track, y int) {
	const every = 20
	p.Grid.Across(t.r.X, y, t.r.W, p.Glyphs.H, themes.Axis)
	l := p.Line(t.r.X-gutter, y, gutter-1)
	l.Write(themes.Axis, "clock")
	c0, c1 := s.cursorSpan(p, t) // no number shares its place
	digits := min(max(-int(math.Floor(math.Log10(every*t.column)+1e-9)), 0), 6)
	for c := (t.first/every - 1) * every; c < t.first+int64(t.r.W); c += every {
		x := t.r.X + int(c-t.first)
		if c < 0 || x < t.r.X {
			continue
		}
		text := p.Keep(format.AppendSeconds(p.Scratch(), float64(c)*t.column, digits))
		if len(text)+2 > every || x+1+len(text) > t.r.Right() || x < c1 && x+1+len(text) > c0 {
			continue
		}
		p.Grid.Set(x, y, p.Glyphs.TeeT, themes.Axis)
		p.Grid.Text(x+1, y, text, themes.Axis, len(text))
	}
}

// cursorSpan is where the step that is looked at is drawn: from x0 to before x1.
func (s *timeline) cursorSpan(p *canvas, t *track) (x0, x1 int) {
	st := p.v.step()
	if st == nil {
		return 0, 0
	}
	x0, x1, _ = t.span(st.Start, st.End)
	if s.zoom.gaps() && x1-x0 >= 2 {
		x0++
	}
	return x0, x1
}

// cursorMark underlines the step that is looked at, and numbers the one that a
// person chose.
func (s *timeline) cursorMark(p *canvas, t *track, in draw.Rect) {
	x0, x1 := s.cursorSpan(p, t)
	p.Grid.Across(x0, in.Bottom()-1, x1-x0, p.Glyphs.Heavy, themes.Figure)
	label, text := s.cursorLabel(p, t)
	if text == "" {
		return
	}
	for y := t.r.Y; y < t.r.Bottom() && s.zoom.gaps(); y++ { // in the blank columns beside it
		if t.pools && (y < t.half) != (p.v.step().Pool == "prefill") {
			continue
		}
		if x0 > t.r.X {
			p.Grid.Set(x0-1, y, p.Glyphs.V, themes.Figure)
		}
		if x1 < t.r.Right() {
			p.Grid.Set(x1, y, p.Glyphs.V, themes.Figure)
		}
	}
	p.Grid.Text(label.X, in.Y, text, themes.Badge, label.W)
}

// cursorLabel is the number of the step that a person chose, and where it stands; no other
// words of that row do. It is empty where the cursor follows the newest.
func (s *timeline) cursorLabel(p *canvas, t *track) (at draw.Rect, text string) {
	x0, x1 := s.cursorSpan(p, t)
	if p.v.Cursor == 0 || x1 <= x0 {
		return draw.Rect{}, ""
	}
	text = p.Join(" step ", p.Int(int(p.v.step().Number)), " ")
	n := len(text)
	return draw.Rect{X: min(max(x0+(x1-x0-n)/2, t.r.X), t.r.Right()-n), W: n, H: 1}, text
}

// markLines draws where a person turned a knob, with what was turned in the
// row at y.
func (s *timeline) markLines(p *canvas, t *track, y int) {
	e, free := p.now.shown(p.v), t.r.X
	label, _ := s.cursorLabel(p, t)
	for i := range e.Marks {
		m := &e.Marks[i]
		x := t.x(t.col(m.At))
		if x < t.r.X || x >= t.r.Right() {
			continue
		}
		p.Grid.Down(x, t.r.Y, t.r.H, p.Glyphs.Burst, themes.Accent)
		end := t.r.Right()
		for j := i + 1; j < len(e.Marks); j++ {
			if nx := t.x(t.col(e.Marks[j].At)); nx > x {
				end = min(end, nx)
				break
			}
		}
		if label.X <= x {
			free = max(free, label.Right())
		}
		if x < label.Right() {
			end = min(end, max(label.X, x))
		}
		for len(s.marks) <= i {
			s.marks = append(s.marks, draw.Memo[serving.EngineMark, string]{})
		}
		what := s.marks[i].Of(*m, turnWords)
		n := draw.Width(p.Chrome(what))
		l := p.Line(x, y, end-x)
		before := x+2+n > end && x-1-n >= free
		if before {
			l.X = x - 1 - n
			l.Write(themes.Accent, what)
			l.To(x)
		}
		if l.Set(themes.Accent, p.Glyphs.Down); !before {
			l.Skip(1)
			l.Cut(themes.Accent, what)
		}
		free = l.X + 1
	}
}

// StepAt is the number of the step in column x of the timeline, on any row: a
// drag may leave it. The newest is 0, as for Cursor. ok is false without a
// step.
func (s *timeline) StepAt(x, y int) (uint64, bool) {
	t := &s.time
	if len(t.steps) == 0 || t.r.W < 1 {
		return 0, false
	}
	pool := format.If(t.pools, format.Either(y < t.half, "prefill", "decode"))
	col := t.first + int64(min(max(x-t.r.X, 0), t.r.W-1))
	best := -1
	for i := len(t.steps) - 1; i >= 0; i-- {
		st := &t.steps[i]
		if t.pools && st.Pool != pool {
			continue
		}
		begun := t.col(st.Start) <= col
		if best < 0 || !begun || t.col(st.End) >= col {
			best = i
		}
		if begun {
			break
		}
	}
	if best < 0 {
		return 0, false
	}
	if best == len(t.steps)-1 && (!t.more || t.col(t.steps[best].End) < col) {
		return 0, true
	}
	return t.steps[best].Number, true
}
