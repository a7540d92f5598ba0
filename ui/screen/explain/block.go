package explain

import (
	"math"

	"tokscope/metrics/serving"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
)

// leastMost is the smallest top of the token scale. Below it a small batch
// would look like a large one.
const leastMost = 256

// mostTokens is the top of the token scale for steps: the power of two that
// holds the largest.
func mostTokens(steps []serving.EngineStep) int {
	n := leastMost
	for i := range steps {
		for n < steps[i].Decodes+steps[i].Prefilled && n < 1<<30 {
			n *= 2
		}
	}
	return n
}

// height is the height of n tokens, in eighths of a row. One token is a row
// high; from there each doubling adds the same height.
func (f *figures) height(n, rows int) int {
	if n <= 0 {
		return 0
	}
	share := math.Log2(float64(n)) / math.Log2(float64(max(f.most, leastMost)))
	return 8 + int(min(share, 1)*float64(8*(rows-1))+0.5)
}

// block draws one step, filled up to until; what is still to come of the one
// under way is drawn as a shade.
func (s *timeline) block(p *canvas, t *track, body draw.Rect, st *serving.EngineStep, until float64) {
	x0, x1, whole := t.span(st.Start, st.End)
	if s.zoom.gaps() && whole >= 2 && t.x(t.col(st.Start)) == x0 {
		x0++
	}
	filled := x1
	if until < st.End {
		filled = max(min(t.x(t.col(until)+1), x1), x0)
	}
	low := p.now.height(st.Decodes, body.H)
	high := p.now.height(st.Decodes+st.Prefilled, body.H)
	rows := 0 // rows of decode below prefill
	if st.Prefilled > 0 {
		if st.Decodes > 0 && body.H > 1 {
			rows = min(max((low+4)/8, 1), body.H-1)
		}
		high = max((high+4)/8, rows+1)
	}
	for x := x0; x < x1; x++ {
		if x >= filled {
			n := min(format.Either(st.Prefilled > 0, max(high, (low+7)/8), 1), body.H)
			p.Grid.Down(x, body.Bottom()-n, n, p.Glyphs.LightShade, themes.Faint)
			continue
		}
		// without room for a blank column, a slit separates steps
		full := format.Either(x == x1-1 && !s.zoom.gaps(), p.Glyphs.Parts[5], p.Glyphs.Block)
		if st.Prefilled == 0 {
			p.Grid.Bar(x, body.Bottom()-1, body.H, float64(low)/float64(8*body.H), p.Glyphs, themes.Decode)
			p.Grid.Down(x, body.Bottom()-low/8, low/8, full, themes.Decode)
			continue
		}
		p.Grid.Down(x, body.Bottom()-rows, rows, full, themes.Decode)
		p.Grid.Down(x, body.Bottom()-high, high-rows, p.Glyphs.Shade, themes.Prefill)
	}
	if st.Prefilled == 0 {
		high = (low + 7) / 8
	}
	s.words(p, body, st, x0, filled, high, high-rows)
}

// words writes what a step is into it, where it is wide enough: above a low
// one, across a high one, so that enough of it stays to be seen.
func (s *timeline) words(p *canvas, body draw.Rect, st *serving.EngineStep, x0, x1, high, rows int) {
	room := x1 - x0
	if room < 5 || room < 8 && st.Prefilled == 0 {
		return
	}
	y := body.Bottom() - 1 - high
	blanks := 0
	if y < body.Y {
		y, blanks = body.Y+format.Either(high >= 3 && body.H > 1, 1, 0), format.Either(rows < 2, 12, 6)
	}
	text := p.title(st, room-blanks)
	if text == "" {
		return
	}
	n := draw.Width(p.Chrome(text))
	x := x0
	if blanks > 0 {
		x += (room - n) / 2
		p.Grid.Set(x-1, y, ' ', themes.Text)
		p.Grid.Set(x+n, y, ' ', themes.Text)
	}
	p.Grid.Text(x, y, p.Chrome(text), themes.Strong, n)
}

// title is a step in at most room columns: "prefill 512 + 7 decode · 31.2 ms",
// or less of it.
func (p *canvas) title(st *serving.EngineStep, room int) string {
	d := p.Ms((st.End - st.Start) * 1e3)
	if st.Prefilled <= 0 {
		short := p.Join(p.Int(st.Decodes), " decode")
		return draw.FirstFit(room, p.Join(short, " · ", d), short)
	}
	n := p.Int(st.Prefilled)
	short := p.Join("prefill ", n)
	if st.Decodes <= 0 {
		return draw.FirstFit(room, p.Join(short, " · ", d), short, n)
	}
	both := p.Join(short, " + ", p.Int(st.Decodes))
	return draw.FirstFit(room, p.Join(both, " decode · ", d), p.Join(both, " decode"), both, short, n)
}

// thrown marks a step that threw requests out of the cache.
func (p *canvas) thrown(t *track, body draw.Rect, e *serving.View, st *serving.EngineStep) {
	x0, x1, _ := t.span(st.Start, st.End)
	x := min((x0+x1)/2, x1-1)
	if x < t.r.X || x >= t.r.Right() {
		return
	}
	role := p.thrownRole(e, st.End)
	p.Grid.Set(x, body.Y, p.Glyphs.Stall, role)
	if n := p.Int(st.Preempted); st.Preempted > 1 && x+len(n) < x1 {
		p.Grid.Text(x+1, body.Y, n, role, len(n))
	}
}

// thrownRole is the role of requests thrown out at engine time at: recent ones draw
// attention.
func (p *canvas) thrownRole(e *serving.View, at float64) themes.Role {
	recent := !p.v.Look.ReducedMotion && e.Clock-at < flashFor*slowness(e.Pace())
	return format.Either(recent, themes.Alert, themes.Warn)
}

// column is one column of the timeline while several steps share it.
type column struct {
	prefill, decode float64 // seconds in steps with and without a prefill
	longest         float64 // longest step that ended here, seconds
	thrown          int     // preempted requests
	at              float64 // end of the last step that preempted
}

// denseLane draws columns that each hold several steps: below, the share of
// the time in steps that prefill and in those that only decode; above, the
// longest of them.
func (s *timeline) denseLane(p *canvas, t *track, e *serving.View, body draw.Rect, pool string) {
	if cap(s.cols) < t.r.W {
		s.cols = make([]column, t.r.W)
	}
	s.cols = s.cols[:t.r.W]
	clear(s.cols)
	for st := range t.visible(e, pool) {
		s.page++
		s.add(t, st, st.End)
	}
	if d := e.Doing; d != nil && d.Pool == pool {
		s.add(t, d, min(e.Clock, d.End))
	}
	top := format.Either(body.H >= 3, 1, 0)
	for i := range s.cols {
		s.denseColumn(p, t, body, e, i, top)
	}
}

// add divides a step that lasted until the given time over its columns.
func (s *timeline) add(t *track, st *serving.EngineStep, until float64) {
	a, b := t.col(st.Start), t.col(until)
	for c := max(a, t.first); c <= b && c < t.first+int64(len(s.cols)); c++ {
		k := &s.cols[c-t.first]
		from, to := float64(c)*t.column, float64(c+1)*t.column
		d := max(min(to, until)-max(from, st.Start), 0)
		if st.Prefilled > 0 {
			k.prefill += d
		} else {
			k.decode += d
		}
	}
	if i := b - t.first; i >= 0 && i < int64(len(s.cols)) && until == st.End {
		k := &s.cols[i]
		k.longest = max(k.longest, st.End-st.Start)
		if st.Preempted > 0 {
			k.thrown += st.Preempted
			k.at = max(k.at, st.End)
		}
	}
}

func (s *timeline) denseColumn(p *canvas, t *track, body draw.Rect, e *serving.View, i, top int) {
	k := &s.cols[i]
	x, rows := t.r.X+i, body.H-top
	busy := min((k.prefill+k.decode)/t.column, 1)
	if k.prefill <= 0 {
		p.Grid.Bar(x, body.Bottom()-1, rows, busy, p.Glyphs, themes.Decode)
	} else {
		low := int(k.decode/t.column*float64(rows) + 0.5)
		if k.decode > 0 && rows > 1 {
			low = min(max(low, 1), rows-1)
		}
		high := min(max(int(busy*float64(rows)+0.5), low+1), rows)
		p.Grid.Down(x, body.Bottom()-high, high, p.Glyphs.Shade, themes.Prefill)
		p.Grid.Down(x, body.Bottom()-low, low, p.Glyphs.Block, themes.Decode)
	}
	if top > 0 && k.longest > 0 {
		ms := k.longest * 1e3
		p.Grid.Bar(x, body.Y, 1, gapShare(ms), p.Glyphs, themes.Heat(draw.Heat(ms)))
	}
	if k.thrown > 0 {
		p.Grid.Set(x, body.Y, p.Glyphs.Stall, p.thrownRole(e, k.at))
	}
}
