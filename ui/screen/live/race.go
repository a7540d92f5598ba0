package live

import (
	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/draw"
)

// racePanel lets the reader and the stream run along the same text.
func (s *Screen) racePanel(p *pen, r draw.Rect) {
	in := p.Box(r, themes.Border, "reading", "")
	h := &s.ghost
	scale := nice(firstLane, h.arrived)
	s.lane(p, p.Row(in, 0), "you", h.Words, scale, p.wpm(), themes.Reading, "")
	v := &p.v.Figures
	factor := ""
	if v.TimesReading.OK {
		factor = p.Join(" = ", p.times(v.TimesReading))
	}
	s.lane(p, p.Row(in, 1), "stream", h.arrived, scale, v.WPM.V, themes.Accent, factor)
	if in.H > 2 {
		l := p.Row(in, in.H-1)
		s.raceWords(p, &l)
	}
}

// lane is one runner: name, bar of words, words, pace.
func (s *Screen) lane(p *pen, l line, name string, words, scale, wpm float64, st themes.Role, factor string) {
	pace := draw.Unknown
	if wpm > 0 {
		pace = p.count(metrics.Known(wpm, 0))
	}
	l.Slot(themes.Dim, name, 7)
	tail := 30
	if l.Left() < 46 {
		tail = 16
	}
	n := max(l.Left()-tail, 0)
	s.track(p, l.X, l.Y, n, words/scale, st)
	l.Skip(n + 1)
	if tail > 16 {
		l.Field(themes.Ink, p.Int(int(words)), 5)
		l.Write(themes.Dim, plural(int(words), " word ", " words"))
	}
	l.Field(themes.Ink, pace, 7)
	l.Write(themes.Dim, " wpm")
	l.Whole(themes.Strong, factor)
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
			p.Grid.Set(x+i, y, p.Glyphs.Heavy, st)
		case i == n:
			p.Grid.Set(x+i, y, p.Glyphs.Ghost, st)
		default:
			p.Grid.Set(x+i, y, p.Glyphs.LineDash, themes.Faint)
		}
	}
}

// raceWords says how the race stands.
func (s *Screen) raceWords(p *pen, l *line) {
	v, st, h := &p.v.Figures, &p.v.Stream, &s.ghost
	switch {
	case !h.Begun && st.State.Ended():
		l.Cut(themes.Dim, "no text to read")
	case !h.Begun:
		l.Cut(themes.Dim, "the race begins with the first word")
	case st.State.Ended():
		l.Write(themes.Dim, p.Join("a reader needs ", p.span(h.arrived/p.wpm()*60), " for ", plural(int(h.arrived), "this ", "these "), p.Int(int(h.arrived)), plural(int(h.arrived), " word", " words")))
		if n := len(st.Chunks); n > 1 {
			if d, ok := st.Chunks[n-1].At.Sub(st.Marks.Sent); ok {
				l.Whole(themes.Dim, p.Join("; they came in ", p.Ms(float64(d)/1e6)))
			}
		}
	case h.Waiting:
		l.Cut(themes.Warn, "the reader is waiting for the stream")
	default:
		l.Write(themes.Dim, p.Join("the stream is ", p.Int(h.lead()), plural(h.lead(), " word", " words"), " ahead"))
		if v.BelowReading.OK {
			if v.BelowReading.V > 0 {
				l.Whole(themes.Dim, p.Join("; the reader waited ", p.percent(v.BelowReading.V), " of the time"))
			} else {
				l.Whole(themes.Dim, "; the reader never had to wait")
			}
		}
	}
}

// raceLine is the race in one row.
func (s *Screen) raceLine(p *pen, r draw.Rect) {
	l := p.Row(r, 0)
	l.Skip(1)
	v, h := &p.v.Figures, &s.ghost
	scale := nice(firstLane, h.arrived)
	you := p.Join(p.Int(int(p.wpm())), " wpm")
	stream := p.Join(p.wide(p.count(v.WPM), 5), " wpm = ", p.wide(p.times(v.TimesReading), 4))
	w := (l.Left() - 4 - 2 - draw.Width(you) - 7 - draw.Width(stream) - 5) / 2
	l.Write(themes.Dim, "you ")
	s.track(p, l.X, l.Y, w, h.Words/scale, themes.Reading)
	l.Skip(max(w, 0) + 1)
	l.Write(themes.Ink, you)
	l.Skip(3)
	l.Write(themes.Dim, "stream ")
	s.track(p, l.X, l.Y, w, h.arrived/scale, themes.Accent)
	l.Skip(max(w, 0) + 1)
	l.Whole(themes.Ink, stream)
}
