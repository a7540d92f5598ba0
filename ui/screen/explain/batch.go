package explain

import (
	"tokscope/metrics/pick"
	"tokscope/metrics/serving"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/screen/listing"
)

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

// batchRow is a request of the batch with what its row is drawn with.
type batchRow struct {
	p *canvas
	*serving.EngineRequest
}

// batchColumns are the columns of the batch's table. The bars are as wide as there is
// room; where that is short they go, and before them the tokens of the prompt.
var batchColumns = [...]listing.Column[batchRow]{
	{Head: "user", Width: 5, Text: true, Write: writeName},
	{Head: "state", Width: 11, Text: true, Write: writeState},
	{Head: "done", Width: 5, Text: true, Rank: 1, Write: writeDone},
	{Width: 1 << 16, Rank: 4, Least: 1},
	{Head: "prompt", Width: 11, Rank: 2, Least: 22, Write: func(l line, r batchRow) {
		l.Field(themes.Dim, r.p.Join(r.p.Int(r.PromptDone), "/", r.p.Int(r.Prompt)), l.Left())
	}},
	{Head: "out", Width: 8, Write: func(l line, r batchRow) {
		out := r.p.Join(r.p.Int(r.Out), "/", r.p.Int(r.Output))
		l.Field(themes.Text, format.Either(len(out) > l.Left(), r.p.Int(r.Out), out), l.Left())
	}},
	{Width: 3, Rank: 3, Least: 12},
	{Head: "KV MB", Width: 6, Write: func(l line, r batchRow) {
		m := r.p.now.machine()
		l.Field(themes.Text, r.p.Number(float64(r.Blocks*m.KVBlock)*m.KVToken/1e6), l.Left())
	}},
	{Width: 3, Rank: 3, Least: 9},
}

// nameOf is the name of a request: its user, or its own number.
func nameOf(q *serving.EngineRequest) uint64 {
	return format.Either(q.User > 0, uint64(q.User), q.ID)
}

// batchPanel is the table of the requests in the engine at the end of the
// step: those that run, then those that wait.
func (p *canvas) batchPanel(r draw.Rect, border themes.Role) {
	st := p.now.step
	title := "batch"
	if st != nil {
		n := p.toCome(st)
		title = p.Join("batch ─ ", p.Int(st.Running), " running",
			format.If(st.Waiting > 0, p.Join(" ─ ", p.Int(st.Waiting), " waiting")),
			format.If(n > 0, p.Join(" ─ ", p.Int(n), " to come")))
	}
	in := p.Box(r, border, title, "")
	if st == nil || len(st.Batch) == 0 {
		p.Middle(in, themes.Dim, format.Either(st == nil, p.nothing(), "the engine is empty"))
		return
	}
	all := batchColumns
	for i := range st.Batch {
		all[0].Width = max(all[0].Width, len(p.Int(int(nameOf(&st.Batch[i]))))+2)
	}
	if st.Batch[0].User == 0 {
		all[0].Head = "no"
	}
	var shown [len(batchColumns)]listing.Column[batchRow]
	cols := listing.Choose(shown[:0], all[:], in.W)
	listing.Heads(&p.Canvas, p.Row(in, 0), cols, "", false, nil)
	room := in.H - 1
	hidden := len(st.Batch) + st.More - room
	if hidden > 0 {
		room-- // for the row with the number of further requests
		hidden++
	}
	for i := 0; i < len(st.Batch) && i < room; i++ {
		q := &st.Batch[i]
		p.Grid.Target(draw.Rect{X: in.X, Y: in.Y + 1 + i, W: in.W, H: 1}, onUser(q.User))
		listing.Cells(&p.Canvas, p.Row(in, 1+i), cols, batchRow{p, q})
	}
	if hidden > 0 {
		l := p.Row(in, in.H-1)
		l.Write(themes.Dim, p.Join("and ", p.Int(hidden), " more"))
		if st.More == 0 { // else the states of some are unknown, and counts would be too small
			p.others(&l, st.Batch[min(room, len(st.Batch)):])
		}
	}
}

// toCome is how many users of the knobs have no request in the engine at the end of st,
// the newest step: it is not sent yet. It is 0 for an older step, and
// where the engine is broken.
func (p *canvas) toCome(st *serving.EngineStep) int {
	if p.now.back > 0 || p.v.Explain.Broken.Code != "" {
		return 0
	}
	ended := pick.Count(st.Batch, func(q *serving.EngineRequest) bool { return q.State == serving.EngineDone })
	return max(p.now.view.Knobs.Users-(len(st.Batch)-ended+st.More), 0)
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

// writeName writes whose request it is, and marks the watched one.
func writeName(l line, r batchRow) {
	w := &r.p.v.Explain.Watched
	watched := w.User > 0 && w.User == r.User || w.Request > 0 && w.Request == r.ID
	l.Set(themes.Figure, format.Either(watched, r.p.Glyphs.Ghost, ' '))
	l.Write(format.Either(watched, themes.Figure, themes.Text), r.p.Int(int(nameOf(r.EngineRequest))))
}

func writeState(l line, r batchRow) {
	glyph, role := r.p.stateSign(r.State)
	l.Set(role, glyph)
	l.Skip(1)
	l.Write(format.Either(r.Scheduled > 0, themes.Text, themes.Dim), stateWord(r.State))
}

// writeDone draws how much of the prompt is done, and behind it how much of the output.
func writeDone(l line, r batchRow) {
	w := l.Left() - 1
	r.p.progress(l.X, l.Y, w/2, share(r.PromptDone, r.Prompt), share(r.Cached, r.Prompt), r.p.Glyphs.Shade, themes.Prefill)
	r.p.progress(l.X+w/2, l.Y, w-w/2, share(r.Out, r.Output), 0, r.p.Glyphs.Block, themes.Decode)
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
	p.Grid.Across(x, y, w, p.Glyphs.Bullet, themes.Faint)
	p.Grid.Across(x, y, min(n, w), glyph, role)
	p.Grid.Across(x, y, c, p.Glyphs.MidShade, themes.Network)
}

// kvPanel draws the cache as a map. Every cell is the same number of blocks, and
// each request has its own shade.
func (p *canvas) kvPanel(r draw.Rect, border themes.Role) {
	st, m := p.now.step, p.now.machine()
	title := "KV cache"
	if st != nil {
		title = p.Join(title, " ─ ", p.Percent(st.KV), " held")
	}
	in := p.Box(r, border, title, "")
	if st == nil || m.KVCapacity <= 0 {
		why := "this machine does not report the size of its cache"
		p.Middle(in, themes.Dim, format.Either(st == nil, p.nothing(), why))
		return
	}
	foot := min(3, max(in.H-2, 0))
	blocks := max(m.KVCapacity/max(m.KVBlock, 1), 1)
	area := draw.Rect{X: in.X, Y: in.Y, W: in.W, H: in.H - foot}
	p.kvMap(area, st, blocks)
	p.kvHeld(p.Row(in, in.H-foot), st, m)
	p.kvQueue(p.Row(in, in.H-foot+1), st)
	p.kvSizes(p.Row(in, in.H-foot+2), m, blocks, area.W*area.H)
}

// kvMap fills area with the requests in the order of the batch.
func (p *canvas) kvMap(area draw.Rect, st *serving.EngineStep, blocks int) {
	n := area.W * area.H
	if n < 1 {
		return
	}
	held := min(max(finite(st.KV), 0), 1) * float64(blocks)
	at, k := 0.0, 0 // blocks so far, cells so far
	fill := func(upTo float64, glyph rune, role themes.Role) {
		end := int(min(upTo/float64(blocks), 1)*float64(n) + 0.5)
		for ; k < end; k++ {
			p.Grid.Set(area.X+k%area.W, area.Y+k/area.W, glyph, role)
		}
	}
	for _, q := range pick.All(st.Batch) {
		if q.Blocks <= 0 {
			continue
		}
		at += float64(q.Blocks)
		glyph, role := p.shade(q.ID)
		fill(at, glyph, role)
	}
	if held > at {
		fill(held, p.Glyphs.MidShade, themes.Dim) // of requests beyond the table, and of kept prefixes
	}
	if k == 0 && held > 0 {
		p.Grid.Set(area.X, area.Y, p.Glyphs.Parts[0], themes.Text)
		k = 1
	}
	fill(float64(blocks), p.Glyphs.Bullet, themes.Faint)
}

// shade returns how the blocks of request id are drawn: neighbors differ by
// shape, and those after them also by color.
func (p *canvas) shade(id uint64) (rune, themes.Role) {
	glyphs := [...]rune{p.Glyphs.Block, p.Glyphs.Shade, p.Glyphs.MidShade}
	roles := [...]themes.Role{themes.PerUser, themes.Aggregate, themes.Network, themes.Queue}
	return glyphs[id%3], roles[id%4]
}

func (p *canvas) kvHeld(l line, st *serving.EngineStep, m *serving.Machine) {
	tokens := min(max(finite(st.KV), 0), 1) * float64(m.KVCapacity)
	l.Write(themes.Dim, "held ")
	l.Write(themes.Strong, p.Amount(tokens*m.KVToken, "B"))
	l.Write(themes.Dim, " free ")
	l.Write(themes.Text, p.Amount((float64(m.KVCapacity)-tokens)*m.KVToken, "B"))
}

// kvQueue writes how many requests wait for room, and how many were preempted.
func (p *canvas) kvQueue(l line, st *serving.EngineStep) {
	l.Write(themes.Dim, "waiting ")
	l.Slot(format.Either(st.Waiting > 0, themes.Warn, themes.Text), p.Int(st.Waiting), 3)
	l.Write(themes.Dim, " preempted ")
	n := p.now.view.Figures.Preempted
	role := format.Either(n > 0, themes.Warn, themes.Text)
	text := p.Int(n)
	if now := p.thrownRole(&p.v.Explain, st.End); st.Preempted > 0 && now == themes.Alert {
		role, text = now, p.Join(" ", text, " now ")
	}
	l.Whole(role, text)
}

func (p *canvas) kvSizes(l line, m *serving.Machine, blocks, cells int) {
	l.Write(themes.Dim, p.Amount(m.KVToken, "B"))
	if m.KVUser > 0 {
		l.Whole(themes.Dim, p.Join("/token, ", p.Amount(m.KVUser, "B"), "/user"))
		return
	}
	l.Whole(themes.Dim, " a token")
	if cells > 0 && blocks >= cells {
		l.Whole(themes.Dim, p.Join(", a cell = ", p.Int(blocks/cells), " blocks of ", p.Int(m.KVBlock)))
	}
}
