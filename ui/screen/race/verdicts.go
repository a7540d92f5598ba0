package race

import (
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
	pairs string // how many each lane has won, and the ratio; "" for failures
	wins  string // the first part of pairs
	role  themes.Role
}

// note qualifies the verdicts.
type note struct {
	text string
	role themes.Role
}

// fewLanes is the number of lanes up to which the verdicts on all figures have
// room; more lanes show the chosen figure alone.
const fewLanes = 3

// verdictRows are the verdicts between the chosen lane and each other one.
func verdictRows(v *View) []verdictRow {
	var rows []verdictRow
	r := &v.Race
	for _, f := range racestat.Figures {
		if len(r.Lanes) > fewLanes && f != v.Figure && f != figure.Failures {
			continue
		}
		for lane := range r.Lanes {
			w, ok := r.Verdict(f, v.Reference, lane)
			if !ok || f == figure.Failures && w.State == racestat.None {
				continue
			}
			row := verdictRow{Verdict: w, name: shortFigure(f),
				state: say.RaceState(&w, say.RaceLetter, r), pairs: say.RacePairs(&w)}
			row.wins = "won: " + say.RaceWins(&w)
			if r.Swap != nil {
				row.pairs, row.wins = format.If(w.P > 0, "p "+say.SwapP(&w)), ""
			}
			if len(r.Lanes) > racestat.MinLanes {
				row.name += " " + say.RaceLetter(lane)
			}
			switch w.State {
			case racestat.Decided, racestat.Equal:
				row.role = themes.Good
			case racestat.Undecided, racestat.Missing, racestat.AtOnce:
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
	switch f {
	case figure.Longest:
		return "gap"
	case figure.Failures:
		return "failed"
	}
	return f.Label()
}

// noteOrder is the order of the notes of a report where room is short, with their roles.
var noteOrder = []struct {
	label string
	role  themes.Role
}{{"failures", themes.Bad}, {"served", themes.Warn}, {"varies", themes.Dim}, {"took", themes.Dim},
	{"connecting", themes.Dim}, {"late", themes.Warn}, {"restarts", themes.Dim}, {"note", themes.Dim},
	{"order", themes.Warn}, {"neighbors", themes.Dim}, {"left out", themes.Dim}, {"level", themes.Dim},
	{"lag", themes.Dim}}

// notesOf are the notes of a race, the most important first.
func notesOf(r *racestat.View) (out []note) {
	if !r.Began.Known() {
		return nil
	}
	all := report.RaceNotes(r)
	for _, o := range noteOrder {
		for _, n := range all {
			if n.Name == o.label && n.Text != "" && (o.label != "took" || r.Spent.Tokens > 0) {
				out = append(out, note{sanitize.Line(n.Name+"  "+n.Text, 300), o.role})
			}
		}
	}
	return out
}

// verdicts draws the intervals of the ratios with the state of each, then the notes.
func (p *picture) verdicts(r draw.Rect) {
	if r.Empty() {
		return
	}
	race := &p.v.Race
	title, right := "verdicts", ""
	if race.Pairs()+len(race.Blocks) > 0 {
		right = p.Join("ratio to ", say.RaceLetter(p.v.Reference),
			format.Either(race.Swap != nil, ", means of ", ", median of "), say.RaceAmount(race),
			", ", format.Percent(1-race.Level), " over all verdicts")
	}
	in := p.Box(r, themes.Border, title, right)
	if len(p.words.verdicts) == 0 || !race.Began.Known() {
		p.Wrapped(in, 0, in.H, themes.Dim, "What the pairs say of TTFT, TPOT, total and the longest gap, and of failures.")
		return
	}
	const nameW = 9
	stateW := 44
	switch {
	case in.W < 100:
		stateW = 40
	case in.W >= 150:
		stateW = max(58, stateW+min(52, in.W-149)) // the chart keeps its width
	case in.W >= 110:
		stateW = 58 // "✓ A shorter by 33–44 % in these rounds  won: A 14, B 0"
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
		sign := p.Glyphs.Ring
		switch row.role {
		case themes.Good:
			sign = p.Glyphs.Check
		case themes.Text:
			sign = p.Glyphs.Unknown
		}
		l.Set(row.role, sign)
		l.Skip(1)
		l.Clauses(row.role, row.state)
		if row.pairs != "" && !l.Whole(themes.Dim, p.Join("  ", row.pairs)) {
			l.Whole(themes.Dim, p.Join("  ", row.wins))
		}
	}
	_, rest := in.SplitV(len(p.words.verdicts) + 1)
	rows := p.words.rows
	if len(rows) > rest.H {
		rows = p.noteRows(rest.W, rest.H)
	}
	for i, n := range rows {
		l := p.Row(rest, i)
		l.Raw(n.role, n.text)
	}
}

// noteRows lays the notes out in at most so many rows of w columns. None is cut:
// a failure or a warning takes as many rows as it needs, another note one, and
// what does not fit loses its last clauses.
func (p *picture) noteRows(w, most int) (out []note) {
	for _, n := range p.words.notes {
		text, left := n.text, most-len(out)
		if p.Glyphs.ASCII {
			text = format.ASCII(text)
		}
		text = strings.Replace(text, "  ", format.Tie+format.Tie, 1) // Wrap keeps the column after the label
		form := ""
		for rows := 1; rows <= left && form == ""; rows++ {
			fits := func(s string) bool { return len(format.Wrap(s, w)) <= rows }
			if n.role == themes.Dim || fits(text) || rows == left {
				form = format.Clauses(text, fits)
			}
		}
		if form == "" {
			continue
		}
		for _, row := range format.Wrap(form, w) {
			out = append(out, note{row, n.role})
		}
	}
	return out
}

// scale is the logarithmic axis of the ratios.
type scale struct {
	lo, hi float64 // logarithms
	w      int
}

// The axis shows at least leastSpan around 1 at both sides, and at most mostSpan.
var leastSpan, mostSpan = math.Log(1.1), math.Log(10)

// scaleOf fits the axis to the verdicts.
func scaleOf(rows []verdictRow, w int) scale {
	s := scale{lo: leastSpan, hi: leastSpan, w: w}
	for i := range rows {
		for _, x := range []float64{rows[i].Lo, rows[i].Ratio, rows[i].Hi} {
			if !(x > 0) || math.IsInf(x, 0) {
				continue
			}
			if l := math.Log(x) * 1.1; l > 0 {
				s.hi = max(s.hi, min(l, mostSpan))
			} else {
				s.lo = max(s.lo, min(-l, mostSpan))
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

// marks are the ratios that the axis may name.
var marks = []float64{1, 2, 0.5, 4, 0.25, 1.25, 0.8, 1.5, 0.7, 8, 0.125, 1.1, 0.9, 1.05, 0.95}

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
		text := format.Exact(m)
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
// An end that is not bounded is an arrow at the edge.
func (s scale) interval(p *picture, r draw.Rect, y int, v *racestat.Verdict) {
	if s.w < 8 {
		return
	}
	p.Grid.Set(r.X+s.column(1), y, p.Glyphs.Burst, themes.Faint)
	if !(v.Ratio > 0) {
		return
	}
	role := format.Either(v.State == racestat.Decided || v.State == racestat.Equal, themes.Accent, themes.Dim)
	from, to := 0, s.w-1
	left, right := p.Glyphs.Left, p.Glyphs.Right
	if v.Lo > 0 {
		from, left = s.column(v.Lo), p.Glyphs.TeeL
	}
	if !math.IsInf(v.Hi, 1) {
		to, right = s.column(v.Hi), p.Glyphs.TeeR
	}
	if v.Lo > 0 || !math.IsInf(v.Hi, 1) {
		p.Grid.Across(r.X+from+1, y, to-from-1, p.Glyphs.H, role)
		p.Grid.Set(r.X+from, y, left, role)
		p.Grid.Set(r.X+to, y, right, role)
	}
	if !math.IsInf(v.Ratio, 1) {
		p.Grid.Set(r.X+s.column(v.Ratio), y, p.Glyphs.Dot, themes.Strong)
	}
}
