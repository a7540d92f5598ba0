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
func (s *tour) stageTable(p *canvas, r draw.Rect, v stageView) {
	if r.H < 2 || v.rows() == 0 {
		return
	}
	switch {
	case v.both:
		s.bothRows(p, r, &v)
	case len(v.t.Lesson.Stages) == 1:
		s.oneStage(p, r, &v)
	default:
		s.singleRows(p, r, &v)
	}
}

// heads writes the names of the stages over the first h rows, the present one
// marked, and returns the columns behind them.
func (s *tour) heads(p *canvas, r draw.Rect, v *stageView, h int) {
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

// bothRows has two rows a figure.
func (s *tour) bothRows(p *canvas, r draw.Rect, v *stageView) {
	head := r
	if v.low() {
		_, head = head.SplitV(1)
		s.heads(p, head, v, 1)
	} else {
		s.heads(p, head, v, 2)
	}
	for j := range v.t.Rows {
		row := &v.t.Rows[j]
		name := row.Label
		if row.Unit != "" {
			name = p.Join(name, ", ", row.Unit)
		}
		p.Wrapped(draw.Rect{X: r.X, Y: r.Y + 2 + 2*j, W: v.label - 1, H: min(2, r.H-2-2*j)}, 0, 2, themes.Text, name)
		for k := range v.n {
			i := v.first + k
			l := p.Row(r, 2+2*j)
			l.X = r.X + v.label + k*v.wide
			l.Field(themes.Dim, p.cellValue(row.Predicted, i, row.Unit), v.wide)
			l = p.Row(r, 3+2*j)
			l.X = r.X + v.label + k*v.wide
			l.Field(draw.Either(i == v.at, themes.Strong, themes.Text), p.cellValue(row.Measured, i, row.Unit), v.wide)
		}
		for i, tag := range [...]string{"model", "seen"} {
			l := p.Row(r, 2+2*j+i)
			l.X = r.X + v.label + v.n*v.wide
			l.Field(themes.Dim, tag, tagWidth)
		}
	}
}

// oneStage has the model's figure and the one seen beside each other.
func (s *tour) oneStage(p *canvas, r draw.Rect, v *stageView) {
	l := p.Row(r, 0)
	l.X = r.X + v.label
	l.Field(themes.Dim, "model", v.wide)
	l.Field(themes.Dim, "seen", v.wide)
	for j := range v.t.Rows {
		row := &v.t.Rows[j]
		l = s.figureName(p, r, 1+j, v, row)
		l.Field(themes.Dim, p.cellValue(row.Predicted, 0, row.Unit), v.wide)
		l.Field(themes.Strong, p.cellValue(row.Measured, 0, row.Unit), v.wide)
	}
}

// singleRows has one row a figure: what was seen, else what the model says.
func (s *tour) singleRows(p *canvas, r draw.Rect, v *stageView) {
	l := p.Row(r, 0)
	l.End = r.X + v.label
	l.Whole(themes.Dim, p.Join(string(p.Glyphs.Ring), " model's"))
	h := 1
	if !v.low() && r.H > len(v.t.Rows)+1 {
		h = 2
	}
	s.heads(p, r, v, h)
	for j := range v.t.Rows {
		row := &v.t.Rows[j]
		l = s.figureName(p, r, h+j, v, row)
		for k := range v.n {
			i := v.first + k
			if i < len(row.Measured) && row.Measured[i].OK {
				l.Field(draw.Either(i == v.at, themes.Strong, themes.Text), p.cellValue(row.Measured, i, row.Unit), v.wide)
				continue
			}
			text := p.cellValue(row.Predicted, i, row.Unit)
			if text != draw.Unknown && draw.Width(text) < v.wide {
				text = p.Join(string(p.Glyphs.Ring), text)
			}
			l.Field(themes.Dim, text, v.wide)
		}
	}
}

// figureName writes what row y is of, its unit in any case, and returns the
// line behind it.
func (s *tour) figureName(p *canvas, r draw.Rect, y int, v *stageView, row *serving.LessonRow) line {
	l := p.Row(r, y)
	unit := ""
	if row.Unit != "" {
		unit = p.Join(" ", row.Unit)
	}
	l.End = r.X + v.label - len(unit) - 1
	l.Cut(themes.Text, row.Label)
	l.End = r.Right()
	l.Write(themes.Unit, unit)
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
