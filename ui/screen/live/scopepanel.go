package live

import (
	"cmp"

	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/chart/scope"
	"tokscope/ui/draw"
	"tokscope/ui/format"
)

// scopePanel is the scope with what the person chose for it. Its slices are
// reused.
type scopePanel struct {
	scope scope.Scope
	data  scope.Data
	list  []scope.Phase
	past  []*metrics.Run // that can be compared with the present one, oldest first

	title  string // "scope" without one
	zoom   scope.Zoom
	linear bool
	cursor int // chunk, -1 for none
}

// panel draws the scope in its box, and the distribution of its gaps.
func (s *scopePanel) panel(p *canvas, r draw.Rect) {
	if p.boxless {
		s.plot(p, r, draw.Rect{})
		return
	}
	v := &p.v.Figures
	title := p.Join(cmp.Or(s.title, "scope"), " ─ ", s.shown(p).String(),
		format.If(s.linear && s.zoom != scope.Wait, " ─ linear"))
	if r := p.v.Pinned; r != nil && r.Stream.ID != p.v.Stream.ID {
		title = p.Join(title, " ─ pinned #", p.Int(r.Stream.Number()))
	}
	in := draw.Rect{X: r.X + 1, Y: r.Y + 1, W: r.W - 2, H: r.H - 2}
	trace, dist := scope.Split(in)
	if s.zoom == scope.Wait {
		trace, dist = in, draw.Rect{}
	}
	right := ""
	switch left, bound, ok := p.countdown(); {
	case s.zoom == scope.Wait:
		if t := p.v.Stream.Path; t != nil && t.RTT > 0 {
			right = p.Join("RTT ", p.Ms(float64(t.RTT)/1e6))
		}
	case ok && p.v.Stream.State <= metrics.Waiting:
		if right = p.Join(left, bound); draw.Width(title)+draw.Width(right)+9 > r.W {
			right = left
		}
	case dist.Empty() && v.Chunks > 0:
		right = s.percentiles(p, r.W-draw.Width(title)-9)
	}
	p.Box(r, themes.Border, title, right)
	if in.H < 1 {
		return
	}
	trace.X, trace.W = trace.X+1, trace.W-1
	if dist.Empty() {
		trace.W--
	}
	s.plot(p, trace, dist)
	if !dist.Empty() {
		p.Grid.Set(dist.X, r.Y, p.Glyphs.TeeT, themes.Border)
		p.Grid.Set(dist.X, r.Bottom()-1, p.Glyphs.TeeB, themes.Border)
		word := "gaps"
		switch n, unknown := v.Gaps.N, v.GapsUnknown; {
		case !p.v.Stream.State.Ended(): // the figures are a little behind the text
		case unknown > 0:
			word = p.Join(p.Count(n), " of ", p.Count(n+unknown), " gaps")
		case n > 0:
			word = p.Join("gaps, n ", p.Count(n))
		}
		p.Caption(r, themes.Border, draw.Width(title), word)
	}
}

// percentiles are those of the gaps where no distribution shows them, as many
// as fit into that many columns.
func (s *scopePanel) percentiles(p *canvas, room int) string {
	g := &p.v.Figures.Gaps
	slot := func(name string, v metrics.Value, m metrics.Bound) string {
		return p.Join(name, " ", p.wide(p.Bounded(v, m), format.DurationWidth))
	}
	text := p.Join(slot("p50", g.P50, g.Missing.P50), format.If(room >= 37, slot("  p95", g.P95, g.Missing.P95)),
		slot("  p99", g.P99, g.Missing.P99))
	if n := p.Join(text, "  n=", p.Count(g.N)); draw.Width(n) <= room && p.v.Stream.State.Ended() {
		text = n
	}
	return text
}

// shown is the zoom in effect.
func (s *scopePanel) shown(p *canvas) scope.Zoom {
	switch {
	case s.zoom != scope.Auto:
		return s.zoom
	case p.v.Stream.State.Ended():
		return scope.Whole
	}
	return scope.Follow
}

// plot draws the scope without its box and registers it for clicks.
func (s *scopePanel) plot(p *canvas, r, dist draw.Rect) {
	d := &s.data
	*d = scope.Data{Stream: &p.v.Stream, Figures: &p.v.Figures,
		Now: p.v.Now, Phases: s.phases(p), Past: s.past, Pinned: p.v.Pinned,
		Open: p.open(),
		Zoom: s.zoom, Linear: s.linear, Cursor: s.cursor, Still: p.v.ReducedMotion}
	s.scope.Draw(&p.Canvas, r, dist, d)
	p.Grid.Target(r, onScope)
}

// open is the gap under way in ms, from where on it is a stall; 0 before that, and while a
// tool of the server works.
// Until the median is known, that is after a second.
func (p *canvas) open() float64 {
	st, g := &p.v.Stream, &p.v.Figures.Gaps
	if st.State != metrics.Decoding || !st.LastData.Known() || len(st.Chunks) == 0 || st.Working() != nil {
		return 0
	}
	limit := silentAfter / 1e6
	if g.N >= metrics.MinStallGaps && g.P50.OK {
		limit = max(g.P50.V*metrics.StallFactor, metrics.StallFloor)
	}
	if ms := float64(p.v.Now-st.LastData) / 1e6; ms > limit {
		return ms
	}
	return 0
}
