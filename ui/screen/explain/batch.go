package explain

import (
	"tokscope/metrics/serving"
	"tokscope/themes"
	"tokscope/ui/draw"
)

// stateSign is the sign of a request's state.
func (p *canvas) stateSign(st serving.EngineState) (rune, themes.Role) {
	switch st {
	case serving.EngineWaiting:
		return p.Glyphs.Bullet, themes.Queue
	case serving.EnginePrefill:
		return p.Glyphs.Shade, themes.Prefill
	case serving.EngineDecode:
		return p.Glyphs.Dot, themes.Decode
	case serving.EngineMoving:
		return p.Glyphs.Right, themes.Network
	case serving.EnginePreempted:
		return p.Glyphs.Stall, themes.Warn
	}
	return p.Glyphs.Check, themes.Dim
}

// stateWord is the word for a state, "" for an unknown one.
func stateWord(st serving.EngineState) string {
	if st > serving.EngineDone {
		return draw.Unknown
	}
	return st.String()
}

// Columns of the batch's table.
const (
	colUser  = 4 // at least
	colState = 12
	colTotal = 11 // "1000/1000"
	colBar   = 6  // at least
)

// batchColumns are the widths that depend on the width of the panel.
type batchColumns struct {
	name, bar, total, out, blocks int
}

// columnsFor divides w columns. most is the largest number in the batch, of a
// user or of a request without a known user.
func columnsFor(w int, most uint64) batchColumns {
	c := batchColumns{out: 8, blocks: 5}
	if w >= 60 {
		c = batchColumns{out: 11, blocks: 8, total: colTotal}
	}
	c.name = colUser
	for ; most >= 100; most /= 10 {
		c.name++
	}
	c.bar = max(w-c.name-colState-c.total-c.out-c.blocks, 0)
	return c
}

// nameOf is the name of a request: its user, or its own number.
func nameOf(q *serving.EngineRequest) uint64 {
	if q.User > 0 {
		return uint64(q.User)
	}
	return q.ID
}

// batchPanel is the table of the requests in the engine at the end of the
// step: those that run, then those that wait.
func (p *canvas) batchPanel(r draw.Rect, border themes.Role) {
	st := p.now.step
	title := "batch"
	if st != nil {
		title = p.Join("batch ─ ", p.Int(st.Running), " running")
		if st.Waiting > 0 {
			title = p.Join(title, " ─ ", p.Int(st.Waiting), " waiting")
		}
	}
	in := p.Box(r, border, title, "")
	if st == nil || len(st.Batch) == 0 {
		p.Grid.Center(in.X, in.Y+in.H/3, in.W,
			p.Chrome(draw.Either(st == nil, p.nothing(), "the engine is empty")), p.Glyphs, themes.Dim)
		return
	}
	most := uint64(0)
	for i := range st.Batch {
		most = max(most, nameOf(&st.Batch[i]))
	}
	c := columnsFor(in.W, most)
	l := p.Row(in, 0)
	l.Write(themes.Dim, draw.Either(st.Batch[0].User > 0, "user", "no"))
	l.X = in.X + c.name + 1
	l.Write(themes.Dim, "state")
	l.X = in.X + c.name + colState
	switch {
	case c.bar >= 16:
		l.Write(themes.Prefill, "prompt")
		l.X = in.X + c.name + colState + (c.bar-1)/2
		l.Write(themes.Decode, "out")
	case c.bar >= colBar:
		l.Write(themes.Dim, "done")
	}
	l.X = in.Right() - c.blocks - c.out - c.total
	if c.total > 0 {
		l.Field(themes.Dim, "prompt", c.total)
	}
	l.Field(themes.Dim, "out", c.out)
	l.Field(themes.Dim, draw.Either(c.blocks >= 8, "blocks", "KV"), c.blocks)
	room := in.H - 1
	hidden := len(st.Batch) + st.More - room
	if hidden > 0 {
		room-- // for the row with the number of further requests
		hidden++
	}
	for i := 0; i < len(st.Batch) && i < room; i++ {
		p.request(draw.Rect{X: in.X, Y: in.Y + 1 + i, W: in.W, H: 1}, &st.Batch[i], c)
	}
	if hidden > 0 {
		l = p.Row(in, in.H-1)
		l.Write(themes.Dim, p.Join("and ", p.Int(hidden), " more"))
		if st.More == 0 { // else the states of some are unknown, and counts would be too small
			p.others(&l, st.Batch[min(room, len(st.Batch)):])
		}
	}
}

// others counts the requests that have no row by their state, those first that
// do not simply decode.
func (p *canvas) others(l *line, rest []serving.EngineRequest) {
	var by [serving.EngineDone + 1]int
	for i := range rest {
		if st := rest[i].State; int(st) < len(by) {
			by[st]++
		}
	}
	between := ": "
	for _, st := range [...]serving.EngineState{serving.EnginePreempted,
		serving.EnginePrefill, serving.EngineMoving, serving.EngineWaiting, serving.EngineDecode} {
		if by[st] == 0 {
			continue
		}
		_, role := p.stateSign(st)
		if text := p.Join(p.Int(by[st]), " ", stateWord(st)); draw.Width(text)+2 <= l.Left() {
			l.Write(themes.Dim, between)
			l.Write(role, text)
			between = ", "
		}
	}
}

// request is one row of the batch.
func (p *canvas) request(r draw.Rect, q *serving.EngineRequest, c batchColumns) {
	p.Grid.Target(r, onUser(q.User))
	w := &p.v.Explain.Watched
	l := p.Row(r, 0)
	watched := w.User > 0 && w.User == q.User || w.Request > 0 && w.Request == q.ID
	l.Set(themes.Figure, draw.Either(watched, p.Glyphs.Ghost, ' '))
	l.Write(draw.Either(watched, themes.Figure, themes.Text), p.Int(int(nameOf(q))))
	l.X = max(r.X+c.name+1, l.X)
	glyph, role := p.stateSign(q.State)
	l.Set(role, glyph)
	l.Skip(1)
	l.Write(draw.Either(q.Scheduled > 0, themes.Text, themes.Dim), stateWord(q.State))
	l.X = r.X + c.name + colState
	if c.bar >= colBar {
		half := (c.bar - 1) / 2
		p.progress(l.X, l.Y, half, share(q.PromptDone, q.Prompt),
			share(q.Cached, q.Prompt), p.Glyphs.Shade, themes.Prefill)
		p.progress(l.X+half, l.Y, c.bar-1-half, share(q.Out, q.Output), 0, p.Glyphs.Block, themes.Decode)
	}
	l.X = r.Right() - c.blocks - c.out - c.total
	if c.total > 0 {
		l.Field(themes.Dim, p.Join(p.Int(q.PromptDone), "/", p.Int(q.Prompt)), c.total)
	}
	out := p.Join(p.Int(q.Out), "/", p.Int(q.Output))
	if len(out) > c.out {
		out = p.Int(q.Out)
	}
	l.X = r.Right() - c.blocks - c.out
	l.Field(themes.Text, out, c.out)
	l.Field(themes.Text, p.Int(q.Blocks), c.blocks)
}

// share is n of all, 0 to 1.
func share(n, all int) float64 {
	if all <= 0 {
		return 0
	}
	return min(max(float64(n)/float64(all), 0), 1)
}

// progress shows how far a part of a request is, of w columns; what the prefix
// cache gave is drawn lighter.
func (p *canvas) progress(x, y, w int, f, cached float64, glyph rune, role themes.Role) {
	n, c := int(f*float64(w)+0.5), int(min(cached, f)*float64(w)+0.5)
	if f > 0 && n == 0 {
		n = 1
	}
	for i := range w {
		switch {
		case i < c:
			p.Grid.Set(x+i, y, p.Glyphs.MidShade, themes.Network)
		case i < n:
			p.Grid.Set(x+i, y, glyph, role)
		default:
			p.Grid.Set(x+i, y, p.Glyphs.Bullet, themes.Faint)
		}
	}
}
