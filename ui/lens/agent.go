package lens

import (
	"tokscope/metrics/slo"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/say"
)

// cost is the result of the calculator in words.
type cost struct {
	on     bool // the lens has a calculator
	known  bool
	why    string // why the result is unknown
	task   string // "20 steps of 300 tokens"
	brief  string // "20×300"
	time   string
	wait   float64 // share
	shares string  // "11 % wait, 89 % decode"
	most   string  // ", 89 % decode": the larger of the two
	line   string  // all of it in one line
	halves [2]half
	best   int // best of halves, -1 when they save the same
}

// half is what half the size of a figure would save.
type half struct{ name, saves string }

// costOf puts a calculation into words. They begin with lead, which names the
// source of the figures.
func (p *Panel) costOf(c slo.AgentCost, estimate bool, lead string) cost {
	out := cost{on: true, known: c.Time.OK, why: p.text(format.Why(c.Time.Why)), best: -1,
		task:  p.text(lead + say.AgentTask(c.Task)),
		brief: p.text(lead + format.Count(c.Task.Steps) + "×" + format.Count(c.Task.Tokens))}
	if !c.Time.OK {
		return out
	}
	out.time = p.text(about(estimate) + say.LensFigure(slo.LensStep, c.Time.V))
	out.wait = c.WaitShare.V
	out.shares = format.Percent(c.WaitShare.V) + " wait, " + format.Percent(c.DecodeShare.V) + " decode"
	if out.most = ", " + format.Percent(c.WaitShare.V) + " wait"; c.DecodeShare.V >= c.WaitShare.V {
		out.most = ", " + format.Percent(c.DecodeShare.V) + " decode"
	}
	out.line = out.task + " take " + out.time + out.most
	out.halves = [2]half{{"TTFT", format.Percent(c.Saves(c.HalfTTFT))}, {"TPOT", format.Percent(c.Saves(c.HalfTPOT))}}
	for i, name := range [2]string{"TTFT", "TPOT"} {
		if c.Matters == name {
			out.best = i
		}
	}
	return out
}

// draw draws the calculator: the task's duration, its parts, and what would
// shorten it.
func (c *cost) draw(p *draw.Canvas, r draw.Rect) {
	l := p.Row(r, 0)
	either := func(text, brief string) draw.Part { return draw.Part{Role: themes.Dim, Text: text, Brief: brief} }
	dim := func(text string) draw.Part { return either(text, "") }
	task, took := either(c.task, c.brief), draw.Part{Role: themes.Figure, Text: c.time}
	if !c.known {
		l.Fit(task)
		l = p.Row(r, 1)
		l.Raw(themes.Dim, c.why)
		return
	}
	_ = l.Fit(task, dim(" take "), took) || l.Fit(dim(c.brief), dim(" "), took)
	l = p.Row(r, 1)
	if n := min(r.W-draw.Width(c.shares)-1, 40); n >= 6 {
		w := min(max(int(c.wait*float64(n)+0.5), 0), n)
		p.Grid.Fill(draw.Rect{X: l.X, Y: l.Y, W: w, H: 1}, p.Glyphs.Shade, themes.Prefill)
		p.Grid.Fill(draw.Rect{X: l.X + w, Y: l.Y, W: n - w, H: 1}, p.Glyphs.Bars[2], themes.Decode)
		l.Skip(n + 1)
	}
	l.Write(themes.Dim, c.shares)
	l = p.Row(r, 2)
	figure := func(half int, text string) draw.Part {
		return draw.Part{Role: format.Either(half == c.best, themes.Strong, themes.Dim), Text: text}
	}
	ttft, tpot := c.halves[0], c.halves[1]
	l.Fit(dim("half "), figure(0, ttft.name), either(" saves ", ": "), figure(0, ttft.saves),
		either(", half ", ", "), figure(1, tpot.name), either(" saves ", " "), figure(1, tpot.saves))
}

// rows is the number of rows of the calculator.
func (c *cost) rows() int {
	if c.on {
		return 3
	}
	return 0
}

// briefly draws the calculator in one row. The rows above give the reason for an
// unknown result. Nothing follows a part that does not fit.
func (c *cost) briefly(p *draw.Canvas, r draw.Rect) {
	l := p.Row(r, 0)
	l.Skip(signCol)
	_ = c.known && l.Whole(themes.Dim, c.brief) && l.Whole(themes.Dim, " take ") &&
		l.Whole(themes.Strong, c.time) && l.Whole(themes.Dim, c.most)
}
