package explain

import (
	"tokscope/themes"
	"tokscope/ui/draw"
)

// dots is a canvas of braille: two columns and four rows of dots in a cell,
// each cell in one color. With the ASCII glyphs a cell with a dot is a full
// stop.
type dots struct {
	w, h  int    // cells
	glyph []rune // 0: blank
	role  []themes.Role
}

// reset makes the canvas w by h cells and blank.
func (d *dots) reset(w, h int) {
	d.w, d.h = max(w, 0), max(h, 0)
	n := d.w * d.h
	if cap(d.glyph) < n {
		d.glyph, d.role = make([]rune, n), make([]themes.Role, n)
	}
	d.glyph, d.role = d.glyph[:n], d.role[:n]
	clear(d.glyph)
}

// set draws the dot x, y, counted from the upper left.
func (d *dots) set(x, y int, role themes.Role) {
	if x < 0 || y < 0 || x >= 2*d.w || y >= 4*d.h {
		return
	}
	i := y/4*d.w + x/2
	d.glyph[i], d.role[i] = draw.Dot(d.glyph[i], x%2, y%4), role
}

// line draws a line from x0, y0 to x1, y1.
func (d *dots) line(x0, y0, x1, y1 int, role themes.Role) {
	dx, dy := x1-x0, y1-y0
	n := max(dx, -dx, dy, -dy)
	if n > 4*(d.w+d.h)*4 {
		return
	}
	for i := range n + 1 {
		k := max(n, 1)
		d.set(x0+(dx*i+k/2)/k, y0+(dy*i+k/2)/k, role)
	}
}

// draw writes the canvas to the grid at x, y; blank cells are left alone.
func (d *dots) draw(p *canvas, r draw.Rect) {
	for i, glyph := range d.glyph {
		if glyph == 0 {
			continue
		}
		if p.Glyphs.ASCII {
			glyph = p.Glyphs.Bullet
		}
		p.Grid.Set(r.X+i%d.w, r.Y+i/d.w, glyph, d.role[i])
	}
}
