package live

import (
	"math"

	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
)

// axis is the width of the numbers at the left of the strip, including the
// line.
const axis = 8

// gaps is the panel of the gap strip.
type gaps struct{}

// gapsPanel is the gap strip: the gap before every chunk on a fixed
// logarithmic scale, so that a noise of 1 ms never looks like a cliff.
func (s *gaps) gapsPanel(p *canvas, r draw.Rect) {
	title := "gap before every chunk ─ log scale"
	if p.strip.group > 1 {
		title = p.Join("gaps ─ ", p.Int(p.strip.group), " chunks a column: bar median, line maximum ─ log scale")
		if draw.Width(title) > r.W-50 {
			title = p.Join("gaps ─ ", p.Int(p.strip.group), " chunks a column")
			if r.W >= wideW {
				title = p.Join(title, " ─ log")
			}
		}
	}
	v := &p.v.Figures
	right := ""
	if room := r.W - draw.Width(title) - 9; room >= 37 {
		right = p.Join("p50 ", p.wide(p.Duration(v.Gaps.P50), format.DurationWidth), "  p95 ", p.wide(p.Duration(v.Gaps.P95), format.DurationWidth), "  p99 ", p.wide(p.Duration(v.Gaps.P99), format.DurationWidth))
		if why := withheld(v); why != "" && room >= 37+3+draw.Width(why) {
			right = p.Join(right, " (", why, ")")
		}
	} else if room >= 24 {
		right = p.Join("p50 ", p.wide(p.Duration(v.Gaps.P50), format.DurationWidth), "  p99 ", p.wide(p.Duration(v.Gaps.P99), format.DurationWidth))
	}
	in := p.Box(r, themes.Border, title, right)
	s.gapsPlot(p, in)
}

// stripRoom is how many columns a strip of that inner width has.
func stripRoom(w int) int { return max(w-axis, 1) }

// gapsPlot draws axis, reading line, bars and, in its last row, the marks.
func (s *gaps) gapsPlot(p *canvas, in draw.Rect) {
	marks := 0
	if in.H >= 4 {
		marks = 1
	}
	h := in.H - marks
	if h <= 0 || in.W < axis+2 {
		return
	}
	plot := draw.Rect{X: in.X + axis, Y: in.Y, W: in.W - axis, H: h}
	bottom := plot.Bottom() - 1
	s.gapsAxis(p, in, plot)
	pace := s.readingGap(p)
	line := bottom - rowOf(rise(pace, h), h)
	for x := plot.X; x < plot.Right(); x++ {
		p.Grid.Set(x, line, p.Glyphs.LineDash, themes.Reading)
	}
	cols := p.strip.cols
	cols = cols[max(len(cols)-plot.W, 0):]
	s.openGap(p, plot, len(cols))
	s.paceLabel(p, plot, line, pace, cols)
	for i, c := range cols {
		x := plot.X + i
		if c.mid < 0 {
			continue
		}
		frac := rise(c.mid, h)
		s.bar(p, x, bottom, h, frac, draw.Heat(c.mid))
		if c.top > c.mid {
			from, to := rowOf(frac, h)+1, rowOf(rise(c.top, h), h)
			for row := from; row <= to; row++ {
				p.Grid.Set(x, bottom-row, p.Glyphs.V, themes.Heat(draw.Heat(c.top)))
			}
		}
	}
	if marks > 0 {
		s.gapsMarks(p, plot, len(p.strip.cols)-len(cols), cols)
		s.gapsLegend(p, plot, line, cols)
	}
}

// openGap draws the gap that has not ended yet, once it is long: a column of
// shade that grows until the next chunk makes a bar of it.
func (s *gaps) openGap(p *canvas, plot draw.Rect, cols int) {
	ms, ok := p.silence()
	if !ok {
		return
	}
	x, bottom := plot.X+min(cols, plot.W-1), plot.Bottom()-1
	for row := range rowOf(rise(ms, plot.H), plot.H) + 1 {
		p.Grid.Set(x, bottom-row, p.Glyphs.LightShade, themes.Heat(draw.Heat(ms)))
	}
}

// bar draws a column: its end solid, what is below it a glow that grows denser
// with the gap, so that an even stream is a quiet trace and a stall a tower.
func (s *gaps) bar(p *canvas, x, bottom, h int, frac float64, level int) {
	p.Grid.Bar(x, bottom, h, frac, p.Glyphs, themes.Heat(level))
	glow := p.Glyphs.LightShade
	switch {
	case level >= themes.Levels*3/4:
		return
	case level >= themes.Levels/2:
		glow = p.Glyphs.MidShade
	}
	for row := range rowOf(frac, h) {
		p.Grid.Set(x, bottom-row, glow, themes.Heat(level))
	}
}

// rowOf is the row, counted from the bottom, where a bar of frac of h rows
// ends; -1 when it has no height.
func rowOf(frac float64, h int) int { return int(math.Ceil(frac*float64(h))) - 1 }

// decades are the numbers of the axis; each marks the middle of its row.
var decades = [...]struct {
	ms   float64
	text string
}{{10e3, "10 s"}, {1e3, "1 s"}, {100, "100 ms"}, {10, "10 ms"}, {1, "1 ms"}}

// gapsAxis prints the scale in the colours of the bars, which makes it the
// legend of the tints as well.
func (s *gaps) gapsAxis(p *canvas, in, plot draw.Rect) {
	bottom := plot.Bottom() - 1
	for y := plot.Y; y <= bottom; y++ {
		p.Grid.Set(plot.X-1, y, p.Glyphs.AxisV, themes.Axis)
	}
	step := (len(decades) + plot.H - 1) / plot.H
	for i := 0; i < len(decades); i += max(step, 1) {
		d := decades[i]
		y := bottom - rowOf(rise(d.ms, plot.H), plot.H)
		p.Grid.Right(plot.X-2, y, d.text, themes.Heat(draw.Heat(d.ms)), axis-2)
		p.Grid.Set(plot.X-1, y, p.Glyphs.AxisTick, themes.Axis)
	}
	if plot.Bottom() < in.Bottom() {
		p.Grid.Right(plot.X-2, plot.Bottom(), "0.1 ms", themes.Axis, axis-2)
		p.Grid.Set(plot.X-1, plot.Bottom(), p.Glyphs.BL, themes.Axis)
	}
}

// readingGap is the gap before a chunk at which the stream is as fast as the
// reader, in ms: from the words that came per chunk where enough came, else
// from 0.75 words a token.
func (s *gaps) readingGap(p *canvas) float64 {
	v := &p.v.Figures
	perWord := 60e3 / p.wpm()
	if n := v.Answer.Chunks; n >= 20 && v.Words >= 10 {
		return perWord * float64(v.Words) / float64(n)
	}
	return perWord * 0.75
}

// paceLabel names the reading line where no bar crosses the words: at the right
// end, or else at the left one.
func (s *gaps) paceLabel(p *canvas, plot draw.Rect, y int, ms float64, cols []column) {
	text := p.Join(" ", paceWord(p.paceName()), " pace ", p.Ms(ms), " ")
	w := draw.Width(text)
	if w+8 > plot.W {
		text = p.Join(" ", p.Ms(ms), " ")
		if w = draw.Width(text); w+4 > plot.W {
			return
		}
	}
	for _, x := range [...]int{plot.Right() - w - 3, plot.X + 3} {
		if free(plot, cols, x, w, y) {
			p.Grid.Text(x, y, p.Chrome(text), themes.Reading, w)
			return
		}
	}
}

// paceWord is the verb for a pace of that name.
func paceWord(pace string) string {
	switch pace {
	case "reading":
		return "reading"
	case "fiction":
		return "fiction reading"
	case "aloud":
		return "reading aloud"
	case "speech":
		return "speech"
	case "skimming":
		return "skimming"
	}
	return "chosen"
}

// free reports whether no column reaches row y of the plot between x and x+w.
func free(plot draw.Rect, cols []column, x, w, y int) bool {
	row := plot.Bottom() - 1 - y
	for i := max(x-plot.X, 0); i < min(x-plot.X+w, len(cols)); i++ {
		if c := &cols[i]; c.mid >= 0 && rowOf(rise(c.top, plot.H), plot.H) >= row {
			return false
		}
	}
	return true
}

// gapsMarks draws the row below the bars: a sign under every stall and burst.
func (s *gaps) gapsMarks(p *canvas, plot draw.Rect, skipped int, cols []column) {
	y := plot.Bottom()
	for x := plot.X; x < plot.Right(); x++ {
		p.Grid.Set(x, y, p.Glyphs.H, themes.Faint)
	}
	for i, c := range cols {
		if c.burst {
			p.Grid.Set(plot.X+i, y, p.Glyphs.Burst, themes.Burst)
		}
	}
	for _, st := range p.v.Figures.Stalls {
		i := (st.Chunk-1)/max(p.strip.group, 1) - skipped
		if i >= 0 && i < plot.W {
			p.Grid.Set(plot.X+i, y, p.Glyphs.Stall, themes.Stall)
		}
	}
}

// gapsLegend says at the right of the top row, which a gap of seconds alone can
// reach, what the marks are and how many there were.
func (s *gaps) gapsLegend(p *canvas, plot draw.Rect, line int, cols []column) {
	v := &p.v.Figures
	stalls, bursts := p.Count(len(v.Stalls)), p.Count(len(v.Bursts))
	if v.Chunks == 0 {
		stalls, bursts = draw.Unknown, draw.Unknown
	}
	text := p.Join(" ▲ stalls ", p.wide(stalls, 3), "   ╎ bursts ", p.wide(bursts, 4), " ")
	w := draw.Width(text)
	x := plot.Right() - w - 3
	if x < plot.X || line == plot.Y || !free(plot, cols, x, w, plot.Y) {
		return
	}
	l := p.Line(x, plot.Y, w)
	l.Write(themes.Dim, text)
}
