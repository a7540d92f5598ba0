package explain

import (
	"strings"
	"unicode/utf8"

	"tokscope/metrics"
	"tokscope/metrics/serving"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/keys"
	"tokscope/ui/say"
)

// tour is the lesson: what it claims, what is predicted and measured of it in
// each of its stages, and how to go on.
func (s *picture) tour(p *canvas, r draw.Rect) {
	if r.Empty() {
		return
	}
	t := &p.v.Explain.Tour
	in := p.Box(r, themes.BorderFocus, p.Join("lesson ", p.Int(t.Lesson.Number), " of ", p.Int(t.Lessons)), p.seen(t))
	y := p.Wrapped(in, 0, 2, themes.Figure, t.Lesson.Title)
	if !t.Ready {
		l := p.Row(in, y+1)
		l.Set(themes.Accent, p.spinner())
		l.Write(themes.Dim, " computing its figures")
		p.tourKeys(in)
		return
	}
	y += p.Wrapped(in, y, 4, themes.Strong, p.lesson(t.Lesson.Claim))
	foot := p.tourFoot(in, t)
	// Text and table share the rest. The table takes its short form where the
	// text would not fit.
	room := in.H - y - foot - 1
	said := 0
	for _, text := range t.Lesson.Text {
		said += p.lines(p.lesson(text), in.W)
	}
	table, short := stagesIn(t, in.W, true), stagesIn(t, in.W, false)
	s.textCut = room-short.rows()-1 < said
	if table.rows()+said+1 > room || !table.whole {
		table = short
	}
	if left := room - table.rows() - 1; left > 0 && said > 0 {
		y++
		for _, text := range t.Lesson.Text {
			if p.lines(p.lesson(text), in.W) > left {
				break // a sentence stands whole or not at all; the panel of the text has all
			}
			n := p.Wrapped(in, y, left, themes.Text, p.lesson(text))
			y, left = y+n, left-n
		}
	}
	if in.H-y-foot > table.rows() {
		y++
	}
	p.stageTable(draw.Rect{X: in.X, Y: in.Y + y, W: in.W, H: in.H - y - foot}, table)
}

// textPanel is the text of the lesson, where its own panel has no room for it.
func (p *canvas) textPanel(r draw.Rect, border themes.Role) {
	t := &p.v.Explain.Tour
	in := p.Box(r, border, t.Lesson.Title, "")
	y := 0
	for _, text := range t.Lesson.Text {
		y += p.Wrapped(in, y, in.H, themes.Text, p.lesson(text))
	}
	if t.Lesson.Try != "" {
		p.Wrapped(in, y+1, in.H, themes.Accent, p.lesson(t.Lesson.Try))
	}
}

// seen is a dot a lesson: filled once it was shown to its verdict.
func (p *canvas) seen(t *serving.TourView) string {
	b := p.Scratch()
	for i := range min(max(t.Lessons, 0), 20) {
		glyph := format.Either(i < len(t.Seen) && t.Seen[i], p.Glyphs.Dot, p.Glyphs.Ring)
		b = utf8.AppendRune(b, format.Either(i+1 == t.Lesson.Number, p.Glyphs.Diamond, glyph))
	}
	return p.Keep(b)
}

// tourFoot is the verdict or the progress towards it, what to try, and the
// keys; it returns the rows used at the bottom of in.
func (p *canvas) tourFoot(in draw.Rect, t *serving.TourView) int {
	p.tourKeys(in)
	used := 1 // the row of the keys
	if t.Lesson.Try != "" && in.H >= 18 {
		used += p.above(in, used, 3, themes.Accent, p.lesson(t.Lesson.Try))
	}
	if t.Verdict != "" {
		role, sign := themes.Good, p.Glyphs.Check
		if !t.Holds {
			role, sign = themes.Warn, p.Glyphs.Fail
		}
		at := in
		at.X, at.W = in.X+2, in.W-2
		n := p.above(at, used, 4, role, p.lesson(t.Verdict))
		p.Grid.Set(in.X, in.Bottom()-used-n, sign, role)
		return used + n
	}
	if t.Missed > 0 && t.Progress >= 1 {
		used += p.above(in, used, 3, themes.Warn, p.Join("no verdict: ", p.Plural(t.Missed, "stage was", "stages were"),
			" not measured; T lists the lessons, enter repeats this one"))
	}
	if e := &p.v.Explain; slowed(e) {
		used += p.above(in, used, 2, themes.Warn,
			p.Join("▲ slowed to ", p.Exact(format.Digits(e.Speed, 2)), "x; figures are in engine time"))
	}
	l := p.Row(in, in.H-1-used)
	if t.Progress >= 1 {
		l.Set(themes.Good, p.Glyphs.Check)
		l.Write(themes.Text, " measured")
		if t.Missed == 0 && t.Stage+1 < len(t.Lesson.Stages) {
			l.Whole(themes.Dim, "; the verdict comes with the last stage")
		}
		return used + 1
	}
	l.Write(themes.Dim, "measuring ")
	if i := t.Stage; i >= 0 && i < len(t.Lesson.Stages) && len(t.Lesson.Stages) > 1 {
		l.Write(themes.Text, say.Lesson(t.Lesson.Stages[i].Label))
		l.Skip(1)
	}
	if w := min(l.Left()-6, 30); w > 3 {
		p.Grid.Gauge(l.X, l.Y, w, finite(t.Progress), p.Glyphs, themes.Accent, themes.Faint)
		l.Skip(w + 1)
	}
	l.Whole(themes.Text, p.Percent(min(max(finite(t.Progress), 0), 1)))
	return used + 1
}

// lines is how many rows a text takes in w columns.
func (p *canvas) lines(text string, w int) (n int) {
	for range draw.Rows(p.Chrome(text), w) {
		n++
	}
	return n
}

// above writes a text over the rows that end used rows above the bottom of r,
// and returns how many they are.
func (p *canvas) above(r draw.Rect, used, most int, st themes.Role, text string) int {
	n := min(p.lines(text, r.W), most, r.H-used)
	if n > 0 {
		p.Wrapped(r, r.H-used-n, n, st, text)
	}
	return max(n, 0)
}

// tourKeys says what the next key does.
func (p *canvas) tourKeys(in draw.Rect) {
	t := &p.v.Explain.Tour
	l := p.Row(in, in.H-1)
	keyHint := func(do keys.Intent, text string) {
		b := keys.Of(p.v.Table, do)
		if b == nil || text == "" {
			return
		}
		key := b.Name(p.Glyphs.ASCII)
		w := draw.Width(key) + 1 + draw.Width(text)
		if w > l.Left() {
			return
		}
		p.Grid.Target(draw.Rect{X: l.X, Y: l.Y, W: w, H: 1}, b)
		l.Write(themes.Key, key)
		l.Skip(1)
		l.Write(themes.KeyText, text)
		l.Skip(2)
	}
	if next := t.Stage + 1; t.Ready && next > 0 && next < len(t.Lesson.Stages) {
		keyHint(goOn, say.Lesson(t.Lesson.Stages[next].Turn))
	} else if t.Lesson.Number < t.Lessons {
		keyHint(goOn, "next lesson")
	}
	if t.Lesson.Number < t.Lessons && t.Stage+1 < len(t.Lesson.Stages) {
		keyHint(nextOne, "next")
	}
	if t.Lesson.Number > 1 {
		keyHint(previousOne, "back")
	}
	keyHint(keys.Close, "leave")
}

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
