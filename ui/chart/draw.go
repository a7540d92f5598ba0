package chart

import (
	"math"

	"github.com/NimbleMarkets/ntcharts/v2/canvas"
	"github.com/NimbleMarkets/ntcharts/v2/canvas/runes"
	"github.com/NimbleMarkets/ntcharts/v2/linechart"

	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
)

// drawing is the picture being built. Its coordinates are columns and rows of
// the plot, row 0 at the top. It is reused for the next picture, because the
// canvas of ntcharts is large.
type drawing struct {
	p     *Plot
	gl    *themes.Glyphs
	m     *linechart.Model // nil before the first picture
	x0    int              // canvas column of plot column 0
	w, h  int              // of the plot
	plot  []mark           // between the axes, row by row; 0 is free
	side  []mark           // the right axis, row by row
	left  []string         // labels of an axis by row from below
	under []string         // labels of the X axis by column
	spare string           // text of rows without a label of the left axis
}

// picture draws p into w by h cells and appends them to dst. w and h are at
// least LeastW and LeastH.
func (d *drawing) picture(dst []mark, w, h int, gl *themes.Glyphs, p *Plot) []mark {
	side := 0
	if len(p.Right.Ticks) > 0 {
		side = labelsWidth(&p.Right) + 1
	}
	if w-side-labelsWidth(&p.Left)-1 < 8 {
		side = 0
	}
	d.p, d.gl, d.h = p, gl, h-2
	d.build(w-side, h)
	d.lines()
	d.points()
	d.rules() // their labels keep clear of the points
	d.notes()
	if side > 0 {
		d.rightAxis(side, h)
	}
	for y := range h {
		for x := range w - side {
			if y < d.h && x >= d.x0 {
				dst = append(dst, d.plot[y*d.w:(y+1)*d.w]...)
				break
			}
			role := themes.Axis
			if x < d.x0-1 && y <= d.h {
				role = p.LeftRole
			}
			dst = append(dst, mark{d.glyph(d.m.Canvas.Cell(canvas.Point{X: x, Y: y}).Rune), role})
		}
		dst = append(dst, d.side[y*side:(y+1)*side]...)
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
	case runes.LineHorizontal:
		return d.gl.H
	case runes.LineUpRight:
		if d.gl.ASCII {
			return d.gl.BL
		}
	case '-': // of a label, which is ASCII
		if !d.gl.ASCII {
			return '−'
		}
	}
	return r
}

// build creates the line chart with its axes and labels over the unit square.
// Every value is mapped into that square before ntcharts sees it.
func (d *drawing) build(w, h int) {
	left := d.rowLabels(&d.p.Left)
	width := labelsWidth(&d.p.Left)
	const blanks = "                "
	d.x0, d.w = width+1, w-width-1
	d.columnLabels(w)
	d.spare = blanks[:min(width, len(blanks))]
	if d.m == nil || d.m.Width() != w || d.m.Height() != h {
		m := linechart.New(w, h, 0, 1, 0, 1, linechart.WithXYSteps(1, 1),
			linechart.WithYLabelFormatter(d.beside), linechart.WithXLabelFormatter(d.below))
		d.m = &m
	} else {
		for y := range h {
			for x := range w {
				if y < d.h && x >= d.x0 {
					break // the plot does not use it
				}
				d.m.Canvas.SetCell(canvas.Point{X: x, Y: y}, canvas.Cell{})
			}
		}
		d.m.UpdateGraphSizes()
	}
	d.m.DrawXYAxisAndLabel()
	for i, s := range left {
		if s != "" && i > 0 {
			d.m.Canvas.SetCell(canvas.Point{X: d.x0 - 1, Y: d.h - i}, canvas.NewCell(d.gl.AxisTick))
		}
	}
	for _, t := range d.p.X.Ticks {
		if f, ok := d.p.X.At(t.At); ok && d.p.X.Log {
			d.m.Canvas.SetCell(canvas.Point{X: d.x0 + d.column(f), Y: d.h}, canvas.NewCell(d.gl.TeeT))
		}
	}
	d.plot = append(d.plot[:0], make([]mark, d.w*d.h)...)
}

// beside and below return the labels of the left axis by row from below, and
// of the X axis by column, as ntcharts requests them. ntcharts measures the
// result of beside. The longest label is therefore as wide as the space for
// all, also where no tick fits.
func (d *drawing) beside(i int, _ float64) string {
	if s := d.left[min(max(i, 0), len(d.left)-1)]; s != "" {
		return s
	}
	return d.spare
}

func (d *drawing) below(i int, _ float64) string { return d.under[min(max(i, 0), len(d.under)-1)] }

// rowLabels returns the labels of a vertical axis by their distance from the
// X axis in rows, 0 to d.h. It drops ticks that would share or touch a row.
// The result is valid until the next call.
func (d *drawing) rowLabels(a *Axis) []string {
	d.left = append(d.left[:0], make([]string, d.h+1)...)
	out := d.left
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
		row := 0
		if f > 0 {
			row = d.h - d.row(f)
		}
		if row-last >= 2 || last < 0 {
			out[row], last = t.Label, row
		}
	}
	return out
}

// columnLabels sets the labels of the X axis of a canvas of w columns, by
// their first column, counted from the vertical axis. It drops labels that
// would touch.
func (d *drawing) columnLabels(w int) {
	d.under = append(d.under[:0], make([]string, w)...)
	out := d.under
	free := 0
	for _, t := range d.p.X.Ticks {
		f, ok := d.p.X.At(t.At)
		if !ok {
			continue
		}
		at := min(max(d.column(f)+1-(len(t.Label)-1)/2, 0), d.w-len(t.Label))
		if at >= free && at >= 0 {
			out[at], free = t.Label, at+len(t.Label)+1
		}
	}
}

// column returns the column of a line's dot.
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
	for i := range d.p.Lines {
		l := &d.p.Lines[i]
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

// dot sets one dot of the plot.
func (d *drawing) dot(x, y int, role themes.Role) {
	if x < 0 || y < 0 || x >= 2*d.w || y >= 4*d.h {
		return
	}
	m := &d.plot[y/4*d.w+x/2]
	m.r, m.st = draw.Dot(m.r, x%2, y%4), role
}

// rightAxis draws the second axis, w columns wide, beside the canvas, because
// ntcharts has only one.
func (d *drawing) rightAxis(w, h int) {
	d.side = append(d.side[:0], make([]mark, w*h)...)
	for y := range d.h {
		d.side[y*w] = mark{d.gl.AxisV, themes.Axis}
	}
	d.side[d.h*w] = mark{format.Either(d.gl.ASCII, d.gl.BR, '┘'), themes.Axis}
	for i, s := range d.rowLabels(&d.p.Right) {
		if s == "" {
			continue
		}
		row := d.side[(d.h-i)*w : (d.h-i+1)*w]
		if i > 0 {
			row[0] = mark{d.gl.TeeL, themes.Axis}
		}
		for x := range min(len(s), w-1) { // labels are figures: ASCII
			row[1+x] = mark{rune(s[x]), d.p.RightRole}
		}
	}
}
