package chart

import (
	"image/color"
	"math"

	"charm.land/lipgloss/v2"
	"github.com/NimbleMarkets/ntcharts/v2/canvas"
	"github.com/NimbleMarkets/ntcharts/v2/canvas/graph"
	"github.com/NimbleMarkets/ntcharts/v2/canvas/runes"
	"github.com/NimbleMarkets/ntcharts/v2/linechart"

	"tokscope/themes"
	"tokscope/ui/cell"
)

// roleColor carries a role through ntcharts as if it were a colour: a cell's
// foreground says what it means.
type roleColor themes.Role

// RGBA implements color.Color. Nothing asks for it.
func (roleColor) RGBA() (r, g, b, a uint32) { return 0, 0, 0, 0xffff }

func style(r themes.Role) lipgloss.Style { return lipgloss.NewStyle().Foreground(roleColor(r)) }

func roleOf(s *lipgloss.Style) themes.Role {
	var c color.Color = s.GetForeground()
	if r, ok := c.(roleColor); ok {
		return themes.Role(r)
	}
	return themes.Ink
}

// drawing is a picture in the making. Places in it are columns and rows of the
// plot, row 0 at the top.
type drawing struct {
	p    *Plot
	gl   *themes.Glyphs
	m    linechart.Model
	x0   int // canvas column of plot column 0
	w, h int // of the plot
}

// picture draws p into w by h cells, appended to dst. w and h are at least
// LeastW and LeastH.
func picture(dst []mark, w, h int, gl *themes.Glyphs, p *Plot) []mark {
	side := 0
	if p.Right != nil {
		side = labelsWidth(p.Right) + 1
	}
	if w-side-labelsWidth(&p.Left)-1 < 8 {
		side = 0
	}
	d := &drawing{p: p, gl: gl, h: h - 2}
	d.build(w-side, h)
	d.lines()
	d.rules()
	d.points()
	d.notes()
	right := canvas.New(max(side, 2), h)
	if side > 0 {
		d.rightAxis(&right)
	}
	for y := range h {
		for x := range w {
			var c canvas.Cell
			if x < w-side {
				c = d.m.Canvas.Cell(canvas.Point{X: x, Y: y})
			} else {
				c = right.Cell(canvas.Point{X: x - (w - side), Y: y})
			}
			dst = append(dst, mark{d.glyph(c.Rune), roleOf(&c.Style)})
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

// glyph is a rune of ntcharts in the letters of the glyph set.
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
	}
	return r
}

// build makes the line chart: its axes and labels, over the unit square, into
// which every value is mapped before ntcharts sees it.
func (d *drawing) build(w, h int) {
	left := d.rowLabels(&d.p.Left)
	under := make([]string, w)
	width := labelsWidth(&d.p.Left)
	d.x0, d.w = width+1, w-width-1
	d.columnLabels(under)
	pad := func(i int, _ float64) string {
		s := left[min(max(i, 0), len(left)-1)]
		for len(s) < width {
			s = " " + s
		}
		return s
	}
	d.m = linechart.New(w, h, 0, 1, 0, 1, linechart.WithXYSteps(1, 1),
		linechart.WithStyles(style(themes.Axis), style(d.p.LeftRole), style(themes.Axis)),
		linechart.WithYLabelFormatter(pad),
		linechart.WithXLabelFormatter(func(i int, _ float64) string { return under[min(max(i, 0), len(under)-1)] }))
	d.m.DrawXYAxisAndLabel()
	for i, s := range left {
		if s != "" && i > 0 {
			d.m.Canvas.SetCell(canvas.Point{X: d.x0 - 1, Y: d.h - i}, canvas.NewCellWithStyle(d.gl.AxisTick, style(themes.Axis)))
		}
	}
	for _, t := range d.p.X.Ticks {
		if f, ok := d.p.X.At(t.At); ok && d.p.X.Log {
			d.m.Canvas.SetCell(canvas.Point{X: d.x0 + d.column(f), Y: d.h}, canvas.NewCellWithStyle(d.gl.TeeT, style(themes.Axis)))
		}
	}
	restyle(&d.m, d.h+1, themes.Axis)
}

// restyle gives the row of the X labels its own role: ntcharts has one style
// for the labels of both axes.
func restyle(m *linechart.Model, row int, r themes.Role) {
	for x := range m.Canvas.Width() {
		m.Canvas.SetCellStyle(canvas.Point{X: x, Y: row}, style(r))
	}
}

// rowLabels are the labels of a vertical axis by their distance from the X
// axis in rows, 0 to d.h; ticks that would share or touch a row are left out.
func (d *drawing) rowLabels(a *Axis) []string {
	out := make([]string, d.h+1)
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

// columnLabels fills in the labels of the X axis, each at the column where it
// begins, counted from the vertical axis; those that would touch are left out.
func (d *drawing) columnLabels(out []string) {
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

// column and row are the cells of a place on the unit square: those in which
// the dot of a line lies.
func (d *drawing) column(f float64) int { return int(math.Round(f*float64(2*d.w-1))) / 2 }
func (d *drawing) row(f float64) int    { return d.h - 1 - int(math.Round(f*float64(4*d.h-1)))/4 }

func (d *drawing) at(x, y float64, right bool) (fx, fy float64, ok bool) {
	fx, okX := d.p.X.At(x)
	fy, okY := d.p.axis(right).At(y)
	return fx, fy, okX && okY
}

func (d *drawing) put(col, row int, r rune, st themes.Role) {
	if col >= 0 && col < d.w && row >= 0 && row < d.h {
		d.m.Canvas.SetCell(canvas.Point{X: d.x0 + col, Y: row}, canvas.NewCellWithStyle(r, style(st)))
	}
}

func (d *drawing) free(col, row int) bool {
	return col >= 0 && col < d.w && row >= 0 && row < d.h && d.m.Canvas.Cell(canvas.Point{X: d.x0 + col, Y: row}).Rune == 0
}

// lines draws the polylines: braille, or letters where only ASCII can be drawn.
func (d *drawing) lines() {
	for i := range d.p.Lines {
		l := &d.p.Lines[i]
		if l.Loose {
			continue
		}
		grid := graph.NewBrailleGrid(d.w, d.h, 0, 1, 0, 1)
		var before canvas.Point
		joined := false
		for _, q := range l.Points {
			fx, fy, ok := d.at(q.X, q.Y, l.Right)
			if !ok {
				joined = false
				continue
			}
			to := grid.GridPoint(canvas.Float64Point{X: fx, Y: fy})
			if joined {
				for _, dot := range graph.GetLinePointsWithLimit(before, to, 1<<14) {
					// Two dots high, so that a steep stretch and a flat one are as strong.
					grid.Set(dot)
					grid.Set(dot.Add(canvas.Point{Y: 1}))
					if d.gl.ASCII && d.free(dot.X/2, dot.Y/4) {
						d.put(dot.X/2, dot.Y/4, d.gl.Bullet, l.Role)
					}
				}
			}
			before, joined = to, true
		}
		if !d.gl.ASCII {
			graph.DrawBraillePatterns(&d.m.Canvas, canvas.Point{X: d.x0}, grid.BraillePatterns(), style(l.Role))
		}
	}
}

// points draws the marks above the lines.
func (d *drawing) points() {
	for i := range d.p.Lines {
		l := &d.p.Lines[i]
		for _, q := range l.Points {
			fx, fy, ok := d.at(q.X, q.Y, l.Right)
			if !ok || q.Mark == 0 {
				continue
			}
			st := q.Role
			if st == 0 {
				st = l.Role
			}
			d.put(d.column(fx), d.row(fy), q.Mark, st)
		}
	}
}

// rules draws the dashed lines where nothing else is, with their labels in the
// first place that is free.
func (d *drawing) rules() {
	for i := range d.p.Rules {
		r := &d.p.Rules[i]
		if r.Vertical {
			d.post(r)
			continue
		}
		f, ok := d.p.axis(r.Right).At(r.At)
		if !ok {
			continue
		}
		row := d.row(f)
		label := r.Label
		at := d.room(row, cell.Width(label)+2)
		if at < 0 {
			label = r.Short
			at = d.room(row, cell.Width(label)+2)
		}
		for col := range d.w {
			if d.free(col, row) {
				d.put(col, row, d.gl.LineDash, r.Role)
			}
		}
		if at >= 0 && label != "" {
			d.write(at, row, " "+label+" ", r.Role)
		}
	}
}

// post is a vertical rule with its label at the top, at the side with room.
func (d *drawing) post(r *Rule) {
	f, ok := d.p.X.At(r.At)
	if !ok {
		return
	}
	col := d.column(f)
	for row := range d.h {
		if d.free(col, row) {
			d.put(col, row, d.gl.Burst, r.Role)
		}
	}
	n := cell.Width(r.Label)
	for row := range d.h {
		for _, at := range [...]int{col + 2, col - n - 1} {
			if d.blank(at-1, row, n+2) {
				d.write(at, row, r.Label, r.Role)
				return
			}
		}
	}
}

// blank reports whether n cells from col on are free.
func (d *drawing) blank(col, row, n int) bool {
	for i := range n {
		if !d.free(col+i, row) {
			return false
		}
	}
	return true
}

// room is the first column from which n cells of a row are free, -1 when there
// is none.
func (d *drawing) room(row, n int) int {
	for col := 1; col+n < d.w; col++ {
		if d.blank(col, row, n) {
			return col
		}
	}
	return -1
}

func (d *drawing) write(col, row int, s string, st themes.Role) {
	d.m.Canvas.SetStringWithStyle(canvas.Point{X: d.x0 + col, Y: row}, s, style(st))
}

// notes writes the texts beside their places: right, left, above or below.
func (d *drawing) notes() {
	for i := range d.p.Notes {
		t := &d.p.Notes[i]
		fx, fy, ok := d.at(t.X, t.Y, t.Right)
		if !ok {
			continue
		}
		col, row, n := d.column(fx), d.row(fy), cell.Width(t.Text)
		for _, at := range [...][2]int{{col + 2, row}, {col - n/2, row - 1}, {col - n - 1, row}, {col - n/2, row + 1}, {col + 2, row - 1}, {col - n - 1, row + 1}, {col - n - 1, row - 1}, {col + 2, row + 1}} {
			if d.blank(at[0], at[1], n) {
				d.write(at[0], at[1], t.Text, t.Role)
				break
			}
		}
	}
}

// rightAxis draws the second axis onto a canvas of its own, ntcharts knows one.
func (d *drawing) rightAxis(m *canvas.Model) {
	ax := style(themes.Axis)
	m.SetCell(canvas.Point{Y: d.h}, canvas.NewCellWithStyle(d.corner(), ax))
	graph.DrawVerticalLineUp(m, canvas.Point{Y: d.h - 1}, ax)
	for i, s := range d.rowLabels(d.p.Right) {
		if s == "" {
			continue
		}
		if i > 0 {
			m.SetCell(canvas.Point{Y: d.h - i}, canvas.NewCellWithStyle(d.gl.TeeL, ax))
		}
		m.SetStringWithStyle(canvas.Point{X: 1, Y: d.h - i}, s, style(d.p.RightRole))
	}
}

func (d *drawing) corner() rune {
	if d.gl.ASCII {
		return d.gl.BR
	}
	return '┘'
}
