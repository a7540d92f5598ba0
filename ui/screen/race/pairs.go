package race

import (
	"tokscope/themes"
	"tokscope/ui/chart"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/report"
	"tokscope/ui/say"
)

// pairs draws the chosen figure of every lane and pair, the newest at the right.
func (p *picture) pairs(r draw.Rect) {
	if r.Empty() {
		return
	}
	p.Grid.Target(r, onPairs)
	race, f := &p.v.Race, p.v.Figure
	const nameW, cellW = 3, format.DurationWidth + 3
	room := max((r.Inner().W-nameW)/cellW, 1)
	p.room = room
	back := min(p.v.Back, max(len(race.Rounds)-room, 0))
	last := len(race.Rounds) - back
	first := max(last-room, 0)
	which := "newest right"
	if len(race.Rounds) > room {
		which = p.Join(p.Count(max(race.Rounds[first].N-1, 1)), "–", p.Count(race.Rounds[last-1].N-1),
			" of ", p.Count(race.Rounds[len(race.Rounds)-1].N-1), ", newest right")
	}
	in := p.Box(r, themes.Border, p.Join("pairs: ", f.Label(), ", ms"), which)
	if len(race.Rounds) == 0 {
		p.Wrapped(in, 0, in.H, themes.Dim,
			"Each pair is one request to every lane, in an order that is drawn. The first one warms up and is dropped.")
		return
	}
	x := in.X + nameW
	for i := first; i < last; i++ {
		round := &race.Rounds[i]
		name := format.Either(round.Dropped, "dropped", p.Count(round.N-1))
		p.Grid.Right(x+cellW-1, in.Y, name, themes.Dim, cellW)
		best := round.Best(f)
		for lane := range round.Results {
			y := in.Y + 1 + lane
			if y >= in.Bottom() {
				break
			}
			role := themes.Text
			switch {
			case round.Dropped:
				role = themes.Dim
			case round.Results[lane].Failed():
				role = themes.Bad
			case lane == best:
				role = themes.Strong
			}
			p.Grid.Right(x+cellW-1, y, report.PairCell(round, f, lane), role, cellW)
			if lane == best && !round.Dropped {
				p.Grid.Set(x+cellW-1, y, '*', themes.Good)
			}
		}
		x += cellW
	}
	for lane := range race.Lanes {
		l := p.Row(in, 1+lane)
		l.Write(themes.Strong, say.RaceLetter(lane))
	}
	_, rest := in.SplitV(len(race.Lanes) + 1)
	if rest.H > leastChart {
		p.pairChart(rest, first, last)
	} else if rest.H > 0 {
		l := p.Row(in, in.H-1)
		l.Cut(themes.Dim, "* shortest of its pair")
	}
}

// pairChart draws the chosen figure of the pairs in the table.
func (p *picture) pairChart(r draw.Rect, first, last int) {
	race, f := &p.v.Race, p.v.Figure
	version := uint64(race.Began)<<40 + uint64(last)<<24 + uint64(first)<<8 + uint64(f)
	p.charts[0].Draw(p.Grid, r, p.Glyphs, version, func(to *chart.Plot) {
		var marks []mark
		for i := range race.Rounds {
			for lane := range race.Rounds[i].Results {
				of := &race.Rounds[i].Results[lane]
				marks = append(marks, mark{i, lane, of.Values[f], of.Failed()})
			}
		}
		p.letters(to, first, last, 1, marks) // the first pair is dropped
	})
}
