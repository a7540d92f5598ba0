package live

import (
	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
)

// runs is the panel of the session.
type runs struct{}

// runsPanel is the table of the session: this run beside the earlier ones.
func (s *runs) runsPanel(p *canvas, r draw.Rect) {
	runs := p.v.Runs
	right := ""
	if p.median.OK && p.median.N > 1 {
		right = p.Join("TTFT p50 ", p.Duration(*p.median), " n=", p.Count(p.median.N))
	}
	in := p.Box(r, themes.Border, p.Join("session ─ ", p.Count(len(runs)), draw.Either(len(runs) == 1, " run", " runs")), right)
	if len(runs) == 0 {
		l := p.Row(in, 0)
		l.Cut(themes.Dim, "finished requests appear here, newest first")
		return
	}
	l := p.Row(in, 0)
	s.runRow(&l, themes.Dim, "#", "TTFT", "TPOT", "speed", "tokens", "ended")
	for i := range min(in.H-1, len(runs)) {
		s.run(p, p.Row(in, i+1), &runs[len(runs)-1-i])
	}
}

// run is one row of the table.
func (s *runs) run(p *canvas, l line, r *metrics.Run) {
	f := &r.Figures
	st := themes.Dim
	if r.Stream.ID == p.v.Stream.ID {
		st = themes.Strong
	}
	speed := draw.Unknown
	if f.Speed.OK {
		speed = p.Join(p.NumberOf(f.Speed), " tok/s")
	}
	id := p.Int(r.Stream.ID)
	if p.pinned != nil && p.pinned.Stream.ID == r.Stream.ID {
		id = p.Join(id, "=")
	}
	s.runRow(&l, st, id, p.Duration(f.TTFT), p.Duration(f.TPOT), speed, p.WholeOf(f.Tokens), "")
	word, role := endWord(&r.Stream)
	l.Write(role, word)
	if room := l.Left(); room > 16 && r.Stream.Endpoint.Name != "" {
		l.Skip(2)
		l.Raw(themes.Dim, safeName(r.Stream.Endpoint.Name))
	}
}

func (s *runs) runRow(l *line, st themes.Role, id, ttft, tpot, speed, tokens, end string) {
	l.Field(st, id, 3)
	l.Field(st, ttft, 9)
	l.Field(st, tpot, 9)
	l.Skip(1)
	l.Field(st, speed, 10)
	l.Field(st, tokens, 8)
	l.Skip(2)
	l.Write(st, end)
}

// endWord is the outcome of a request, one word with a sign.
func endWord(s *metrics.Stream) (string, themes.Role) {
	switch s.State {
	case metrics.Done:
		return "✓ done", themes.Good
	case metrics.Failed:
		return "✗ failed", themes.Bad
	case metrics.Truncated:
		return "▲ truncated", themes.Warn
	case metrics.Cancelled:
		return "canceled", themes.Warn
	}
	return s.State.String(), themes.Dim
}

// runsLine is the session in one row, the newest at the right end of what
// fits.
func (s *runs) runsLine(p *canvas, r draw.Rect) {
	l := p.Row(r, 0)
	if s.differenceLine(p, l) {
		return
	}
	l.Skip(1)
	l.Write(themes.Dim, "runs ")
	runs := p.v.Runs
	if len(runs) == 0 {
		l.Cut(themes.Dim, "none finished yet")
		return
	}
	const each = 24 // "12 ✓  1.24 s  147 tok/s"
	n := min(max(l.Left()/each, 1), len(runs))
	for _, run := range runs[len(runs)-n:] {
		from := l.X
		st := themes.Dim
		if run.Stream.ID == p.v.Stream.ID {
			st = themes.Text
		}
		l.Field(themes.Dim, p.Int(run.Stream.ID), 2)
		l.Skip(1)
		sign, role := endSign(run.Stream.State)
		l.Write(role, sign)
		l.Field(st, p.Duration(run.Figures.TTFT), 8)
		if run.Figures.Speed.OK {
			l.Field(st, p.CompactOf(run.Figures.Speed), format.CompactWidth)
			l.Write(themes.Dim, " tok/s")
		}
		l.To(from + each)
	}
}

func endSign(s metrics.State) (string, themes.Role) {
	switch s {
	case metrics.Done:
		return "✓", themes.Good
	case metrics.Failed:
		return "✗", themes.Bad
	case metrics.Truncated:
		return "▲", themes.Warn
	}
	return "·", themes.Warn
}
