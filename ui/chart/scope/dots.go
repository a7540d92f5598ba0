package scope

import (
	"slices"

	"tokscope/themes"
	"tokscope/ui/draw"
)

// layer orders what shares a cell: the highest layer has the cell alone, so
// that its dots and its color are its own.
type layer uint8

const (
	none      layer = iota
	earlier         // earlier runs
	reference       // the pinned run
	underWay        // the gap under way
	trace           // the chunks
	mark            // a sign or a text
)

// pixel is a cell of dots.
type pixel struct {
	glyph rune // a braille pattern; 0 without a dot
	ascii rune // replaces the shape of the dots in ASCII; 0: by their places
	layer layer
	role  themes.Role
}

// dots is a picture of braille: two columns and four rows of dots a cell.
// Rows count from the bottom.
type dots struct {
	w, h  int // cells
	cells []pixel
}

// reset makes the picture w by h cells, without a dot.
func (d *dots) reset(w, h int) {
	d.w, d.h = w, h
	d.cells = slices.Grow(d.cells[:0], w*h)[:w*h]
	clear(d.cells)
}

// at is the cell of a dot, nil outside the picture.
func (d *dots) at(x, y int) *pixel {
	if x < 0 || y < 0 || x >= 2*d.w || y >= 4*d.h {
		return nil
	}
	return &d.cells[(d.h-1-y/4)*d.w+x/2]
}

// set sets a dot unless a higher layer has its cell.
func (d *dots) set(x, y int, l layer, role themes.Role) *pixel {
	c := d.at(x, y)
	if c == nil || l < c.layer {
		return nil
	}
	if l > c.layer {
		*c = pixel{layer: l}
	}
	c.glyph, c.role = draw.Dot(c.glyph, x%2, 3-y%4), role
	return c
}

// free reports whether n cells from x of the row of cells y, counted from the
// top, hold nothing.
func (d *dots) free(x, y, n int) bool {
	if x < 0 || y < 0 || n < 0 || x+n > d.w || y >= d.h {
		return false
	}
	return !slices.ContainsFunc(d.cells[y*d.w+x:y*d.w+x+n], func(c pixel) bool { return c.layer > none })
}

// hold keeps n cells from x for a sign or a text.
func (d *dots) hold(x, y, n int) {
	for i := range n {
		d.cells[y*d.w+x+i] = pixel{layer: mark}
	}
}

// draw writes the dots into the grid. Blank cells are left alone.
func (d *dots) draw(p *draw.Canvas, at draw.Rect) {
	for i := range d.cells {
		c := &d.cells[i]
		if c.glyph == 0 {
			continue
		}
		glyph := c.glyph
		if p.Glyphs.ASCII {
			if glyph = c.ascii; glyph == 0 {
				glyph = asciiDots(c.glyph)
			}
		}
		p.Grid.Set(at.X+i%d.w, at.Y+i/d.w, glyph, c.role)
	}
}

// asciiDots is the ASCII character most like a braille pattern.
func asciiDots(glyph rune) rune {
	rows, first, last := 0, 3, 0
	for y := range 4 {
		if dot := draw.Dot(0, 0, y) | draw.Dot(0, 1, y); glyph&dot&0xff != 0 {
			rows++
			first, last = min(first, y), max(last, y)
		}
	}
	switch {
	case last-first >= 2:
		return '|'
	case rows == 2:
		return ':'
	case last == 0:
		return '\''
	case last == 3:
		return '.'
	}
	return '-'
}
