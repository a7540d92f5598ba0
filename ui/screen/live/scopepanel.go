package live

import (
	"cmp"
	"math"

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

// phases are the times of a stream as the scope draws them, in ms since it was sent:
// its connection, the parts of the wait, decode, and above that the silences in it.
// They reach to the present moment, also between two counts of the figures.
func (s *scopePanel) phases(p *canvas) []scope.Phase {
	st := &p.v.Stream
	s.list = s.list[:0]
	if st.State == metrics.Idle || st.Asking {
		return s.list
	}
	m := &st.Marks
	end := format.Either(st.State.Ended(), m.End, p.v.Now)
	if !m.Sent.Known() { // not sent yet, or never: all of it lies before
		lead, _ := end.Sub(m.Start)
		s.waits(p, float64(lead)/1e6, 0)
		s.running(!st.State.Ended())
		return s.list
	}
	lead, _ := m.Sent.Sub(m.Start)
	n := len(st.Chunks)
	if f := st.Told; n == 0 && f != nil && f.TTFT.OK && f.Total.OK {
		s.waits(p, float64(lead)/1e6, f.TTFT.V)
		s.decode(p, f.TTFT.V, f.Total.V)
		return s.list
	}
	if n == 0 {
		s.waits(p, float64(lead)/1e6, p.since(end))
		s.running(!st.State.Ended())
		s.tools(p, p.since(end))
		return s.list
	}
	first, last := p.since(st.Chunks[0].At), p.since(st.Chunks[n-1].At)
	s.waits(p, float64(lead)/1e6, first)
	to := format.Either(st.State == metrics.Decoding && p.open() == 0, max(last, p.since(end)), last)
	s.decode(p, first, to)
	s.pauses(p, last, p.since(end))
	for i := range s.list { // what is written adds up
		for j := range s.list {
			if f, x := &s.list[i], &s.list[j]; f.Kind == scope.Decoding && x.Kind == scope.Paused {
				f.Ms -= max(min(f.To, x.To)-max(f.From, x.From), 0)
			}
		}
	}
	s.tools(p, p.since(end))
	return s.list
}

// tools adds the times in which tools of the server worked, above all others: they have the
// color of none, as they are neither the model's nor a pause. What works at once with another
// adds only what is left of it.
func (s *scopePanel) tools(p *canvas, end float64) {
	st := &p.v.Stream
	under, free := len(s.list), math.Inf(-1)
	for _, w := range st.Waits {
		from, to := max(p.since(w.From), free), format.Either(w.To.Known(), min(p.since(w.To), end), end)
		if to <= from {
			continue
		}
		for i := range s.list[:under] {
			if f := &s.list[i]; f.Kind == scope.Waiting || f.Kind == scope.Decoding {
				f.Ms -= max(min(f.To, to)-max(f.From, from), 0)
			}
		}
		s.list = append(s.list, scope.Phase{Name: safeName(w.Name), From: from, To: to, Ms: to - from, Kind: scope.Tool,
			Role: themes.Dim, Fill: scope.Thin, Running: !w.To.Known() && !st.State.Ended()})
		free = to
	}
}

// running marks the phase added last as one that lasts still.
func (s *scopePanel) running(is bool) {
	if n := len(s.list); n > 0 {
		s.list[n-1].Running = is
	}
}

// since is a moment in ms since the request was sent; 0 for none.
func (p *canvas) since(at metrics.Stamp) float64 {
	d, _ := at.Sub(p.v.Stream.Marks.Sent)
	return float64(d) / 1e6
}

func (s *scopePanel) add(kind scope.Kind, name string, from, to float64, pace float64, fill scope.Fill) {
	s.list = append(s.list, scope.Phase{Name: name, From: from, To: to, Ms: to - from, Kind: kind,
		Role: themes.Heat(draw.Heat(pace)), Fill: fill})
}

// waits adds the parts of the connection, which took lead ms, and those of the wait
// until first. The last of each lasts until then.
func (s *scopePanel) waits(p *canvas, lead, first float64) {
	at := -lead
	for _, w := range p.v.Figures.Wait {
		kind, fill := phaseLook(w.Name, w.Server)
		if kind == scope.Connecting && w.Ms.OK && w.Ms.V > 0 {
			to := min(at+w.Ms.V, 0)
			s.add(kind, phaseName(w.Name), at, to, to-at, fill)
			at = to
		}
	}
	if at < 0 && !p.v.Stream.Marks.Sent.Known() {
		s.add(scope.Connecting, "connecting", at, 0, -at, scope.Lined)
	}
	at = 0
	for _, w := range p.v.Figures.Wait {
		kind, fill := phaseLook(w.Name, w.Server)
		if came := p.since(p.v.Stream.Marks.FirstByte); w.Name == metrics.ShareWait && came > at && came < first {
			s.add(scope.Waiting, scope.FirstByte, at, came, came-at, scope.Sparse)
			at = came
		}
		to := at + w.Ms.V
		switch {
		case kind == scope.Connecting:
			continue
		case w.Name == metrics.ShareWait, w.Name == metrics.ShareUnexplained && w.Ms.OK:
			to = first
		case !w.Ms.OK:
			continue
		}
		if to > at {
			s.add(kind, phaseName(w.Name), at, to, to-at, fill)
			at = to
		}
	}
	if n := len(s.list); first > 0 && (n == 0 || s.list[n-1].Kind == scope.Connecting) { // no figures of it yet
		s.add(scope.Waiting, metrics.ShareWait, 0, first, first, scope.Checked)
	}
}

// phaseLook is the kind and the pattern of a part of the wait.
func phaseLook(name string, server bool) (scope.Kind, scope.Fill) {
	switch name {
	case metrics.ShareDNS, metrics.ShareTCP, metrics.ShareTLS, metrics.ShareSend, metrics.ShareClient,
		metrics.ShareRetried:
		return scope.Connecting, scope.Lined
	case metrics.ShareUpload:
		return scope.Waiting, scope.Lined
	case metrics.ShareQueue, metrics.ShareLoad, metrics.ShareWait:
		return scope.Waiting, scope.Checked
	case metrics.SharePrefill, metrics.ServerTTFT, metrics.ShareProcessing:
		return scope.Waiting, scope.Solid
	}
	return scope.Waiting, format.Either(server, scope.Striped, scope.Sparse)
}

// phaseName is a part of the wait in words; the other server is of the server-reported time.
func phaseName(name string) string {
	return format.Either(name == metrics.ShareServer, "other server", safeName(name))
}

// decode adds the time in which chunks arrive, in two parts where the model reasons
// first. It has the color of their pace: a long answer is not a slow one.
func (s *scopePanel) decode(p *canvas, first, last float64) {
	v := &p.v.Figures
	at, word, pace := first, "decode", v.Gaps.P50.V
	if v.TPOT.OK { // of bursts only the gaps between them are known
		pace = min(pace, v.TPOT.V)
	}
	begins, thinks := v.Answer.First, v.Reasoning.First
	if thinks.OK && !begins.OK {
		word = "reasoning"
	} else if thinks.OK && begins.V > thinks.V && begins.V < last {
		s.add(scope.Decoding, "reasoning", first, begins.V, pace, scope.Stroke)
		at, word = begins.V, "answer"
	}
	if last > at {
		s.add(scope.Decoding, word, at, last, pace, scope.Stroke)
	}
}

// pauses adds the silences: the stalls, the one from the last chunk to the end of a stream
// that did not end by itself, and what was held back meanwhile, which is no pause.
func (s *scopePanel) pauses(p *canvas, last, end float64) {
	v, st := &p.v.Figures, &p.v.Stream
	pause := func(word string, to, ms float64) { s.add(scope.Paused, word, to-ms, to, ms, scope.Dotted) }
	for i := range v.Stalls {
		pause("paused", p.since(v.Stalls[i].At), v.Stalls[i].Ms)
	}
	if ms := p.open(); ms > 0 {
		pause("paused", end, ms)
		s.running(true)
	} else if st.State.Ended() && st.State != metrics.Done && end-last > silentAfter/1e6 {
		pause("nothing more", end, end-last)
	}
	for i := range v.Suspect {
		if x := &v.Suspect[i]; x.Code == metrics.SuspectWithheld && x.Chunk < len(st.Chunks) {
			word := format.Either(x.Name != "", "tool arguments held back", "held back")
			pause(word, p.since(st.Chunks[x.Chunk].At), x.Ms)
		}
	}
}
