package explain

import (
	"strings"

	"tokscope/metrics/serving"
	"tokscope/themes"
	"tokscope/ui/draw"
)

// step is the panel of one step in parts.
type step struct{}

// stepPanel takes one step apart: how long it took, what took it, how much of
// the hardware it used, and what limits it.
func (s *step) stepPanel(p *canvas, r draw.Rect, border themes.Role) {
	st := p.now.step
	title := "this step"
	if st != nil {
		title = p.Join("step ", p.Int(int(st.Number)))
		switch {
		case p.now.back > 0:
			title = p.Join(title, " ─ ", p.Plural(p.now.back, "step", "steps"), " back")
		case r.W >= 40:
			title = p.Join(title, " ─ the newest")
		}
	}
	right := ""
	if st != nil && st.Pool != "" {
		right = p.Join(st.Pool, " pool")
	}
	in := p.Box(r, border, title, right)
	if st == nil {
		p.Grid.Center(in.X, in.Y+in.H/3, in.W, p.Chrome(p.nothing()), p.Glyphs, themes.Dim)
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
		l := p.Row(in, 0)
		l.Write(themes.Figure, p.Ms(seconds*1e3))
		l.Skip(2)
		l.Cut(themes.Text, s.batchWords(p, st, l.Left()))
		y = 1
		if in.H >= 9 {
			l = p.Row(in, 1)
			s.bound(p, &l, themes.Dim, st)
			y = 2
		}
	}
	foot := 2
	if in.H < 6 {
		foot = 0
	}
	s.terms(p, draw.Rect{X: in.X, Y: in.Y + y, W: in.W, H: in.H - y - foot}, st)
	if foot > 0 {
		s.use(p, p.Row(in, in.H-2), "bandwidth", st.Bandwidth, st.Binds == "bandwidth")
		s.use(p, p.Row(in, in.H-1), "compute", st.Compute, st.Binds == "compute")
	}
}

// bigStep is the duration in large numerals, and what the step is beside it.
func (s *step) bigStep(p *canvas, in draw.Rect, st *serving.EngineStep) {
	num, unit := cutUnit(p.Ms((st.End - st.Start) * 1e3))
	n := p.Grid.Big(in.X, in.Y, num, p.Glyphs, themes.Figure, in.W)
	l := p.Row(in, 2)
	l.Skip(n + 1)
	l.Write(themes.Unit, unit)
	at := max(n+4, 18)
	side := draw.Rect{X: in.X + at, Y: in.Y, W: in.W - at, H: 3}
	l = p.Row(side, 0)
	l.Cut(themes.Strong, s.batchWords(p, st, l.Left()))
	l = p.Row(side, 1)
	s.yield(p, &l, st)
	l = p.Row(side, 2)
	s.bound(p, &l, themes.Text, st)
}

// bound writes what limits the step, in one word where there is no room to say
// what it waits for.
func (s *step) bound(p *canvas, l *line, role themes.Role, st *serving.EngineStep) {
	if !l.Whole(role, s.binds(p, st)) && st.Binds != "" {
		l.Cut(role, p.Join(st.Binds, "-bound"))
	}
}

// cutUnit splits a figure and its unit.
func cutUnit(s string) (num, unit string) {
	num, unit, _ = strings.Cut(s, " ")
	return num, unit
}

// batchWords is what is in the batch, in fewer words where room columns are
// too few.
func (s *step) batchWords(p *canvas, st *serving.EngineStep, room int) string {
	if text := s.allWords(p, st); draw.Width(text) <= room {
		return text
	}
	switch {
	case st.Prefilled > 0 && st.Decodes > 0:
		return p.Join("prefill ", p.Count(st.Prefilled), " + ", p.Count(st.Decodes))
	case st.Prefilled > 0:
		return p.Join("prefill ", p.Count(st.Prefilled))
	}
	return p.Join(p.Count(st.Decodes), " decode")
}

func (s *step) allWords(p *canvas, st *serving.EngineStep) string {
	switch {
	case st.Prefilled > 0 && st.Decodes > 0:
		return p.Join("prefill ", p.Count(st.Prefilled), " + ", p.Count(st.Decodes), " decode")
	case st.Prefilled > 0:
		return p.Join("prefill ", p.Plural(st.Prefilled, "token", "tokens"))
	case st.Decodes > 0:
		return p.Join("decode for ", p.Plural(st.Decodes, "user", "users"))
	}
	return "nothing computed"
}

// yield is what came out of the step, and who did not get into it.
func (s *step) yield(p *canvas, l *line, st *serving.EngineStep) {
	l.Whole(themes.Dim, p.Join(p.Plural(st.Tokens, "token", "tokens"), " out"))
	if st.Preempted > 0 {
		l.Whole(themes.Warn, p.Join(", ", p.Count(st.Preempted), " preempted"))
	}
	if st.Waiting > 0 {
		l.Whole(themes.Dim, p.Join(", ", p.Count(st.Waiting), draw.Either(st.Waiting == 1, " waits", " wait")))
	}
}

// binds returns in words what limits the step.
func (s *step) binds(p *canvas, st *serving.EngineStep) string {
	switch st.Binds {
	case "bandwidth":
		return "bandwidth-bound: waits for memory"
	case "compute":
		if st.Compute > 1 {
			return "compute-bound, above the bf16 peak"
		}
		return "compute-bound: waits for arithmetic"
	case "latency":
		return "latency-bound: fixed times"
	}
	return ""
}

// terms is the table of what took the time: the bars add up to the step.
func (s *step) terms(p *canvas, r draw.Rect, st *serving.EngineStep) {
	if r.H < 1 {
		return
	}
	total := st.End - st.Start
	var room [numGroups]termRow
	rows := rowsOf(room[:0], st, p.now.groups, min(r.H, int(numGroups)))
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
		l := p.Row(r, i*pitch)
		role := themes.Text
		if t.Seconds <= 0 {
			role = themes.Dim
		}
		from := l.X
		l.End = from + name
		l.Write(role, shortName(rows[i].name, name))
		l.X, l.End = from+name, r.Right()
		if amounts > 0 {
			bytes, flops := p.amount(t.Bytes, "B"), p.amount(t.FLOPs, "FLOP")
			switch {
			case amounts >= 22:
				l.Field(themes.Dim, bytes, 8)
				l.X = from + name + 8
				l.Field(themes.Dim, flops, 12)
			case t.Limit == "compute" && flops != "":
				l.Field(themes.Dim, p.amount(t.FLOPs, "F"), 8)
			default:
				l.Field(themes.Dim, bytes, 8)
			}
			l.X = from + name + amounts
		}
		glyph, bar := p.limit(t.Limit)
		w := l.Left() - limit - time - 1
		if total > 0 && t.Seconds > 0 && w > 0 {
			s.bar(p, l.X, l.Y, w, t.Seconds/total, glyph, bar)
		}
		if limit > 0 && t.Seconds > 0 {
			l.X = r.Right() - time - limit
			l.Field(themes.Dim, t.Limit, limit-1)
		}
		l.X = r.Right() - time
		if t.Seconds > 0 {
			l.Field(role, p.Ms(t.Seconds*1e3), time)
		} else {
			l.Field(themes.Faint, draw.Unknown, time)
		}
	}
}

// bar is a bar of w columns filled by f, of the glyph given, with an end in
// eighths where the glyph is the full block.
func (s *step) bar(p *canvas, x, y, w int, f float64, glyph rune, role themes.Role) {
	f = min(max(finite(f), 0), 1)
	if glyph == p.Glyphs.Block {
		p.Grid.HBar(x, y, w, f, p.Glyphs, role)
		return
	}
	n := int(f*float64(w) + 0.5)
	if n == 0 && f > 0 {
		p.Grid.Set(x, y, p.Glyphs.Parts[0], role)
	}
	for i := range n {
		p.Grid.Set(x+i, y, glyph, role)
	}
}

// use is how much of a peak of the hardware the step used.
func (s *step) use(p *canvas, l line, name string, f float64, binds bool) {
	const label, figure, verdict = 10, 7, 8
	glyph, role := p.limit(name)
	from, end := l.X, l.End
	l.Slot(themes.Dim, name, label)
	w := end - l.X - figure - verdict
	if w >= 4 {
		for i := range w {
			p.Grid.Set(l.X+i, l.Y, p.Glyphs.LightShade, themes.Faint)
		}
		s.bar(p, l.X, l.Y, w, f, glyph, role)
		if f > 1 { // narrower numbers exceed the peak of bf16
			p.Grid.Set(l.X+w-1, l.Y, p.Glyphs.Ghost, role)
		}
		l.Skip(w)
	}
	if p.now.machine().Dataflow && !(f > 0) {
		l.Field(themes.Dim, draw.Unknown, figure) // nothing is read, or the figure is unknown
	} else {
		l.Field(themes.Strong, p.Percent(f), figure)
	}
	if binds && end-from >= label+figure+verdict {
		l.Skip(1)
		l.Write(themes.Figure, p.Join(string(p.Glyphs.Left), " limit"))
	}
}
