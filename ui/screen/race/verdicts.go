package race

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"tokscope/metrics/figure"
	"tokscope/metrics/racestat"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/report"
	"tokscope/ui/sanitize"
	"tokscope/ui/say"
)

// verdictRow is one verdict in words.
type verdictRow struct {
	racestat.Verdict
	name  string // figure, and the letter of the lane where there are several
	state string
	role  themes.Role
}

// fewLanes is the largest number of lanes of which the verdicts on all figures have room.
const fewLanes = 3

// verdictRows are the verdicts between the chosen lane and each other one. few leaves out all
// times but the chosen one.
func verdictRows(v *View, few bool) []verdictRow {
	var rows []verdictRow
	r := &v.Race
	for _, f := range format.Either(r.Swap != nil, racestat.Swapped[:], racestat.Figures[:]) {
		if few && f != v.Figure && f != figure.Failures {
			continue
		}
		for lane := range r.Lanes {
			w, ok := r.Verdict(f, v.Reference, lane)
			if lane == v.Reference || f == figure.Failures && (!ok || w.State == racestat.None) {
				continue
			}
			state := say.RaceStanding(&w, say.RaceLetter, r)
			row := verdictRow{Verdict: w, state: format.Either(w.N+w.Left > 0 || r.Swap != nil, state, "not yet: "+measures[f]),
				name: format.Either(f == figure.Failures, "failed", f.Label()) +
					format.If(len(r.Lanes) > racestat.MinLanes, " "+say.RaceLetter(lane))}
			_, low, _, ahead := w.Factor()
			switch {
			case w.Worth(r.Band), w.State == racestat.Equal:
				row.role = themes.Good
			case w.State.Settled(), w.State == racestat.Undecided, ahead && low > 0:
				row.role = themes.Text
			default:
				row.role = themes.Dim
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// unsaid leaves out of the state of an open verdict what the sentence says already: that it is not
// certain yet, and how many more pairs decide it.
func unsaid(state, sentence string) string {
	lead, rest, _ := strings.Cut(state, "; ")
	if open := ", not certain yet"; strings.Contains(sentence, open) {
		lead = strings.TrimSuffix(lead, open)
	}
	return format.Join("; ", lead, format.If(!strings.Contains(sentence, rest), rest))
}

// measures says what a time will be.
var measures = map[figure.ID]string{
	figure.TTFT: "time to the first token", figure.TPOT: "time per token after it",
	figure.Total: "all of the request", figure.Longest: "between two chunks",
}

// warningRoles are those of the notes of a report that stand beside the verdicts; all others
// are among the statistics.
var warningRoles = map[string]themes.Role{
	"served": themes.Warn, "late": themes.Warn, "order": themes.Warn, "note": themes.Warn, "varies": themes.Dim,
}

// verdicts draws the intervals of the ratios with the state of each, then what spoils them.
func (p *picture) verdicts(r draw.Rect) {
	if r.Empty() {
		return
	}
	race, words := &p.v.Race, &p.words
	in := p.Box(r, themes.Border, "verdicts", p.legend())
	axis := p.axisIn(in)
	axis.ticks()
	for i := range words.verdicts[:max(min(len(words.verdicts), in.H-1), 0)] {
		row, y := &words.verdicts[i], i+1
		l := p.Row(in, y)
		l.End = axis.at.X - 1
		l.Slot(themes.Text, row.name, nameW)
		l.Set(row.role, format.Either(row.role == themes.Good, p.Glyphs.Check, p.Glyphs.Ring))
		l.Skip(1)
		l.Clauses(row.role, row.state)
		if row.Figure != figure.Failures {
			axis.interval(in.Y+y, &row.Verdict)
			continue
		}
		text := p.Join(p.Count(race.Lanes[row.A].Lost), " against ",
			p.Count(race.Lanes[row.B].Lost), " of ", p.Count(race.Lanes[row.A].Counted))
		p.Grid.Text(axis.at.X, in.Y+y, text, themes.Text, axis.at.W)
	}
	_, rest := in.SplitV(len(words.verdicts) + 1)
	for i, n := range words.warnings {
		l := p.Row(rest, i)
		l.Raw(n.Role, n.Text)
	}
}

// legend says what the axis shows: the time that is 1, and of what is drawn what it is and for
// which pairs it holds.
func (p *picture) legend() string {
	race, words := &p.v.Race, &p.words
	dot := p.Join("; ", string(p.Glyphs.Dot), format.Either(race.Swap != nil, " mean", " median"))
	return p.Join(format.If(words.these, p.Join("in these ", say.RaceAmount(race), "; ")),
		say.RaceLetter(p.v.Reference), "'s time is 1", format.If(words.dots, dot),
		format.If(words.ends, p.Join(", ", string(p.Glyphs.TeeL), string(p.Glyphs.TeeR), " range")))
}

const nameW = 14

// reach is what the logarithmic axis of the ratios holds, in logarithms: from -lo to hi. Where all
// are far from 1 at the same side, it begins nearer to them: 1 is then at its edge, beyond a gap.
type reach struct{ lo, hi float64 }

// The axis shows at least leastSpan around 1 at both sides, and of what is drawn all within
// mostSpan. It has at least leastAxis columns.
var leastSpan, mostSpan = math.Log(1.1), math.Log(1e4)

const leastAxis = 8

// farFrom1 is the part of the axis that may be empty beside 1.
const farFrom1 = 1. / 3

// hold widens the axis to hold ratios that have a place on it.
func (s *reach) hold(ratios ...float64) {
	for _, x := range ratios {
		if l := math.Log(x) * 1.1; onAxis(x) {
			s.lo, s.hi = max(s.lo, -l), max(s.hi, l)
		}
	}
}

// reachOf fits the axis to the verdicts, and to the chosen figure of the pairs.
func reachOf(rows []verdictRow, v *View) reach {
	s, least, most := reach{leastSpan, leastSpan}, math.Inf(1), math.Inf(-1)
	see := func(ratio float64) { least, most = min(least, math.Log(ratio)), max(most, math.Log(ratio)) }
	for i := range rows {
		w := &rows[i].Verdict
		if s.hold(w.Lo, w.Ratio, w.Hi); !(w.Ratio > 0) {
			continue
		}
		if see(w.Ratio); bounded(w) {
			see(w.Lo)
			see(w.Hi)
		}
	}
	for i := range v.Race.Rounds {
		for lane := range v.Race.Lanes {
			if ratio, ok := v.ratio(&v.Race.Rounds[i], lane); ok {
				s.hold(ratio)
				see(ratio)
			}
		}
	}
	switch {
	case least > s.hi*farFrom1 && least < s.hi: // false without any
		s.lo = max((s.hi-least)/8, leastSpan) - least
	case -most > s.lo*farFrom1 && -most < s.lo:
		s.hi = max((s.lo+most)/8, leastSpan) + most
	}
	return s
}

// axis is the axis of the ratios in a box: the same columns in that of the verdicts and in that
// of the pairs.
type axis struct {
	*picture
	reach
	at draw.Rect
}

// wordsW is the least width of the words left of an axis: of "✓ A 5.43x faster (5.42–5.56)" and
// its name.
const wordsW = nameW + 31

// axisIn is the axis in a box, right of the words of the verdicts and of the figures of the pairs.
func (p *picture) axisIn(in draw.Rect) axis {
	words := max(wordsW, p.words.wide+2, numberW+cellW*len(p.v.Race.Lanes))
	words = min(words, format.Either(in.W >= 100, 73, 51))
	w := in.W - words
	return axis{p, p.words.reach, draw.Rect{X: in.X + words, Y: in.Y, W: format.Either(w >= leastAxis, w, 0), H: in.H}}
}

// column is the column of a ratio, limited to the axis.
func (a *axis) column(ratio float64) int {
	x := (math.Log(ratio) + a.lo) / (a.lo + a.hi)
	return int(math.Round(min(max(x, 0), 1) * float64(a.at.W-1)))
}

// marks are the ratios that the axis may name, the first before the next ones.
var marks = []float64{1, 2, 0.5, 10, 0.1, 5, 0.2, 100, 0.01, 1000, 0.001, 20, 0.05, 50, 0.02,
	3, 1.5, 0.7, 1.25, 0.8, 1.1, 0.9, 1.05, 0.95}

// ticks writes in the first row 1, then, once there is a ratio, what has room.
func (a *axis) ticks() {
	w := a.at.W
	if w == 0 {
		return
	}
	taken := make([]bool, w+1)
	for _, m := range marks[:format.Either(a.words.dots, len(marks), 1)] {
		if l := math.Log(m); m != 1 && (l < -a.lo || l > a.hi) {
			continue
		}
		text := format.Exact(m) + "x"
		if m == 1 {
			text = format.If(a.hi < 0, "// ") + text + format.If(a.lo < 0, " //")
		}
		c := min(max(a.column(m)-len(text)/2, 0), w-len(text))
		if slices.Contains(taken[max(c-2, 0):min(c+len(text)+2, w)], true) {
			continue
		}
		for i := range text {
			taken[c+i] = true
		}
		a.Grid.Text(a.at.X+c, a.at.Y, text, themes.Axis, len(text))
	}
}

// mark draws a sign at a ratio. Where the axis does not hold that, it is an arrow at the edge.
func (a *axis) mark(y int, ratio float64, sign rune, role themes.Role) {
	if a.at.W == 0 {
		return
	}
	x := a.column(ratio)
	if !onAxis(ratio) {
		sign, x = a.Glyphs.Right, a.at.W-1
		if ratio < 1 {
			sign, x = a.Glyphs.Left, 0
		}
	}
	a.Grid.Set(a.at.X+x, y, sign, role)
}

// interval draws a verdict: the line at 1, its interval, and the ratio, before which an end in
// the same column stands back.
func (a *axis) interval(y int, v *racestat.Verdict) {
	a.mark(y, 1, a.Glyphs.Burst, themes.Faint)
	if a.at.W == 0 || !(v.Ratio > 0) {
		return
	}
	role := format.Either(v.State == racestat.Decided || v.State == racestat.Equal, themes.Accent, themes.Dim)
	if bounded(v) {
		from := a.column(v.Lo) + 1
		a.Grid.Across(a.at.X+from, y, a.column(v.Hi)-from, a.Glyphs.H, role)
		a.mark(y, v.Lo, a.Glyphs.TeeL, role)
		a.mark(y, v.Hi, a.Glyphs.TeeR, role)
	}
	if onAxis(v.Ratio) {
		a.mark(y, v.Ratio, a.Glyphs.Dot, themes.Strong)
	}
}

// bounded reports whether a verdict has an end of its interval.
func bounded(v *racestat.Verdict) bool { return v.Lo > 0 || v.Hi > 0 && !math.IsInf(v.Hi, 1) }

// onAxis reports whether a ratio has a place on the axis.
func onAxis(ratio float64) bool { return math.Abs(math.Log(ratio)) <= mostSpan }

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
