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
	for _, f := range racestat.Figures {
		if few && f != v.Figure && f != figure.Failures {
			continue
		}
		for lane := range r.Lanes {
			w, ok := r.Verdict(f, v.Reference, lane)
			if !ok || f == figure.Failures && w.State == racestat.None {
				continue
			}
			row := verdictRow{Verdict: w, state: say.RaceState(&w, say.RaceLetter, r),
				name: shortFigure(f) + format.If(len(r.Lanes) > racestat.MinLanes, " "+say.RaceLetter(lane))}
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
	race := &p.v.Race
	right := p.Join(say.RaceLetter(p.v.Reference), "'s time is 1; ",
		format.Either(race.Swap != nil, "mean", "median"), " and range of ", say.RaceAmount(race))
	in := p.Box(r, themes.Border, "verdicts", format.If(race.Pairs()+len(race.Blocks) > 0, right))
	const nameW = 9
	stateW := 40
	if in.W >= 100 {
		stateW = 64 // "○ A 12x ahead, not certain yet; ~5 more pairs until decided"
	}
	chart := draw.Rect{X: in.X + nameW, Y: in.Y, W: in.W - nameW - stateW - 2, H: min(len(p.words.verdicts)+1, in.H)}
	scale := scaleOf(p.words.verdicts, chart.W)
	scale.ticks(p, chart)
	for i := range p.words.verdicts {
		row := &p.words.verdicts[i]
		y := i + 1
		if y >= in.H {
			return
		}
		l := p.Row(in, y)
		l.Slot(themes.Text, row.name, nameW)
		if row.Figure != figure.Failures {
			scale.interval(p, chart, in.Y+y, &row.Verdict)
		} else {
			text := p.Join(p.Count(race.Lanes[row.A].Lost), " against ",
				p.Count(race.Lanes[row.B].Lost), " of ", p.Count(race.Lanes[row.A].Counted))
			p.Grid.Text(chart.X, in.Y+y, text, themes.Text, chart.W)
		}
		l.To(chart.Right() + 1)
		l.Set(row.role, format.Either(row.role == themes.Good, p.Glyphs.Check, p.Glyphs.Ring))
		l.Skip(1)
		l.Clauses(row.role, row.state)
	}
	_, rest := in.SplitV(len(p.words.verdicts) + 1)
	for i, n := range p.words.warnings {
		l := p.Row(rest, i)
		l.Raw(n.role, n.text)
	}
}

// scale is the logarithmic axis of the ratios.
type scale struct {
	lo, hi float64 // logarithms
	w      int
}

// The axis shows at least leastSpan around 1 at both sides, and of what is drawn all within
// mostSpan.
var leastSpan, mostSpan = math.Log(1.1), math.Log(1e4)

// scaleOf fits the axis to the verdicts.
func scaleOf(rows []verdictRow, w int) scale {
	s := scale{lo: leastSpan, hi: leastSpan, w: w}
	for i := range rows {
		for _, x := range []float64{rows[i].Lo, rows[i].Ratio, rows[i].Hi} {
			if l := math.Log(x) * 1.1; onAxis(x) {
				s.lo, s.hi = max(s.lo, -l), max(s.hi, l)
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

// ticks writes the axis: 1 first, then what has room.
func (s scale) ticks(p *picture, r draw.Rect) {
	if s.w < 8 {
		return
	}
	taken := make([]bool, s.w+1)
	for _, m := range marks {
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

// interval draws a verdict: its interval with the median ratio, and the line at 1.
// An end that the axis does not hold is an arrow at the edge.
func (s scale) interval(p *picture, r draw.Rect, y int, v *racestat.Verdict) {
	if s.w < 8 {
		return
	}
	p.Grid.Set(r.X+s.column(1), y, p.Glyphs.Burst, themes.Faint)
	if !(v.Ratio > 0) {
		return
	}
	role := format.Either(v.State == racestat.Decided || v.State == racestat.Equal, themes.Accent, themes.Dim)
	if from, to := s.column(v.Lo), s.column(v.Hi); v.Lo > 0 || !math.IsInf(v.Hi, 1) {
		p.Grid.Across(r.X+from+1, y, to-from-1, p.Glyphs.H, role)
		p.Grid.Set(r.X+from, y, format.Either(onAxis(v.Lo), p.Glyphs.TeeL, p.Glyphs.Left), role)
		p.Grid.Set(r.X+to, y, format.Either(onAxis(v.Hi), p.Glyphs.TeeR, p.Glyphs.Right), role)
	}
	if onAxis(v.Ratio) {
		p.Grid.Set(r.X+s.column(v.Ratio), y, p.Glyphs.Dot, themes.Strong)
	}
}

// onAxis reports whether a ratio has a place on the axis.
func onAxis(ratio float64) bool { return math.Abs(math.Log(ratio)) <= mostSpan }
