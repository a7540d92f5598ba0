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
	scope  scope.Scope
	wait   wait
	data   scope.Data
	phases []scope.Phase
	past   []*metrics.Run // that can be compared with the present one, oldest first

	zoom   scope.Zoom
	linear bool
	cursor int // chunk, -1 for none
	pinned *metrics.Run
}

// panel draws the scope in its box: the wait in words, the trace and the
// distribution.
func (s *scopePanel) panel(p *canvas, r draw.Rect) {
	if p.boxless {
		if r.H >= waitFrom {
			s.wait.line(p, p.Line(r.X+1, r.Y, r.W-1))
			_, r = r.SplitV(1)
		}
		s.plot(p, r, draw.Rect{})
		return
	}
	v := &p.v.Figures
	title := p.Join("scope ─ ", s.shown(p).String(), " ─ ", format.Either(s.linear, "linear", "log"))
	if r := s.pinned; r != nil && r.Stream.ID != p.v.Stream.ID {
		title = p.Join(title, " ─ pinned #", p.Int(r.Stream.ID))
	}
	in := draw.Rect{X: r.X + 1, Y: r.Y + 1, W: r.W - 2, H: r.H - 2}
	trace, dist := scope.Split(in)
	right := ""
	switch left, bound, ok := p.countdown(); {
	case ok && p.v.Stream.State <= metrics.Waiting:
		if right = p.Join(left, bound); draw.Width(title)+draw.Width(right)+9 > r.W {
			right = left
		}
	case dist.Empty() && v.Chunks > 0:
		right = s.percentiles(p, r.W-draw.Width(title)-9)
	}
	p.Box(r, themes.Border, title, right)
	if in.H < 3 {
		return
	}
	s.wait.line(p, p.Line(trace.X+1, trace.Y, trace.W-2))
	_, trace = trace.SplitV(1)
	s.plot(p, trace, dist)
	if !dist.Empty() {
		p.Grid.Set(dist.X, r.Y, p.Glyphs.TeeT, themes.Border)
		p.Grid.Set(dist.X, r.Bottom()-1, p.Glyphs.TeeB, themes.Border)
		if word := "distribution"; draw.Width(title)+dist.W+8 < r.W {
			p.Caption(r, themes.Border, draw.Width(title), word)
		}
	}
}

// waitFrom is the height of a scope without a box from which the wait in words has a row.
const waitFrom = 8

// percentiles are those of the gaps where no distribution shows them, as many
// as fit into that many columns.
func (s *scopePanel) percentiles(p *canvas, room int) string {
	g := &p.v.Figures.Gaps
	slot := func(name string, v metrics.Value, m metrics.Bound) string {
		return p.Join(name, p.wide(p.Bounded(v, m), 1+format.DurationWidth))
	}
	text := p.Join(slot("p50", g.P50, g.Missing.P50), slot("  p99", g.P99, g.Missing.P99))
	if room >= 37 {
		text = p.Join(slot("p50", g.P50, g.Missing.P50),
			slot("  p95", g.P95, g.Missing.P95), slot("  p99", g.P99, g.Missing.P99))
	}
	if n := p.Join(text, "  n=", p.Count(g.N)); draw.Width(n) <= room {
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
		Now: p.v.Now, Phases: s.waitPhases(p), Past: s.past, Pinned: s.pinned,
		Reading: p.readingGap(), Label: p.Join(cmp.Or(paceWords[p.pace().Name], "chosen"), " pace"),
		Signs: s.signs(p), Open: p.open(), Answer: p.answers(),
		Zoom: s.zoom, Linear: s.linear, Cursor: s.cursor, Still: p.v.ReducedMotion}
	s.scope.Draw(&p.Canvas, r, dist, d)
	p.Grid.Target(r, onScope)
}

// waitPhases are the parts of the wait as the scope draws them.
func (s *scopePanel) waitPhases(p *canvas) []scope.Phase {
	all := s.wait.stretches(p)
	s.phases = s.phases[:0]
	for i := range all {
		x := &all[i]
		s.phases = append(s.phases, scope.Phase{Ms: x.ms, Before: x.setup(), Role: x.role, Fill: x.fill})
	}
	return s.phases
}

// signs says what the signs below the trace are and how many there were.
func (s *scopePanel) signs(p *canvas) string {
	v := &p.v.Figures
	stalls, bursts := p.Count(p.stallCount()), p.Count(len(v.Bursts))
	switch {
	case v.Chunks == 0:
		stalls, bursts = draw.Unknown, draw.Unknown
	case v.AtOnce():
		stalls = draw.Unknown
	}
	return p.Join("▲ stalls ", p.wide(stalls, 3), "   ╎ bursts ", p.wide(bursts, 4))
}

// answers is when the answer began behind the reasoning, ms since the request was
// sent; 0 where one of the two is missing or the reasoning came later.
func (p *canvas) answers() float64 {
	reasoning, answer := &p.v.Figures.Reasoning.First, &p.v.Figures.Answer.First
	if !reasoning.OK || !answer.OK || answer.V <= reasoning.V {
		return 0
	}
	return answer.V
}

// open is the gap under way in ms, from where on it is a stall; 0 before that.
// Until the median is known, that is after a second.
func (p *canvas) open() float64 {
	st, g := &p.v.Stream, &p.v.Figures.Gaps
	if st.State != metrics.Decoding || !st.LastData.Known() || len(st.Chunks) == 0 {
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

// readingGap is the gap before a chunk at which the stream is as fast as the
// reader, in ms: from the words that came per chunk where enough came, else
// from 0.75 words a token.
func (p *canvas) readingGap() float64 {
	v := &p.v.Figures
	perWord := 60e3 / p.pace().WPM
	if n := v.Answer.Chunks; n >= 20 && v.Words >= 10 {
		return perWord * float64(v.Words) / float64(n)
	}
	return perWord * 0.75
}

// paceWords are the verbs for the paces.
var paceWords = map[string]string{"reading": "reading", "fiction": "fiction reading", "aloud": "reading aloud",
	"speech": "speech", "skimming": "skimming"}
