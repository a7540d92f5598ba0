package live

import (
	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/cell"
)

// racePanel lets the reader and the stream run along the same text.
func (s *Screen) racePanel(p *pen, r cell.Rect) {
	in := p.box(r, "reading", "")
	h := &s.ghost
	scale := nice(firstLane, h.arrived)
	s.lane(p, p.row(in, 0), "you", h.Words, scale, p.wpm(), themes.Reading, "")
	v := &p.v.Figures
	factor := ""
	if v.TimesReading.OK {
		factor = p.join(" = ", p.times(v.TimesReading))
	}
	s.lane(p, p.row(in, 1), "stream", h.arrived, scale, v.WPM.V, themes.Accent, factor)
	if in.H > 2 {
		l := p.row(in, in.H-1)
		s.raceWords(p, &l)
	}
}

// lane is one runner: name, bar of words, words, pace.
func (s *Screen) lane(p *pen, l line, name string, words, scale, wpm float64, st themes.Role, factor string) {
	pace := unknown
	if wpm > 0 {
		pace = p.count(metrics.Known(wpm, 0))
	}
	l.slot(themes.Dim, name, 7)
	tail := 30
	if l.left() < 46 {
		tail = 16
	}
	n := max(l.left()-tail, 0)
	s.track(p, l.x, l.y, n, words/scale, st)
	l.skip(n + 1)
	if tail > 16 {
		l.field(themes.Ink, p.int(int(words)), 5)
		l.put(themes.Dim, " words")
	}
	l.field(themes.Ink, pace, 7)
	l.put(themes.Dim, " wpm")
	l.whole(themes.Strong, factor)
}

// track draws a runner's way: what is behind heavy, what is ahead light.
func (s *Screen) track(p *pen, x, y, w int, frac float64, st themes.Role) {
	if w <= 0 {
		return
	}
	n := min(int(min(max(frac, 0), 1)*float64(w)), w-1)
	for i := range w {
		switch {
		case i < n:
			p.g.Set(x+i, y, p.gl.Heavy, st)
		case i == n:
			p.g.Set(x+i, y, p.gl.Ghost, st)
		default:
			p.g.Set(x+i, y, p.gl.LineDash, themes.Faint)
		}
	}
}

// raceWords says how the race stands.
func (s *Screen) raceWords(p *pen, l *line) {
	v, st, h := &p.v.Figures, &p.v.Stream, &s.ghost
	switch {
	case !h.Begun && st.State.Ended():
		l.cut(themes.Dim, "no text to read")
	case !h.Begun:
		l.cut(themes.Dim, "the race begins with the first word")
	case st.State.Ended():
		l.put(themes.Dim, p.join("a reader needs ", p.span(h.arrived/p.wpm()*60), " for these ", p.int(int(h.arrived)), " words"))
		if n := len(st.Chunks); n > 1 {
			if d, ok := st.Chunks[n-1].At.Sub(st.Marks.Sent); ok {
				l.whole(themes.Dim, p.join("; they came in ", p.ms(float64(d)/1e6)))
			}
		}
	case h.Waiting:
		l.cut(themes.Warn, "the reader is waiting for the stream")
	default:
		l.put(themes.Dim, p.join("the stream is ", p.int(int(h.Lead)), " words ahead"))
		if v.BelowReading.OK {
			if v.BelowReading.V > 0 {
				l.whole(themes.Dim, p.join("; the reader waited ", p.percent(v.BelowReading.V), " of the time"))
			} else {
				l.whole(themes.Dim, "; the reader never had to wait")
			}
		}
	}
}

// raceLine is the race in one row.
func (s *Screen) raceLine(p *pen, r cell.Rect) {
	l := p.row(r, 0)
	l.skip(1)
	v, h := &p.v.Figures, &s.ghost
	scale := nice(firstLane, h.arrived)
	you := p.join(p.int(int(p.wpm())), " wpm")
	stream := p.join(p.wide(p.count(v.WPM), 5), " wpm = ", p.wide(p.times(v.TimesReading), 4))
	w := (l.left() - 4 - 2 - cell.Width(you) - 7 - cell.Width(stream) - 5) / 2
	l.put(themes.Dim, "you ")
	s.track(p, l.x, l.y, w, h.Words/scale, themes.Reading)
	l.skip(max(w, 0) + 1)
	l.put(themes.Ink, you)
	l.skip(3)
	l.put(themes.Dim, "stream ")
	s.track(p, l.x, l.y, w, h.arrived/scale, themes.Accent)
	l.skip(max(w, 0) + 1)
	l.whole(themes.Ink, stream)
}
