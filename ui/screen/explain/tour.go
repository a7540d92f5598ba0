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
	// The text and the table share what is left: the table in its short form
	// where it would leave the text no room.
	room := in.H - y - foot - 1
	said := 0
	for _, text := range t.Lesson.Text {
		said += p.lines(text, in.W)
	}
	table := stagesIn(t, in.W, false)
	s.textCut = room-table.rows()-1 < said
	table = stagesIn(t, in.W, true)
	if table.rows()+said+1 > room {
		table = stagesIn(t, in.W, false)
	}
	if left := room - table.rows() - 1; left > 0 && said > 0 {
		y++
		for _, text := range t.Lesson.Text {
			n := p.wrapped(in, y, left, themes.Ink, text)
			if y, left = y+n, left-n; left <= 0 {
				break
			}
		}
	}
	if in.H-y-foot > table.rows() {
		y++
	}
	s.stageTable(p, cell.Rect{X: in.X, Y: in.Y + y, W: in.W, H: in.H - y - foot}, table)
}

// textPanel is the text of the lesson, where its own panel has no room for it.
func (s *Screen) textPanel(p *pen, r cell.Rect, border themes.Role) {
	t := &p.v.Explain.Tour
	in := p.box(r, border, t.Lesson.Title, "")
	y := 0
	for _, text := range t.Lesson.Text {
		y += p.wrapped(in, y, in.H, themes.Ink, text)
	}
	if t.Lesson.Try != "" {
		p.wrapped(in, y+1, in.H, themes.Accent, t.Lesson.Try)
	}
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
	if t.Progress >= 1 {
		l.set(themes.Good, p.gl.Check)
		l.put(themes.Ink, " measured")
		if t.Stage+1 < len(t.Lesson.Stages) {
			l.whole(themes.Dim, "; the verdict comes with the last stage")
		}
		return used + 1
	}
	l.put(themes.Dim, "measuring ")
	if w := min(l.left()-6, 30); w > 3 {
		p.g.Gauge(l.x, l.y, w, finite(t.Progress), p.gl, themes.Accent, themes.Faint)
		l.skip(w + 1)
	}
	l.whole(themes.Ink, p.percent(min(max(finite(t.Progress), 0), 1)))
	return used + 1
}

// lines is how many rows a text takes in w columns.
func (p *pen) lines(text string, w int) (n int) {
	for text = p.chrome(text); text != ""; n++ {
		k := fit(text, w)
		if k == 0 {
			return n
		}
		text = strings.TrimLeft(text[k:], " ")
	}
	return n
}

// above writes a text over the rows that end used rows above the bottom of r,
// and returns how many they are.
func (s *Screen) above(p *pen, r cell.Rect, used, most int, st themes.Role, text string) int {
	n := min(p.lines(text, r.W), most, r.H-used)
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
	if t.Lesson.Number < t.Lessons && t.Stage+1 < len(t.Lesson.Stages) {
		put("next", k.Next, "next")
	}
	if t.Lesson.Number > 1 {
		put("back", k.Back, "back")
	}
	put("leave", k.Leave, "leave")
	return 1
}
