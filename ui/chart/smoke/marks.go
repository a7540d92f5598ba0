package smoke

import (
	"slices"

	"tokscope/metrics/history"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/say"
)

// Legend explains the signs that Draw has drawn of d, for the title of the chart's box.
func (c *Chart) Legend(p *draw.Canvas, d *Data) string {
	b := p.Scratch()
	add := func(drawn bool, word string, sign ...rune) {
		if drawn {
			b = append(append(append(b, format.If(len(b) > 0, "  ")...), word...), ' ')
			b = append(b, string(sign)...)
		}
	}
	add(c.shown[median], format.Either(c.most > 1, "median", "request"), median.sign(p.Glyphs))
	add(c.shown[half], "middle 50 %", half.sign(p.Glyphs))
	add(c.shown[whole], "all", whole.sign(p.Glyphs))
	add(slices.ContainsFunc(c.cols, func(x column) bool { return x.failed > 0 }), "failed", p.Glyphs.Fail)
	line := dash(p.Glyphs, 1)
	add(d.Baseline > 0, "baseline", line, line, line)
	_, at := c.place(d, d.At)
	add(at, "selected", cursor(p.Glyphs))
	return p.Keep(b)
}

// dash is the sign of the baseline in a row of dots, fewer than a measured line has. In
// ASCII the dots are those of a band.
func dash(gl *themes.Glyphs, row int) rune {
	if gl.ASCII {
		return gl.H
	}
	return draw.Dot(0, 0, 3-row%4)
}

// cursor is the sign of the chosen moment. In ASCII that of a stall is an exclamation mark.
func cursor(gl *themes.Glyphs) rune { return format.Either(gl.ASCII, gl.Up, gl.Stall) }

// guides draws the baseline and the lines of changes into free cells.
func (c *Chart) guides(p *draw.Canvas, d *Data) {
	post := p.Glyphs.Burst
	if p.Glyphs.ASCII { // its colon is that of a band
		post = p.Glyphs.V
	}
	for i := range d.Changes {
		x, ok := c.place(d, d.Changes[i].At)
		if !ok {
			continue
		}
		for y := range c.plot.H {
			if c.blank(x, y) {
				p.Grid.Set(c.plot.X+x, c.plot.Y+y, post, themes.Faint)
			}
		}
	}
	dot, off := c.y.Dot(d.Baseline)
	if off != 0 || d.Baseline == 0 {
		return
	}
	y := c.plot.H - 1 - dot/4
	for x := range c.plot.W {
		if c.blank(x, y) {
			p.Grid.Set(c.plot.X+x, c.plot.Y+y, dash(p.Glyphs, dot), themes.Aggregate)
		}
	}
}

// marks draws failures and changes above the plot.
func (c *Chart) marks(p *draw.Canvas, d *Data) {
	failures, changes := c.plot.Y-1, c.plot.Y-2
	if failures < c.area.Y {
		return
	}
	for x := range c.cols {
		if c.cols[x].failed > 0 {
			p.Grid.Set(c.plot.X+x/2, failures, p.Glyphs.Fail, themes.Bad)
		}
	}
	if changes < c.area.Y {
		return
	}
	for i := range d.Changes {
		if x, ok := c.signed(d, &d.Changes[i]); ok {
			p.Grid.Set(c.plot.X+x, changes, p.Glyphs.Change, changeRole(&d.Changes[i]))
		}
	}
	blank := func(from, to int) bool { // reports whether the row is so
		for x := from; x < to; x++ {
			if text, _ := p.Grid.At(c.plot.X+x, changes); text != " " {
				return false
			}
		}
		return true
	}
	for i := len(d.Changes) - 1; i >= 0; i-- { // the newest has the first claim to words
		g := &d.Changes[i]
		x, ok := c.signed(d, g)
		moment := say.HistoryMoment(g.At, d.To)
		other := format.If(g.Figure != d.Figure, g.Figure.Label()+" ")
		for _, text := range [...]string{p.Join(moment, ", ", other, format.TimesRange(g.Ratio, g.Low, g.High)), moment} {
			text = p.Chrome(text)
			n := draw.Width(text)
			for _, from := range [...]int{x + 2, x - 1 - n} {
				if ok && from >= 0 && from+n <= c.plot.W && blank(max(from-1, 0), min(from+n+1, c.plot.W)) {
					p.Grid.Text(c.plot.X+from, changes, text, changeRole(g), n)
					ok = false
				}
			}
		}
	}
}

// changeRole is the color of a change for the worse, or the better.
func changeRole(g *history.Change) themes.Role {
	return format.Either((g.Ratio > 1) == g.Figure.Timed(), themes.Warn, themes.Good)
}
