package chart

import (
	"math"

	"github.com/NimbleMarkets/ntcharts/v2/canvas"
	"github.com/NimbleMarkets/ntcharts/v2/canvas/graph"
	"github.com/NimbleMarkets/ntcharts/v2/canvas/runes"

	"tokscope/metrics/pick"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
)

// drawing is the picture being built. Its coordinates are columns and rows of
// the plot, row 0 at the top. It is reused for the next picture, because the
// canvas of ntcharts is large.
type drawing struct {
	p    *Plot
	gl   *themes.Glyphs
	axes canvas.Model // with their labels; blank between two pictures
	x0   int          // canvas column of plot column 0
	w, h int          // of the plot
	plot []mark       // between the axes, row by row; 0 is free
}

// picture draws p into w by h cells and appends them to dst. w and h are at
// least LeastW and LeastH.
func (d *drawing) picture(dst []mark, w, h int, gl *themes.Glyphs, p *Plot) []mark {
	left := labelsWidth(&p.Left) + 1
	right := format.Either(len(p.Right.Ticks) > 0, labelsWidth(&p.Right)+1, 0)
	if w-left-right < 8 {
		right = 0
	}
	d.p, d.gl, d.x0, d.w, d.h = p, gl, left, w-left-right, h-footRows
	d.build(w, h)
	d.lines()
	d.points()
	d.rules() // their labels keep clear of the points
	d.notes()
	for y := range h {
		for x := range w {
			if y < d.h && x >= d.x0 && x < d.x0+d.w {
				dst = append(dst, d.plot[y*d.w+x-d.x0])
				continue
			}
			role := themes.Axis
			switch {
			case y <= d.h && x < d.x0-1:
				role = p.LeftRole
			case y <= d.h && x > d.x0+d.w:
				role = p.RightRole
			}
			at := canvas.Point{X: x, Y: y}
			dst = append(dst, mark{d.glyph(d.axes.Cell(at).Rune), role})
			d.axes.SetCell(at, canvas.Cell{})
		}
	}
	return dst
}

func labelsWidth(a *Axis) int {
	w := 0
	for _, t := range a.Ticks {
		w = max(w, len(t.Label))
	}
	return w
}

// glyph maps a rune of ntcharts to the glyph set.
func (d *drawing) glyph(r rune) rune {
	switch r {
	case runes.LineVertical:
		return d.gl.AxisV
	case '-': // of a label, which is ASCII
		if !d.gl.ASCII {
			return '−'
		}
	}
	return r
}

// build draws the axes with their labels on w by h cells, and frees the plot.
func (d *drawing) build(w, h int) {
	if d.axes.Width() != w || d.axes.Height() != h {
		d.axes = canvas.New(w, h)
	}
	d.plot = append(d.plot[:0], make([]mark, d.w*d.h)...)
	d.vertical(&d.p.Left, d.x0-1, format.Either(d.gl.ASCII, d.gl.BL, runes.LineUpRight), d.gl.AxisTick,
		func(label string) int { return -len(label) })
	if right := d.x0 + d.w; right < w {
		d.vertical(&d.p.Right, right, format.Either(d.gl.ASCII, d.gl.BR, runes.LineUpLeft), d.gl.TeeL,
			func(string) int { return 1 })
	}
	d.horizontal()
}

// vertical draws the axis in column x down to its corner, with ticks and labels, which
// begin off columns beside it. It drops those that would share or touch a row.
func (d *drawing) vertical(a *Axis, x int, corner, tick rune, off func(label string) int) {
	graph.DrawVerticalLineUp(&d.axes, canvas.Point{X: x, Y: d.h - 1}, d.axes.Style)
	d.axes.SetRune(canvas.Point{X: x, Y: d.h}, corner)
	every := 1
	for len(a.Ticks) > 1 && (len(a.Ticks)-1)/every*2 > d.h && every < len(a.Ticks)-1 {
		every++
	}
	last := -2
	for i, t := range a.Ticks {
		f, ok := a.At(t.At)
		if !ok || i%every != 0 && i != len(a.Ticks)-1 {
			continue
		}
		row := format.Either(f > 0, d.h-d.row(f), 0) // above the X axis
		if row-last < 2 && last >= 0 {
			continue
		}
		last = row
		d.axes.SetString(canvas.Point{X: x + off(t.Label), Y: d.h - row}, t.Label)
		if row > 0 {
			d.axes.SetRune(canvas.Point{X: x, Y: d.h - row}, tick)
		}
	}
}

// horizontal draws the X axis with its labels, and the ticks of a logarithmic one.
// It drops labels that would touch; the last one has its place before all others.
func (d *drawing) horizontal() {
	for x := range d.w {
		d.axes.SetRune(canvas.Point{X: d.x0 + x, Y: d.h}, d.gl.H)
	}
	place := func(t *Tick) (column, label int, ok bool) { // the label's column is that of the canvas
		f, ok := d.p.X.At(t.At)
		column, last := d.x0+d.column(f), d.axes.Width()-len(t.Label)
		return column, min(max(column-(len(t.Label)-1)/2, d.x0-1), last), ok && last >= d.x0-1
	}
	end := d.axes.Width() + 1 // of the room before the last label
	if n := len(d.p.X.Ticks) - 1; n >= 0 {
		if _, at, ok := place(&d.p.X.Ticks[n]); ok {
			end = at
		}
	}
	free := 0
	for i, t := range pick.All(d.p.X.Ticks) {
		column, at, ok := place(t)
		if !ok {
			continue
		}
		if d.p.X.Log {
			d.axes.SetRune(canvas.Point{X: column, Y: d.h}, d.gl.TeeT)
		}
		if last := i == len(d.p.X.Ticks)-1; at >= free && (last || at+len(t.Label) < end) {
			d.axes.SetString(canvas.Point{X: at, Y: d.h + 1}, t.Label)
			free = at + len(t.Label) + 1
		}
	}
}

func (d *drawing) column(f float64) int { return int(math.Round(f*float64(2*d.w-1))) / 2 }

// row returns the row whose middle is nearest to f. 0 is the X axis, one row
// below the plot, and 1 the middle of the top row, so that ticks have equal
// distances. A value on the axis is drawn in the lowest row.
func (d *drawing) row(f float64) int {
	return d.h - min(max(int(math.Round(f*float64(d.h))), 1), d.h)
}

// level returns the upper of the two dots that draw a line at f, counted from
// the bottom of the plot. It uses the scale of row, with four dots per row.
func (d *drawing) level(f float64) int {
	return min(max(int(math.Round(4*f*float64(d.h)))-2, 1), 4*d.h-1)
}

func (d *drawing) at(x, y float64, right bool) (fx, fy float64, ok bool) {
	fx, okX := d.p.X.At(x)
	fy, okY := d.p.axis(right).At(y)
	return fx, fy, okX && okY
}

func (d *drawing) setRune(col, row int, r rune, st themes.Role) {
	if col >= 0 && col < d.w && row >= 0 && row < d.h {
		d.plot[row*d.w+col] = mark{r, st}
	}
}

func (d *drawing) free(col, row int) bool {
	return col >= 0 && col < d.w && row >= 0 && row < d.h && d.plot[row*d.w+col].r == 0
}

// lines draws the polylines with braille dots, or with letters in ASCII.
func (d *drawing) lines() {
	for _, l := range pick.All(d.p.Lines) {
		if l.Loose {
			continue
		}
		var before canvas.Point // in dots, 2 by 4 per cell
		joined, run := false, 0 // run: dots of the dashed pieces that follow each other
		for _, q := range l.Points {
			fx, fy, ok := d.at(q.X, q.Y, l.Right)
			if !ok {
				joined = false
				continue
			}
			to := canvas.Point{X: int(math.Round(fx * float64(2*d.w-1))), Y: 4*d.h - 1 - d.level(fy)}
			if q.Mark != 0 { // both dots are in its row
				to.Y = min(max(to.Y, 4*d.row(fy)), 4*d.row(fy)+2)
			}
			if !joined || !q.Dashed {
				run = 0
			}
			if joined {
				run += d.segment(before, to, l, q.Dashed, run)
			}
			before, joined = to, true
		}
	}
}

// segment draws a piece of a line from dot to dot. Each step along its longer
// side is one dot, two high, so steep and flat lines look equally strong.
// (ntcharts does the same with a grid and a list of points per line, with
// hundreds of allocations.) A dashed piece leaves out every other dashDots of
// them, or every other letter; run dots of its line were dashed before it. It
// returns the number of its own.
func (d *drawing) segment(from, to canvas.Point, l *Line, dashed bool, run int) int {
	role, letter := l.Role, d.gl.Bullet
	if l.Right { // distinguishable from lines of the left axis without color
		letter = '~'
	}
	n := max(to.X-from.X, from.X-to.X, to.Y-from.Y, from.Y-to.Y, 1)
	for i := range n + 1 {
		x := from.X + int(math.Round(float64((to.X-from.X)*i)/float64(n)))
		y := from.Y + int(math.Round(float64((to.Y-from.Y)*i)/float64(n)))
		if dashed && !d.gl.ASCII && (run+i)/dashDots%2 == 1 {
			continue
		}
		if d.gl.ASCII {
			cell := x / 2
			if steep := max(to.Y-from.Y, from.Y-to.Y) > 2*(to.X-from.X); steep {
				cell = y / 4
			}
			if d.free(x/2, y/4) && !(dashed && cell%2 == 1) {
				d.setRune(x/2, y/4, letter, role)
			}
			continue
		}
		d.dot(x, y, role)
		d.dot(x, y+1, role)
	}
	return n
}

// dashDots is the length of a dash, and of the gap after it, in dots.
const dashDots = 4

func (d *drawing) dot(x, y int, role themes.Role) {
	if x < 0 || y < 0 || x >= 2*d.w || y >= 4*d.h {
		return
	}
	m := &d.plot[y/4*d.w+x/2]
	m.r, m.st = draw.Dot(m.r, x%2, y%4), role
}
