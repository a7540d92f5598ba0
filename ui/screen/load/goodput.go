package load

import (
	"strconv"
	"strings"

	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/draw"
)

// goodputPanel says how many requests meet the objectives, and which of them
// breaks first.
func (s *Screen) goodputPanel(p *canvas, r draw.Rect) {
	if r.Empty() {
		return
	}
	s.place("goodput", r)
	v := &s.now.view
	title := "goodput ─ no objectives, o sets them"
	if len(v.SLOs) > 0 {
		title = p.Join("goodput ─ ", objectives(p.v.Load.SLOs))
		if l := metrics.LensOfSLOs(p.v.Load.SLOs); l != nil {
			title = p.Join("goodput ─ ", l.Key, ": ", objectives(p.v.Load.SLOs))
		}
	}
	in := p.Box(r, themes.Border, title, "")
	rows := [...]func(*line){s.goodRate(p), s.goodShares(p), s.goodBreaks(p), s.goodTotals(p)}
	for i := range min(in.H, len(rows)) {
		l := p.Row(in, i)
		rows[i](&l)
	}
}

// objectives writes them in words: "ttft ≤ 500 ms and tpot ≤ 20 ms".
func objectives(slos []metrics.Objective) string {
	var b strings.Builder
	for i, o := range slos {
		if i > 0 {
			b.WriteString(" and ")
		}
		b.WriteString(o.Name)
		if o.AtLeast {
			b.WriteString(" ≥ " + strconv.FormatFloat(o.Limit, 'g', 4, 64))
			continue
		}
		b.WriteString(" ≤ ")
		if o.Limit >= 1000 {
			b.WriteString(strconv.FormatFloat(o.Limit/1000, 'g', 4, 64) + " s")
		} else {
			b.WriteString(strconv.FormatFloat(o.Limit, 'g', 4, 64) + " ms")
		}
	}
	return b.String()
}

func (s *Screen) goodRate(p *canvas) func(*line) {
	return func(l *line) {
		q := &s.now.view.Live
		role := themes.Good
		if q.GoodShare.OK && q.GoodShare.V < metrics.Attainment {
			role = themes.Bad
		}
		if !q.GoodShare.OK {
			role = themes.Dim
		}
		l.Field(role, p.percent(q.GoodShare), 5)
		l.Skip(2)
		const words = 31
		if bar := l.Left() - words; bar >= 6 {
			share := 0.0
			if q.GoodShare.OK {
				share = q.GoodShare.V
			}
			p.Grid.Gauge(l.X, l.Y, bar, share, p.Glyphs, role, themes.Faint)
			l.Skip(bar + 2)
		}
		l.Field(themes.Strong, p.rate(q.GoodRate), 5)
		l.Write(themes.Dim, " of ")
		l.Write(themes.Ink, p.rate(q.Rate))
		l.Whole(themes.Dim, " req/s meet all")
	}
}

// goodShares is each objective with the share of requests that meet it.
func (s *Screen) goodShares(p *canvas) func(*line) {
	return func(l *line) {
		v := &s.now.view
		for _, o := range v.SLOs {
			share := v.Live.Share(o)
			sign, role := p.Glyphs.Unknown, themes.Dim
			switch {
			case share.OK && share.V >= metrics.Attainment:
				sign, role = p.Glyphs.Check, themes.Good
			case share.OK:
				sign, role = p.Glyphs.Fail, themes.Bad
			}
			if l.Left() < draw.Width(o.Name)+9 {
				return
			}
			p.Grid.Set(l.X, l.Y, sign, role)
			l.Skip(2)
			l.Write(themes.Ink, o.Name)
			l.Skip(1)
			l.Field(role, p.percent(share), 5)
			l.Skip(3)
		}
		if why := v.Live.Why; !v.Live.Steady && why != "" && v.Running {
			l.Whole(themes.Dim, p.Join("○ ", why))
		}
	}
}

func (s *Screen) goodBreaks(p *canvas) func(*line) {
	return func(l *line) {
		n := &s.now
		switch {
		case len(n.view.SLOs) == 0:
			l.Cut(themes.Dim, "an objective such as ttft=500ms,tpot=20ms makes goodput")
		case n.breaksAt > 0:
			l.Write(themes.Bad, p.Join(n.breaks, " breaks first"))
			l.Write(themes.Ink, p.Join(", at ", p.Int(n.breaksAt), draw.Either(n.breaksAt == 1, " user", " users")))
			if n.meets > 0 {
				l.Whole(themes.Dim, p.Join("; ", p.Int(n.meets), " still ", draw.Either(n.meets == 1, "meets", "meet"), " all"))
			}
		case n.meets > 0:
			l.Write(themes.Good, p.Join("all met up to ", p.Int(n.meets), draw.Either(n.meets == 1, " user", " users")))
			if q := &n.view.Live; n.view.Running && !q.Steady && q.GoodShare.OK && q.GoodShare.V < metrics.Attainment {
				l.Whole(themes.Warn, "; breaking now, not steady yet")
			} else {
				l.Whole(themes.Dim, " (nothing has broken yet)")
			}
		default:
			l.Cut(themes.Dim, "which breaks first is known after steady points")
		}
	}
}

// goodTotals counts the whole load.
func (s *Screen) goodTotals(p *canvas) func(*line) {
	return func(l *line) {
		v := &s.now.view
		l.Write(themes.Ink, p.Int(v.Done))
		l.Write(themes.Dim, draw.Either(v.Done == 1, " request  ", " requests  "))
		l.Whole(themes.Ink, p.count(v.Budget.Tokens))
		l.Whole(themes.Dim, " tokens")
		if v.Budget.MaxTokens > 0 {
			l.Whole(themes.Dim, p.Join(" of ", p.count(v.Budget.MaxTokens)))
		}
		if v.Failed > 0 {
			if text := p.Join("  ", p.Int(v.Failed), " failed"); !l.Whole(themes.Bad, p.Join(text, ", which meet none")) {
				l.Whole(themes.Bad, text)
			}
		}
		if v.Budget.Cost.OK {
			l.Whole(themes.Ink, p.Join("  cost ", p.money(v.Budget.Cost.V), " ", v.Budget.Currency))
		}
		if left := v.Budget.Left; left > 0 {
			l.Whole(themes.Warn, p.Join("  ends in ", p.clock(left.Seconds())))
		}
		if s.now.knee > 0 {
			text := p.Join("  knee at ", p.Int(s.now.knee), " users")
			if !l.Whole(themes.Dim, p.Join(text, ": more add little")) {
				l.Whole(themes.Dim, text)
			}
		}
		s.fit(p, l)
	}
}

// fit is what of TTFT belongs to the length of the prompt, where prompts vary,
// in as many words as there is room for, or why it is not known.
func (s *Screen) fit(p *canvas, l *line) {
	f := s.now.view.Live.Fit
	if f == nil {
		return
	}
	if !f.A.OK || !f.B.OK {
		l.Whole(themes.Dim, p.Join("  TTFT by length: ", f.B.Why))
		return
	}
	minus, a, sign, b := "", f.A.V, " + ", f.B.V*1000
	if a < 0 {
		minus, a = "-", -a
	}
	if b < 0 {
		sign, b = " - ", -b
	}
	terms, r2 := p.Join(minus, p.Ms(a), sign, p.Ms(b), "/1k"), ""
	if f.R2.OK {
		r2 = p.Join(" R² ", p.share(f.R2.V))
	}
	_ = l.Whole(themes.Dim, p.Join("  TTFT = ", terms, " prompt tokens", r2, " n ", p.Int(f.N))) ||
		l.Whole(themes.Dim, p.Join("  TTFT = ", terms, r2)) ||
		l.Whole(themes.Dim, p.Join("  TTFT ", terms))
}
