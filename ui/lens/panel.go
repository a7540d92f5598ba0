package lens

import (
	"tokscope/metrics/slo"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/say"
)

// Panel is a lens and its verdicts. The zero value shows nothing. It belongs
// to one goroutine.
type Panel struct {
	lens  *slo.Lens
	task  slo.AgentTask
	now   slo.LensFigures
	past  slo.LensFigures
	ascii bool

	name     string // what the figures are; "" for those of a request
	rows     []row
	tightest int  // row that uses most of its budget; -1 when none is known
	sign     rune // of the worst verdict
	role     themes.Role
	cost     cost
	voice    string // what a voice makes of the stream; "" for other lenses

	verdicts []slo.LensVerdict // reused
}

// row is one budget in words.
type row struct {
	v        slo.LensVerdict
	sign     rune
	role     themes.Role // of the sign and the gauge
	label    string
	measured string
	limit    string // "≤ 450 ms", "no limit"
	short    string
	why      string
	source   string
	// The comparison with earlier runs; pastSign is 0 without any.
	past     string
	instead  string // what stands for a figure that is not known yet: "predicted 44 ms"
	pastSign rune
	pastRole themes.Role
}

func (w *row) known() bool { return w.v.Measured.OK || w.v.Clock.OK }

// gauge reports whether a share of the budget is used.
func (w *row) gauge() bool { return w.v.Used.OK && w.v.Budget.Limit > 0 }

// Update recomputes the panel. key is the lens; an unknown one shows nothing.
// now are the current figures. past is the baseline, with Requests 0 for
// none: the medians of earlier requests, or what its Kind says. task is the
// agent's.
func (p *Panel) Update(key string, task slo.AgentTask, now, past slo.LensFigures, gl *themes.Glyphs) {
	l := slo.LensByKey(key)
	if l == p.lens && task == p.task && now == p.now && past == p.past && gl.ASCII == p.ascii {
		return
	}
	other := l != p.lens
	p.lens, p.task, p.now, p.past, p.ascii = l, task, now, past, gl.ASCII
	if l == nil {
		return
	}
	p.name = say.LensBasis(&now)
	p.verdicts = l.AppendVerdicts(p.verdicts[:0], &now, task)
	if other {
		p.rows = make([]row, len(p.verdicts))
	}
	p.tightest = -1
	worst := slo.GradeUnknown
	for i := range p.verdicts {
		v, r := &p.verdicts[i], &p.rows[i]
		r.judge(v, gl)
		if r.gauge() && (p.tightest < 0 || v.Used.V > p.rows[p.tightest].v.Used.V) {
			p.tightest = i
		}
		if v.Grade <= slo.GradeMisses {
			worst = max(worst, v.Grade)
		}
	}
	p.sign, p.role = signOf(worst, gl)
	basis := say.LensBasis(&past)
	if past.Requests > 0 {
		p.verdicts = l.AppendVerdicts(p.verdicts[:0], &past, task)
		for i := range p.verdicts {
			if v, r := &p.verdicts[i], &p.rows[i]; v.Measured.OK && v.Metric == r.v.Metric {
				r.past = format.If(v.Estimated, "~") + say.LensFigure(v.Metric, v.Measured.V)
				r.pastSign, r.pastRole = signOf(v.Grade, gl)
				r.instead = format.If(basis != "", basis+" "+r.past)
			}
		}
	}
	if p.voice = ""; l.Key == "voice" && !now.Sounds() {
		p.voice = say.Voice(&now.Voice)
	}
	p.cost = cost{}
	if l.Key == "agent" {
		p.cost = costOf(task.Cost(now.TTFT.Typical, now.TPOT.Typical), now.Estimated, "")
		if !p.cost.known() && basis != "" { // better than nothing, and named as another's
			p.cost = costOf(task.Cost(past.TTFT.Typical, past.TPOT.Typical), past.Estimated, basis+": ")
		}
	}
}

// before says what the column at the right is, "" without one.
func (p *Panel) before(c *draw.Canvas) string {
	basis := say.LensBasis(&p.past)
	switch n := p.past.Requests; {
	case basis == "" && n > 1:
		return c.Join("median of ", c.Count(n), " earlier runs")
	case basis == "" && n > 0:
		return "the run before"
	}
	return basis
}

// judge puts a verdict into words. r holds the previous row of the same budget,
// or a zero one. Its texts about the budget itself are kept.
func (w *row) judge(v *slo.LensVerdict, gl *themes.Glyphs) {
	if w.v.Metric != v.Metric {
		w.budget(v)
	}
	w.v, w.measured, w.short, w.past, w.instead, w.pastSign = *v, "–", say.VerdictShort(v), "", "", 0
	w.sign, w.role = signOf(v.Grade, gl)
	switch {
	case v.Measured.OK:
		w.measured = format.If(v.Estimated, "~") + say.LensFigure(v.Metric, v.Measured.V)
	case v.Clock.OK:
		w.measured = say.LensFigure(v.Metric, v.Clock.V)
		if v.Grade == slo.GradeUnknown {
			w.short, w.role = "used so far", themes.Prefill
		}
	}
	if v.Grade == slo.GradeFree && v.Metric != slo.LensThroughput {
		w.short = "" // the limit shows it
	}
}

func (w *row) budget(v *slo.LensVerdict) {
	b := &v.Budget
	w.label, w.limit = say.LensLabel(v.Metric), "no limit"
	if b.Limit > 0 {
		w.limit = format.Either(b.AtLeast, "≥ ", "≤ ") + say.LensLimit(v.Metric, b.Limit)
	}
	w.why, w.source = say.LensBudget(b)
}

func signOf(g slo.Grade, gl *themes.Glyphs) (rune, themes.Role) {
	switch g {
	case slo.GradeMeets:
		return gl.Check, themes.Good
	case slo.GradeClose:
		return '!', themes.Warn
	case slo.GradeMisses:
		return gl.Fail, themes.Bad
	case slo.GradeFree:
		return gl.Bullet, themes.Dim
	}
	return gl.Unknown, themes.Dim
}

// cost is the result of the calculator with what is written of it.
type cost struct {
	on    bool // the lens has a calculator
	of    slo.AgentCost
	task  string // "20 steps of 300 tokens"
	brief string // "20×300"
	time  string
}

// costOf puts a calculation into words. They begin with lead, which names the
// source of the figures.
func costOf(c slo.AgentCost, estimate bool, lead string) cost {
	return cost{on: true, of: c, task: lead + say.AgentTask(c.Task),
		brief: lead + format.Count(c.Task.Steps) + "×" + format.Count(c.Task.Tokens),
		time:  format.If(estimate, "~") + say.LensFigure(slo.LensStep, c.Time.V)}
}

func (c *cost) known() bool { return c.on && c.of.Time.OK }

// most is the larger part: ", 89 % decode".
func (c *cost) most(p *draw.Canvas) string {
	if c.of.DecodeShare.V >= c.of.WaitShare.V {
		return p.Join(", ", p.Percent(c.of.DecodeShare.V), " decode")
	}
	return p.Join(", ", p.Percent(c.of.WaitShare.V), " wait")
}

// line is all of it in one line, "" without a result.
func (c *cost) line(p *draw.Canvas) string {
	return format.If(c.known(), p.Join(c.task, " take ", c.time, c.most(p)))
}

// draw draws the calculator: the task's duration, its parts, and what would
// shorten it.
func (c *cost) draw(p *draw.Canvas, r draw.Rect) {
	l := p.Row(r, 0)
	either := func(text, brief string) draw.Part { return draw.Part{Role: themes.Dim, Text: text, Brief: brief} }
	dim := func(text string) draw.Part { return either(text, "") }
	task, took := either(c.task, c.brief), draw.Part{Role: themes.Figure, Text: c.time}
	if !c.known() {
		l.Fit(task)
		l = p.Row(r, 1)
		l.Cut(themes.Dim, format.Why(c.of.Time.Why))
		return
	}
	_ = l.Fit(task, dim(" take "), took) || l.Fit(dim(c.brief), dim(" "), took)
	l = p.Row(r, 1)
	wait := c.of.WaitShare.V
	shares := p.Join(p.Percent(wait), " wait, ", p.Percent(c.of.DecodeShare.V), " decode")
	if n := min(r.W-draw.Width(shares)-1, 40); n >= 6 {
		w := min(max(int(wait*float64(n)+0.5), 0), n)
		p.Grid.Across(l.X, l.Y, w, p.Glyphs.Shade, themes.Prefill)
		p.Grid.Across(l.X+w, l.Y, n-w, p.Glyphs.Bars[2], themes.Decode)
		l.Skip(n + 1)
	}
	l.Write(themes.Dim, shares)
	l = p.Row(r, 2)
	half := func(name, text string) draw.Part {
		return draw.Part{Role: format.Either(name == c.of.Matters, themes.Strong, themes.Dim), Text: text}
	}
	ttft, tpot := p.Percent(c.of.Saves(c.of.HalfTTFT)), p.Percent(c.of.Saves(c.of.HalfTPOT))
	l.Fit(dim("half "), half("TTFT", "TTFT"), either(" saves ", ": "), half("TTFT", ttft),
		either(", half ", ", "), half("TPOT", "TPOT"), either(" saves ", " "), half("TPOT", tpot))
}

func (c *cost) rows() int { return format.Either(c.on, 3, 0) }

// briefly draws the calculator in one row. The rows above give the reason for an
// unknown result. Nothing follows a part that does not fit.
func (c *cost) briefly(p *draw.Canvas, r draw.Rect) {
	l := p.Row(r, 0)
	l.Skip(signCol)
	_ = c.known() && l.Whole(themes.Dim, c.brief) && l.Whole(themes.Dim, " take ") &&
		l.Whole(themes.Strong, c.time) && l.Whole(themes.Dim, c.most(p))
}
