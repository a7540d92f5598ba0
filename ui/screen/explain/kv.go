package explain

import (
	"tokscope/metrics/serving"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
)

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
	for i := range st.Batch {
		q := &st.Batch[i]
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
