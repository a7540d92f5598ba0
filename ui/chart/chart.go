package chart

import (
	"tokscope/themes"
	"tokscope/ui/draw"
)

// The minimum size of a chart. A smaller one has no plot between its axes.
const (
	LeastW = 16
	LeastH = 5
)

const footRows = 2 // of the X axis and its labels

// Chart caches a picture until its data changes. The zero value is ready. It
// is not safe for concurrent use.
type Chart struct {
	w, h    int
	version uint64
	gl      *themes.Glyphs
	drawn   bool
	cells   []mark
	p       Plot
	d       drawing
}

// mark is a cell of the cached picture; 0 is blank.
type mark struct {
	r  rune
	st themes.Role
}

// Draw copies the picture into r. It calls plot only if version, size or
// glyphs differ from the last call. plot gets the last Plot, with its axes,
// and without lines, rules and notes; Linear and Span fit its vertical axes to
// the rows. Draw reports whether it drew a new picture. A rectangle below
// LeastW by LeastH stays unchanged.
func (c *Chart) Draw(g *draw.Grid, r draw.Rect, gl *themes.Glyphs, version uint64, plot func(*Plot)) (fresh bool) {
	if r.W < LeastW || r.H < LeastH {
		return false
	}
	if !c.drawn || c.w != r.W || c.h != r.H || c.version != version || c.gl != gl {
		c.w, c.h, c.version, c.gl, c.drawn, fresh = r.W, r.H, version, gl, true, true
		c.p.Lines, c.p.Rules, c.p.Notes = c.p.Lines[:0], c.p.Rules[:0], c.p.Notes[:0]
		c.p.Left.rows, c.p.Right.rows = r.H-footRows, r.H-footRows
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

// Inside returns the part of r between the axes of the last picture that Draw
// copied there; empty before any.
func (c *Chart) Inside(r draw.Rect) draw.Rect {
	if !c.drawn || r.W < LeastW || r.H < LeastH {
		return draw.Rect{}
	}
	return draw.Rect{X: r.X + c.d.x0, Y: r.Y, W: c.d.w, H: c.d.h}
}
