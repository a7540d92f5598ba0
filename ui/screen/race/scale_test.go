package race

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"tokscope/metrics/figure"
	"tokscope/metrics/racestat"
	_ "tokscope/metrics/testkit" // the seed is fixed
	"tokscope/themes"
	"tokscope/ui/draw"
)

// TestIntervalIsWhole draws random verdicts on their common axis: the ratio is a dot in its column,
// each end of an interval is its mark in the column of its value, or an arrow where it has no place
// on the axis, and missing only where the dot, or the other end without a dot, has its column.
func TestIntervalIsWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var rows []verdictRow
		for range rapid.IntRange(1, 5).Draw(t, "rows") {
			logs := rapid.SliceOfN(rapid.Float64Range(-12, 12), 3, 3).Draw(t, "logs")
			lo, hi := min(logs[0], logs[1], logs[2]), max(logs[0], logs[1], logs[2])
			v := racestat.Verdict{Figure: figure.TTFT}
			v.Lo, v.Ratio, v.Hi = math.Exp(lo), math.Exp(logs[0]+logs[1]+logs[2]-lo-hi), math.Exp(hi)
			if rapid.Bool().Draw(t, "bounded") {
				v.Hi = math.Inf(1)
			}
			rows = append(rows, verdictRow{Verdict: v})
		}
		w := rapid.IntRange(8, 120).Draw(t, "width")
		s, g := reachOf(rows, &View{}), draw.New(w, len(rows))
		column := func(ratio float64) int { // the axis, written once more
			return int(math.Round(min(max((math.Log(ratio)+s.lo)/(s.lo+s.hi), 0), 1) * float64(w-1)))
		}
		p := &picture{}
		p.Begin(g, themes.UnicodeGlyphs())
		for y := range rows {
			v := &rows[y].Verdict
			a := axis{p, s, g.Bounds()}
			a.interval(y, v)
			dot := -1
			if math.Abs(math.Log(v.Ratio)) <= math.Log(1e4) {
				dot = column(v.Ratio)
			}
			for _, end := range []struct {
				of           float64
				mark, beyond string
				edge         int
			}{{v.Lo, "├", "←", 0}, {v.Hi, "┤", "→", w - 1}} {
				want, x := end.mark, column(end.of)
				if math.Abs(math.Log(end.of)) > math.Log(1e4) {
					want, x = end.beyond, end.edge
				}
				same := dot < 0 && column(v.Lo) == column(v.Hi)
				if got, _ := g.At(x, y); got != want && x != dot && !same {
					t.Fatalf("%v in %v to %v: %q in column %d, want %q", v.Ratio, v.Lo, v.Hi, got, x, want)
				}
				if l := math.Log(end.of); want == end.mark && (l > s.hi || -l > s.lo) {
					t.Fatalf("the axis from %v to %v does not hold %v", -s.lo, s.hi, l)
				}
			}
			if got, _ := g.At(max(dot, 0), y); dot >= 0 && got != "●" {
				t.Fatalf("no dot at %d", dot)
			}
		}
	})
}
