package explain

import (
	"iter"
	"math"

	"tokscope/metrics/serving"
	"tokscope/metrics/stats"
	"tokscope/themes"
	"tokscope/ui/chart"
	"tokscope/ui/draw"
	"tokscope/ui/format"
)

// track maps time to the screen. Columns are counted from time 0, so that a
// step keeps its columns while the picture scrolls.
type track struct {
	r      draw.Rect
	first  int64   // the column at r.X
	now    int64   // the column of the clock
	column float64 // seconds, above 0
	steps  []serving.EngineStep
	more   bool // the newest is a step under way
	pools  bool // two lanes: prefill above
	half   int  // first row of the lower lane
}

func (t *track) col(at float64) int64 {
	c := math.Floor(finite(at)/t.column + 1e-9)
	return int64(min(max(c, -1e15), 1e15))
}

// x is the place of a column on the screen. Outside of r it is moved to just
// outside.
func (t *track) x(col int64) int {
	return t.r.X + int(min(max(col-t.first, -1), int64(t.r.W)))
}

// span is the columns of a time range on the screen: from x0 to before x1. It
// has at least one column unless it lies outside. whole is its width
// including the part outside.
func (t *track) span(from, to float64) (x0, x1 int, whole int64) {
	a := t.col(from)
	b := max(t.col(to), a+1)
	return max(t.x(a), t.r.X), t.x(b), b - a
}

// visible are the steps of a pool that end on the screen or right of it, newest first.
// Pools overlap in time: a step may be older than the next one.
func (t *track) visible(e *serving.View, pool string) iter.Seq[*serving.EngineStep] {
	return func(yield func(*serving.EngineStep) bool) {
		for i, missed := len(e.Steps)-1, 0; i >= 0 && missed < 4; i-- {
			switch st := &e.Steps[i]; {
			case st.Pool != pool:
			case t.col(st.End) < t.first:
				missed++
			case !yield(st):
				return
			}
		}
	}
}

// gutter is the width of the timeline's row names.
const gutter = 8

// timeline is the panel of the engine's steps, with the client's chunks below
// them. It keeps the scale and the columns.
type timeline struct {
	time track // the drawn track, for StepAt
	zoom zoom
	cols []column // while it is dense
	page int      // visible steps

	marks []draw.Memo[serving.EngineMark, string] // words of the marks
}

// timeline draws the engine's steps, newest right: width is time, height is
// how many tokens are in the step. In slow motion every step is a box with
// its words inside; in real time columns hold several.
func (s *timeline) timeline(p *canvas, r draw.Rect) {
	if r.Empty() {
		return
	}
	p.Grid.Target(r, onTimeline{})
	title := s.timelineTitle(p, r.W)
	in := p.Box(r, p.border("timeline"), title, "")
	p.legend(r, draw.Width(title))
	if in.H < 3 || in.W < gutter+8 {
		return
	}
	e := p.now.shown(p.v)
	body := draw.Rect{X: in.X + gutter, Y: in.Y + 1, W: in.W - gutter, H: in.H - 2}
	var client draw.Rect
	if in.H >= 5 {
		body, client = body.SplitV(-1)
	}
	t := s.window(p.v, e, body)
	s.time = t
	s.markLines(p, &t, in.Y)
	s.lanes(p, &t, e, func(body draw.Rect, pool string) { s.gutter(p, in, body, pool) })
	s.arrivals(p, &t, e, client)
	s.axis(p, &t, in.Bottom()-1)
	s.cursorMark(p, &t, in)
	if len(e.Steps) == 0 && e.Doing == nil {
		p.Grid.Center(body.X, body.Y+body.H/2, body.W, p.Chrome(p.nothing()), p.Glyphs, themes.Dim)
	}
}

// nothing says why there is no step.
func (p *canvas) nothing() string {
	e := &p.v.Explain
	switch {
	case e.Broken.Code != "":
		return p.broken()
	case e.Running && e.Paused:
		return "paused before the first step"
	case e.Running:
		return "the first requests are being sent"
	}
	return "no users: nothing runs"
}

// shown is the view to animate. With reduced motion it is as old as the
// figures.
func (n *figures) shown(v *View) *serving.View {
	return format.Either(v.Look.ReducedMotion && n.version > 0, &n.view, &v.Explain)
}

func (s *timeline) timelineTitle(p *canvas, w int) string {
	scale := p.Join(p.Exact(s.zoom.column*1e3), " ms a column")
	height := format.Either(s.zoom.dense(), " ─ filled = share of it", " ─ height = tokens, log")
	switch {
	case w < 90:
		return p.Join("engine steps ─ ", scale)
	case w < 112:
		return p.Join("engine steps ─ ", scale, height)
	}
	return p.Join("engine steps ─ width = time, ", scale, height)
}

// legend names the signs in the upper border, each in its color, behind a title of
// that width.
func (p *canvas) legend(r draw.Rect, title int) {
	n := len(" x prefill  x decode  x preempted ")
	if title+n+8 > r.W {
		return
	}
	l := p.Line(r.Right()-n-2, r.Y, n)
	for _, e := range [...]struct {
		glyph rune
		role  themes.Role
		word  string
	}{
		{p.Glyphs.Shade, themes.Prefill, " prefill "},
		{p.Glyphs.Bars[3], themes.Decode, " decode "},
		{p.Glyphs.Stall, themes.Warn, " preempted "},
	} {
		l.Set(themes.Border, ' ')
		l.Set(e.role, e.glyph)
		l.Write(themes.Dim, e.word)
	}
}

// window is the visible time range: up to now, or back to the cursor.
func (s *timeline) window(v *View, e *serving.View, body draw.Rect) track {
	t := track{r: body, column: s.zoom.column, steps: e.Steps, more: v.underWay() != nil}
	t.now = t.col(e.Clock)
	ahead := format.Either(s.zoom.gaps(), int64(body.W/aheadShare), 0)
	t.first = t.now + ahead - int64(body.W) + 1
	if v.Cursor != 0 && len(e.Steps) > 0 {
		st := &e.Steps[max(min(v.at(), len(e.Steps)-1), 0)]
		t.first = min(t.first, t.col(st.Start)-int64(body.W/8))
	}
	for i := len(e.Steps) - 1; i >= max(len(e.Steps)-8, 0) && !t.pools; i-- {
		t.pools = e.Steps[i].Pool != ""
	}
	t.half = body.Y + format.Either(t.pools, body.H/2, 0)
	return t
}

func (s *timeline) bare(p *canvas, r draw.Rect) {
	p.Grid.Target(r, onTimeline{})
	e := p.now.shown(p.v)
	s.time = s.window(p.v, e, r)
	s.lanes(p, &s.time, e, func(draw.Rect, string) {})
}

// lanes draws the steps of every pool, and calls beside for each.
func (s *timeline) lanes(p *canvas, t *track, e *serving.View, beside func(body draw.Rect, pool string)) {
	s.page = 0
	all := [...]draw.Rect{t.r, {}}
	pools := [...]string{"", ""}
	if t.pools {
		all[0], all[1] = t.r.SplitV(t.half - t.r.Y)
		pools = [...]string{"prefill", "decode"}
	}
	for i, body := range all {
		s.lane(p, t, e, body, pools[i])
		beside(body, pools[i])
	}
}

// gutter names the pool, or the scale of the height.
func (s *timeline) gutter(p *canvas, in, body draw.Rect, pool string) {
	if body.H < 1 {
		return
	}
	l, low := p.Line(in.X, body.Y, gutter-1), p.Line(in.X, body.Bottom()-1, gutter-1)
	switch {
	case pool != "":
		l.Write(themes.Text, pool)
	case s.zoom.dense() && body.H >= 3:
		l.Write(themes.Axis, "longest")
		low.Field(themes.Axis, "share", gutter-1)
	case s.zoom.dense():
		l.Write(themes.Axis, "share")
	case body.H >= 2:
		l.Field(themes.Axis, p.Int(p.now.most), gutter-2)
		low.Field(themes.Axis, "1 token", gutter-1)
	}
}

func (s *timeline) lane(p *canvas, t *track, e *serving.View, body draw.Rect, pool string) {
	if body.H < 1 {
		return
	}
	if s.zoom.dense() {
		s.denseLane(p, t, e, body, pool)
		return
	}
	for st := range t.visible(e, pool) {
		if x0, _, _ := t.span(st.Start, st.End); x0 < body.Right() {
			s.page++
			s.block(p, t, body, st, st.End)
		}
	}
	if d := e.Doing; d != nil && d.Pool == pool {
		s.block(p, t, body, d, e.Clock)
	}
	for st := range t.visible(e, pool) {
		if st.Preempted > 0 {
			p.thrown(t, body, e, st)
		}
	}
}

// zoom is the scale of the timeline: the engine time of one column. It
// changes only for a scale that fits much better, so that the picture scrolls
// steadily.
type zoom struct {
	column  float64 // seconds, above 0
	typical float64 // median duration of the steps, seconds; 0: unknown

	known  bool
	time   float64
	by     int
	index  int // of chart.Round
	sorted []float64
}

// slack is the factor by which the fitting scale may differ from the kept
// one.
const slack = 2.2

// sample is how many of the last steps the typical duration covers.
const sample = 128

func (z *zoom) update(v *View) {
	z.typical = z.median(v.Explain.Steps)
	time := slowness(v.Explain.Knobs.Time)
	fits := min(max(time*columnTime, z.typical/typicalMost, 1e-7), 10)
	kept := chart.Round.At(z.index)
	if !z.known || z.time != time || z.by != v.Zoom || fits > slack*kept || fits < kept/slack {
		z.known, z.time, z.by, z.index = true, time, v.Zoom, chart.Round.Below(fits)
	}
	z.column = chart.Round.At(min(max(z.index-v.Zoom, -21), 6))
}

// median is the typical duration of the last steps, in seconds.
func (z *zoom) median(steps []serving.EngineStep) float64 {
	z.sorted = z.sorted[:0]
	for i := max(len(steps)-sample, 0); i < len(steps); i++ {
		if d := steps[i].End - steps[i].Start; d > 0 && d < 1e6 {
			z.sorted = append(z.sorted, d)
		}
	}
	if len(z.sorted) == 0 {
		return 0
	}
	return stats.Median(z.sorted)
}

// dense reports whether steps share columns.
func (z *zoom) dense() bool { return z.typical > 0 && z.typical < 0.9*z.column }

// gaps reports whether a blank column separates steps.
func (z *zoom) gaps() bool { return z.typical >= gapFrom*z.column }
