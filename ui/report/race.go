package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/figure"
	"tokscope/metrics/racestat"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
	"tokscope/ui/say"
)

// Race prints the result of a race: what it has shown in a sentence, the lanes
// unless RaceHead has printed them, the verdicts with their numbers, what
// qualifies them, and what it took. conditions are what it says of those of
// --fail-if.
func Race(w io.Writer, v *racestat.View, by Origin, headed bool, conditions ...string) error {
	b := bufio.NewWriter(w)
	for _, line := range format.Wrap(format.TiePercent(sanitize.Line(say.RaceSentence(v), 600)), lineWidth) {
		fmt.Fprintln(b, line)
	}
	if !headed {
		fmt.Fprintln(b)
		printRaceLanes(b, v)
	}
	if len(v.Rounds) > 0 {
		fmt.Fprintln(b)
		printAligned(b, raceTable(v), 2)
	}
	fmt.Fprintln(b)
	for _, c := range conditions {
		row(b, "fail-if", "%s", sanitize.Line(c, 400))
	}
	for _, n := range RaceNotes(v) {
		row(b, n.Label, "%s", sanitize.Line(n.Text, 400))
	}
	row(b, "measured", "%s", raced(v, by))
	return b.Flush()
}

// RaceHead prints what is about to happen, before the first pair: the lanes and
// the workload.
func RaceHead(w io.Writer, v *racestat.View) error {
	b := bufio.NewWriter(w)
	printRaceLanes(b, v)
	fmt.Fprintln(b)
	return b.Flush()
}

// printRaceLanes prints a row a lane, and the workload.
func printRaceLanes(w io.Writer, v *racestat.View) {
	for i := range v.Lanes {
		fmt.Fprintf(w, "%s  %s\n", say.RaceLetter(i), RaceLane(&v.Lanes[i]))
	}
	fmt.Fprintln(w, "   "+sanitize.Line(strings.Join(raceWork(v), " · "), 240))
}

// RaceLane describes a lane in a line: label, endpoint, model, connection.
func RaceLane(l *racestat.Lane) string {
	return sanitize.Line(strings.Join(laneParts(l), " · "), 240)
}

// RaceDetail is RaceLane without the label.
func RaceDetail(l *racestat.Lane) string {
	return sanitize.Line(strings.Join(laneParts(l)[1:], " · "), 240)
}

// laneParts describes a lane.
func laneParts(l *racestat.Lane) []string {
	parts := []string{l.Label}
	e := &l.Endpoint
	for _, p := range []string{e.Name, e.Model,
		say.AnsweredBy(e.Model, l.Model), e.Note, e.URL, connectionOf(l), e.Badge} {
		if p != "" && p != parts[0] && !(p == e.Name && strings.Contains(e.URL, p)) {
			parts = append(parts, p)
		}
	}
	return parts
}

// connectionOf describes a lane's connections: what was asked for, and what its
// last response came over.
func connectionOf(l *racestat.Lane) string {
	var parts []string
	if l.Connection != metrics.ReuseAuto {
		parts = append(parts, l.Connection.String())
	}
	if l.Proto != "" {
		parts = append(parts, l.Proto)
	}
	if l.Direct {
		parts = append(parts, "without proxy")
	}
	return strings.Join(parts, ", ")
}

// raceWork describes what the lanes get.
func raceWork(v *racestat.View) []string {
	parts := []string{v.Work.Name}
	if v.Work.InputTokens > 0 {
		parts = append(parts, "about "+format.Count(v.Work.InputTokens)+" tokens in")
	}
	if v.Work.MaxTokens > 0 {
		parts = append(parts, "at most "+format.Count(v.Work.MaxTokens)+" out")
	}
	mode := "one lane after the other"
	if v.Parallel {
		mode = "all lanes at the same time: they share this machine's network"
	}
	return append(parts, mode, "order drawn with seed "+say.RaceSeed(v.Seed))
}

// printAligned prints rows in columns. The first so many and the last begin at the
// left, the others end at the right.
func printAligned(w io.Writer, rows [][]string, left int) {
	width := make([]int, len(rows[0]))
	for _, r := range rows {
		for i, c := range r {
			width[i] = max(width[i], draw.Width(c))
		}
	}
	for _, r := range rows {
		var line strings.Builder
		for i, c := range r {
			pad := strings.Repeat(" ", width[i]-draw.Width(c))
			if i < left || i == len(r)-1 {
				line.WriteString(c + pad)
			} else {
				line.WriteString(pad + c)
			}
			line.WriteString("  ")
		}
		fmt.Fprintln(w, strings.TrimRight(line.String(), " "))
	}
}

// raceTable is the table of the verdicts.
func raceTable(v *racestat.View) [][]string {
	rows := [][]string{{"", "lanes", "median", "median", "ratio", raceLevel(v), "won", "pairs", ""}}
	for i := range v.Verdicts {
		w := &v.Verdicts[i]
		ratio, interval := say.RaceRatio(w)
		a, b := RaceMedian(v, w.Figure, w.A), RaceMedian(v, w.Figure, w.B)
		if w.Figure == figure.Failures {
			a, b = failed(&v.Lanes[w.A]), failed(&v.Lanes[w.B])
			ratio, interval = "", ""
		}
		rows = append(rows, []string{
			say.RaceFigure(w.Figure), say.RaceLetter(w.A) + " : " + say.RaceLetter(w.B), a, b, ratio, interval,
			raceWon(w), format.Count(w.N), say.RaceState(w, say.RaceLetter, v),
		})
	}
	return rows
}

// raceWon writes how many pairs the first and the second lane have won, and how
// many were tied.
func raceWon(w *racestat.Verdict) string {
	text := format.Count(w.Wins) + ":" + format.Count(w.Losses)
	if w.Ties > 0 {
		text += ", " + format.Count(w.Ties) + " tied"
	}
	return text
}

// raceLevel heads the column of the intervals with the level that holds over all
// verdicts.
func raceLevel(v *racestat.View) string { return format.Percent(1-v.Level) + " over all" }

// failed writes the failures of a lane: "1 of 13".
func failed(l *racestat.Lane) string {
	return format.Count(l.Lost) + " of " + format.Count(l.Counted)
}

// RaceMedian writes the median of a time over the pairs of a lane, "–" without
// one.
func RaceMedian(v *racestat.View, f figure.ID, lane int) string {
	return format.Known(v.Median(f, lane), format.Ms)
}

// raced says when, where and with what the race was measured.
func raced(v *racestat.View, by Origin) string {
	return v.Wall.UTC().Format("2006-01-02 15:04:05 UTC") + ", " + by.String()
}

// RacePair prints the newest pair in columns, the head of the table before the
// first.
func RacePair(w io.Writer, v *racestat.View) error {
	if len(v.Rounds) == 0 {
		return nil
	}
	b := bufio.NewWriter(w)
	figures := pairFigures(len(v.Lanes))
	if len(v.Rounds) == 1 {
		fmt.Fprintf(b, "pair  order")
		for _, f := range figures {
			for lane := range v.Lanes {
				name := ""
				if lane == 0 {
					name = pairName(f)
				}
				fmt.Fprintf(b, "%s%*s", pairGap(lane), format.DurationWidth, strings.TrimSpace(name+" "+say.RaceLetter(lane)))
			}
		}
		fmt.Fprintln(b)
	}
	r := &v.Rounds[len(v.Rounds)-1]
	number := format.Count(r.N - 1)
	if r.Dropped {
		number = "–"
	}
	order := ""
	for _, lane := range r.Order {
		order += say.RaceLetter(lane)
	}
	fmt.Fprintf(b, "%4s  %-5s", number, order)
	for _, f := range figures {
		for lane := range r.Results {
			fmt.Fprintf(b, "%s%*s", pairGap(lane), format.DurationWidth, PairCell(r, f, lane))
		}
	}
	if r.Dropped {
		fmt.Fprint(b, "   dropped: it warms up")
	}
	fmt.Fprintln(b)
	return b.Flush()
}

// pairGap parts the columns of a figure, and more so the figures.
func pairGap(lane int) string {
	if lane == 0 {
		return "   "
	}
	return "  "
}

// PairCell writes a lane's figure in a round, "failed" for a failure.
func PairCell(r *racestat.Round, f figure.ID, lane int) string {
	if r.Results[lane].Failed() {
		return "failed"
	}
	return format.Known(r.Results[lane].Values[f], format.Ms)
}

// pairName is the short name of a figure in the columns of pairs.
func pairName(f figure.ID) string {
	if f == figure.Longest {
		return "gap"
	}
	return say.RaceFigure(f)
}

// pairFigures are the figures that fit beside each other for so many lanes.
func pairFigures(lanes int) []figure.ID {
	switch {
	case lanes <= 2:
		return []figure.ID{figure.TTFT, figure.TPOT, figure.Total, figure.Longest}
	case lanes == 3:
		return []figure.ID{figure.TTFT, figure.TPOT, figure.Total}
	}
	return []figure.ID{figure.TTFT, figure.Total}
}

// RaceMarkdown prints a race for an issue.
func RaceMarkdown(w io.Writer, v *racestat.View, by Origin, conditions ...string) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "**%s**\n\n", markdown(sanitize.Line(say.RaceSentence(v), 600)))
	for i := range v.Lanes {
		fmt.Fprintf(b, "- %s: %s\n", say.RaceLetter(i),
			markdown(sanitize.Line(strings.Join(laneParts(&v.Lanes[i]), " · "), 240)))
	}
	fmt.Fprintf(b, "\n%s\n\n", markdown(sanitize.Line(strings.Join(raceWork(v), " · "), 240)))
	if len(v.Rounds) > 0 {
		rows := raceTable(v)
		fmt.Fprintf(b, "| %s |\n|---|---%s|---|\n", strings.Join(rows[0], " | "), strings.Repeat("|---:", len(rows[0])-3))
		for _, r := range rows[1:] {
			for i := range r {
				r[i] = markdown(r[i])
			}
			fmt.Fprintf(b, "| %s |\n", strings.Join(r, " | "))
		}
		fmt.Fprintln(b)
	}
	for _, c := range conditions {
		fmt.Fprintf(b, "- fail-if: %s\n", markdown(sanitize.Line(c, 400)))
	}
	for _, n := range RaceNotes(v) {
		fmt.Fprintf(b, "- %s: %s\n", n.Label, markdown(sanitize.Line(n.Text, 400)))
	}
	fmt.Fprintf(b, "- measured %s\n", markdown(raced(v, by)))
	return b.Flush()
}
