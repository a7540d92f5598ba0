package explain

import (
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/serving"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/say"
)

// Columns of the table of a lesson.
const (
	stageLeast = 7  // of a stage
	stageMost  = 14 // room for "prefill first"
	tagWidth   = 6  // "model", "seen"
	labelLeast = 11
)

// stageView is the table of a lesson: a row for each figure, a column for
// each stage. Where they fit, a figure has two rows, predicted and measured.
// Otherwise it has one, and a figure not yet measured is marked as the
// model's.
type stageView struct {
	t     *serving.TourView
	both  bool // two rows for each figure
	at    int  // the present stage
	first int  // stages shown
	n     int
	label int // columns
	wide  int // columns of a stage
}

// rows is the number of rows of the table.
func (v *stageView) rows() int {
	switch {
	case len(v.t.Rows) == 0 || len(v.t.Lesson.Stages) == 0:
		return 0
	case v.both:
		return 2*len(v.t.Rows) + 2
	}
	return len(v.t.Rows) + 1
}

// stagesIn is the table of t for w columns.
func stagesIn(t *serving.TourView, w int, both bool) stageView {
	v := stageView{t: t, both: both, at: min(max(t.Stage, 0), max(len(t.Lesson.Stages)-1, 0))}
	all := len(t.Lesson.Stages)
	tag := tagWidth
	if !both {
		tag = 0
	}
	if !both && all == 1 { // then both figures fit in one row
		v.n, v.wide = 2, stageLeast
	} else {
		v.n = min(max((w-tag-labelLeast)/stageLeast, 1), all)
		longest := 0
		for i := range t.Lesson.Stages {
			longest = max(longest, draw.Width(say.Lesson(t.Lesson.Stages[i].Label))+1)
		}
		name := 0
		for i := range t.Rows {
			name = max(name, draw.Width(t.Rows[i].Label)+draw.Width(t.Rows[i].Unit)+3)
		}
		if both {
			name = name*2/3 + 1 // it takes two rows
		}
		v.wide = min(max(longest, stageLeast), stageMost)
		if v.n > 0 {
			v.wide = max(min(v.wide, (w-tag-max(name, labelLeast))/v.n), stageLeast)
		}
	}
	v.first = min(max(v.at-v.n/2, 0), max(all-v.n, 0))
	v.label = max(w-tag-v.n*v.wide, 0)
	whole := labelLeast // the figures stay beside their names in a wide panel too
	for i := range t.Rows {
		whole = max(whole, draw.Width(t.Rows[i].Label)+draw.Width(t.Rows[i].Unit)+4)
	}
	v.label = min(v.label, whole)
	return v
}

// low reports whether all names of stages fit in one row.
func (v *stageView) low() bool {
	for i := range v.n {
		if draw.Width(say.Lesson(v.t.Lesson.Stages[v.first+i].Label)) >= v.wide {
			return false
		}
	}
	return true
}

// stageTable draws v over r.
func (p *canvas) stageTable(r draw.Rect, v stageView) {
	if r.H < 2 || v.rows() == 0 {
		return
	}
	y := p.heads(r, &v)
	for j := range v.t.Rows {
		row := &v.t.Rows[j]
		l := p.figureName(r, y, &v, row)
		model := func(l *line, i int) { l.Field(themes.Dim, p.cellValue(row.Predicted, i, row.Unit), v.wide) }
		seen := func(l *line, i int) {
			l.Field(draw.Either(i == v.at, themes.Strong, themes.Text), p.cellValue(row.Measured, i, row.Unit), v.wide)
		}
		switch {
		case v.both:
			y++
			under := p.Row(r, y)
			under.X = l.X
			for i := v.first; i < v.first+v.n; i++ {
				model(&l, i)
				seen(&under, i)
			}
			l.Field(themes.Dim, "model", tagWidth)
			under.Field(themes.Dim, "seen", tagWidth)
		case len(v.t.Lesson.Stages) == 1:
			model(&l, 0)
			seen(&l, 0)
		default: // what was seen, else what the model says
			for i := v.first; i < v.first+v.n; i++ {
				if i < len(row.Measured) && row.Measured[i].OK {
					seen(&l, i)
					continue
				}
				text := p.cellValue(row.Predicted, i, row.Unit)
				if text != draw.Unknown && draw.Width(text) < v.wide {
					text = p.Join(string(p.Glyphs.Ring), text)
				}
				l.Field(themes.Dim, text, v.wide)
			}
		}
		y++
	}
}

// heads writes the heads of the columns, and returns the rows that they take.
func (p *canvas) heads(r draw.Rect, v *stageView) int {
	l := p.Row(r, 0)
	switch {
	case v.both:
		_, low := r.SplitV(1)
		p.stageNames(draw.Either(v.low(), low, r), v, draw.Either(v.low(), 1, 2))
		return 2
	case len(v.t.Lesson.Stages) == 1:
		l.X = r.X + v.label
		l.Field(themes.Dim, "model", v.wide)
		l.Field(themes.Dim, "seen", v.wide)
		return 1
	}
	l.End = r.X + v.label
	l.Whole(themes.Dim, p.Join(string(p.Glyphs.Ring), " model's"))
	h := draw.Either(!v.low() && r.H > len(v.t.Rows)+1, 2, 1)
	p.stageNames(r, v, h)
	return h
}

// stageNames writes the names of the stages over the first h rows, the present one
// marked.
func (p *canvas) stageNames(r draw.Rect, v *stageView, h int) {
	for k := range v.n {
		i := v.first + k
		role := draw.Either(i == v.at, themes.Figure, themes.Dim)
		part := draw.Rect{X: r.X + v.label + k*v.wide + 1, Y: r.Y, W: v.wide - 1, H: min(h, r.H)}
		text := p.Chrome(say.Lesson(v.t.Lesson.Stages[i].Label))
		for y := 0; y < part.H && text != ""; y++ {
			n := draw.Fit(text, part.W)
			last := y == part.H-1 || n == 0
			if last && n < len(text) && n > 0 && text[n] == ' ' {
				text, last = text[:n], true // the first words are enough
			}
			if last {
				n = len(text)
			}
			l := p.Row(part, y)
			l.X = max(l.End-draw.Width(text[:n]), l.X)
			if y == 0 && i == v.at && l.X > part.X-1 {
				p.Grid.Set(l.X-1, l.Y, p.Glyphs.Ghost, role)
			}
			l.Cut(role, text[:n])
			text = strings.TrimLeft(text[n:], " ")
		}
	}
}

// figureName writes what the row at y is of, its unit in any case, and returns the
// line behind it. With two rows a figure it may take both.
func (p *canvas) figureName(r draw.Rect, y int, v *stageView, row *serving.LessonRow) line {
	l := p.Row(r, y)
	if unit := row.Unit; v.both {
		name := p.Join(row.Label, draw.Either(unit == "", "", ", "), unit)
		p.Wrapped(draw.Rect{X: r.X, Y: r.Y + y, W: v.label - 1, H: min(2, r.H-y)}, 0, 2, themes.Text, name)
	} else {
		l.End = r.X + v.label - 1
		if unit != "" {
			l.End -= len(unit) + 1
		}
		l.Cut(themes.Text, row.Label)
		l.End = r.Right()
		l.Write(themes.Unit, p.Join(draw.Either(unit == "", "", " "), unit))
	}
	l.X = r.X + v.label
	return l
}

// cellValue is figure k of a lesson's row, without its unit, but a long time in
// seconds with its own.
func (p *canvas) cellValue(v []metrics.Value, k int, unit string) string {
	if k < 0 || k >= len(v) || !v[k].OK {
		return draw.Unknown
	}
	if unit == "ms" && v[k].V >= 9995 {
		return p.Ms(v[k].V)
	}
	return p.Number(v[k].V)
}
