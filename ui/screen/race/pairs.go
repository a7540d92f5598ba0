package race

import (
	"cmp"

	"tokscope/metrics/racestat"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/report"
	"tokscope/ui/sanitize"
	"tokscope/ui/say"
)

// numberW and cellW are the widths of the number of a pair, and of a lane's letter and figure.
const numberW, cellW = 5, 2 + format.DurationWidth + 2

// pairs draws the chosen figure of the pairs, a row each, the newest first: what each lane took,
// and the ratios to the chosen lane on the axis of the verdicts.
func (p *picture) pairs(r draw.Rect) {
	if r.Empty() {
		return
	}
	p.Grid.Target(r, onPairs{})
	race := &p.v.Race
	all := len(race.Rounds)
	p.room = max(r.H-2, 1)
	last := min(max(cmp.Or(p.v.Last, all), p.room), all)
	first := max(last-p.room, 0)
	which := format.If(all > 0, "newest first")
	if all > p.room {
		which = p.Join(p.Count(max(race.Rounds[first].N-1, 1)), "–", p.Count(race.Rounds[last-1].N-1),
			" of ", p.Count(race.Rounds[all-1].N-1), ", newest first")
	}
	title := format.Either(race.Began.Known(), p.Join("pairs: ", p.v.Figure.Label()), "what will happen")
	in := p.Box(r, themes.Border, title, which)
	if all == 0 {
		p.plan(in)
		return
	}
	for i := last - 1; i >= first; i-- {
		p.pair(in, last-1-i, &race.Rounds[i])
	}
}

// pair draws one of the pairs in row y. One that is left out has no place on the axis.
func (p *picture) pair(in draw.Rect, y int, round *racestat.Round) {
	f, l := p.v.Figure, p.Row(in, y)
	shown := p.v.Heat.Pair > 0 && p.v.Heat.Pair == round.N-1
	l.Slot(themes.Strong, format.If(shown, string(p.Glyphs.Ghost)), 1)
	l.Slot(themes.Dim, format.If(!round.Dropped, p.Count(round.N-1)), numberW-1)
	best := round.Best(f)
	for lane := range round.Results {
		role := themes.Text
		switch {
		case round.Dropped:
			role = themes.Dim
		case round.Results[lane].Failed():
			role = themes.Bad
		case lane == best:
			role = themes.Strong
		}
		l.Slot(themes.Dim, say.RaceLetter(lane), 2)
		p.Grid.Right(l.X+format.DurationWidth, l.Y, report.PairCell(round, f, lane), role, format.DurationWidth)
		l.Skip(cellW - 2)
	}
	axis := p.axisIn(in)
	switch {
	case l.X > axis.at.X:
	case round.Dropped:
		l.To(axis.at.X)
		l.Whole(themes.Dim, "dropped: it warms up")
	default:
		axis.mark(l.Y, 1, p.Glyphs.Burst, themes.Faint)
		several := len(round.Results) > racestat.MinLanes
		for lane := range round.Results {
			if ratio, ok := p.v.ratio(round, lane); ok {
				letter := rune(say.RaceLetter(lane)[0])
				axis.mark(l.Y, ratio, format.Either(several, letter, p.Glyphs.Dot), themes.Text)
			}
		}
	}
}

// planH is the number of rows of the plan with blank ones between.
const planH = 8

// plan says before the first pair what will happen, with blank rows between where there is room.
func (p *picture) plan(in draw.Rect) {
	race, y := &p.v.Race, 0
	asks := format.If(race.Work.Prompt != "", "Each request asks: “"+sanitize.Line(say.Prompt(&race.Work), 400)+"”")
	if race.Session != nil {
		asks = "A pair is a turn of a session: " + say.Session(race.Session) + "."
	}
	for _, text := range []string{
		"Each pair asks every lane once, in random order; the first pair is dropped.",
		say.RaceBounds(race),
		asks,
	} {
		y += p.Wrapped(in, y, in.H, themes.Text, text) + format.Either(in.H >= planH, 1, 0)
	}
}
