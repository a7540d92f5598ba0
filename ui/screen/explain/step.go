package explain

import (
	"strings"

	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/cell"
)

// stepPanel takes one step apart: how long it took, what took it, how much of
// the hardware it used, and what binds it.
func (s *Screen) stepPanel(p *pen, r cell.Rect, border themes.Role) {
	st := s.now.step
	title := "this step"
	if st != nil {
		title = p.join("step ", p.uint(st.Number))
		switch {
		case s.now.back > 0:
			title = p.join(title, " ─ ", p.of(s.now.back, "step", "steps"), " back")
		case r.W >= 40:
			title = p.join(title, " ─ the newest")
		}
	}
	right := ""
	if st != nil && st.Pool != "" {
		right = p.join(st.Pool, " pool")
	}
	in := p.box(r, border, title, right)
	if st == nil {
		p.g.Center(in.X, in.Y+in.H/3, in.W, p.chrome(s.nothing(p)), p.gl, themes.Dim)
		return
	}
	seconds := st.End - st.Start
	y := 0
	if in.H >= 11 && in.W >= 34 {
		s.bigStep(p, in, st)
		y = 3
		if in.H >= 13 {
			y = 4
		}
	} else {
		l := p.row(in, 0)
		l.put(themes.Figure, p.fine(seconds*1e3))
		l.skip(2)
		l.cut(themes.Ink, s.batchWords(p, st, l.left()))
		y = 1
		if in.H >= 9 {
			l = p.row(in, 1)
			l.cut(themes.Dim, s.binds(p, st))
			y = 2
		}
	}
	foot := 2
	if in.H < 6 {
		foot = 0
	}
	s.terms(p, cell.Rect{X: in.X, Y: in.Y + y, W: in.W, H: in.H - y - foot}, st)
	if foot > 0 {
		s.use(p, p.row(in, in.H-2), "bandwidth", st.Bandwidth, st.Binds == "bandwidth")
		s.use(p, p.row(in, in.H-1), "compute", st.Compute, st.Binds == "compute")
	}
}

// bigStep is the duration in large numerals, and what the step is beside it.
func (s *Screen) bigStep(p *pen, in cell.Rect, st *metrics.EngineStep) {
	num, unit := cutUnit(p.fine((st.End - st.Start) * 1e3))
	n := p.g.Big(in.X, in.Y, num, p.gl, themes.Figure, in.W)
	l := p.row(in, 2)
	l.skip(n + 1)
	l.put(themes.Unit, unit)
	at := max(n+4, 18)
	side := cell.Rect{X: in.X + at, Y: in.Y, W: in.W - at, H: 3}
	l = p.row(side, 0)
	l.cut(themes.Strong, s.batchWords(p, st, l.left()))
	l = p.row(side, 1)
	s.yield(p, &l, st)
	l = p.row(side, 2)
	if !l.whole(themes.Ink, s.binds(p, st)) && st.Binds != "" {
		l.cut(themes.Ink, p.join(st.Binds, " binds"))
	}
}

// cutUnit takes a figure and its unit apart.
func cutUnit(s string) (num, unit string) {
	num, unit, _ = strings.Cut(s, " ")
	return num, unit
}

// batchWords is what is in the batch, in fewer words where room columns are
// too few.
func (s *Screen) batchWords(p *pen, st *metrics.EngineStep, room int) string {
	if text := s.allWords(p, st); cell.Width(text) <= room {
		return text
	}
	switch {
	case st.Prefilled > 0 && st.Decodes > 0:
		return p.join("prefill ", p.int(st.Prefilled), " + ", p.int(st.Decodes))
	case st.Prefilled > 0:
		return p.join("prefill ", p.int(st.Prefilled))
	}
	return p.join(p.int(st.Decodes), " decode")
}

func (s *Screen) allWords(p *pen, st *metrics.EngineStep) string {
	switch {
	case st.Prefilled > 0 && st.Decodes > 0:
		return p.join("prefill ", p.int(st.Prefilled), " + ", p.int(st.Decodes), " decode")
	case st.Prefilled > 0:
		return p.join("prefill ", p.of(st.Prefilled, "token", "tokens"))
	case st.Decodes > 0:
		return p.join("decode for ", p.of(st.Decodes, "user", "users"))
	}
	return "nothing computed"
}

// yield is what came out of the step, and who did not get into it.
func (s *Screen) yield(p *pen, l *line, st *metrics.EngineStep) {
	l.whole(themes.Dim, p.join(p.of(st.Tokens, "token", "tokens"), " out"))
	if st.Preempted > 0 {
		l.whole(themes.Warn, p.join(", ", p.int(st.Preempted), " thrown out"))
	}
	if st.Waiting > 0 {
		l.whole(themes.Dim, p.join(", ", p.int(st.Waiting), either(st.Waiting == 1, " waits", " wait")))
	}
}

// binds says in words what the step waits for.
func (s *Screen) binds(p *pen, st *metrics.EngineStep) string {
	switch st.Binds {
	case "bandwidth":
		return "bandwidth binds: it waits for bytes"
	case "compute":
		if st.Compute > 1 {
			return "compute binds, above the peak in bf16"
		}
		return "compute binds: it waits for arithmetic"
	case "latency":
		return "latency binds: fixed times"
	}
	return ""
}

// terms is the table of what took the time: the bars add up to the step.
func (s *Screen) terms(p *pen, r cell.Rect, st *metrics.EngineStep) {
	if r.H < 1 {
		return
	}
	total := st.End - st.Start
	var room [numGroups]termRow
	rows := rowsOf(room[:0], st, s.now.groups, min(r.H, int(numGroups)))
	name := 13
	if r.W >= 60 {
		name = 17
	}
	const time = 8
	amounts, limit := 0, 0
	if r.W >= 70 {
		limit = 11
	}
	switch {
	case r.W >= 60:
		amounts = 22
	case r.W >= 40:
		amounts = 9
	}
	pitch := 1 // rows a term
	if r.H >= 2*len(rows)+2 {
		pitch = 2
	}
	for i := range rows {
		t := &rows[i].term
		l := p.row(r, i*pitch)
		role := themes.Ink
		if t.Seconds <= 0 {
			role = themes.Dim
		}
		from := l.x
		l.end = from + name
		l.put(role, shortName(rows[i].name, name))
		l.x, l.end = from+name, r.Right()
		if amounts > 0 {
			bytes, flops := p.amount(t.Bytes, "B"), p.amount(t.FLOPs, "FLOP")
			switch {
			case amounts >= 22:
				l.field(themes.Dim, bytes, 8)
				l.x = from + name + 8
				l.field(themes.Dim, flops, 12)
			case t.Limit == "compute" && flops != "":
				l.field(themes.Dim, p.amount(t.FLOPs, "F"), 8)
			default:
				l.field(themes.Dim, bytes, 8)
			}
			l.x = from + name + amounts
		}
		glyph, bar := p.limit(t.Limit)
		w := l.left() - limit - time - 1
		if total > 0 && t.Seconds > 0 && w > 0 {
			s.bar(p, l.x, l.y, w, t.Seconds/total, glyph, bar)
		}
		if limit > 0 && t.Seconds > 0 {
			l.x = r.Right() - time - limit
			l.field(themes.Dim, t.Limit, limit-1)
		}
		l.x = r.Right() - time
		if t.Seconds > 0 {
			l.field(role, p.fine(t.Seconds*1e3), time)
		} else {
			l.field(themes.Faint, unknown, time)
		}
	}
}

// bar is a bar of w columns filled by f, of the glyph given, with an end in
// eighths where the glyph is the full block.
func (s *Screen) bar(p *pen, x, y, w int, f float64, glyph rune, role themes.Role) {
	f = min(max(finite(f), 0), 1)
	if glyph == p.gl.Block {
		p.g.HBar(x, y, w, f, p.gl, role)
		return
	}
	n := int(f*float64(w) + 0.5)
	if n == 0 && f > 0 {
		p.g.Set(x, y, p.gl.Parts[0], role)
	}
	for i := range n {
		p.g.Set(x+i, y, glyph, role)
	}
}

// use is how much of a peak of the hardware the step used.
func (s *Screen) use(p *pen, l line, name string, f float64, binds bool) {
	const label, figure, verdict = 10, 7, 8
	glyph, role := p.limit(name)
	from, end := l.x, l.end
	l.slot(themes.Dim, name, label)
	w := end - l.x - figure - verdict
	if w >= 4 {
		for i := range w {
			p.g.Set(l.x+i, l.y, p.gl.LightShade, themes.Faint)
		}
		s.bar(p, l.x, l.y, w, f, glyph, role)
		if f > 1 { // narrower numbers pass the peak of bf16
			p.g.Set(l.x+w-1, l.y, p.gl.Ghost, role)
		}
		l.skip(w)
	}
	if s.now.machine().Dataflow && !(f > 0) {
		l.field(themes.Dim, unknown, figure) // nothing is read, or nothing is told
	} else {
		l.field(themes.Strong, p.percent(f), figure)
	}
	if binds && end-from >= label+figure+verdict {
		l.skip(1)
		l.put(themes.Figure, p.join(string(p.gl.Left), " binds"))
	}
}
