package chart

import (
	"tokscope/themes"
	"tokscope/ui/draw"
)

// Least size of a chart: below it there is no plot between the axes.
const (
	LeastW = 16
	LeastH = 5
)

// Chart keeps a picture until what it shows changes. The zero value is ready.
// It belongs to one goroutine.
type Chart struct {
	w, h    int
	version uint64
	gl      *themes.Glyphs
	drawn   bool
	cells   []mark
	p       Plot
	d       drawing
}

// mark is a cell of the kept picture; 0 is blank.
type mark struct {
	r  rune
	st themes.Role
}

// Draw copies the picture into r. plot is asked for what to draw only when
// version, size or glyphs differ from those of the last call: it gets the plot
// of the last picture, with its axes, and without lines, rules and notes. Draw
// reports whether it drew anew. A rectangle below LeastW by LeastH stays as it
// is.
func (c *Chart) Draw(g *draw.Grid, r draw.Rect, gl *themes.Glyphs, version uint64, plot func(*Plot)) (fresh bool) {
	if r.W < LeastW || r.H < LeastH {
		return false
	}
	if !c.drawn || c.w != r.W || c.h != r.H || c.version != version || c.gl != gl {
		c.w, c.h, c.version, c.gl, c.drawn, fresh = r.W, r.H, version, gl, true, true
		c.p.begin()
		plot(&c.p)
		c.cells = c.d.picture(c.cells[:0], r.W, r.H, gl, &c.p)
	}
	for i, m := range c.cells {
		if m.r != 0 {
			g.Set(r.X+i%c.w, r.Y+i/c.w, m.r, m.st)
		}
	}
	return fresh
}
