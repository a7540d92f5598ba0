package race

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"tokscope/metrics"
	"tokscope/metrics/figure"
	"tokscope/metrics/racestat"
	"tokscope/metrics/testkit" // the seed is fixed
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/say"
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

// TestPairsAreOnTheAxis draws random pairs: the ratio of each lane that has one is its sign in the
// column of the axis, a pair that is dropped or failed has none, and the axis holds all.
func TestPairsAreOnTheAxis(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lanes := rapid.IntRange(2, 3).Draw(t, "lanes")
		v := &View{Race: racestat.View{Lanes: make([]racestat.Lane, lanes)}, Figure: figure.TTFT,
			Reference: rapid.IntRange(0, lanes-1).Draw(t, "reference")}
		for n := range rapid.IntRange(1, 5).Draw(t, "pairs") {
			round := racestat.Round{N: n + 1, Dropped: n == 0, Results: make([]racestat.Result, lanes)}
			for lane := range lanes {
				r := &round.Results[lane]
				if r.Values[figure.TTFT] = metrics.Known(math.Exp(rapid.Float64Range(0, 9).Draw(t, "log")), 1); rapid.IntRange(0,
					5).Draw(t, "failed") == 0 {
					r.Fault = &metrics.Fault{Kind: metrics.FaultReset}
				}
			}
			v.Race.Rounds = append(v.Race.Rounds, round)
		}
		p, g := &picture{v: v}, draw.New(119, len(v.Race.Rounds))
		p.Begin(g, themes.UnicodeGlyphs())
		p.words.reach = reachOf(nil, v)
		a, of := p.axisIn(g.Bounds()), v.Reference
		for y := range v.Race.Rounds {
			round := &v.Race.Rounds[y]
			p.pair(g.Bounds(), y, round)
			want := map[int]string{}
			for lane := range lanes {
				if x := &round.Results[lane]; lane == of || round.Dropped || x.Failed() || round.Results[of].Failed() {
					continue
				}
				l := math.Log(round.Results[lane].Values[figure.TTFT].V / round.Results[of].Values[figure.TTFT].V)
				testkit.Given(t, l >= -a.lo && l <= a.hi, "the axis from %v to %v does not hold %v", -a.lo, a.hi, l)
				sign := "●"
				if lanes > 2 {
					sign = say.RaceLetter(lane)
				}
				want[int(math.Round((l+a.lo)/(a.lo+a.hi)*float64(a.at.W-1)))] = sign
			}
			for x := range a.at.W {
				got, _ := g.At(a.at.X+x, y)
				if sign, has := want[x]; has && got != sign || !has && !round.Dropped && got != " " && got != "╎" {
					t.Fatalf("row %d, column %d: %q, want %q", y, x, got, sign)
				}
			}
		}
	})
}
