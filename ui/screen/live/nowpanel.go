package live

import (
	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/cell"
)

// bigRows is the height of a big figure with its label, its unit and what
// belongs to it.
const bigRows = 1 + cell.BigHeight + 2

// nowPanel shows the three figures and, below, what they rest on.
func (s *Screen) nowPanel(p *pen, r cell.Rect) {
	in := p.box(r, "now", "one stream, per user")
	figs := [...]figure{s.ttft(p), s.tpot(p), s.speed(p)}
	y := 0
	switch {
	case in.W >= 44 && in.H >= bigRows+4:
		s.bigFigures(p, in, figs[:])
		y = bigRows + 1
	case in.H >= 7:
		s.plainFigures(p, in, figs[:])
		y = 4
		if in.H < 9 {
			y = 3
		}
	default:
		s.plainFigures(p, in, figs[:])
		y = 3
	}
	_, rest := in.SplitV(y)
	s.facts(p, rest)
}

// columns are the widths of the three figures: speed has the longest numbers
// and the longest unit.
func figureColumns(w int) [3]int {
	a := w * 32 / 100
	b := w * 31 / 100
	return [3]int{a, b, w - a - b}
}

// bigFigures draws the numbers three rows high.
func (s *Screen) bigFigures(p *pen, in cell.Rect, figs []figure) {
	x := in.X
	for i, w := range figureColumns(in.W) {
		f := &figs[i]
		l := p.line(x, in.Y, w)
		l.put(themes.Dim, f.label)
		if cell.BigWidth(f.num, p.gl) <= w-1 {
			p.g.Big(x, in.Y+1, f.num, p.gl, f.role, w-1)
		} else {
			l = p.line(x, in.Y+2, w-1)
			l.whole(f.role, f.num)
		}
		l = p.line(x, in.Y+1+cell.BigHeight, w-1)
		l.put(themes.Unit, f.unit)
		l = p.line(x, in.Y+2+cell.BigHeight, w-1)
		l.cut(themes.Dim, f.below)
		x += w
	}
}

// plainFigures draws the numbers as text, one row.
func (s *Screen) plainFigures(p *pen, in cell.Rect, figs []figure) {
	x := in.X
	for i, w := range figureColumns(in.W) {
		f := &figs[i]
		if in.H > 0 {
			l := p.line(x, in.Y, w-1)
			l.put(themes.Dim, f.label)
		}
		if in.H > 1 {
			l := p.line(x, in.Y+1, w)
			l.put(f.role, f.num)
			l.skip(1)
			l.whole(themes.Unit, f.unit)
		}
		if in.H > 2 {
			l := p.line(x, in.Y+2, w-1)
			l.cut(themes.Dim, f.below)
		}
		x += w
	}
}

// facts are the rows of the now panel below the figures, the most important
// first; the observer always has the last one.
func (s *Screen) facts(p *pen, in cell.Rect) {
	if in.H <= 0 {
		return
	}
	const label = 10
	v, st := &p.v.Figures, &p.v.Stream
	y := 0
	row := func(name string) *line {
		if y >= in.H-1 {
			return nil
		}
		l := p.row(in, y)
		y++
		l.slot(themes.Dim, name, label)
		return &l
	}
	if l := row("tokens"); l != nil {
		if v.Tokens.OK {
			l.slot(themes.Ink, p.count0(v.Tokens), 7)
			l.whole(themes.Dim, v.TokenSource.String())
		} else {
			l.slot(themes.Dim, unknown, 7)
			l.cut(themes.Dim, v.Tokens.Why)
		}
	}
	if l := row("longest"); l != nil {
		l.slot(themes.Ink, p.duration(v.Longest), 7)
		if v.Longest.OK && v.LongestChunk >= 0 {
			l.whole(themes.Dim, p.join("before chunk ", p.int(v.LongestChunk+1)))
		} else {
			l.cut(themes.Dim, v.Longest.Why)
		}
	}
	if l := row("stalls"); l != nil {
		n := len(v.Stalls)
		role := themes.Ink
		if n > 0 {
			role = themes.Stall
		}
		l.slot(role, p.int(n), 7)
		l.slot(themes.Dim, "bursts", 7)
		l.slot(themes.Ink, p.int(len(v.Bursts)), 5)
		if v.GapsUnknown > 0 {
			l.whole(themes.Dim, p.join(p.int(v.GapsUnknown), " gaps unknown"))
		}
	}
	if l := row("chunks"); l != nil {
		l.slot(themes.Ink, p.int(v.Chunks), 7)
		if v.TokensPerChunk.OK {
			l.whole(themes.Dim, p.join(p.ratio(v.TokensPerChunk.V), " tokens each"))
		}
	}
	if l := row("reader"); l != nil {
		if v.BelowReading.OK {
			l.slot(themes.Ink, p.percent(v.BelowReading.V), 7)
			l.whole(themes.Dim, "of the time had to wait")
		} else {
			l.slot(themes.Dim, unknown, 7)
			l.cut(themes.Dim, v.BelowReading.Why)
		}
	}
	if l := row("prompt"); l != nil {
		l.slot(themes.Ink, p.count0(v.PromptTokens), 7)
		if v.CachedTokens.OK {
			l.whole(themes.Dim, p.join("tokens, ", p.count0(v.CachedTokens), " cached"))
		} else if v.PromptTokens.OK {
			l.whole(themes.Dim, "tokens")
		} else {
			l.cut(themes.Dim, v.PromptTokens.Why)
		}
	}
	if l := row("link"); l != nil {
		s.link(p, l)
	}
	if l := row("trend"); l != nil {
		if v.Trend.OK {
			l.slot(themes.Ink, p.signed(v.Trend.V), 7)
			l.whole(themes.Dim, "gap per 1000 tokens")
		} else {
			l.slot(themes.Dim, unknown, 7)
			l.cut(themes.Dim, v.Trend.Why)
		}
	}
	if l := row("server"); l != nil {
		s.serverTimes(p, l, st)
	}
	s.observer(p, p.row(in, in.H-1), label)
}

// link says over what connection the stream came.
func (s *Screen) link(p *pen, l *line) {
	c := &p.v.Stream.Conn
	if c.Proto == "" {
		l.put(themes.Dim, unknown)
		return
	}
	if c.Reused {
		l.put(themes.Ink, "reused ")
	} else {
		l.put(themes.Ink, "new    ")
	}
	l.whole(themes.Dim, c.Proto)
	if c.TLS != "" {
		l.whole(themes.Dim, p.join(" · ", c.TLS))
	}
	if c.Proxy != "" {
		l.whole(themes.Warn, " · via proxy")
	}
}

// serverTimes lists what the server said about itself, beside and never in
// our own figures.
func (s *Screen) serverTimes(p *pen, l *line, st *metrics.Stream) {
	if len(st.Server) == 0 {
		l.put(themes.Dim, "reports no times of its own")
		return
	}
	for i, t := range st.Server {
		sep := ""
		if i > 0 {
			sep = " · "
		}
		if !l.whole(themes.Dim, p.join(sep, s.name(t.Name), " ", p.ms(float64(t.D)/1e6))) {
			break
		}
	}
}

// observer is this program looking at itself, so that nobody blames the
// server for what we did.
func (s *Screen) observer(p *pen, l line, label int) {
	o := &p.v.Observer
	if e := &p.v.Stream.Observer; p.v.Stream.State.Ended() && e.N > 0 {
		o = e
	}
	l.slot(themes.Dim, "observer", label)
	late := float64(o.LateP99) / 1e6
	switch {
	case o.N == 0:
		l.slot(themes.Dim, unknown, 7)
	case late > lateMs:
		l.slot(themes.Warn, p.ms(late), 7)
		l.put(themes.Warn, "late ")
	default:
		l.slot(themes.Good, p.ms(late), 7)
	}
	if n := p.v.Stream.State; n != metrics.Idle {
		l.whole(themes.Dim, p.join(p.v.Stream.Stamps.String(), " stamps"))
	}
	switch {
	case o.LateEvents > 0:
		l.whole(themes.Warn, p.join(" · ", p.int(o.LateEvents), " events seen late"))
	case late > lateMs && p.v.Stream.Stamps != metrics.SourceKernel:
		l.whole(themes.Warn, " · gaps blurred")
	}
}

// name is the safe form of a name the server chose.
func (s *Screen) name(n string) string {
	switch n {
	case metrics.ServerQueue, metrics.ServerPrefill, metrics.ServerDecode, metrics.ServerTTFT,
		metrics.ServerTotal, metrics.ServerProcessing, metrics.ServerLoad:
		return n
	}
	return safeName(n)
}
