package explain

import (
	"tokscope/themes"
	"tokscope/ui/cell"
)

// dots is a canvas of braille: two columns and four rows of dots a cell, each
// cell in one colour. With the ASCII glyphs a cell that holds any dot is a
// full stop.
type dots struct {
	w, h int // cells
	bits []uint8
	role []themes.Role
}

// reset makes it w by h cells and blank.
func (d *dots) reset(w, h int) {
	d.w, d.h = max(w, 0), max(h, 0)
	n := d.w * d.h
	if cap(d.bits) < n {
		d.bits, d.role = make([]uint8, n), make([]themes.Role, n)
	}
	d.bits, d.role = d.bits[:n], d.role[:n]
	clear(d.bits)
}

// bit of a dot within its cell, by row and column.
var bit = [4][2]uint8{{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}

// set draws the dot x, y, from the upper left.
func (d *dots) set(x, y int, role themes.Role) {
	if x < 0 || y < 0 || x >= 2*d.w || y >= 4*d.h {
		return
	}
	i := y/4*d.w + x/2
	d.bits[i] |= bit[y%4][x%2]
	d.role[i] = role
}

// line draws from x0, y0 to x1, y1.
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
func (d *dots) draw(p *pen, r cell.Rect) {
	for i, b := range d.bits {
		if b == 0 {
			continue
		}
		glyph := rune(0x2800 + int(b))
		if p.Glyphs.ASCII {
			glyph = p.Glyphs.Bullet
		}
		p.Grid.Set(r.X+i%d.w, r.Y+i/d.w, glyph, d.role[i])
	}
}
