package load

import (
	"strconv"
	"strings"

	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/cell"
)

// goodputPanel says how many requests meet the objectives, and which of them
// breaks first.
func (s *Screen) goodputPanel(p *pen, r cell.Rect) {
	if r.Empty() {
		return
	}
	s.place("goodput", r)
	v := &s.now.view
	title := "goodput ─ no objectives, o sets them"
	if len(v.SLOs) > 0 {
		title = p.join("goodput ─ ", objectives(p.v.Load.SLOs))
		if l := metrics.LensOfSLOs(p.v.Load.SLOs); l != nil {
			title = p.join("goodput ─ ", l.Key, ": ", objectives(p.v.Load.SLOs))
		}
	}
	in := p.box(r, title, "")
	rows := [...]func(*line){s.goodRate(p), s.goodShares(p), s.goodBreaks(p), s.goodTotals(p)}
	for i := range min(in.H, len(rows)) {
		l := p.row(in, i)
		rows[i](&l)
	}
}

// objectives writes them in words: "ttft ≤ 500 ms and tpot ≤ 20 ms".
func objectives(slos []metrics.SLO) string {
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

func (s *Screen) goodRate(p *pen) func(*line) {
	return func(l *line) {
		q := &s.now.view.Live
		role := themes.Good
		if q.GoodShare.OK && q.GoodShare.V < metrics.Attainment {
			role = themes.Bad
		}
		if !q.GoodShare.OK {
			role = themes.Dim
		}
		l.field(role, p.percent(q.GoodShare), 5)
		l.skip(2)
		const words = 31
		if bar := l.left() - words; bar >= 6 {
			share := 0.0
			if q.GoodShare.OK {
				share = q.GoodShare.V
			}
			p.g.Gauge(l.x, l.y, bar, share, p.gl, role, themes.Faint)
			l.skip(bar + 2)
		}
		l.field(themes.Strong, p.rate(q.GoodRate), 5)
		l.put(themes.Dim, " of ")
		l.put(themes.Ink, p.rate(q.Rate))
		l.whole(themes.Dim, " req/s meet all")
	}
}

// goodShares is each objective with the share of requests that meet it.
func (s *Screen) goodShares(p *pen) func(*line) {
	return func(l *line) {
		v := &s.now.view
		for _, o := range v.SLOs {
			share := v.Live.Share(o)
			sign, role := p.gl.Unknown, themes.Dim
			switch {
			case share.OK && share.V >= metrics.Attainment:
				sign, role = p.gl.Check, themes.Good
			case share.OK:
				sign, role = p.gl.Fail, themes.Bad
			}
			if l.left() < cell.Width(o.Name)+9 {
				return
			}
			p.g.Set(l.x, l.y, sign, role)
			l.skip(2)
			l.put(themes.Ink, o.Name)
			l.skip(1)
			l.field(role, p.percent(share), 5)
			l.skip(3)
		}
		if why := v.Live.Why; !v.Live.Steady && why != "" && v.Running {
			l.whole(themes.Dim, p.join("○ ", why))
		}
	}
}

func (s *Screen) goodBreaks(p *pen) func(*line) {
	return func(l *line) {
		n := &s.now
		switch {
		case len(n.view.SLOs) == 0:
			l.cut(themes.Dim, "an objective such as ttft=500ms,tpot=20ms makes goodput")
		case n.breaksAt > 0:
			l.put(themes.Bad, p.join(n.breaks, " breaks first"))
			l.put(themes.Ink, p.join(", at ", p.int(n.breaksAt), either(n.breaksAt == 1, " user", " users")))
			if n.meets > 0 {
				l.whole(themes.Dim, p.join("; ", p.int(n.meets), " still ", either(n.meets == 1, "meets", "meet"), " all"))
			}
		case n.meets > 0:
			l.put(themes.Good, p.join("all met up to ", p.int(n.meets), either(n.meets == 1, " user", " users")))
			if q := &n.view.Live; n.view.Running && !q.Steady && q.GoodShare.OK && q.GoodShare.V < metrics.Attainment {
				l.whole(themes.Warn, "; breaking now, not steady yet")
			} else {
				l.whole(themes.Dim, " (nothing has broken yet)")
			}
		default:
			l.cut(themes.Dim, "which breaks first is known after steady points")
		}
	}
}

// goodTotals counts the whole load.
func (s *Screen) goodTotals(p *pen) func(*line) {
	return func(l *line) {
		v := &s.now.view
		l.put(themes.Ink, p.int(v.Done))
		l.put(themes.Dim, " requests  ")
		l.whole(themes.Ink, p.number(v.Budget.Tokens))
		l.whole(themes.Dim, " tokens")
		if v.Budget.MaxTokens > 0 {
			l.whole(themes.Dim, p.join(" of ", p.number(v.Budget.MaxTokens)))
		}
		if v.Budget.Cost.OK {
			l.whole(themes.Ink, p.join("  cost ", p.money(v.Budget.Cost.V), " ", v.Budget.Currency))
		}
		if left := v.Budget.Left; left > 0 {
			l.whole(themes.Warn, p.join("  ends in ", p.clock(left.Seconds())))
		}
		if s.now.knee > 0 {
			l.whole(themes.Dim, p.join("  knee at ", p.int(s.now.knee), " users"))
		}
	}
}
