package explain

import (
	"strings"

	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/cell"
)

// tour is the lesson: what it claims, what is predicted and measured of it in
// each of its stages, and how to go on.
func (s *Screen) tour(p *pen, r cell.Rect) {
	if r.Empty() {
		return
	}
	s.place("tour", r, 0)
	t := &p.v.Explain.Tour
	in := p.box(r, themes.BorderFocus, p.join("lesson ", p.int(t.Lesson.Number), " of ", p.int(t.Lessons)), s.seen(p, t))
	y := p.wrapped(in, 0, 2, themes.Figure, t.Lesson.Title)
	if !t.Ready {
		l := p.row(in, y+1)
		l.set(themes.Accent, p.spinner())
		l.put(themes.Dim, " its figures are being computed")
		s.tourKeys(p, in)
		return
	}
	y += p.wrapped(in, y, 4, themes.Strong, t.Lesson.Claim)
	foot := s.tourFoot(p, in, t)
	rows := stageHeight(t, in.W)
	// What is left belongs to the text; the table comes first.
	if room := in.H - y - foot - rows - 2; room > 0 {
		y++
		for _, line := range t.Lesson.Text {
			n := p.wrapped(in, y, min(room, 6), themes.Ink, line)
			y, room = y+n, room-n
			if room <= 0 {
				break
			}
		}
		if rows > 0 {
			y++
		}
	}
	s.stageTable(p, cell.Rect{X: in.X, Y: in.Y + y, W: in.W, H: in.H - y - foot}, t)
}

// seen is a dot a lesson: filled once it was shown to its verdict.
func (s *Screen) seen(p *pen, t *metrics.TourView) string {
	b := p.num[:0]
	for i := range min(max(t.Lessons, 0), 20) {
		switch {
		case i+1 == t.Lesson.Number:
			b = append(b, string(p.gl.Diamond)...)
		case i < len(t.Seen) && t.Seen[i]:
			b = append(b, string(p.gl.Dot)...)
		default:
			b = append(b, string(p.gl.Ring)...)
		}
	}
	return p.keep(b)
}

// Columns of the table of a lesson.
const stageNum = 7

// stageLabel is the room for a stage's name in a table of w columns.
func stageLabel(w int) int { return min(max(w-4*stageNum, 10), 14) }

// stageHeight is how many rows the tables of t need in w columns.
func stageHeight(t *metrics.TourView, w int) int {
	if len(t.Rows) == 0 || len(t.Lesson.Stages) == 0 {
		return 0
	}
	side := max((w-stageLabel(w))/(2*stageNum), 1)
	return (len(t.Rows)+side-1)/side*(len(t.Lesson.Stages)+3) - 1
}

// stageTable is a row a stage and two columns a figure, predicted and
// measured; figures that have no room beside the others stand below them.
// Where there is not that much room it has the figures of the present stage.
func (s *Screen) stageTable(p *pen, r cell.Rect, t *metrics.TourView) {
	n := len(t.Lesson.Stages)
	if r.H < 2 || len(t.Rows) == 0 || n == 0 {
		return
	}
	side := max((r.W-stageLabel(r.W))/(2*stageNum), 1)
	if stageHeight(t, r.W) > r.H && (len(t.Rows) > side || r.H < 4) {
		s.presentStage(p, r, t)
		return
	}
	for from := 0; from < len(t.Rows); from += side {
		var part cell.Rect
		part, r = r.SplitV(n + 2)
		s.stageRows(p, part, t, t.Rows[from:min(from+side, len(t.Rows))])
		_, r = r.SplitV(1)
	}
}

// presentStage is a row a figure, of the stage that is shown.
func (s *Screen) presentStage(p *pen, r cell.Rect, t *metrics.TourView) {
	at := min(max(t.Stage, 0), len(t.Lesson.Stages)-1)
	l := p.row(r, 0)
	l.set(themes.Figure, p.gl.Ghost)
	l.end = r.Right() - 2*stageNum
	l.cut(themes.Figure, t.Lesson.Stages[at].Label)
	l.x, l.end = r.Right()-2*stageNum, r.Right()
	l.field(themes.Dim, "model", stageNum)
	l.field(themes.Dim, "seen", stageNum)
	for i := range t.Rows {
		row := &t.Rows[i]
		l = p.row(r, i+1)
		l.end = r.Right() - 2*stageNum - 1
		l.cut(themes.Ink, row.Label)
		if row.Unit != "" {
			l.skip(1)
			l.whole(themes.Unit, row.Unit)
		}
		l.x, l.end = r.Right()-2*stageNum, r.Right()
		l.field(themes.Dim, p.cellValue(row.Predicted, at, row.Unit), stageNum)
		l.field(themes.Strong, p.cellValue(row.Measured, at, row.Unit), stageNum)
	}
}

// stageRows is the table of some figures. Where it is not high enough for all
// stages it has the present one and those around it.
func (s *Screen) stageRows(p *pen, r cell.Rect, t *metrics.TourView, rows []metrics.LessonRow) {
	head, below, label := p.row(r, 0), p.row(r, 1), stageLabel(r.W)
	for i := range rows {
		from := r.X + label + 2*i*stageNum
		text, unit := rows[i].Label, ""
		if rows[i].Unit != "" {
			unit = p.join(", ", rows[i].Unit)
		}
		end := min(from+2*stageNum, r.Right())
		head.x, head.end = from+1, end-len(unit) // of a name that is too long, never the unit
		head.x = max(head.x, head.end-cell.Width(p.chrome(text)))
		head.cut(themes.Ink, text)
		head.end = end
		head.put(themes.Dim, unit)
		below.x = from
		below.field(themes.Dim, "model", stageNum)
		below.field(themes.Dim, "seen", stageNum)
	}
	n := len(t.Lesson.Stages)
	shown := max(min(r.H-2, n), 0)
	at := min(max(t.Stage, 0), n-1)
	first := min(max(at-shown/2, 0), n-shown)
	for k := range shown {
		i := first + k
		l := p.row(r, 2+k)
		role := themes.Ink
		if i == at {
			role = themes.Figure
			l.set(role, p.gl.Ghost)
		} else {
			l.skip(1)
		}
		l.end = r.X + label
		l.cut(role, t.Lesson.Stages[i].Label)
		l.end = r.Right()
		for j := range rows {
			l.x = r.X + label + 2*j*stageNum
			l.field(themes.Dim, p.cellValue(rows[j].Predicted, i, rows[j].Unit), stageNum)
			l.field(pickRole(i == at, themes.Strong, themes.Ink), p.cellValue(rows[j].Measured, i, rows[j].Unit), stageNum)
		}
	}
}

// cellValue is figure k of a lesson's row, without its unit.
func (p *pen) cellValue(v []metrics.Value, k int, unit string) string {
	if k >= len(v) || !v[k].OK {
		return unknown
	}
	if unit == "ms" || unit == "s" {
		return p.bare(v[k].V)
	}
	return p.number(v[k].V)
}

// tourFoot is the verdict or the progress towards it, what to try, and the
// keys; it returns the rows used at the bottom of in.
func (s *Screen) tourFoot(p *pen, in cell.Rect, t *metrics.TourView) int {
	used := s.tourKeys(p, in)
	if t.Lesson.Try != "" && in.H >= 18 {
		used += s.above(p, in, used, 3, themes.Accent, t.Lesson.Try)
	}
	if t.Verdict != "" {
		role, sign := themes.Good, p.gl.Check
		if !t.Holds {
			role, sign = themes.Warn, p.gl.Fail
		}
		at := in
		at.X, at.W = in.X+2, in.W-2
		n := s.above(p, at, used, 4, role, t.Verdict)
		p.g.Set(in.X, in.Bottom()-used-n, sign, role)
		return used + n
	}
	l := p.row(in, in.H-1-used)
	l.put(themes.Dim, "measuring ")
	if w := min(l.left()-6, 30); w > 3 {
		p.g.Gauge(l.x, l.y, w, finite(t.Progress), p.gl, themes.Accent, themes.Faint)
		l.skip(w + 1)
	}
	l.whole(themes.Ink, p.percent(min(max(finite(t.Progress), 0), 1)))
	return used + 1
}

// above writes a text over the rows that end used rows above the bottom of r,
// and returns how many they are.
func (s *Screen) above(p *pen, r cell.Rect, used, most int, st themes.Role, text string) int {
	n, rest := 0, p.chrome(text)
	for rest != "" && n < most {
		k := fit(rest, r.W)
		if k == 0 {
			return 0
		}
		rest = strings.TrimLeft(rest[k:], " ")
		n++
	}
	n = min(n, r.H-used)
	if n > 0 {
		p.wrapped(r, r.H-used-n, n, st, text)
	}
	return max(n, 0)
}

// tourKeys says what the next key does.
func (s *Screen) tourKeys(p *pen, in cell.Rect) int {
	t, k := &p.v.Explain.Tour, &p.v.Keys
	l := p.row(in, in.H-1)
	put := func(id, key, text string) {
		if key == "" || text == "" || cell.Width(key)+cell.Width(text)+1 > l.left() {
			return
		}
		s.place(id, cell.Rect{X: l.x, Y: l.y, W: cell.Width(key) + cell.Width(text) + 1, H: 1}, 0)
		l.put(themes.Key, key)
		l.skip(1)
		l.put(themes.KeyText, text)
		l.skip(2)
	}
	if next := t.Stage + 1; t.Ready && next > 0 && next < len(t.Lesson.Stages) {
		put("stage", k.Stage, t.Lesson.Stages[next].Turn)
	} else if t.Lesson.Number < t.Lessons {
		put("stage", k.Stage, "next lesson")
	}
	put("next", k.Next, "next")
	put("back", k.Back, "back")
	put("leave", k.Leave, "leave")
	return 1
}
