package lens

import (
	"tokscope/metrics/slo"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/say"
)

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

// known reports whether there is a result.
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

// rows is the number of rows of the calculator.
func (c *cost) rows() int { return format.Either(c.on, 3, 0) }

// briefly draws the calculator in one row. The rows above give the reason for an
// unknown result. Nothing follows a part that does not fit.
func (c *cost) briefly(p *draw.Canvas, r draw.Rect) {
	l := p.Row(r, 0)
	l.Skip(signCol)
	_ = c.known() && l.Whole(themes.Dim, c.brief) && l.Whole(themes.Dim, " take ") &&
		l.Whole(themes.Strong, c.time) && l.Whole(themes.Dim, c.most(p))
}
