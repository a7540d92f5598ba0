package smoke

import (
	"slices"

	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/say"
)

// Legend explains the signs, for the title of the chart's box. baseline
// reports that there is one.
func Legend(p *draw.Canvas, baseline bool) string {
	b := p.Scratch()
	add := func(word string, r rune) {
		if len(b) > 0 {
			b = append(b, "  "...)
		}
		b = append(append(b, word...), ' ')
		b = append(b, string(r)...)
	}
	add("median", median.sign(p.Glyphs))
	add("middle 50 %", half.sign(p.Glyphs))
	add("all", whole.sign(p.Glyphs))
	add("failed", p.Glyphs.Fail)
	if baseline {
		add("baseline", dash(p.Glyphs))
	}
	return p.Keep(b)
}

// dash is the sign of the baseline. In ASCII the dots are those of a band.
func dash(gl *themes.Glyphs) rune {
	if gl.ASCII {
		return gl.H
	}
	return gl.LineDash
}

// guides draws the baseline and the lines of changes into free cells.
func (c *Chart) guides(p *draw.Canvas, d *Data) {
	post := p.Glyphs.Burst
	if p.Glyphs.ASCII { // its colon is that of a band
		post = p.Glyphs.V
	}
	for i := range d.Changes {
		x, ok := c.place(d, d.Changes[i].At)
		if !ok || d.Changes[i].Figure != d.Figure {
			continue
		}
		for y := range c.plot.H {
			if c.blank(x, y) {
				p.Grid.Set(c.plot.X+x, c.plot.Y+y, post, themes.Faint)
			}
		}
	}
	q := d.baseline()
	if q.N == 0 {
		return
	}
	y, off := c.y.Row(q.P50)
	if off != 0 {
		return
	}
	for x := range c.plot.W {
		if c.blank(x, y) {
			p.Grid.Set(c.plot.X+x, c.plot.Y+y, dash(p.Glyphs), themes.Aggregate)
		}
	}
	text := p.Join(" baseline ", p.Keep(format.AppendFigure(p.Scratch(), d.Figure, q.P50)), " ")
	n := draw.Width(text)
	for _, x := range [...]int{c.plot.W - n - 1, 1} {
		if n+8 <= c.plot.W && c.free(x, y, n) {
			p.Grid.Text(c.plot.X+x, c.plot.Y+y, p.Chrome(text), themes.Aggregate, n)
			return
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
		text := p.Join(say.HistoryMoment(g.At, d.To), ", ", say.HistoryTimes(g))
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
