package explain

import (
	"tokscope/metrics"
	"tokscope/themes"
	cell "tokscope/ui/draw"
)

// kvPanel is the cache as a map: every cell stands for the same number of
// blocks, each request has a shade of its own.
func (s *Screen) kvPanel(p *pen, r cell.Rect, border themes.Role) {
	st, m := s.now.step, s.now.machine()
	title := "KV cache"
	if st != nil {
		title = p.Join(title, " ─ ", p.percent(st.KV), " held")
	}
	in := p.Box(r, border, title, "")
	if st == nil || m.KVCapacity <= 0 {
		why := s.nothing(p)
		if st != nil {
			why = "this machine tells no size of its cache"
		}
		p.Grid.Center(in.X, in.Y+in.H/3, in.W, p.Chrome(why), p.Glyphs, themes.Dim)
		return
	}
	foot := min(3, max(in.H-2, 0))
	blocks := blocksOf(m)
	area := cell.Rect{X: in.X, Y: in.Y, W: in.W, H: in.H - foot}
	s.kvMap(p, area, st, blocks)
	rows := [...]func(l *line){
		func(l *line) { s.kvHeld(p, l, st, m) },
		func(l *line) { s.kvQueue(p, l, st) },
		func(l *line) { s.kvSizes(p, l, m, blocks, area.W*area.H) },
	}
	for i := range foot {
		l := p.Row(in, in.H-foot+i)
		rows[i](&l)
	}
}

// blocksOf is how many blocks the cache of m has.
func blocksOf(m *metrics.Machine) int { return max(m.KVCapacity/max(m.KVBlock, 1), 1) }

// kvMap fills area with the requests in the order of the batch.
func (s *Screen) kvMap(p *pen, area cell.Rect, st *metrics.EngineStep, blocks int) {
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
		fill(held, p.Glyphs.MidShade, themes.Dim) // of requests beyond the table, and kept prefixes
	}
	if k == 0 && held > 0 {
		p.Grid.Set(area.X, area.Y, p.Glyphs.Parts[0], themes.Ink)
		k = 1
	}
	for ; k < n; k++ {
		p.Grid.Set(area.X+k%area.W, area.Y+k/area.W, p.Glyphs.Bullet, themes.Faint)
	}
}

// shade is how the blocks of request id are drawn: neighbours differ by shape,
// and those after them by colour too.
func (p *pen) shade(id uint64) (rune, themes.Role) {
	glyphs := [...]rune{p.Glyphs.Block, p.Glyphs.Shade, p.Glyphs.MidShade}
	roles := [...]themes.Role{themes.PerUser, themes.InTotal, themes.Network, themes.Queue}
	return glyphs[id%3], roles[id%4]
}

func (s *Screen) kvHeld(p *pen, l *line, st *metrics.EngineStep, m *metrics.Machine) {
	tokens := min(max(finite(st.KV), 0), 1) * float64(m.KVCapacity)
	l.Write(themes.Dim, "held ")
	l.Write(themes.Strong, p.si(tokens*m.KVToken, "B"))
	l.Write(themes.Dim, " free ")
	l.Write(themes.Ink, p.si((float64(m.KVCapacity)-tokens)*m.KVToken, "B"))
}

// kvQueue counts what waits for room, and what was thrown out for want of it.
func (s *Screen) kvQueue(p *pen, l *line, st *metrics.EngineStep) {
	l.Write(themes.Dim, "waiting ")
	l.Slot(pickRole(st.Waiting > 0, themes.Warn, themes.Ink), p.Int(st.Waiting), 3)
	l.Write(themes.Dim, " thrown out ")
	n := s.now.view.Figures.Preempted
	role := pickRole(n > 0, themes.Warn, themes.Ink)
	text := p.Int(n)
	if e := &p.v.Explain; st.Preempted > 0 && fresh(p.v, e, st.End) {
		role, text = themes.Alert, p.Join(" ", text, " now ")
	}
	l.Whole(role, text)
}

func (s *Screen) kvSizes(p *pen, l *line, m *metrics.Machine, blocks, cells int) {
	l.Write(themes.Dim, p.si(m.KVToken, "B"))
	l.Whole(themes.Dim, " a token")
	if cells > 0 && blocks >= cells {
		l.Whole(themes.Dim, p.Join(", a cell = ", p.Int(blocks/cells), " blocks of ", p.Int(m.KVBlock)))
	}
}
