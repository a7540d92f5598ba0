package race

import (
	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/metrics/racestat"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/report"
	"tokscope/ui/sanitize"
	"tokscope/ui/say"
	"tokscope/ui/screen"
)

// lanes draws the contestants: a column of text for each, or rows where columns
// would be too narrow.
func (p *picture) lanes(r draw.Rect) {
	n := len(p.v.Race.Lanes)
	if r.W/n < columnW {
		in := p.Box(r, themes.Border, "lanes", "")
		for i := range n {
			l := p.Row(in, i)
			p.laneRow(&l, i, false)
			p.Grid.Target(draw.Rect{X: in.X, Y: in.Y + i, W: in.W, H: 1}, onLane(i))
		}
		for i := range n { // below the rows there is room for one text
			if t := &p.v.Tracks[i]; t.Live {
				p.Tail(draw.Rect{X: in.X, Y: in.Y + n + 1, W: in.W, H: in.H - n - 1}, t.Text, t.Live)
				return
			}
		}
		return
	}
	span := p.v.span()
	for i := range n {
		left := r.X + r.W*i/n
		p.lane(draw.Rect{X: left, Y: r.Y, W: r.X + r.W*(i+1)/n - left, H: r.H}, i, span)
	}
}

// chosen reports whether a lane has a mark: ratios are to it, and enter opens it.
func (p *picture) chosen(i int) bool { return i == p.v.Reference && p.v.Race.Began.Known() }

// phaseWords says what a lane does now, or did in the round that is shown again.
func (p *picture) phaseWords(i int) (string, themes.Role) {
	race, t := &p.v.Race, &p.v.Tracks[i]
	count := format.Either(race.Work.MaxTokens > 0, p.Join(p.Count(t.Chunks), " of ", p.Count(race.Work.MaxTokens)),
		p.Plural(t.Chunks, "chunk", "chunks"))
	switch {
	case t.Fault != nil:
		return "failed", themes.Bad
	case t.Live && t.Chunks > 0:
		return p.Join("live, ", count), themes.Good
	case t.Live:
		return "live, waits", themes.Good
	case t.over() && p.v.Heat.Pair > 0 && p.first(i):
		return p.Join("ended first, ", p.Ms(t.Total.V)), themes.Good
	case t.over():
		return p.Join("ended, ", p.Ms(t.Total.V)), themes.Dim
	case t.Has && t.Chunks > 0:
		return count, themes.Dim
	case t.Has:
		return "waits", themes.Dim
	case race.Running && i < len(race.Phases) && race.Phases[i] == racestat.Next:
		return "next", themes.Dim
	}
	return "", themes.Dim
}

// titledW is the least width of a column with its label in the title, and titleRest that of what
// else stands there: "ended first, 1.28 s" must not come and go with its number.
const titledW, titleRest = 56, 31

// lane draws one column, with the label in its title or in a row of its own.
func (p *picture) lane(r draw.Rect, i int, span float64) {
	p.Grid.Target(r, onLane(i))
	t := &p.v.Tracks[i]
	phase, _ := p.phaseWords(i)
	titled := r.W >= titledW
	label := p.v.label(i, r.W-format.Either(titled, titleRest, 4))
	letter := p.Join(format.If(p.chosen(i), string(p.Glyphs.Ghost)), say.RaceLetter(i))
	in := p.Box(r, format.Either(t.Live, themes.BorderFocus, themes.Border),
		format.Either(titled, p.Join(letter, " ", label), letter), phase)
	l := p.Row(in, 0)
	if !titled { // a row of its own: which lane it is, and whether it is live, are never cut
		l.Raw(themes.Strong, label)
		_, in = in.SplitV(1)
		l = p.Row(in, 0)
	}
	p.figures(&l, i)
	if !p.v.Race.Began.Known() { // what will race
		y := 1
		for _, part := range report.LaneParts(&p.v.Race.Lanes[i]) {
			y += p.Wrapped(in, y, in.H-y, themes.Dim, sanitize.Line(part, 240))
		}
		return
	}
	bars := min(max((in.H-2)/3, 1), mostBars)
	text := draw.Rect{X: in.X, Y: in.Y + 1, W: in.W, H: in.H - 1 - bars}
	switch {
	case t.Fault != nil:
		p.Wrapped(in, 1, in.H-1, themes.Bad, t.Fault.Error())
		return
	case t.Text == "" && t.Before != "":
		p.Wrapped(text, 0, text.H, themes.Faint, t.Before)
	default:
		p.Tail(text, t.Text, t.Live || t.Chunks > 0 && !t.over())
	}
	if in.H > 2 {
		p.strip(draw.Rect{X: in.X, Y: in.Bottom() - bars, W: in.W, H: bars}, t, span)
		p.stripLegend(p.Line(in.X, r.Bottom()-1, in.W), span)
	}
}

// stripLegend writes in the lower border of a lane what the strip above it shows, in words, and
// where the time axis ends that all lanes share.
func (p *picture) stripLegend(l draw.Line, span float64) {
	end := p.Join(" axis to ", p.Ms(span), " ")
	l.End -= draw.Width(end) + 1
	if l.Fit(draw.Part{Role: themes.Dim, Text: " wait, then "}, draw.Part{Role: themes.Decode, Text: "text "},
		draw.Part{Role: themes.Dim, Text: "(higher: slower) ", Rank: 1}) {
		p.Grid.Text(l.End, l.Y, end, themes.Dim, draw.Width(end))
	}
}

func (p *picture) figures(l *draw.Line, i int) {
	t := &p.v.Tracks[i]
	l.Write(themes.Dim, "TTFT ")
	l.Slot(themes.Strong, p.Duration(t.TTFT), format.DurationWidth+1)
	if l.Left() >= 18 {
		l.Write(themes.Dim, "speed ")
		l.Write(themes.Strong, p.NumberOf(t.Speed))
		l.Whole(themes.Dim, " tok/s")
	}
	l.Whole(themes.Warn, format.If(t.Late, " ▲ tokscope lagged"))
	l.Whole(themes.Bad, format.If(p.v.Race.Lanes[i].Lost > 0, p.Join("  ", p.Count(p.v.Race.Lanes[i].Lost), " failed")))
}

// textWidth is about the columns of a token of English text, mostBars the largest height of
// the bars, in rows.
const textWidth, mostBars = 5, 8

// strip draws the wait and the gaps of a lane on the time axis that all lanes
// share, from the moment each was sent. The height of a bar is the longest gap that
// ends there, on a logarithmic scale.
func (p *picture) strip(r draw.Rect, t *Track, span float64) {
	if !t.Has || span <= 0 {
		return
	}
	x, y := r.X, r.Bottom()-1
	col := func(ms float64) int { return min(int(ms/span*float64(r.W)), r.W-1) }
	wait := format.Either(t.All && t.Total.OK, t.Total.V, float64(t.After)/1e6)
	if len(t.Gaps) > 0 {
		wait = t.Gaps[0].To
	}
	first := format.Either(wait > 0, max(col(wait), 1), 0) // no wait is too short to be seen
	at := func(ms float64) int { return max(col(ms), first) }
	p.Grid.Across(x, y, first, p.Glyphs.LightShade, themes.Prefill)
	worst := 0.0
	for i := 1; i < len(t.Gaps); i++ {
		gap := t.Gaps[i]
		c := at(gap.To)
		if i == 1 || c != at(t.Gaps[i-1].To) {
			worst = 0
		}
		worst = max(worst, gap.To-gap.From)
		from := max(col(gap.From)+1, first)
		p.Grid.Across(x+from, y, c-from, p.Glyphs.Bullet, themes.Faint)
		p.Grid.Bar(x+c, y, r.H, float64(draw.Heat(worst)+1)/themes.Levels, p.Glyphs,
			format.Either(gap.Stall, themes.Stall, themes.Decode))
	}
}

func (p *picture) laneRow(l *draw.Line, i int, narrow bool) {
	t := &p.v.Tracks[i]
	phase, role := p.phaseWords(i)
	l.Slot(themes.Strong, format.If(p.chosen(i), string(p.Glyphs.Ghost)), 1)
	l.Write(themes.Strong, p.Join(say.RaceLetter(i), " "))
	if narrow {
		l.Slot(themes.Dim, p.Duration(t.TTFT), format.DurationWidth+1)
		l.Raw(themes.Text, p.v.label(i, max(l.Left()-draw.Width(phase)-1, 6)))
		if draw.Width(phase) < l.Left() {
			l.To(l.End - draw.Width(phase))
			l.Whole(role, phase)
		}
		return
	}
	l.Slot(themes.Text, p.v.label(i, 26), 27)
	l.Slot(role, phase, 20)
	p.figures(l, i)
	if t.Fault != nil {
		l.Skip(2)
		l.Clauses(themes.Bad, t.Fault.Message)
	}
}

// labelMost is the largest width of a label in the header of Live.
const labelMost = 24

// source is the request of a lane, lent to the screen that shows streams.
type source struct {
	s    *Screen
	lane int
}

func (l *source) Place() screen.Place {
	short := "lane " + say.RaceLetter(l.lane)
	r, name := &l.s.view.Race, short
	if l.lane < len(r.Lanes) {
		name += " of the race, " + l.s.view.label(l.lane, labelMost)
	}
	return screen.Place{Stream: name, Short: short, From: "the race", Of: screen.Race,
		Unit: format.If(r.Running, "lane"), Work: r.Work}
}

func (l *source) Version() uint64 { return l.s.back.RaceVersion() }

// Stream implements screen.Source. Of a lane that waits for its turn it is the
// request of the round before, as Live has shown it.
func (l *source) Stream() (metrics.Stream, bool) { return l.s.back.RaceStream(l.lane) }

func (l *source) Sample() { l.s.view.Race = l.s.back.RaceView() }

// Next implements screen.Source. It also moves the selection on the Race screen.
func (l *source) Next(by int) bool {
	l.Sample()
	n := len(l.s.view.Race.Lanes)
	for step := 1; step < n; step++ { // past lanes that have sent nothing yet
		lane := ((l.lane+by*step)%n + n) % n
		if _, ok := l.s.back.RaceStream(lane); ok {
			l.lane, l.s.view.Reference = lane, lane
			return true
		}
	}
	return false
}

func (s *Screen) openLane() tea.Cmd {
	lane := s.view.Reference
	if lane >= len(s.view.Race.Lanes) {
		return nil
	}
	if _, ok := s.back.RaceStream(lane); !ok {
		return s.host.Say("lane " + say.RaceLetter(lane) + " has sent no request in this round yet")
	}
	return s.host.ShowStream(&source{s, lane})
}
