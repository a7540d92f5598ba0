package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/comparison"
	"tokscope/metrics/history"
	"tokscope/metrics/pick"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/say"
)

// Compare lists a comparison: what it shows in a sentence, the two sides, a table
// and the distributions for each pair, and what qualifies them. ascii writes its text
// with ASCII alone.
func Compare(c *comparison.Comparison, by Origin, ascii bool) *Doc {
	d := &Doc{ASCII: ascii}
	d.lead(say.CompareSentence(c))
	d.fact("A", comparedSide(c.A))
	d.fact("B", comparedSide(c.B))
	for _, p := range pick.All(c.Pairs) {
		d.table(comparedTable(p))
		comparedPictures(d, p)
	}
	compareNotes(d, c)
	d.fact("compared", by.String())
	return d
}

// comparedSide describes a side: source, kind, endpoints, requests, time.
func comparedSide(s *comparison.Sample) string {
	ends := pick.Each(s.Endpoints, func(e *metrics.Endpoint) string { return format.Join(" ", e.Name, e.URL, e.API) })
	parts := slices.Concat([]string{s.Source, say.CompareKind(s.Kind)}, format.Few(ends, 3), s.Machines)
	parts = append(parts, format.Plural(s.N(), "request", "requests"))
	if !s.From.IsZero() {
		from, to := say.HistoryDay(s.From), say.HistoryDay(s.To)
		if to != from {
			if strings.HasPrefix(to, from[:10]) {
				to = to[11:]
			}
			from += " to " + to
		}
		parts = append(parts, from+" UTC")
	}
	return join(parts...)
}

// comparedTable is the table of a pair, below what A and B have in common.
func comparedTable(p *comparison.Pair) *Table {
	both, other := say.CompareSetup(&p.A), say.CompareSetup(&p.B)
	both = slices.DeleteFunc(both, func(part string) bool { return !slices.Contains(other, part) })
	t := &Table{Title: join(both...), Cols: slices.Concat(words(""),
		figures("A", "B", "ratio", format.Percent(1-comparison.Alpha), "n A", "n B"), words(""))}
	for _, r := range pick.All(p.Rows) {
		ratio, interval := say.CompareRatio(r)
		t.row(r.Figure.Label(), comparedMedian(r, r.A, r.NA), comparedMedian(r, r.B, r.NB), ratio, interval,
			format.Count(r.NA), format.Count(r.NB), format.Join(", ", say.CompareState(r), say.CompareExplains(p, r)))
	}
	f := &p.Failures
	t.row("failures", say.FailedOf(f.FailedA, f.NA), say.FailedOf(f.FailedB, f.NB), "", "",
		format.Count(f.NA), format.Count(f.NB), say.CompareFailureState(f))
	return t
}

// comparedMedian writes a median, "–" without values.
func comparedMedian(r *comparison.Row, median float64, n int) string {
	return format.Either(n > 0, format.Figure(r.Figure, median), format.Unknown)
}

// mostCompared is how many changes of a load a comparison lists.
const mostCompared = 4

// compareNotes qualify a comparison: conditions, points that differ, what was left
// out, what changed while a load ran, how the level is split.
func compareNotes(d *Doc, c *comparison.Comparison) {
	for _, v := range pick.All(c.Verdicts) {
		at := format.If(len(c.Pairs) > 1, "at "+say.CompareLoad(&c.Pairs[v.Pair].A)+", ")
		d.fact("fail-if", at+v.Condition.String()+": "+say.CompareCondition(v))
	}
	for _, p := range c.Allowed {
		i := slices.IndexFunc(c.Pairs, func(pair comparison.Pair) bool {
			return slices.Contains(pair.A.Differs(&pair.B), p)
		})
		if i >= 0 {
			d.fact("allowed", say.ComparePoint(p, &c.Pairs[i].A, &c.Pairs[i].B)+": a difference may come from it")
		}
	}
	d.fact("alone", comparedOnly("A", c.OnlyA), comparedOnly("B", c.OnlyB))
	suspectA, suspectB, tested := 0, 0, 0
	for _, p := range pick.All(c.Pairs) {
		suspectA, suspectB, tested = suspectA+p.SuspectA, suspectB+p.SuspectB, max(tested, p.Tested)
	}
	d.fact("left out", format.If(suspectA+suspectB > 0, "spoiled by buffering, a cache or tokscope's lag: "+
		format.Count(suspectA)+" in A, "+format.Count(suspectB)+" in B"))
	sides := []*comparison.Sample{c.A, c.B}
	for _, s := range sides {
		d.fact("left out", format.If(s.Unended+s.LeftOut > 0,
			s.Source+": "+format.Plural(s.Unended, "request without an end", "requests without an end")+
				", "+format.Plural(s.LeftOut, "lost line", "lost lines")))
	}
	for _, s := range sides {
		if s.Foreign != nil {
			d.fact("file", s.Source+" is "+say.ToolFile(s.Foreign))
		}
	}
	for i, s := range sides {
		changes := strings.Join(say.Changes(s.Changes, 0, s.ChangesLeftOut, mostCompared), ", ")
		d.fact("changed", format.If(changes != "", []string{"A", "B"}[i]+" while it ran: "+changes))
	}
	for _, s := range sides {
		d.fact("unsteady", format.If(s.Unsteady > 0,
			s.Source+": the figures of "+format.Plural(s.Unsteady, "load", "loads")+" were still drifting"))
	}
	if v := slices.Concat(c.A.Versions, c.B.Versions); len(v) > 1 &&
		slices.ContainsFunc(v, func(x string) bool { return x != v[0] }) {
		d.fact("versions", "measured by different versions of tokscope: "+strings.Join(slices.Compact(v), ", "))
	}
	d.fact("difference", comparedNames(c, "in place of a ratio where a value is 0: ",
		func(r *comparison.Row) bool { return r.Zero }))
	d.fact("neighbors", comparedNames(c,
		"requests after one another are alike: intervals may be too narrow in ",
		func(r *comparison.Row) bool { return r.Doubtful && slices.Contains(Pictured[:], r.Figure) }))
	d.fact("level", format.If(tested > 0, "95 % intervals; ~ is no clear change, at 5 % over "+
		format.Plural(tested, "test", "tests")+" (Mann-Whitney, Holm)"))
}

// comparedNames names the figures that is holds for, each once, behind text; "" without
// one.
func comparedNames(c *comparison.Comparison, text string, is func(*comparison.Row) bool) string {
	var names []string
	for i := range c.Pairs {
		for j := range c.Pairs[i].Rows {
			if r := &c.Pairs[i].Rows[j]; is(r) && !slices.Contains(names, r.Figure.Label()) {
				names = append(names, r.Figure.Label())
			}
		}
	}
	return format.If(len(names) > 0, text+strings.Join(names, ", "))
}

// comparedOnly names the setups without a counterpart.
func comparedOnly(side string, setups []comparison.Setup) string {
	of := func(s *comparison.Setup) string { return strings.Join(say.CompareSetup(s), ", ") }
	parts := format.Few(pick.Each(setups, of), 3)
	return format.If(len(parts) > 0, "not compared, in "+side+" alone: "+strings.Join(parts, "; "))
}

// Sizes of the distributions.
const (
	pictureColumns = 60
	pictureRows    = 5
	pictureLeast   = 8   // values of each sample
	pictureFine    = 200 // values of both from which each column counts for itself
	pictureMost    = 4   // figures
	pictureLabel   = 12
)

// Pictured may have a distribution, the most important first.
var Pictured = [...]history.Figure{history.TTFT, history.TPOT,
	history.Prefill, history.Queue, history.Total, history.Longest}

// pictureCells fill a cell with nothing, with A, with B behind which no A is, and
// with both. They differ in density, so that no color is needed.
var pictureCells = [...]rune{' ', '░', '▓', '█'}

// comparedPictures adds the distributions of A and B of the main figures, and of
// those that differ, one behind the other on the same axis.
func comparedPictures(d *Doc, p *comparison.Pair) {
	n := 0
	for _, f := range Pictured {
		r := p.Row(f)
		main := f == history.TTFT || f == history.TPOT
		if n == pictureMost || r == nil || !main && !r.Different() || min(len(r.ValuesA), len(r.ValuesB)) < pictureLeast {
			continue
		}
		if rows := comparedPicture(r, pictureColumns); rows != nil {
			d.blocks = append(d.blocks, picture(rows))
			n++
		}
	}
}

// comparedPicture draws the shares of the values of A and B over a logarithmic axis
// from the smallest value of both to the largest. The height of A is that of the
// cells with A or both, the height of B that of the cells with B or both. Beside it
// stands the share of requests of a full column. It is nil where there is no axis.
func comparedPicture(r *comparison.Row, columns int) []string {
	low := max(min(r.ValuesA[0], r.ValuesB[0]), 1e-6)
	high := max(r.ValuesA[len(r.ValuesA)-1], r.ValuesB[len(r.ValuesB)-1])
	if !(high > low*1.001) {
		return nil
	}
	wide := format.Either(len(r.ValuesA)+len(r.ValuesB) < pictureFine, 2, 1)
	span := math.Log(high / low)
	count := func(values []float64) []float64 {
		shares := make([]float64, (columns+wide-1)/wide)
		for _, v := range values {
			i := int(math.Log(max(v, low)/low) / span * float64(columns))
			shares[min(max(i, 0), columns-1)/wide] += 1 / float64(len(values))
		}
		return shares
	}
	a, b := count(r.ValuesA), count(r.ValuesB)
	most := max(slices.Max(a), slices.Max(b))
	reaches := func(share float64, row int) bool {
		return share > 0 && max(int(math.Round(share/most*pictureRows)), 1) >= row
	}
	var rows []string
	labels := map[int]string{pictureRows: r.Figure.Label(), pictureRows - 1: "to " + format.Percent(most)}
	for row := pictureRows; row > 0; row-- {
		line := make([]rune, columns)
		for i := range line {
			inA, inB := reaches(a[i/wide], row), reaches(b[i/wide], row)
			line[i] = pictureCells[format.Either(inA, 1, 0)+format.Either(inB, 2, 0)]
		}
		rows = append(rows, strings.TrimRight(fmt.Sprintf("%-*s %s", pictureLabel, labels[row], string(line)), " "))
	}
	left, right := format.Figure(r.Figure, low), format.Figure(r.Figure, high)
	legend := fmt.Sprintf("%c A n=%d  %c B n=%d  %c both", pictureCells[1], r.NA, pictureCells[2], r.NB, pictureCells[3])
	gap := columns - draw.Width(left+legend+right)
	return append(rows, strings.Repeat(" ", pictureLabel+1)+left+
		strings.Repeat(" ", max(gap/2, 1))+legend+strings.Repeat(" ", max(gap-gap/2, 1))+right)
}
