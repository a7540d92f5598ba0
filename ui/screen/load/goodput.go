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
	title := "goodput ─ no objectives, o sets them"
	if p.v.Replay != nil {
		title = "goodput ─ no objectives"
	}
	if len(v.SLOs) > 0 {
		title = p.Join("goodput ─ ", format.Objectives(p.v.Load.SLOs))
		if l := slo.LensOfSLOs(p.v.Load.SLOs); l != nil {
			title = p.Join("goodput ─ ", l.Key, ": ", format.Objectives(p.v.Load.SLOs))
		}
	}
	in := p.Box(r, themes.Border, title, "")
	for i, row := range [...]func(*line){p.goodRate, p.goodShares, p.goodBreaks,
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
	role := themes.Good
	if q.GoodShare.OK && q.GoodShare.V < loadstat.Attainment {
		role = themes.Bad
	}
	if !q.GoodShare.OK {
		role = themes.Dim
	}
	l.Field(role, p.PercentOf(q.GoodShare), 5)
	l.Skip(2)
	const words, tokens = 31, 15
	if bar := l.Left() - words - tokens; bar >= 6 {
		share := 0.0
		if q.GoodShare.OK {
			share = q.GoodShare.V
		}
		p.Grid.Gauge(l.X, l.Y, bar, share, p.Glyphs, role, themes.Faint)
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
	l.Write(themes.Dim, "fastest second ")
	l.Write(themes.Text, p.NumberOf(*v))
	if !v.OK {
		l.Whole(themes.Dim, p.Join(" (", format.Why(v.Why), ")"))
		return
	}
	l.Whole(themes.Dim, " tok/s aggregate")
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
	l.Write(draw.Either(name == "", themes.Dim, themes.Text), draw.Unknown)
	l.Whole(themes.Dim, p.Join(" ", why))
}

// goodShares is each objective with the share of requests that meet it.
func (p *canvas) goodShares(l *line) {
	v := &p.now.view
	for _, o := range v.SLOs {
		share := v.Live.Share(o)
		sign, role := p.Glyphs.Unknown, themes.Dim
		switch {
		case share.OK && share.V >= loadstat.Attainment:
			sign, role = p.Glyphs.Check, themes.Good
		case share.OK:
			sign, role = p.Glyphs.Fail, themes.Bad
		}
		if l.Left() < draw.Width(o.Name)+9 {
			return
		}
		p.Grid.Set(l.X, l.Y, sign, role)
		l.Skip(2)
		l.Write(themes.Text, o.Name)
		l.Skip(1)
		l.Field(role, p.PercentOf(share), 5)
		l.Skip(3)
	}
	p.failures(l)
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
		l.Write(themes.Bad, say.BreaksFirst(n.breaks))
		l.Write(themes.Text, p.Join(", at ", p.load(n.breaksAt)))
		if n.meets > 0 {
			l.Whole(themes.Dim, p.Join("; ", p.Exact(n.meets), " still ", draw.Either(n.meets == 1, "meets", "meet"), " all"))
		}
	case n.meets > 0:
		l.Write(themes.Good, p.Join("objectives met up to ", p.load(n.meets)))
		if q := &n.view.Live; n.view.Running && !q.Steady && q.GoodShare.OK && q.GoodShare.V < loadstat.Attainment {
			l.Whole(themes.Warn, "; breaking now, not steady yet")
		}
	default:
		l.Fit(part("needs steady points", 0),
			part(" to tell what breaks first", 1))
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
	l.Write(themes.Text, p.Count(v.Done))
	l.Write(themes.Dim, draw.Either(v.Done == 1, " request  ", " requests  "))
	l.Whole(themes.Text, p.Whole(v.Budget.Tokens))
	l.Whole(themes.Dim, " tokens")
	if v.Budget.MaxTokens > 0 {
		l.Whole(themes.Dim, p.Join(" of ", p.Whole(v.Budget.MaxTokens)))
	}
	if v.Failed > 0 {
		p.failed(l)
	}
	if v.Budget.Cost.OK {
		l.Whole(themes.Text, p.Join("  cost ", format.Money(v.Budget.Cost.V), " ", v.Budget.Currency))
	}
	if left := v.Budget.Left; left > 0 {
		l.Whole(themes.Warn, p.Join("  ends in ", p.Elapsed(left.Seconds())))
	}
	peak := ""
	if v.Live.Peak.OK && rows <= 4 { // of the present point, among figures of the whole load
		peak = p.Join(draw.Either(v.Running, "  peak now ", "  last peak "), p.NumberOf(v.Live.Peak), " tok/s")
	}
	if p.now.knee > 0 && !p.now.present.open {
		l.Fit(part(p.Join("  knee at ", p.Count(p.now.knee)), 0),
			part(" users", 2),
			part(": beyond it a user adds less", 3),
			part(peak, 1))
		peak = ""
	}
	p.fit(l)
	l.Whole(themes.Dim, peak)
}

// fit writes how TTFT depends on the length of the prompt, where prompts vary, as
// long as the room allows, or the reason why it is unknown.
func (p *canvas) fit(l *line) {
	f := p.now.view.Live.Fit
	if f == nil {
		return
	}
	if !f.A.OK || !f.B.OK {
		l.Whole(themes.Dim, p.Join("  TTFT by length: ", format.Why(f.B.Why)))
		return
	}
	terms, r2 := fitTerms(p, f)
	l.Fit(brief("  TTFT = ", "  TTFT ", 0), part(terms, 0),
		part(" prompt tokens", 2), part(r2, 1),
		part(p.Join(" n ", p.Count(f.N)), 3))
}

// fitTerms writes the terms of a known fit, and its R², "" where that is unknown. Where
// the fit bends it writes by how much in place of the R².
func fitTerms(p *canvas, f *loadstat.TTFTFit) (terms, r2 string) {
	minus, a, sign, b := "", f.A.V, " + ", f.B.V*1000
	if a < 0 {
		minus, a = "-", -a
	}
	if b < 0 {
		sign, b = " - ", -b
	}
	switch {
	case f.Bends():
		r2 = p.Join(", no line: longest ", format.Change(f.Longest.V))
	case f.R2.OK:
		r2 = p.Join(" R² ", format.Ratio(f.R2.V))
	}
	return p.Join(minus, p.Ms(a), sign, p.Ms(b), "/1k"), r2
}

// failures is the share of the requests that failed, in the row of the objectives:
// each is missed by all of them.
func (p *canvas) failures(l *line) {
	v := &p.now.view.Live
	share := v.FailedShare()
	if v.JudgedFailed == 0 || !share.OK {
		return
	}
	sign, role := p.Glyphs.Check, themes.Warn
	if share.V > 1-loadstat.Attainment {
		sign, role = p.Glyphs.Fail, themes.Bad
	}
	if l.Left() < 12 {
		return
	}
	p.Grid.Set(l.X, l.Y, sign, role)
	l.Skip(2)
	l.Write(themes.Text, "failed ")
	l.Field(role, p.PercentOf(share), 5)
	l.Skip(3)
}

// failed counts the failed requests, with the words of the last failure where there
// is room for all of them.
func (p *canvas) failed(l *line) {
	v := &p.now.view
	last := ""
	if f := v.LastFault; f != nil {
		last = p.Join("; last: ", p.now.failure.Of(f, failureWords))
	}
	l.Fit(draw.Part{Role: themes.Bad, Text: p.Join("  ", p.Count(v.Failed), " failed")},
		draw.Part{Role: themes.Bad, Text: ", not counted as good", Rank: 1}, draw.Part{Role: themes.Bad, Text: last, Rank: 2})
}

// failureWords returns the words of a failure, without control characters.
func failureWords(f *metrics.Fault) string { return sanitize.Line(f.Message, 200) }
