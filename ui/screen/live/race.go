package live

import (
	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/chart"
	"tokscope/ui/draw"
	"tokscope/ui/format"
)

// racePanel lets the reader and the stream run along the same text.
func (p *canvas) racePanel(r draw.Rect) {
	in := p.Box(r, themes.Border, "reading", "")
	h := p.ghost
	scale := chart.Nice(max(firstLane, h.arrived))
	p.lane(p.Row(in, 0), "you", h.Words, scale, p.pace().WPM, themes.Reading, "")
	v := &p.v.Figures
	factor := ""
	if v.TimesReading.OK {
		factor = p.Join(" = ", p.times(v.TimesReading))
	}
	p.lane(p.Row(in, 1), "stream", h.arrived, scale, v.WPM.V, themes.Accent, factor)
	if in.H > 2 {
		l := p.Row(in, in.H-1)
		p.raceWords(&l)
	}
}

// lane is one runner: name, bar of words, words, pace.
func (p *canvas) lane(l line, name string, words, scale, wpm float64, st themes.Role, factor string) {
	pace := draw.Unknown
	if wpm > 0 {
		pace = p.CompactOf(metrics.Known(wpm, 0))
	}
	l.Slot(themes.Dim, name, 7)
	tail := 30
	if l.Left() < 46 {
		tail = 16
	}
	n := max(l.Left()-tail, 0)
	p.track(l.X, l.Y, n, words/scale, st)
	l.Skip(n + 1)
	if tail > 16 {
		l.Field(themes.Text, p.Count(int(words)), 5)
		l.Write(themes.Dim, format.Either(int(words) == 1, " word ", " words"))
	}
	l.Field(themes.Text, pace, 7)
	l.Write(themes.Dim, " wpm")
	l.Whole(themes.Strong, factor)
}

// track draws a runner's way: what is behind heavy, what is ahead light.
func (p *canvas) track(x, y, w int, frac float64, st themes.Role) {
	if w <= 0 {
		return
	}
	n := min(int(min(max(frac, 0), 1)*float64(w)), w-1)
	p.Grid.Across(x, y, w, p.Glyphs.LineDash, themes.Faint)
	p.Grid.Across(x, y, n, p.Glyphs.Heavy, st)
	p.Grid.Set(x+n, y, p.Glyphs.Ghost, st)
}

// raceWords says how the race stands.
func (p *canvas) raceWords(l *line) {
	v, st, h := &p.v.Figures, &p.v.Stream, p.ghost
	switch {
	case !h.Begun && st.State.Ended():
		l.Cut(themes.Dim, "no text to read")
	case !h.Begun:
		l.Cut(themes.Dim, "the comparison starts with the first word")
	case st.State.Ended():
		l.Write(themes.Dim, p.Join("reading time ", p.Elapsed(h.arrived/p.pace().WPM*60), " (",
			p.Count(int(h.arrived)), format.Either(int(h.arrived) == 1, " word)", " words)")))
		if n := len(st.Chunks); n > 1 {
			l.Whole(themes.Dim, p.took("; they came in ", st.Marks.Sent, st.Chunks[n-1].At))
		}
	case h.Waiting:
		l.Cut(themes.Warn, "the reader is waiting for the stream")
	default:
		l.Write(themes.Dim,
			p.Join("the stream is ", p.Count(h.lead()), format.Either(h.lead() == 1, " word", " words"), " ahead"))
		if v.BelowReading.OK {
			if v.BelowReading.V > 0 {
				l.Whole(themes.Dim, p.Join("; the reader waited ", p.Percent(v.BelowReading.V), " of the time"))
			} else {
				l.Whole(themes.Dim, "; the reader never had to wait")
			}
		}
	}
}

// raceLine is the race in one row.
func (p *canvas) raceLine(r draw.Rect) {
	l := p.Row(r, 0)
	l.Skip(1)
	v, h := &p.v.Figures, p.ghost
	scale := chart.Nice(max(firstLane, h.arrived))
	you := p.Join(p.Int(int(p.pace().WPM)), " wpm")
	stream := p.Join(p.wide(p.CompactOf(v.WPM), format.CompactWidth), " wpm = ")
	times := p.times(v.TimesReading)
	after := max(draw.Width(times), 4) // so that the tracks keep their width
	w := (l.Left() - 4 - 2 - draw.Width(you) - 7 - draw.Width(stream) - after - 5) / 2
	l.Write(themes.Dim, "you ")
	p.track(l.X, l.Y, w, h.Words/scale, themes.Reading)
	l.Skip(max(w, 0) + 1)
	l.Write(themes.Text, you)
	l.Skip(3)
	l.Write(themes.Dim, "stream ")
	p.track(l.X, l.Y, w, h.arrived/scale, themes.Accent)
	l.Skip(max(w, 0) + 1)
	l.Whole(themes.Text, p.Join(stream, times))
}
