package live

import (
	"cmp"
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/pick"
	"tokscope/metrics/slo"
	"tokscope/metrics/verdict"
	"tokscope/themes"
	"tokscope/ui/chart/scope"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/say"
)

// headline is one of the three numbers of the screen.
type headline struct {
	label string
	num   string
	unit  string
	below string      // its context: n, percentile, factor
	brief string      // the same where it has no room; "": cut
	role  themes.Role // of the number
	about bool        // it rests on an estimate
}

// ttft is the time to first token: a running clock while it is waited for.
func (p *canvas) ttft() headline {
	v, st := p.v, &p.v.Stream
	f := headline{label: "TTFT", unit: "ms", role: themes.Dim}
	val := v.Figures.TTFT
	if !val.OK && len(st.Chunks) > 0 {
		// The clock stops with the chunk, not with the next update of the
		// figures.
		if d, ok := st.Chunks[0].At.Sub(st.Marks.Sent); ok {
			val = metrics.Known(float64(d)/1e6, 0)
		}
	}
	switch {
	case val.OK:
		f.num, f.unit = p.split(val)
		f.role = themes.Strong
		f.below, f.brief = p.typical()
	case st.State == metrics.Waiting || st.State == metrics.Decoding:
		if d, ok := v.Now.Sub(st.Marks.Sent); ok {
			b, unit := format.AppendStopwatch(p.Scratch(), float64(d)/1e6)
			f.num, f.unit = p.Keep(b), unit
		}
		f.role, f.below, f.brief = v.waitRole(), "so far", "so far"
		if usual, _ := p.typical(); usual != "" {
			f.below = p.Join("so far, ", usual)
		}
	case st.Asking:
		f.below = "not begun"
	case st.State == metrics.Connecting:
		f.below = "connecting"
	case st.State != metrics.Idle:
		f.num, f.below = draw.Unknown, format.Why(val.Why)
		if ran := st.Ran(); ran.OK && len(st.Chunks) == 0 {
			num, unit := p.split(ran)
			f.num, f.unit, f.role, f.below = p.Join(">", num), unit, themes.Strong, say.Came(st)
		}
	}
	return f
}

// interrupts is the wait without feedback from which on a person's flow of thought is
// interrupted: that of metrics/verdict.
const interrupts = metrics.Stamp(1e9)

// waitRole is the color of a wait in every place of the screen: that of how long it lasts.
func (v *View) waitRole() themes.Role {
	st := &v.Stream
	from := format.Either(st.Marks.Sent.Known(), st.Marks.Sent, st.Marks.Start)
	return themes.Heat(draw.Heat(metrics.Since(from, v.Now, 0).V))
}

// typical is the TTFT that is usual on this machine, else the median over the session's comparable runs.
func (p *canvas) typical() (full, brief string) {
	if u := p.v.Stream.Usual; u != nil && u.TTFT.Known() {
		usual := p.Join("usual ", p.bare(metrics.Known(u.TTFT.Median, 0)))
		return usual, usual
	}
	if p.median.N < 2 {
		return "", ""
	}
	brief = p.Join("p50 ", p.bare(*p.median))
	return p.Join(brief, " n=", p.Count(p.median.N)), brief
}

// begun reports whether figures of an answer can be known: it has chunks, or has ended.
func (p *canvas) begun() bool { return len(p.v.Stream.Chunks) > 0 || p.v.Stream.State.Ended() }

// tpot is the time per output token, with the p99 of the gaps per token below.
func (p *canvas) tpot() headline {
	v := &p.v.Figures
	f := headline{label: "TPOT", unit: "ms", role: themes.Dim}
	if p.begun() {
		f.num, f.unit = p.split(v.TPOT)
	}
	f.about = v.TPOT.OK && v.About()
	switch {
	case v.TPOT.OK:
		f.role = themes.Strong
		if x := p.undelayed(); x != nil && !x.Chunks {
			f.brief = p.Join(p.bare(metrics.Known(1000/x.Low, 0)), " without")
			f.below = p.Join(f.brief, " the ", format.Either(x.N == 1, "pause", "pauses"))
		} else if v.ITL.P99.OK {
			at, most := v.ITL.P99, ""
			if b := v.ITL.Missing.P99; b.Wide() {
				at.V, most = b.High, format.AtMost
			}
			f.below = p.Join("gap/token p99 ", most, p.bare(at))
			f.brief = p.Join("p99 ", most, p.bare(at))
		} else {
			f.below = p.Join("p99 – n=", p.Count(v.ITL.N))
		}
	case p.begun():
		f.below = format.Why(v.TPOT.Why)
	}
	return f
}

// speed is how fast one user is served, in the unit that was chosen. Where
// tokens are unknown it counts chunks, and says so.
func (p *canvas) speed() headline {
	v := &p.v.Figures
	f := headline{label: "speed", unit: "tok/s", role: themes.Dim}
	if p.begun() {
		f.num = draw.Unknown
	}
	val := v.Speed
	switch {
	case p.v.Units == Units[1]:
		val, f.unit = v.WPM, "wpm"
	case p.v.Units == Units[2]:
		val, f.unit = v.TPOT, "ms/token"
	case !val.OK && v.ChunkSpeed.OK:
		val, f.unit = v.ChunkSpeed, "chunks/s"
	}
	if val.OK {
		f.num, f.role = p.NumberOf(val), themes.Strong
		f.about = v.About() && (f.unit == Units[0] || f.unit == Units[2])
	}
	if v.TimesReading.OK && p.boxless { // there is no row for it
		f.brief = p.times(v.TimesReading)
		f.below = p.Join(p.pace().Name, " ", f.brief)
	}
	if x := p.undelayed(); x != nil {
		f.brief = p.Join(p.Number(x.Low), " without")
		f.below = p.Join(f.brief, " the ", format.Either(x.N == 1, "pause", "pauses"))
	}
	switch {
	case p.stalling(): // the number is that of before
		f.role, f.below, f.brief = themes.Dim, "before the pause", "paused"
	case p.begun() && !val.OK:
		f.below = format.Why(val.Why)
	}
	return f
}

// undelayed is the finding that has the speed without the pauses, nil where they cost little.
func (p *canvas) undelayed() *verdict.Finding {
	return pick.First(p.v.Findings, func(x *verdict.Finding) bool { return x.Code == verdict.Speed && x.Low > 0 })
}

func (p *canvas) pace() metrics.Pace { return cmp.Or(p.v.Pace, metrics.Paces[0]) }

// compare takes from the session what is compared with the present stream: the median
// TTFT, unknown until its connection is known, the trends, the runs that the scope shows
// and those of the lens. It does so only when the session grows, and when more is known
// of the present connection. Runs of the same work may have had another connection:
// TTFT begins when the request is sent.
func (s *picture) compare(v *View) {
	as, present := metrics.ConditionsOf(&v.Stream), &v.Stream
	if s.counted == len(v.Runs) && s.countedFor == present.ID && s.countedAs == as {
		return
	}
	s.counted, s.countedFor, s.countedAs = len(v.Runs), present.ID, as
	s.ttfts, s.scope.past, s.lens.runs = s.ttfts[:0], s.scope.past[:0], s.lens.runs[:0]
	s.trends.runs, s.trends.other, s.trends.all = s.trends.runs[:0], s.trends.other[:0], 0
	for _, r := range pick.All(v.Runs) {
		of := metrics.ConditionsOf(&r.Stream)
		alike, earlier := of.Fit(as), r.Stream.ID != present.ID
		if alike && r.Stream.State == metrics.Done {
			if as.Connected && r.Figures.TTFT.OK {
				s.ttfts = append(s.ttfts, r.Figures.TTFT.V)
			}
			if earlier {
				s.lens.runs = append(s.lens.runs, r)
			}
		}
		if !of.Request().Fit(as.Request()) {
			continue
		}
		if earlier && len(r.Stream.Chunks) > 1 {
			s.scope.past = append(s.scope.past, r)
		}
		if present.State != metrics.Idle && r.Stream.State != metrics.Cancelled {
			s.trends.add(r, alike)
		}
	}
	s.median = metrics.Median(s.ttfts, metrics.WhyNoValues)
	s.scope.past = s.scope.past[max(len(s.scope.past)-scope.MostPast, 0):]
	s.lens.past = slo.LensOfRuns(s.lens.runs)
}

// bigRows is the height of a big figure: its label with the unit, the number,
// its context.
const bigRows = 1 + draw.BigHeight + 1

// nowPanel shows the present values: three figures and, below, what they rest on.
func (p *canvas) nowPanel(r draw.Rect) {
	title, span := p.nowTitle(), p.trends.span(p)
	about := r.H >= bigRows+5 && draw.Width(title)+draw.Width(span)+9 <= r.W // trendRow has a row
	in := p.box(r, title, format.If(about, span))
	figs := [...]headline{p.ttft(), p.tpot(), p.speed()}
	y := len(figs)
	switch {
	case in.H < len(figs): // speed says as much as TPOT
		p.listFigures(in, []headline{figs[0], figs[2]})
	case in.W >= columnsFrom && in.H >= bigRows+3:
		p.bigFigures(in, figs[:])
		p.trendRow(in, bigRows)
		y = bigRows + 1
	default:
		p.listFigures(in, figs[:])
	}
	_, rest := in.SplitV(y)
	p.facts(rest)
}

// nowTitle is the name of the panel, or whose figures it shows.
func (p *canvas) nowTitle() string {
	if p.v.Other == "" {
		return "figures"
	}
	return p.Join("last run: ", p.v.Other)
}

// figureColumns are the widths of the three figures. Each fits four big
// digits; speed gets the rest, since its unit is the longest.
func figureColumns(w int) [3]int {
	a, b := w/3, w/3
	if w < 44 {
		a, b = 13, 11 // "p50 42.0 n=3", "p99 – n=39"
	}
	return [3]int{a, b, w - a - b}
}

// figureGap is how many columns separate two big figures at least.
const figureGap = 3

// bigFigures draws the numbers three rows high.
func (p *canvas) bigFigures(in draw.Rect, figs []headline) {
	x := in.X
	for i, w := range figureColumns(in.W) {
		f := &figs[i]
		l := p.Line(x, in.Y, w)
		l.Write(themes.Title, f.label)
		l.Skip(1)
		if !f.about || !l.Whole(themes.Unit, p.Join(f.unit, " est.")) {
			l.Whole(themes.Unit, f.unit)
		}
		if i+1 < len(figs) && figs[i+1].num != draw.Unknown {
			f.num = p.shorter(f.num, w-figureGap)
		}
		if num, more := strings.CutPrefix(f.num, ">"); draw.BigWidth(num, p.Glyphs) <= w-3 && more {
			p.Grid.Set(x, in.Y+2, '>', f.role)
			p.Grid.Big(x+2, in.Y+1, num, p.Glyphs, f.role, w-3)
		} else if draw.BigWidth(f.num, p.Glyphs) <= w-1 {
			p.Grid.Big(x, in.Y+1, f.num, p.Glyphs, f.role, w-1)
		} else {
			l = p.Line(x, in.Y+2, w-1)
			l.Whole(f.role, f.num)
		}
		x += w
	}
	p.belows(in, 1+draw.BigHeight, figs)
}

// belows writes what belongs to each figure below it. A text may run on under
// the figures after it that have none, and a reason that several figures share
// is written once.
func (p *canvas) belows(in draw.Rect, row int, figs []headline) {
	if row >= in.H {
		return
	}
	widths := figureColumns(in.W)
	x, end := in.X, in.Right()
	if in.W < 44 {
		end++ // "reading >999x" may take the blank before the border
	}
	for i := range figs {
		text := figs[i].below
		if text == "" || i > 0 && text == figs[i-1].below {
			x += widths[i]
			continue
		}
		room := end - x
		next := x + widths[i]
		for j := i + 1; j < len(figs); j++ {
			if b := figs[j].below; b != "" && b != figs[j-1].below {
				room = next - x - 1
				break
			}
			next += widths[j]
		}
		if figs[i].brief != "" && draw.Width(text) > room {
			text = figs[i].brief
		}
		l := p.Line(x, in.Y+row, room)
		l.Cut(themes.Dim, text)
		x += widths[i]
	}
}

// write puts the number and its unit into a row. An estimate is "~190". Without room for
// both it writes nothing. A number of which nothing can be known yet is blank.
func (f *headline) write(p *canvas, l *line) {
	if f.num == "" || draw.Width(f.num)+1+draw.Width(f.unit) > l.Left() {
		return
	}
	l.Write(f.role, p.Join(format.If(f.about, "~"), f.num))
	l.Skip(1)
	l.Whole(themes.Unit, f.unit)
}

// listFigures draws each number in a row of its own, with its context behind it.
func (p *canvas) listFigures(in draw.Rect, figs []headline) {
	for i := range figs {
		f, l := &figs[i], p.Row(in, i)
		l.Slot(themes.Title, f.label, LabelRoom)
		at := l.X + figureRoom
		if p.boxless { // "~12,345 tok/s "
			at += 2
		}
		f.write(p, &l)
		l.To(at)
		_ = f.below != "" && l.Whole(themes.Dim, f.below) || l.Whole(themes.Dim, f.brief)
	}
}

// figureRoom is the width of a number with its unit and a blank in a row: "~1,234 tok/s ".
const figureRoom = 12
