package load

import (
	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/slo"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
	"tokscope/ui/say"
)

// goodput says how many requests meet the objectives, and which of them
// breaks first.
func (p *canvas) goodput(r draw.Rect) {
	if r.Empty() {
		return
	}
	p.Grid.Target(r, onGoodput)
	v := &p.now.view
	title := format.Either(p.v.Replay != nil, "goodput ─ no objectives", "goodput ─ no objectives, o sets them")
	if len(v.SLOs) > 0 {
		title = format.Objectives(p.v.Load.SLOs)
		if l := slo.LensOfSLOs(p.v.Load.SLOs); l != nil {
			title = p.Join(l.Key, ": ", title)
		}
		title = p.Join("goodput ─ ", title)
	}
	in := p.Box(r, themes.Border, title, "")
	first, third := p.goodRate, p.goodBreaks
	if !v.Live.GoodShare.OK {
		first, third = third, func(*line) {}
	}
	for i, row := range [...]func(*line){first, p.goodShares, third,
		func(l *line) { p.goodTotals(l, in.H) }, p.peak,
		func(l *line) { p.interval(l, "per user ", &v.Live.SpeedInterval) },
		func(l *line) { p.interval(l, "aggregate ", &v.Live.TotalInterval) }} {
		if l := p.Row(in, i); i < in.H {
			row(&l)
		}
	}
}

func (p *canvas) goodRate(l *line) {
	q := &p.now.view.Live
	role := format.Either(q.GoodShare.V < loadstat.Attainment, themes.Warn, themes.Good)
	l.Field(role, p.PercentOf(q.GoodShare), 5)
	l.Skip(2)
	const words, tokens = 31, 15
	if bar := l.Left() - words - tokens; bar >= 6 {
		p.Grid.Gauge(l.X, l.Y, bar, q.GoodShare.V, p.Glyphs, role, themes.Faint)
		l.Skip(bar + 2)
	}
	l.Field(themes.Strong, p.NumberOf(q.GoodRate), 5)
	l.Write(themes.Dim, " of ")
	l.Write(themes.Text, p.NumberOf(q.Rate))
	l.Fit(part(" req/s meet all", 0),
		part(p.Join(", ", p.NumberOf(q.GoodTokens), " tok/s"), 1))
}

// peak is the fastest second of all users together.
func (p *canvas) peak(l *line) {
	v := &p.now.view.Live.Peak
	unit := format.Either(!v.OK, p.Join(" (", format.Why(v.Why), ")"), " tok/s aggregate")
	l.Fit(part("fastest second ", 0), draw.Part{Role: themes.Text, Text: p.NumberOf(*v)}, part(unit, 1))
}

// interval is between what a mean of the window lies, or why that is unknown: with a
// name in full, else in few words.
func (p *canvas) interval(l *line, name string, i *loadstat.Interval) {
	l.Write(themes.Dim, p.Join("95 % ", name))
	why := format.Why(i.Low.Why)
	switch {
	case i.Low.OK && name == "":
		l.Whole(themes.Dim, format.KnownRange(i.Low, i.High, format.Number))
		return
	case i.Low.OK:
		l.Write(themes.Text, format.KnownRange(i.Low, i.High, format.Number))
		l.Whole(themes.Dim, " tok/s")
		return
	case name != "":
		why = p.Join("(", why, ")")
	case i.Low.Why == metrics.WhyNotSteady, p.now.view.Live.Ramp != nil:
		why = "not steady"
	case i.Low.Why == metrics.WhyDependent:
		why = "varies slowly"
	}
	l.Write(format.Either(name == "", themes.Dim, themes.Text), draw.Unknown)
	l.Whole(themes.Dim, p.Join(" ", why))
}

// goodShares is each objective with the share of requests that meet it, of those that
// ended well in the window, and how many of the window failed: all objectives miss these.
func (p *canvas) goodShares(l *line) {
	v := &p.now.view
	for _, o := range v.SLOs {
		share, sign, role := v.Live.Share(o), p.Glyphs.Fail, themes.Warn
		switch {
		case !share.OK: // the title has its name
			continue
		case share.V >= loadstat.Attainment:
			sign, role = p.Glyphs.Check, themes.Good
		}
		if l.Left() < draw.Width(o.Name)+9 {
			return
		}
		l.Set(role, sign)
		l.Skip(1)
		l.Write(themes.Text, o.Name)
		l.Skip(1)
		l.Field(role, p.PercentOf(share), 5)
		l.Skip(3)
	}
	if n := v.Live.JudgedFailed; n > 0 {
		l.Fit(draw.Part{Role: themes.Bad, Text: p.Join(p.Count(n), " of ", p.Count(v.Live.GoodShare.N), " failed")},
			part(" in this window", 1), part("   ", 0))
	}
	if v.Live.AtOnce > 0 {
		l.Whole(themes.Warn, p.Join(p.Count(v.Live.AtOnce), " of ", p.Count(v.Live.TTFT.N), " came all at once   "))
	}
	if v.Live.LeftOpen > 0 {
		l.Whole(themes.Warn, p.Join(p.Count(v.Live.LeftOpen), " waited for an end marker   "))
	}
	if why := p.now.unsteady.Of(v.Live.Why, say.Unsteady); !v.Live.Steady && why != "" && v.Running {
		l.Whole(themes.Dim, p.Join("○ ", why))
	}
}

func (p *canvas) goodBreaks(l *line) {
	n := p.now
	switch {
	case len(n.view.SLOs) == 0:
		l.Cut(themes.Dim, "goodput needs objectives, such as ttft=500ms,tpot=20ms")
	case n.breaksAt > 0:
		l.Write(themes.Warn, say.BreaksFirst(n.breaks))
		l.Write(themes.Text, p.Join(", at ", p.load(n.breaksAt)))
		if n.meets > 0 {
			l.Whole(themes.Dim, p.Join("; ", p.Exact(n.meets), " still ", format.Either(n.meets == 1, "meets", "meet"), " all"))
		}
	case n.meets > 0:
		now := draw.Part{}
		switch q := &n.view.Live; {
		case !n.view.Running || q.Steady || !q.GoodShare.OK || at(q) <= n.meets && q.GoodShare.V >= loadstat.Attainment:
		case q.GoodShare.V < loadstat.Attainment:
			now = draw.Part{Role: themes.Warn, Text: "; missed now, not certain yet", Brief: "; missed now", Rank: 2}
		default:
			now = brief(p.Join("; at ", p.load(at(q)), " so far too, not certain yet"),
				p.Join("; ", p.Exact(at(q)), " so far"), 2)
		}
		l.Fit(draw.Part{Role: themes.Good, Text: "objectives ", Rank: 1},
			draw.Part{Role: themes.Good, Text: p.Join("met up to ", p.load(n.meets))}, now)
	default:
		l.Cut(themes.Dim, "still measuring")
	}
}

// goodTotals counts the whole load. In a panel of few rows it has
// the peak of the present point too, with a word that says so.
func (p *canvas) goodTotals(l *line, rows int) {
	v := &p.now.view
	if r := p.v.Replay; r != nil && r.NoEnd {
		l.Cut(themes.Dim, say.LoadReplayNoTotals("– requests  – tokens"))
		return
	}
	if v.Failed > 0 {
		l.Write(themes.Bad, p.Join(p.now.failed[0].Text, "  "))
	} else {
		l.Write(themes.Text, p.Count(v.Done))
		l.Write(themes.Dim, format.Either(v.Done == 1, " request  ", " requests  "))
	}
	l.Whole(themes.Text, p.Whole(v.Budget.Tokens))
	l.Whole(themes.Dim, " tokens")
	l.Whole(themes.Dim, format.If(v.Budget.MaxTokens > 0, p.Join(" of ", p.Whole(v.Budget.MaxTokens))))
	if f := v.LastFault; f != nil { // where there is room for all of its words
		said := p.now.failure.Of(f, func(f *metrics.Fault) string { return sanitize.Line(f.Message, 200) })
		l.Whole(themes.Bad, p.Join("  last: ", said))
	}
	if v.Budget.Cost.OK {
		l.Whole(themes.Text, p.Join("  cost ", format.Money(v.Budget.Cost.V), " ", v.Budget.Currency))
	}
	l.Whole(themes.Warn, format.If(v.Budget.Left > 0, p.Join("  ends in ", p.Elapsed(v.Budget.Left.Seconds()))))
	peak := ""
	if v.Live.Peak.OK && rows <= 4 { // of the present point, among figures of the whole load
		peak = p.Join(format.Either(v.Running, "  peak now ", "  last peak "), p.NumberOf(v.Live.Peak), " tok/s")
	}
	if p.now.knee > 0 && !p.now.present.open {
		l.Fit(part(p.Join("  knee at ", p.Count(p.now.knee)), 0), part(" users", 2),
			part(": beyond it a user adds less", 3), part(peak, 1))
		peak = ""
	}
	if f := v.Live.Fit; f != nil && f.A.OK && f.B.OK {
		p.fitted(l, "", "  TTFT", f)
	} else if f != nil {
		l.Whole(themes.Dim, p.Join("  TTFT by length: ", format.Why(f.B.Why)))
	}
	l.Whole(themes.Dim, peak)
}

// fitted writes a known fit of TTFT to the length of the prompt behind the sign of its
// line and its name. Where the fit bends it writes by how much in place of the R².
func (p *canvas) fitted(l *line, sign, name string, f *loadstat.TTFTFit) {
	minus, a, plus, b, r2, off := "", f.A.V, " + ", f.B.V*1000, "", ""
	if a < 0 {
		minus, a = format.Minus, -a
	}
	if b < 0 {
		plus, b = " − ", -b
	}
	switch {
	case f.Bends():
		r2 = p.Join(", no line: longest ", format.Change(f.Longest.V))
	case f.R2.OK:
		r2 = p.Join(" R² ", format.Ratio(f.R2.V))
	}
	if f.Off.OK {
		off = p.Join(", half within ", p.Ms(f.Off.V))
	}
	r2Rank := format.Either(sign == "", 1, 4) // beside its line in a chart one sees how well it fits
	l.Fit(part(sign, 3), brief(p.Join(name, " = "), p.Join(name, " "), 0),
		part(p.Join(minus, p.Ms(a), plus, p.Ms(b), "/1k"), 0), part(" prompt tokens", 5),
		part(r2, r2Rank), part(p.Join(" n ", p.Count(f.N)), 2), part(off, 6))
}
