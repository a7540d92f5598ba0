package explain

import (
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/serving"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/say"
)

// Columns of the table of a lesson.
const (
	stageLeast = 7  // of a stage
	stageMost  = 14 // room for "prefill first"
	tagWidth   = 10 // "predicted", "measured"
	labelLeast = 11
	labelGap   = 3 // behind a label, 1 at least
)

// stageView is the table of a lesson: a figure a row, a stage a column. Where they
// fit, a figure has two rows, predicted and measured. Otherwise it has one, and a
// figure not yet measured is marked as predicted.
type stageView struct {
	t     *serving.TourView
	both  bool // two rows for each figure
	at    int  // the present stage
	first int  // stages shown
	n     int
	label int  // columns
	wide  int  // columns of a stage
	heads int  // rows that the names of the stages take
	whole bool // every stage is shown, no name takes two rows, and no label is cut
}

// stagesIn is the table of t for w columns.
func stagesIn(t *serving.TourView, w int, both bool) stageView {
	all, tag := len(t.Lesson.Stages), format.Either(both, tagWidth, 0)
	v := stageView{t: t, both: both, at: min(max(t.Stage, 0), max(all-1, 0)), label: labelLeast, heads: 1}
	for i := range t.Rows {
		label, unit := draw.Width(t.Rows[i].Label), draw.Width(t.Rows[i].Unit)
		v.label = max(v.label, label+1+unit+labelGap)
	}
	v.n = min(max((w-tag-labelLeast)/stageLeast, 1), all)
	v.first = min(max(v.at-v.n/2, 0), max(all-v.n, 0))
	v.wide = stageLeast
	most := max(min(stageMost, (w-tag-v.label)/max(v.n, 1)), stageLeast)
	for i := range t.Lesson.Stages {
		n := draw.Width(say.Lesson(t.Lesson.Stages[i].Label)) + 1
		if n > most {
			v.heads = 2
		}
		v.wide = min(max(v.wide, n), most)
	}
	room := max(w-tag-v.n*v.wide, 0)
	v.label, v.whole = min(v.label, room), v.n == all && v.heads == 1 && v.label <= room+labelGap-1
	return v
}

// rows is the number of rows of the table.
func (v *stageView) rows() int {
	if len(v.t.Rows) == 0 || v.n == 0 {
		return 0
	}
	return v.heads + len(v.t.Rows)*format.Either(v.both, 2, 1)
}

// stageTable draws v over r. Without room for all, the names of the stages take one
// row.
func (p *canvas) stageTable(r draw.Rect, v stageView) {
	if r.H < 2 || v.rows() == 0 {
		return
	}
	y := min(v.heads, max(r.H-len(v.t.Rows), 1))
	p.stageNames(draw.Rect{X: r.X + v.label, Y: r.Y, W: v.n * v.wide, H: y}, &v)
	if l := p.Line(r.X, r.Y, v.label); !v.both {
		l.Whole(themes.Dim, p.Join(string(p.Glyphs.Ring), " predicted"))
	}
	for i := range v.t.Rows {
		row := &v.t.Rows[i]
		if v.both {
			p.stageRow(p.Row(r, y), &v, row, "predicted")
			y++
			p.stageRow(p.Row(r, y), &v, row, "measured")
		} else {
			p.stageRow(p.Row(r, y), &v, row, "")
		}
		y++
	}
}

// stageRow writes a row of figures, one of each shown stage: those that are predicted,
// those measured below them, or for "" what is known. A label and a unit stand before the
// first of them.
func (p *canvas) stageRow(l line, v *stageView, row *serving.LessonRow, tag string) {
	if tag != "measured" {
		name := p.Line(l.X, l.Y, v.label-1)
		name.End -= draw.Width(row.Unit) + 1
		name.Cut(themes.Text, row.Label)
		name.Skip(1)
		name.End = l.X + v.label - 1
		name.Write(themes.Unit, row.Unit)
	}
	l.X += v.label
	for k := v.first; k < v.first+v.n; k++ {
		measured := k < len(row.Measured) && row.Measured[k].OK
		text, role := p.cellValue(row.Predicted, k, row.Unit), themes.Dim
		switch {
		case tag == "measured" || tag == "" && measured:
			text = p.cellValue(row.Measured, k, row.Unit)
			role = format.Either(k == v.at, themes.Strong, themes.Text)
		case tag == "" && text != draw.Unknown && draw.Width(text) < v.wide:
			text = p.Join(string(p.Glyphs.Ring), text)
		}
		l.Field(role, text, v.wide)
	}
	l.Field(themes.Dim, tag, tagWidth)
}

// stageNames writes the names of the stages over r, the present one marked.
func (p *canvas) stageNames(r draw.Rect, v *stageView) {
	for k := range v.n {
		i := v.first + k
		role := format.Either(i == v.at, themes.Figure, themes.Dim)
		part := draw.Rect{X: r.X + k*v.wide + 1, Y: r.Y, W: v.wide - 1, H: r.H}
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
