package explain

import (
	"slices"

	"tokscope/metrics"
	"tokscope/metrics/pick"
	"tokscope/metrics/serving"
	"tokscope/themes"
	"tokscope/ui/chart"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
	"tokscope/ui/say"
)

// tail is the end of the watched text, sanitized when it changes.
type tail struct {
	id, from, end int
	text          string
}

// tailBytes is how much of a text is used: more than fits.
const tailBytes = 1500

// of is the end of the text in the chunks up to last.
func (t *tail) of(s *metrics.Stream, last int) string {
	end := len(s.Text)
	if last >= 0 && last < len(s.Chunks)-1 {
		end = min(max(int(s.Chunks[last].TextEnd), 0), len(s.Text))
	}
	// It begins at round numbers, so that lines keep their places.
	from := max(end-tailBytes, 0) / tailBytes * tailBytes
	for from > 0 && from < end && s.Text[from]&0xC0 == 0x80 {
		from++ // not inside a character
	}
	if t.id != s.ID || t.from != from || t.end != end {
		t.id, t.from, t.end, t.text = s.ID, from, end, sanitize.Line(string(s.Text[from:end]), 2*tailBytes)
	}
	return t.text
}

// lastChunk is the last chunk that reached the client of w by the step at the
// cursor. While the cursor follows it is the last of all; -1 before the
// first.
func (v *View) lastChunk(w *serving.Watched) int {
	n := len(w.Stream.Chunks)
	if v.Cursor == 0 || v.back() == 0 {
		return n - 1
	}
	at := v.step().Number
	k, _ := slices.BinarySearch(w.Steps, at+1)
	return min(k, n) - 1
}

// clientPanel is the same moment from outside: what the client of one user
// measured over HTTP, beside the ends of the steps that yielded its chunks.
func (t *tail) clientPanel(p *canvas, r draw.Rect, border themes.Role) {
	w := p.heard.at(p.v)
	title := format.Either(w.User > 0, p.Join("client of user ", p.Int(w.User)), "client")
	right, last := "", p.v.lastChunk(w)
	switch {
	case w.User > 0 && last < len(w.Stream.Chunks)-1:
		right = "at this step"
	case w.User > 0:
		right = p.chunksBy(&w.Stream, r.W-draw.Width(title)-9)
	}
	in := p.Box(r, border, title, right)
	if w.User == 0 || w.Stream.State == metrics.Idle {
		p.Middle(in, themes.Dim, format.Either(w.User == 0, "no user is watched", "its request comes next"))
		return
	}
	// the table; above it two strips of some rows each, where there is room with a legend, then the text
	table := draw.Rect{X: in.X, Y: in.Bottom() - 3, W: in.W, H: 3}
	high := min(max((in.H-3)/3, 1), 8)
	legend := format.Either(in.H >= 9, 1, 0)
	strips := draw.Rect{X: in.X, Y: table.Y - 2*high - legend, W: in.W, H: 2*high + legend}
	text := draw.Rect{X: in.X, Y: in.Y, W: in.W, H: max(strips.Y-in.Y, 0)}
	if in.H < 7 {
		strips, text = draw.Rect{}, draw.Rect{X: in.X, Y: in.Y, W: in.W, H: max(in.H-3, 0)}
	}
	t.draw(p, text, &w.Stream, last)
	p.strips(strips, w, last)
	p.compareTruth(table, w, last)
}

// chunksBy says in at most room columns how many chunks came and who stamped
// them.
func (p *canvas) chunksBy(st *metrics.Stream, room int) string {
	count, by := p.Plural(len(st.Chunks), "chunk", "chunks"), say.Stamps(st.Stamps.String())
	if len(st.Chunks) == 0 {
		return format.Either(room < 20, "", count)
	}
	return draw.FirstFit(room, p.Join(count, ", ", by), by)
}

// watched is the watched request in the batch of the step at the cursor; nil
// when it is not in that batch.
func (n *figures) watched(v *View) *serving.EngineRequest {
	id := v.Explain.Watched.Request
	if n.step == nil || id == 0 {
		return nil
	}
	return pick.First(n.step.Batch, func(q *serving.EngineRequest) bool { return q.ID == id })
}

// draw writes the end of the text, the newest at the bottom.
func (t *tail) draw(p *canvas, r draw.Rect, st *metrics.Stream, last int) {
	if r.Empty() {
		return
	}
	if last < 0 {
		text := "waits for its first token"
		if st.Fault != nil {
			text = sanitize.Line(st.Fault.Error(), 200)
		}
		if len(st.Chunks) > 0 {
			text = "this request began after that step"
		} else if q := p.now.watched(p.v); q != nil && q.State != serving.EngineDone {
			text = p.Join(text, ": ", stateWord(q.State), " ", p.Int(q.PromptDone), "/", p.Int(q.Prompt))
		}
		p.Wrapped(r, 0, r.H, format.Either(st.Fault != nil, themes.Bad, themes.Prefill), text)
		return
	}
	p.Tail(r, t.of(st, last), !st.State.Ended())
}

// gap is the time in ms of engine time between chunk i and the one before, as measured
// or as the engine made it: a pause is no part of it. It is unknown within a burst.
func gap(e *serving.View, w *serving.Watched, i int, measured bool) metrics.Value {
	if i < 1 || i >= len(w.Stream.Chunks) {
		return metrics.Unknown(metrics.WhyNoGapKnown)
	}
	at := format.Either(measured, arrival, made)
	_, known := w.Stream.Gap(i)
	from, ok := at(e, w, i-1)
	to, too := at(e, w, i)
	if !known && measured || !ok || !too || !(to >= from) {
		return metrics.Unknown(metrics.WhyNoGapKnown)
	}
	return metrics.Known(1e3*(to-from), 1)
}

// strips are the gaps before the last chunks: as measured, and as the engine
// made them, on one scale that is printed. Newest right. A row above the strips is a
// legend.
func (p *canvas) strips(r draw.Rect, w *serving.Watched, last int) {
	const label = 9
	if r.Empty() || r.W < label+5 {
		return
	}
	n := min(r.W-label, max(last, 0))
	if n == 0 {
		return
	}
	first := last + 1 - n
	e, longest := &p.v.Explain, 0.0
	for i := first; i < first+n; i++ {
		for _, measured := range [...]bool{true, false} {
			longest = max(longest, gap(e, w, i, measured).V)
		}
	}
	top := max(chart.Nice(longest), 5)
	high, scale := r.H/2, p.Ms(top)
	legend := r.H > 2*high
	if legend {
		l := p.Row(r, 0)
		l.Whole(themes.Dim, draw.FirstFit(r.W, p.Join("gaps, 0 to ", scale, ", one a chunk, newest right"),
			p.Join("gaps, 0 to ", scale, ", newest right"), p.Join("gaps, 0 to ", scale)))
		_, r = r.SplitV(1)
	}
	for k := range 2 {
		part := draw.Rect{X: r.X, Y: r.Y + k*high, W: r.W, H: high}
		l := p.Row(part, high-1)
		l.Write(themes.Dim, format.Either(k == 0, "measured", "true"))
		if high > 1 && !legend {
			l = p.Row(part, 0)
			l.Field(themes.Axis, scale, label-1)
		}
		for i := range n {
			x := r.X + label + i
			switch ms := gap(e, w, first+i, k == 0); {
			case ms.OK:
				p.Grid.Bar(x, part.Bottom()-1, high, ms.V/top, p.Glyphs, themes.Heat(draw.Heat(ms.V)))
			case k == 0:
				p.Grid.Set(x, part.Bottom()-1, p.Glyphs.Burst, themes.Burst)
			}
		}
	}
}

// slowness is the number of engine seconds in one wall second at time factor
// t, at most 1.
func slowness(t float64) float64 {
	return format.Either(t > 0 && t < 1, t, 1)
}

// Columns of the table of measured and true values.
const truthLabel, truthNum, truthApart = 4, 8, 9

// compareTruth sets what was measured beside what is true, and by how much
// they differ, on the engine's clock as all of the screen.
func (p *canvas) compareTruth(r draw.Rect, w *serving.Watched, last int) {
	l := p.Row(r, 0)
	l.Skip(truthLabel)
	l.Field(themes.Dim, "measured", truthNum)
	l.Field(themes.Dim, "true", truthNum)
	if l.Left() >= truthApart {
		l.Field(themes.Dim, "diff", truthApart)
	}
	e := &p.v.Explain
	ttft := metrics.Unknown(metrics.WhyNoChunk)
	if last >= 0 && w.EngineTTFT.OK {
		ttft = metrics.Since(w.Stream.Marks.Sent, w.Stream.Chunks[0].At, metrics.WhyNoChunk)
		ttft.V = w.EngineTTFT.V + (ttft.V-w.TrueTTFT.V)*slowness(e.Pace())
	}
	p.truthRow(p.Row(r, 1), "TTFT", ttft, w.EngineTTFT)
	p.truthRow(p.Row(r, 2), "gap", gap(e, w, last, true), gap(e, w, last, false))
}

func (p *canvas) truthRow(l line, name string, measured, truth metrics.Value) {
	l.Slot(themes.Dim, name, truthLabel)
	l.Field(themes.Strong, p.Duration(measured), truthNum)
	l.Field(themes.Text, p.Duration(truth), truthNum)
	if measured.OK && truth.OK && l.Left() >= truthApart {
		d := measured.V - truth.V
		l.Field(themes.Dim, p.Join(format.Either(d >= 0, "+", ""), p.Ms(d)), truthApart)
	}
}

// heard keeps the requests of the watched user from before the present one.
// The timeline's row of chunks then does not restart with each request, and
// the past shows the client's side too.
type heard struct {
	now  serving.Watched
	past []serving.Watched // oldest first, at most mostHeard
}

// mostHeard is how many requests are kept: as many short ones as a screen
// holds.
const mostHeard = 8

// see adds w. Another user begins without a past.
func (h *heard) see(w *serving.Watched) {
	switch {
	case w.User != h.now.User:
		h.past = h.past[:0]
	case w.Stream.ID != h.now.Stream.ID && len(h.now.True) > 0:
		h.past = append(h.past, h.now)
		h.past = slices.Delete(h.past, 0, max(len(h.past)-mostHeard, 0))
	}
	h.now = *w
}

// at is the watched request at the step that v shows: the present one, unless
// its first token came later.
func (h *heard) at(v *View) *serving.Watched {
	w := &v.Explain.Watched
	if v.Cursor == 0 || v.back() == 0 || v.lastChunk(w) >= 0 {
		return w
	}
	for i := len(h.past) - 1; i >= 0; i-- {
		if v.lastChunk(&h.past[i]) >= 0 {
			return &h.past[i]
		}
	}
	return w
}
