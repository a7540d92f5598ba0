package smoke

import (
	"slices"

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
	add(d.baseline() > 0, "baseline", line, line, line)
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
	dot, off := c.y.Dot(d.baseline())
	if off != 0 || d.baseline() == 0 {
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
	// The newest change has the first claim to words, but every sign is drawn.
	end := c.plot.W
	signs := c.signs[:0]
	for i := range d.Changes {
		if x, ok := c.signed(d, &d.Changes[i]); ok {
			signs = append(signs, x)
		}
	}
	c.signs = signs
	for i := len(d.Changes) - 1; i >= 0; i-- {
		g := &d.Changes[i]
		x, ok := c.signed(d, g)
		if !ok {
			continue
		}
		worse := (g.Ratio > 1) == g.Figure.Timed()
		role := format.Either(worse, themes.Warn, themes.Good)
		other := format.If(g.Figure != d.Figure, g.Figure.Label()+" ")
		text := p.Join(say.HistoryMoment(g.At, d.To), ", ", other, say.HistoryTimes(g))
		short := say.HistoryMoment(g.At, d.To)
		left := false
		for _, t := range [...]string{text, short} {
			t = p.Chrome(t)
			n := draw.Width(t)
			if x+2+n <= end {
				p.Grid.Text(c.plot.X+x+2, changes, t, role, n)
				break
			}
			// at the right edge its words stand before it
			if from := x - n - 1; end == c.plot.W && from >= 0 &&
				!slices.ContainsFunc(signs, func(s int) bool { return s >= from-1 && s < x }) {
				p.Grid.Text(c.plot.X+x-n-1, changes, t, role, n)
				end, left = x-n-2, true
				break
			}
		}
		p.Grid.Set(c.plot.X+x, changes, p.Glyphs.Change, role)
		if !left {
			end = x - 1
		}
	}
}
