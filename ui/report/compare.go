package report

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"tokscope/metrics/comparison"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
	"tokscope/ui/say"
)

// Compare prints a comparison: what it shows in a sentence, the two sides, a table
// and the distributions for each pair, and what qualifies them. ascii writes it with
// ASCII alone.
func Compare(w io.Writer, c *comparison.Comparison, by Origin, ascii bool) error {
	b := &strings.Builder{}
	for _, line := range format.Wrap(format.TiePercent(sanitize.Line(say.CompareSentence(c), 600)), lineWidth) {
		fmt.Fprintln(b, line)
	}
	fmt.Fprintln(b)
	fmt.Fprintln(b, "A  "+comparedSide(c.A))
	fmt.Fprintln(b, "B  "+comparedSide(c.B))
	for i := range c.Pairs {
		p := &c.Pairs[i]
		fmt.Fprintln(b)
		fmt.Fprintln(b, comparedSetup(p))
		printAligned(b, comparedTable(p), 1)
		for _, line := range comparedPictures(p) {
			fmt.Fprintln(b, line)
		}
	}
	fmt.Fprintln(b)
	for _, n := range CompareNotes(c) {
		row(b, n.Label, "%s", sanitize.Line(n.Text, 400))
	}
	row(b, "compared", "%s", by.String())
	text := b.String()
	if ascii {
		text = format.ASCII(text)
	}
	_, err := io.WriteString(w, text)
	return err
}

// comparedSide describes a side: source, kind, endpoints, requests, time.
func comparedSide(s *comparison.Sample) string {
	parts := []string{s.Source, say.CompareKind(s.Kind)}
	for i, e := range s.Endpoints {
		if i == 3 {
			parts = append(parts, format.Count(len(s.Endpoints)-i)+" more")
			break
		}
		parts = append(parts, format.Join(" ", e.Name, e.URL))
	}
	parts = append(parts, s.Machines...)
	parts = append(parts, format.Plural(s.N(), "request", "requests"))
	if !s.From.IsZero() {
		const minute = "2006-01-02 15:04"
		from, to := s.From.UTC().Format(minute), s.To.UTC().Format(minute)
		if to != from {
			if strings.HasPrefix(to, from[:10]) {
				to = to[11:]
			}
			from += " to " + to
		}
		parts = append(parts, from+" UTC")
	}
	return sanitize.Line(strings.Join(parts, " · "), 240)
}

// comparedSetup is the line above a table: what A and B have in common.
func comparedSetup(p *comparison.Pair) string {
	both := say.CompareSetup(&p.A)
	other := say.CompareSetup(&p.B)
	both = slices.DeleteFunc(both, func(part string) bool { return !slices.Contains(other, part) })
	return sanitize.Line(strings.Join(both, " · "), 240)
}

// comparedTable is the table of a pair.
func comparedTable(p *comparison.Pair) [][]string {
	rows := [][]string{{"", "A", "B", "ratio", format.Percent(1 - comparison.Alpha), "n A", "n B", ""}}
	for i := range p.Rows {
		r := &p.Rows[i]
		ratio, interval := say.CompareRatio(r)
		rows = append(rows, []string{
			say.HistoryFigure(r.Figure), comparedMedian(r, r.A, r.NA), comparedMedian(r, r.B, r.NB), ratio, interval,
			format.Count(r.NA), format.Count(r.NB), format.Join(", ", say.CompareState(r), say.CompareExplains(p, r)),
		})
	}
	f := &p.Failures
	return append(rows, []string{"failures", say.FailedOf(f.FailedA, f.NA),
		say.FailedOf(f.FailedB, f.NB), "", "", format.Count(f.NA), format.Count(f.NB), say.CompareFailureState(f)})
}

// comparedMedian writes a median, "–" without values.
func comparedMedian(r *comparison.Row, median float64, n int) string {
	if n == 0 {
		return format.Unknown
	}
	return say.HistoryValue(r.Figure, median)
}

// mostCompared is how many changes of a load a comparison lists.
const mostCompared = 4

// CompareNotes qualify a comparison: conditions, points that differ, what was left
// out, what changed while a load ran, how the level is split.
func CompareNotes(c *comparison.Comparison) []RaceNote {
	var notes []RaceNote
	add := func(label, text string) {
		if text != "" {
			notes = append(notes, RaceNote{label, text})
		}
	}
	for i := range c.Verdicts {
		v := &c.Verdicts[i]
		text := v.Condition.String() + ": " + say.CompareCondition(v)
		if len(c.Pairs) > 1 {
			text = "at " + say.CompareLoad(&c.Pairs[v.Pair].A) + ", " + text
		}
		add("fail-if", text)
	}
	for _, p := range c.Allowed {
		for i := range c.Pairs {
			if pair := &c.Pairs[i]; slices.Contains(pair.A.Differs(&pair.B), p) {
				add("allowed", say.ComparePoint(p, &pair.A, &pair.B)+": a difference may come from it")
				break
			}
		}
	}
	add("alone", comparedOnly("A", c.OnlyA))
	add("alone", comparedOnly("B", c.OnlyB))
	suspectA, suspectB, tested := 0, 0, 0
	for i := range c.Pairs {
		p := &c.Pairs[i]
		suspectA, suspectB, tested = suspectA+p.SuspectA, suspectB+p.SuspectB, max(tested, p.Tested)
	}
	if suspectA+suspectB > 0 {
		add("left out", "spoiled by buffering, a cache or tokscope's lag: "+
			format.Count(suspectA)+" in A, "+format.Count(suspectB)+" in B")
	}
	for _, s := range []*comparison.Sample{c.A, c.B} {
		if s.Unended+s.LeftOut > 0 {
			add("left out", s.Source+": "+format.Plural(s.Unended, "request without an end", "requests without an end")+
				", "+format.Plural(s.LeftOut, "lost line", "lost lines"))
		}
	}
	for _, side := range []struct {
		name string
		of   *comparison.Sample
	}{{"A", c.A}, {"B", c.B}} {
		if changes := say.Changes(side.of.Changes, 0, side.of.ChangesLeftOut, mostCompared); len(changes) > 0 {
			add("changed", side.name+" while it ran: "+strings.Join(changes, ", "))
		}
	}
	for _, s := range []*comparison.Sample{c.A, c.B} {
		if s.Unsteady > 0 {
			add("unsteady", s.Source+": the figures of "+format.Plural(s.Unsteady, "load", "loads")+" were still drifting")
		}
	}
	if v := slices.Concat(c.A.Versions, c.B.Versions); len(v) > 1 &&
		slices.ContainsFunc(v, func(x string) bool { return x != v[0] }) {
		add("versions", "measured by different versions of tokscope: "+strings.Join(slices.Compact(v), ", "))
	}
	add("difference", comparedZeros(c))
	add("neighbors", comparedDoubtful(c))
	if tested > 0 {
		add("level", "95 % intervals; ~ is no more than chance, at 5 % over "+
			format.Plural(tested, "test", "tests")+" (Mann-Whitney, Holm)")
	}
	return notes
}

// comparedZeros names the figures that have a difference in place of a ratio.
func comparedZeros(c *comparison.Comparison) string {
	var names []string
	for i := range c.Pairs {
		for j := range c.Pairs[i].Rows {
			if r := &c.Pairs[i].Rows[j]; r.Zero && !slices.Contains(names, say.HistoryFigure(r.Figure)) {
				names = append(names, say.HistoryFigure(r.Figure))
			}
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "in place of a ratio where a value is 0: " + strings.Join(names, ", ")
}

// comparedDoubtful names the figures whose intervals may be too narrow.
func comparedDoubtful(c *comparison.Comparison) string {
	var names []string
	for i := range c.Pairs {
		for _, f := range pictureFigures {
			if r := c.Pairs[i].Row(f); r != nil && r.Doubtful && !slices.Contains(names, say.HistoryFigure(f)) {
				names = append(names, say.HistoryFigure(f))
			}
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "requests after one another are alike (lag-1 autocorrelation above 0.3): intervals may be too narrow in " +
		strings.Join(names, ", ")
}

// comparedOnly names the setups without a counterpart.
func comparedOnly(side string, setups []comparison.Setup) string {
	if len(setups) == 0 {
		return ""
	}
	var parts []string
	for i := range setups {
		if i == 3 {
			parts = append(parts, format.Count(len(setups)-i)+" more")
			break
		}
		parts = append(parts, strings.Join(say.CompareSetup(&setups[i]), ", "))
	}
	return "not compared, in " + side + " alone: " + strings.Join(parts, "; ")
}

// CompareMarkdown prints a comparison for an issue.
func CompareMarkdown(w io.Writer, c *comparison.Comparison, by Origin) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "**%s**\n\n", markdown(sanitize.Line(say.CompareSentence(c), 600)))
	fmt.Fprintf(b, "- A: %s\n- B: %s\n", markdown(comparedSide(c.A)), markdown(comparedSide(c.B)))
	for i := range c.Pairs {
		p := &c.Pairs[i]
		fmt.Fprintf(b, "\n%s\n\n", markdown(comparedSetup(p)))
		for j, r := range comparedTable(p) {
			for k := range r {
				r[k] = markdown(r[k])
			}
			fmt.Fprintf(b, "| %s |\n", strings.Join(r, " | "))
			if j == 0 {
				fmt.Fprintf(b, "|---%s|---|\n", strings.Repeat("|---:", len(r)-2))
			}
		}
		if pictures := comparedPictures(p); len(pictures) > 0 {
			fmt.Fprintf(b, "\n```\n%s\n```\n", strings.Join(pictures[1:], "\n"))
		}
	}
	fmt.Fprintln(b)
	for _, n := range CompareNotes(c) {
		fmt.Fprintf(b, "- %s: %s\n", n.Label, markdown(sanitize.Line(n.Text, 400)))
	}
	fmt.Fprintf(b, "- compared by %s\n", markdown(by.String()))
	return b.Flush()
}
