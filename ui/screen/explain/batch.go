package explain

import (
	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/cell"
)

// stateSign is the sign of where a request stands.
func (p *pen) stateSign(st metrics.EngineState) (rune, themes.Role) {
	switch st {
	case metrics.EngineWaiting:
		return p.gl.Bullet, themes.Queue
	case metrics.EnginePrefill:
		return p.gl.Shade, themes.Prefill
	case metrics.EngineDecode:
		return p.gl.Dot, themes.Decode
	case metrics.EngineMoving:
		return p.gl.Right, themes.Network
	case metrics.EnginePreempted:
		return p.gl.Stall, themes.Warn
	}
	return p.gl.Check, themes.Dim
}

// stateWord is its word; an unknown state has none.
func stateWord(st metrics.EngineState) string {
	if st > metrics.EngineDone {
		return unknown
	}
	return st.String()
}

// Columns of the batch's table.
const (
	colUser  = 6
	colState = 12
	colTotal = 11 // "1000/1000"
	colOut   = 10 // "1000/1000"
	colBlock = 6
	colBar   = 6 // at least
)

// batchPanel is the table of the requests in the engine at the end of the
// step: those that run, then those that wait.
func (s *Screen) batchPanel(p *pen, r cell.Rect, border themes.Role) {
	st := s.now.step
	title, right := "batch", ""
	if st != nil {
		title = p.join("batch ─ ", p.int(st.Running), " running")
		if st.Waiting > 0 {
			title = p.join(title, " ─ ", p.int(st.Waiting), " waiting")
		}
	}
	in := p.box(r, border, title, right)
	if st == nil || len(st.Batch) == 0 {
		p.g.Center(in.X, in.Y+in.H/3, in.W, p.chrome(either(st == nil, s.nothing(p), "the engine is empty")), p.gl, themes.Dim)
		return
	}
	l := p.row(in, 0)
	fat := in.W >= colUser+colState+colTotal+colOut+colBlock+colBar
	l.slot(themes.Dim, "user", colUser)
	l.slot(themes.Dim, "state", colState)
	bar := in.W - colUser - colState - colOut - colBlock
	if fat {
		bar -= colTotal
	}
	l.slot(themes.Dim, "prompt", max(bar, 0))
	if fat {
		l.skip(colTotal)
	}
	l.field(themes.Dim, "tokens", colOut)
	l.field(themes.Dim, "blocks", colBlock)
	room := in.H - 1
	hidden := len(st.Batch) + st.More - room
	if hidden > 0 {
		room-- // for the row that says how many more there are
		hidden++
	}
	for i := 0; i < len(st.Batch) && i < room; i++ {
		s.request(p, cell.Rect{X: in.X, Y: in.Y + 1 + i, W: in.W, H: 1}, &st.Batch[i], max(bar, 0), fat)
	}
	if hidden > 0 {
		l = p.row(in, in.H-1)
		l.put(themes.Dim, p.join("and ", p.int(hidden), " more"))
	}
}

// request is one row of the batch.
func (s *Screen) request(p *pen, r cell.Rect, q *metrics.EngineRequest, bar int, fat bool) {
	s.place("request", r, q.User)
	w := &p.v.Explain.Watched
	l := p.row(r, 0)
	watched := w.User > 0 && w.User == q.User
	l.set(themes.Figure, pick(watched, p.gl.Ghost, ' '))
	name := unknown
	if q.User > 0 {
		name = p.int(q.User)
	}
	l.slot(pickRole(watched, themes.Figure, themes.Ink), name, colUser-1)
	glyph, role := p.stateSign(q.State)
	from := l.x
	l.set(role, glyph)
	l.skip(1)
	l.put(pickRole(q.Scheduled > 0, themes.Ink, themes.Dim), stateWord(q.State))
	l.x = from + colState
	f := 0.0
	if q.Prompt > 0 {
		f = min(max(float64(q.PromptDone)/float64(q.Prompt), 0), 1)
	}
	if n := bar - 1; n > 0 {
		s.promptBar(p, l.x, l.y, n, f, q)
		l.skip(bar)
	}
	if fat {
		l.field(themes.Dim, p.join(p.int(q.PromptDone), "/", p.int(q.Prompt)), colTotal-1)
		l.x = r.X + colUser + colState + bar + colTotal
	}
	l.field(themes.Ink, p.join(p.int(q.Out), "/", p.int(q.Output)), colOut)
	l.x = r.Right() - colBlock
	l.field(themes.Ink, p.int(q.Blocks), colBlock)
}

// promptBar shows how much of the prompt is in the cache; what the prefix
// cache gave is drawn lighter.
func (s *Screen) promptBar(p *pen, x, y, w int, f float64, q *metrics.EngineRequest) {
	cached := 0.0
	if q.Prompt > 0 {
		cached = min(max(float64(q.Cached)/float64(q.Prompt), 0), f)
	}
	n, c := int(f*float64(w)+0.5), int(cached*float64(w)+0.5)
	if f > 0 && n == 0 {
		n = 1
	}
	for i := range w {
		switch {
		case i < c:
			p.g.Set(x+i, y, p.gl.MidShade, themes.Network)
		case i < n:
			p.g.Set(x+i, y, p.gl.Shade, themes.Prefill)
		default:
			p.g.Set(x+i, y, p.gl.Bullet, themes.Faint)
		}
	}
}

func pick(yes bool, a, b rune) rune {
	if yes {
		return a
	}
	return b
}

func pickRole(yes bool, a, b themes.Role) themes.Role {
	if yes {
		return a
	}
	return b
}
