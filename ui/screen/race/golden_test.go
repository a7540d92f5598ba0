package race

import (
	"slices"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/figure"
	"tokscope/metrics/racestat"
	"tokscope/metrics/testkit"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/uitest/golden"
)

// frame draws v as the root would on a terminal of w by h, without its rows.
func frame(v *View, w, h int) *draw.Grid {
	g := draw.New(max(w-1, 0), max(h-2, 0))
	new(picture).Draw(g, g.Bounds(), v)
	return g
}

var states = []string{"none", "waiting", "racing", "paused", "open", "undecided", "decided", "failing", "six",
	"replay", "statistics", "swap waiting", "swap", "swap judged", "swap failed"}

// made are the states that were drawn.
var made = map[string]*View{}

// shown draws one of the states.
func shown(name string, w, h int) *draw.Grid {
	if made[name] == nil {
		made[name] = sceneOf(name)
	}
	return frame(made[name], w, h)
}

// TestGolden holds every state at 80x24 and at 120x40.
func TestGolden(t *testing.T) { golden.Screens(t, states, shown, [2]int{80, 24}, [2]int{120, 40}) }

// TestGoldenSizes holds some states at the other sizes, and in ASCII.
func TestGoldenSizes(t *testing.T) {
	sheet := golden.NewSheet(t, "sizes")
	for _, name := range []string{"waiting", "racing", "decided", "failing", "swap waiting", "swap judged",
		"swap failed"} {
		sheet.Screen(name+", 40x12", shown(name, 40, 12))
	}
	for _, name := range []string{"waiting", "racing", "undecided", "decided", "failing", "replay", "statistics", "swap"} {
		sheet.Screen(name+", 200x50", shown(name, 200, 50))
	}
	v := sceneOf("open")
	v.Glyphs = themes.ASCIIGlyphs()
	sheet.Screen("open, ASCII, 120x40", frame(v, 120, 40))
	v = sceneOf("swap")
	v.Glyphs = themes.ASCIIGlyphs()
	sheet.Screen("swap, ASCII, 80x24", frame(v, 80, 24))
	sheet.Screen("six settings, 80x24", frame(swapSix(), 80, 24))
}

// TestNothingThatCountsIsCut checks that no ellipsis cuts a failure or a warning. The
// golden files hold that none cuts a number.
func TestNothingThatCountsIsCut(t *testing.T) { golden.Uncut(t, states, shown) }

// TestEverySizeDraws draws every state at many sizes.
func TestEverySizeDraws(*testing.T) { golden.EverySize(states, shown, 130, 45, 3, 2) }

// TestSaidOnce holds that the rows of open verdicts leave to the sentence what it says, that no
// block stands in a border, and that the pairs' box is no larger than its rows need.
func TestSaidOnce(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 50}} {
		text := shown("racing", size[0], size[1]).Plain()
		for _, once := range []string{"not certain yet", "more pairs needed"} {
			n := strings.Count(strings.Join(strings.Fields(text), " "), once)
			testkit.That(t, n == 1, "%v: %q stands %d times", size, once, n)
		}
		rows := strings.Split(text, "\n")
		for i, row := range rows {
			testkit.That(t, !strings.HasPrefix(row, "╰") || !strings.ContainsAny(row, "█░"),
				"%v: blocks in a border: %q", size, row)
			testkit.That(t, !strings.Contains(row, " pairs: TTFT ") || len(rows)-i <= 12+3,
				"%v: the pairs have %d rows", size, len(rows)-i)
		}
	}
}

// TestAxisBeginsNear checks that an axis of ratios which are all far from 1 begins apart from it,
// at the side where they are, and that one with a ratio near 1, or an interval across it, does not.
func TestAxisBeginsNear(t *testing.T) {
	for _, x := range []struct {
		lo, ratio, hi float64
		broken        bool
	}{{2.5, 2.7, 6, true}, {1 / 6., 1 / 2.7, 1 / 2.5, true}, {1.05, 2.7, 6, false}, {0.5, 2.7, 6, false},
		{1e-9, 2.7, 6, false}} {
		row := verdictRow{Verdict: racestat.Verdict{Figure: figure.TTFT}}
		row.Lo, row.Ratio, row.Hi = x.lo, x.ratio, x.hi
		s := reachOf([]verdictRow{row}, &View{})
		if broken := s.lo < 0 || s.hi < 0; broken != x.broken {
			t.Errorf("%v in %v to %v: the axis is from %v to %v", x.ratio, x.lo, x.hi, -s.lo, s.hi)
		}
		testkit.That(t, s.lo+s.hi > 0, "an empty axis: %+v", s)
	}
	if s := reachOf(nil, &View{}); s.lo < 0 || s.hi < 0 {
		t.Errorf("without a ratio: %+v", s)
	}
}

// TestBlocksHaveNoKeysOfPairs checks which keys a race of blocks leaves out: none pages
// pairs or chooses other contestants.
func TestBlocksHaveNoKeysOfPairs(t *testing.T) {
	var left []string
	for _, b := range slices.DeleteFunc(new(Screen).bindings(), ofPairs) {
		left = append(left, b.Keys...)
	}
	want := []string{"space", "x", "enter", "v", "up", "down", "p", "s", "y", "esc"}
	testkit.That(t, slices.Equal(left, want), "keys %q, want %q", left, want)
}

// TestTrack checks what a recorded lane shows at a time after its request was sent.
func TestTrack(t *testing.T) {
	s := metrics.NoStream(1)
	s.State, s.Text = metrics.Done, []byte("abcd")
	for i := range 4 {
		s.Chunks = append(s.Chunks, metrics.Chunk{At: metrics.Stamp(200 + 100*i), TextEnd: int32(i + 1)})
	}
	track := func(after time.Duration) Track { return trackOf(new(metrics.Meter), &s, false, false, after) }
	if x := track(time.Hour); x.Chunks != 0 || x.Text != "" {
		t.Errorf("before it was sent: %+v", x)
	}
	s.Marks.Sent = 100
	for after, want := range map[time.Duration]int{0: 0, 99: 0, 100: 1, 299: 2, 300: 3, 1e9: 4} {
		if x := track(after); x.Chunks != want || x.Text != "abcd"[:want] || len(x.Gaps) != want {
			t.Errorf("after %d: %+v, want %d chunks", after, x, want)
		}
	}
}

// frameAllocations bounds the allocations of a frame at 200x50: the text of three
// lanes is wrapped again in each.
const frameAllocations = 200

// TestFrameAllocates checks the budget of a frame whose words have not changed.
func TestFrameAllocates(t *testing.T) {
	v, g, pic := sceneOf("open"), draw.New(199, 48), new(picture)
	testkit.Allocates(t, frameAllocations, 20, func() { pic.Draw(g, g.Bounds(), v) }, "a frame")
}
