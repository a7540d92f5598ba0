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
func (c *cost) draw(g *draw.Grid, r draw.Rect, gl *themes.Glyphs) {
	task := c.task
	if draw.Width(task)+draw.Width(" take ")+draw.Width(c.time) > r.W { // half a figure is a wrong figure
		task = c.brief
	}
	x := r.X + g.Text(r.X, r.Y, task, themes.Dim, r.W)
	if !c.known {
		g.Cut(r.X, r.Y+1, c.why, gl, themes.Dim, r.W)
		return
	}
	verb := " take "
	if x+draw.Width(verb)+draw.Width(c.time) > r.Right() {
		verb = " "
	}
	x += g.Text(x, r.Y, verb, themes.Dim, r.Right()-x)
	g.Text(x, r.Y, c.time, themes.Figure, r.Right()-x)

	n := r.W - draw.Width(c.shares) - 1
	if n >= 6 {
		n = min(n, 40)
		w := min(max(int(c.wait*float64(n)+0.5), 0), n)
		for i := range n {
			if i < w {
				g.Set(r.X+i, r.Y+1, gl.Shade, themes.Prefill)
			} else {
				g.Set(r.X+i, r.Y+1, gl.Bars[2], themes.Decode)
			}
		}
		x = r.X + n + 1
	} else {
		x = r.X
	}
	g.Text(x, r.Y+1, c.shares, themes.Dim, r.Right()-x)

	for _, words := range savesWords {
		n := draw.Width(words[0]) + draw.Width(words[1]) + draw.Width(words[2]) + draw.Width(words[3])
		for _, h := range c.halves {
			n += draw.Width(h.name) + draw.Width(h.saves)
		}
		if n > r.W {
			continue
		}
		x = r.X
		for i, h := range c.halves {
			role := themes.Dim
			if i == c.best {
				role = themes.Strong
			}
			x += g.Text(x, r.Y+2, words[2*i], themes.Dim, r.Right()-x)
			x += g.Text(x, r.Y+2, h.name, role, r.Right()-x)
			x += g.Text(x, r.Y+2, words[2*i+1], themes.Dim, r.Right()-x)
			x += g.Text(x, r.Y+2, h.saves, role, r.Right()-x)
		}
		return
	}
}

// savesWords are the words around the figures of the last row, from long to
// short.
var savesWords = [...][4]string{
	{"half the ", " saves ", ", half the ", " saves "},
	{"half the ", " saves ", ", the ", " "},
	{"half ", " saves ", ", ", " "},
	{"half ", ": ", ", ", ": "},
}

// rows is the number of rows of the calculator.
func (c *cost) rows() int {
	if c.on {
		return 3
	}
	return 0
}

// briefly draws the calculator in one row.
func (c *cost) briefly(g *draw.Grid, r draw.Rect) {
	if !c.known {
		return // the rows above give the reason
	}
	x := r.X + signCol
	write := func(s string, st themes.Role) {
		if n := draw.Width(s); x+n <= r.Right() {
			x += g.Text(x, r.Y, s, st, n)
		} else {
			x = r.Right() // nothing follows a part that does not fit
		}
	}
	write(c.brief, themes.Dim)
	write(" take ", themes.Dim)
	write(c.time, themes.Strong)
	write(c.most, themes.Dim)
}
