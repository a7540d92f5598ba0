package race

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/figure"
	"tokscope/metrics/racestat"
	"tokscope/metrics/testkit"
	"tokscope/themes"
)

// heatOf is a round of two lanes, of which the second takes that long.
func heatOf(longest time.Duration) []metrics.Stream {
	streams := []metrics.Stream{metrics.NoStream(1), metrics.NoStream(2)}
	for i, took := range []time.Duration{longest / 3, longest} {
		streams[i].Marks.Sent, streams[i].Marks.End = 0, metrics.Stamp(took)
	}
	return streams
}

// TestHeatsCanBeWatched holds that a short round is drawn for watchFor or longer at a steady
// pace, and whole for a moment; that the next one begins only then; that one that is long
// enough is not slowed, nor shown again while the race goes on; that the one nearest to the
// medians is shown again and again at the end, for replayFor; and that nothing moves where
// motion is reduced.
func TestHeatsCanBeWatched(t *testing.T) {
	number, took := 3, 800*time.Millisecond
	heat := func(nearest bool) (int, []metrics.Stream) {
		if nearest {
			return 2, heatOf(took)
		}
		return number, heatOf(took)
	}
	race, p := &racestat.View{Running: true}, &player{}
	at := func(ms int, still bool) (time.Duration, bool) {
		return p.at(race, heat, metrics.Stamp(ms)*1e6, still)
	}
	for ms := 0; ms < 3200; ms += 33 {
		after, ok := at(ms, false)
		if want := time.Duration(ms) * time.Millisecond / 3; !ok || p.Pair != 2 || p.Slow != 3 || after != want ||
			p.Over != (ms >= 2400) {
			t.Fatalf("after %d ms: %v of pair %d, slowed %d times, over %v, %v; want %v", ms, after, p.Pair, p.Slow, p.Over, ok,
				want)
		}
		number = 9 // measured meanwhile
	}
	if after, _ := at(3201, false); p.Pair != 8 || after != 0 {
		t.Errorf("then pair %d, %v", p.Pair, after)
	}
	race.Running, race.Ended = false, racestat.EndSettled
	at(6500, false)
	testkit.That(t, p.Nearest && p.Pair == 1 && p.moves, "at the end: %+v", p.Heat)
	for ms := 6500; ms < 6500+120_000; ms += 33 {
		at(ms, false)
		if ms > 6500+int(replayFor/time.Millisecond)+33 && (p.moves || !p.Over) {
			t.Fatalf("after %d ms it moves: %+v", ms, p.Heat)
		}
	}
	race.Running, race.Ended, race.Began = true, racestat.NotEnded, 1
	took = 3 * time.Second
	if _, ok := at(200_000, false); ok || p.Slow != 1 {
		t.Errorf("a long round is slowed %d times, %v", p.Slow, ok)
	}
	race.Began, took = 2, time.Second
	if _, ok := at(201_000, true); !ok || !p.Over || p.moves {
		t.Errorf("with reduced motion: %+v, moves %v", p.Heat, p.moves)
	}
}

// TestIntervalsAreInThePicture reads intervals back from the picture: each that is bounded has
// both ends, and its ratio is between them.
func TestIntervalsAreInThePicture(t *testing.T) {
	rng := rand.New(rand.NewPCG(28, 6))
	gl := themes.UnicodeGlyphs()
	for range 300 {
		v, _ := scene(2, 12, -1)
		v.Tracks = make([]Track, 2)
		for i := range v.Race.Verdicts {
			w := &v.Race.Verdicts[i]
			if w.Figure == figure.Failures {
				continue
			}
			ratio := math.Exp(1.5 * rng.NormFloat64())
			w.State, w.Leader, w.Ratio = racestat.Undecided, -1, ratio
			w.Lo, w.Hi = ratio*math.Exp(-1-rng.Float64()), ratio*math.Exp(1+rng.Float64())
		}
		size := [][2]int{{80, 24}, {120, 40}, {200, 50}}[rng.IntN(3)]
		rows := 0
		for _, row := range strings.Split(frame(v, size[0], size[1]).Plain(), "\n") {
			if !strings.Contains(row, "not decided in") || !strings.HasPrefix(row, "│") {
				continue
			}
			rows++
			from, dot, to := strings.IndexRune(row, gl.TeeL), strings.IndexRune(row, gl.Dot),
				strings.LastIndex(row, string(gl.TeeR))
			testkit.That(t, from >= 0 && to >= dot && dot >= from, "%v: %q", size, row)
		}
		testkit.Given(t, rows == len(racestat.Times), "%v: %d rows", size, rows)
	}
}
