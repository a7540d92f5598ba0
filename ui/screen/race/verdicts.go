package race

import (
	"cmp"
	"math"
	"slices"

	"tokscope/metrics/figure"
	"tokscope/metrics/racestat"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/say"
)

// verdictRow is one verdict in words.
type verdictRow struct {
	racestat.Verdict
	name  string // figure, and the letter of the lane where there are several
	state string
	role  themes.Role
}

// note qualifies the verdicts.
type note struct {
	text string
	role themes.Role
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
			row := verdictRow{Verdict: w, state: "not yet: " + measures[f],
				name: shortFigure(f) + format.If(len(r.Lanes) > racestat.MinLanes, " "+say.RaceLetter(lane))}
			if ok {
				row.state = say.RaceStanding(&w, say.RaceLetter, r)
			}
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

// shortFigure is the name of a figure in a narrow column.
func shortFigure(f figure.ID) string {
	return cmp.Or(map[figure.ID]string{figure.Longest: "gap", figure.Failures: "failed"}[f], f.Label())
}

// measures says what a time will be.
var measures = map[figure.ID]string{
	figure.TTFT: "the wait for the first token", figure.TPOT: "the time per token after it",
	figure.Total: "all of the request", figure.Longest: "the longest gap between chunks",
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
	axis := axisOf(in)
	scale := words.scale.over(axis.W)
	scale.ticks(p, axis)
	for i := range words.verdicts {
		row := &words.verdicts[i]
		y := i + 1
		if y >= in.H {
			return
		}
		l := p.Row(in, y)
		l.End = axis.X - 1
		l.Slot(themes.Text, row.name, nameW)
		l.Set(row.role, format.Either(row.role == themes.Good, p.Glyphs.Check, p.Glyphs.Ring))
		l.Skip(1)
		l.Clauses(row.role, row.state)
		if row.Figure != figure.Failures {
			scale.interval(p, axis, in.Y+y, &row.Verdict)
			continue
		}
		text := p.Join(p.Count(race.Lanes[row.A].Lost), " against ",
			p.Count(race.Lanes[row.B].Lost), " of ", p.Count(race.Lanes[row.A].Counted))
		p.Grid.Text(axis.X, in.Y+y, text, themes.Text, axis.W)
	}
	_, rest := in.SplitV(len(words.verdicts) + 1)
	for i, n := range words.warnings {
		l := p.Row(rest, i)
		l.Raw(n.role, n.text)
	}
}

// legend says what the axis shows: the time that is 1, and of what is drawn what it is and for
// which pairs it holds.
func (p *picture) legend() string {
	race, words := &p.v.Race, &p.words
	text := p.Join(format.If(words.these, p.Join("in these ", say.RaceAmount(race), "; ")),
		say.RaceLetter(p.v.Reference), "'s time is 1")
	if words.dots {
		text = p.Join(text, "; ", string(p.Glyphs.Dot), format.Either(race.Swap != nil, " mean", " median"))
	}
	if words.ends {
		text = p.Join(text, ", ", string(p.Glyphs.TeeL), string(p.Glyphs.TeeR), " range")
	}
	return text
}

// nameW is the width of the name of a verdict.
const nameW = 9

// axisOf is the place of the axis in a box of the verdicts or the pairs, right of their words: where
// there is room, of "○ A 12x ahead, not certain yet; ~5 more pairs until decided".
func axisOf(in draw.Rect) draw.Rect {
	words := nameW + format.Either(in.W >= 100, 64, 42)
	return draw.Rect{X: in.X + words, Y: in.Y, W: max(in.W-words, 0), H: in.H}
}

// scale is the logarithmic axis of the ratios.
type scale struct {
	lo, hi float64 // logarithms
	w      int
}

// The axis shows at least leastSpan around 1 at both sides, and of what is drawn all within
// mostSpan. It has at least leastAxis columns.
var leastSpan, mostSpan = math.Log(1.1), math.Log(1e4)

const leastAxis = 8

// over is the axis over w columns.
func (s scale) over(w int) scale { return scale{s.lo, s.hi, w} }

// hold widens the axis to hold a ratio that has a place on it.
func (s *scale) hold(ratio float64) {
	if l := math.Log(ratio) * 1.1; onAxis(ratio) {
		s.lo, s.hi = max(s.lo, -l), max(s.hi, l)
	}
}

// scaleOf fits the axis to the verdicts, and to the chosen figure of the pairs.
func scaleOf(rows []verdictRow, v *View) scale {
	s := scale{lo: leastSpan, hi: leastSpan}
	for i := range rows {
		s.hold(rows[i].Lo)
		s.hold(rows[i].Ratio)
		s.hold(rows[i].Hi)
	}
	for i := range v.Race.Rounds {
		round := &v.Race.Rounds[i]
		of := &round.Results[v.Reference]
		for lane := range round.Results {
			if x := &round.Results[lane]; !round.Dropped && !x.Failed() && !of.Failed() {
				s.hold(x.Values[v.Figure].V / of.Values[v.Figure].V)
			}
		}
	}
	return s
}

// column is the column of a ratio, limited to the axis.
func (s scale) column(ratio float64) int {
	x := (math.Log(ratio) + s.lo) / (s.lo + s.hi)
	return int(math.Round(min(max(x, 0), 1) * float64(s.w-1)))
}

// marks are the ratios that the axis may name, the first before the next ones.
var marks = []float64{1, 2, 0.5, 10, 0.1, 5, 0.2, 100, 0.01, 1000, 0.001, 20, 0.05, 50, 0.02,
	1.5, 0.7, 1.25, 0.8, 1.1, 0.9, 1.05, 0.95}

// ticks writes the axis: 1 first, then, once there is a ratio, what has room.
func (s scale) ticks(p *picture, r draw.Rect) {
	if s.w < leastAxis {
		return
	}
	taken := make([]bool, s.w+1)
	for _, m := range marks[:format.Either(p.words.dots, len(marks), 1)] {
		if l := math.Log(m); l < -s.lo || l > s.hi {
			continue
		}
		text := format.Exact(m) + "x"
		c := min(max(s.column(m)-len(text)/2, 0), s.w-len(text))
		if slices.Contains(taken[max(c-2, 0):min(c+len(text)+2, s.w)], true) {
			continue
		}
		for i := range text {
			taken[c+i] = true
		}
		p.Grid.Text(r.X+c, r.Y, text, themes.Axis, len(text))
	}
}

// one draws the line at 1 in a row.
func (s scale) one(p *picture, r draw.Rect, y int) {
	if s.w >= leastAxis {
		p.Grid.Set(r.X+s.column(1), y, p.Glyphs.Burst, themes.Faint)
	}
}

// mark draws a sign at a ratio. Where the axis does not hold that, it is an arrow at the edge.
func (s scale) mark(p *picture, r draw.Rect, y int, ratio float64, sign rune, role themes.Role) {
	if s.w < leastAxis {
		return
	}
	if !onAxis(ratio) {
		sign = format.Either(ratio < 1, p.Glyphs.Left, p.Glyphs.Right)
	}
	p.Grid.Set(r.X+s.column(ratio), y, sign, role)
}

// interval draws a verdict: the line at 1, its interval, and the ratio, before which an end in
// the same column stands back.
func (s scale) interval(p *picture, r draw.Rect, y int, v *racestat.Verdict) {
	s.one(p, r, y)
	if !(v.Ratio > 0) {
		return
	}
	role := format.Either(v.State == racestat.Decided || v.State == racestat.Equal, themes.Accent, themes.Dim)
	if from, to := s.column(v.Lo), s.column(v.Hi); s.w >= leastAxis && bounded(v) {
		p.Grid.Across(r.X+from+1, y, to-from-1, p.Glyphs.H, role)
		s.mark(p, r, y, v.Lo, p.Glyphs.TeeL, role)
		s.mark(p, r, y, v.Hi, p.Glyphs.TeeR, role)
	}
	if onAxis(v.Ratio) {
		s.mark(p, r, y, v.Ratio, p.Glyphs.Dot, themes.Strong)
	}
}

// bounded reports whether a verdict has an end of its interval.
func bounded(v *racestat.Verdict) bool { return v.Lo > 0 || v.Hi > 0 && !math.IsInf(v.Hi, 1) }

// onAxis reports whether a ratio has a place on the axis.
func onAxis(ratio float64) bool { return math.Abs(math.Log(ratio)) <= mostSpan }
