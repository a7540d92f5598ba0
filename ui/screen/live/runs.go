package live

import (
	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/cell"
)

// runsPanel is the table of the session: this run beside the earlier ones.
func (s *Screen) runsPanel(p *pen, r cell.Rect) {
	runs := p.v.Runs
	right := ""
	if s.median.OK && s.median.N > 1 {
		right = p.join("TTFT p50 ", p.duration(s.median), " n=", p.int(s.median.N))
	}
	in := p.box(r, p.join("session ─ ", p.int(len(runs)), plural(len(runs), " run", " runs")), right)
	if len(runs) == 0 {
		l := p.row(in, 0)
		l.cut(themes.Dim, "ended requests are listed here, the newest first")
		return
	}
	l := p.row(in, 0)
	s.runRow(&l, themes.Dim, "#", "TTFT", "TPOT", "speed", "tokens", "ended")
	for i := range min(in.H-1, len(runs)) {
		s.run(p, p.row(in, i+1), &runs[len(runs)-1-i])
	}
}

// run is one row of the table.
func (s *Screen) run(p *pen, l line, r *metrics.Run) {
	f := &r.Figures
	st := themes.Dim
	if r.Stream.ID == p.v.Stream.ID {
		st = themes.Strong
	}
	speed := unknown
	if f.Speed.OK {
		speed = p.join(p.count(f.Speed), " tok/s")
	}
	s.runRow(&l, st, p.int(r.Stream.ID), p.duration(f.TTFT), p.duration(f.TPOT), speed, p.count0(f.Tokens), "")
	word, role := endWord(&r.Stream)
	l.put(role, word)
	if room := l.left(); room > 16 && r.Stream.Endpoint.Name != "" {
		l.skip(2)
		l.raw(themes.Dim, safeName(r.Stream.Endpoint.Name))
	}
}

func (s *Screen) runRow(l *line, st themes.Role, id, ttft, tpot, speed, tokens, end string) {
	l.field(st, id, 3)
	l.field(st, ttft, 9)
	l.field(st, tpot, 9)
	l.field(st, speed, 11)
	l.field(st, tokens, 8)
	l.skip(2)
	l.put(st, end)
}

// endWord is how a request ended, in one word with a sign.
func endWord(s *metrics.Stream) (string, themes.Role) {
	switch s.State {
	case metrics.Done:
		return "✓ done", themes.Good
	case metrics.Failed:
		return "✗ failed", themes.Bad
	case metrics.Truncated:
		return "▲ truncated", themes.Warn
	case metrics.Cancelled:
		return "cancelled", themes.Warn
	}
	return s.State.String(), themes.Dim
}

// runsLine is the session in one row, the newest at the right end of what
// fits.
func (s *Screen) runsLine(p *pen, r cell.Rect) {
	l := p.row(r, 0)
	l.skip(1)
	l.put(themes.Dim, "runs ")
	runs := p.v.Runs
	if len(runs) == 0 {
		l.cut(themes.Dim, "none has ended yet")
		return
	}
	const each = 24 // "12 ✓  1.24 s  147 tok/s"
	n := min(max(l.left()/each, 1), len(runs))
	for _, run := range runs[len(runs)-n:] {
		from := l.x
		st := themes.Dim
		if run.Stream.ID == p.v.Stream.ID {
			st = themes.Ink
		}
		l.field(themes.Dim, p.int(run.Stream.ID), 2)
		l.skip(1)
		sign, role := endSign(run.Stream.State)
		l.put(role, sign)
		l.field(st, p.duration(run.Figures.TTFT), 8)
		if run.Figures.Speed.OK {
			l.field(st, p.count(run.Figures.Speed), 5)
			l.put(themes.Dim, " tok/s")
		}
		l.to(from + each)
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

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}
