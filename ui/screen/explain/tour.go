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
	rows := len(t.Rows) + 1
	if len(t.Rows) == 0 {
		rows = 0
	}
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

// stageTable is a row a figure and two columns a stage, predicted and
// measured; where there is no room, only the stages around the present one.
func (s *Screen) stageTable(p *pen, r cell.Rect, t *metrics.TourView) {
	if r.H < 2 || len(t.Rows) == 0 || len(t.Lesson.Stages) == 0 {
		return
	}
	const num = 8
	label := min(max(r.W/4, 12), 20)
	n := min(max((r.W-label)/(2*num), 1), len(t.Lesson.Stages))
	at := min(max(t.Stage, 0), len(t.Lesson.Stages)-1)
	first := min(max(at-n+1, 0), len(t.Lesson.Stages)-n)
	l := p.row(r, 0)
	l.skip(label)
	for i := first; i < first+n; i++ {
		from := l.x
		name := t.Lesson.Stages[i].Label
		role := themes.Dim
		if i == at {
			role = themes.Figure
		}
		l.end = min(from+2*num, r.Right())
		l.x = max(l.end-cell.Width(name), from+1)
		l.cut(role, name)
		l.x, l.end = from+2*num, r.Right()
	}
	y := 1
	if r.H >= len(t.Rows)+3 {
		l = p.row(r, 1)
		l.skip(label)
		for range n {
			l.field(themes.Dim, "model", num)
			l.field(themes.Dim, "seen", num)
		}
		y = 2
	}
	for i := range t.Rows {
		row := &t.Rows[i]
		l = p.row(r, y+i)
		l.end = l.x + label - 1
		l.put(themes.Ink, row.Label)
		if row.Unit != "" && row.Unit != "ms" && row.Unit != "s" {
			l.skip(1)
			l.whole(themes.Unit, row.Unit)
		}
		l.x, l.end = r.X+label, r.Right()
		for k := first; k < first+n; k++ {
			l.field(themes.Dim, p.cellValue(row.Predicted, k, row.Unit), num)
			role := themes.Ink
			if k == at {
				role = themes.Strong
			}
			l.field(role, p.cellValue(row.Measured, k, row.Unit), num)
		}
	}
}

// cellValue is figure k of a lesson's row.
func (p *pen) cellValue(v []metrics.Value, k int, unit string) string {
	if k >= len(v) || !v[k].OK {
		return unknown
	}
	switch unit {
	case "ms":
		return p.ms(v[k].V)
	case "s":
		return p.ms(v[k].V * 1e3)
	case "%":
		return p.percent(v[k].V / 100)
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
