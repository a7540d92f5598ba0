package race

import (
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
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

var states = []string{"none", "waiting", "racing", "paused", "open", "undecided", "decided", "failing", "six", "replay", "statistics", "swap waiting", "swap", "swap judged", "swap failed"}

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
	for _, name := range []string{"waiting", "racing", "decided", "failing", "swap waiting", "swap judged", "swap failed"} {
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

// TestRecordedLaneIsAligned checks that a recorded lane shows what had arrived at
// the same time after it was sent as the live one, and all of it at the end.
func TestRecordedLaneIsAligned(t *testing.T) {
	_, s := scene(2, 4, -1)
	early, late := trackOf(new(metrics.Meter), &s[0], false, false, 200*time.Millisecond), trackOf(new(metrics.Meter), &s[0], false, false, 300*time.Millisecond)
	all := trackOf(new(metrics.Meter), &s[0], false, true, 0)
	if early.Chunks == 0 || early.Chunks >= late.Chunks || late.Chunks >= all.Chunks || all.Chunks != 48 {
		t.Errorf("chunks %d, %d, %d", early.Chunks, late.Chunks, all.Chunks)
	}
	if !strings.HasPrefix(all.Text, strings.TrimSpace(late.Text)) || len(late.Text) >= len(all.Text) {
		t.Errorf("text %q of %q", late.Text, all.Text)
	}
	none := trackOf(new(metrics.Meter), &s[0], false, false, 0)
	if none.Chunks != 0 || none.Text != "" {
		t.Errorf("when it was sent: %d chunks, %q", none.Chunks, none.Text)
	}
}

// TestPairsArePaged checks that older pairs can be shown, and that the first table
// begins with the dropped pair.
func TestPairsArePaged(t *testing.T) {
	v := sceneOf("undecided")
	for last, want := range map[int][2]string{0: {"17–30 of 30", " 30 "}, 20: {"6–19 of 30", " 19 "}, 1: {"1–13 of 30", "dropped"}} {
		v.Last = last
		text := frame(v, 120, 40).Plain()
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%d last: no %q in\n%s", last, w, text)
			}
		}
	}
}

// TestNothingThatCountsIsCut checks that no ellipsis cuts a failure or a warning. The
// golden files hold that none cuts a number.
func TestNothingThatCountsIsCut(t *testing.T) { golden.Uncut(t, states, shown) }

// TestEverySizeDraws draws every state at many sizes.
func TestEverySizeDraws(*testing.T) { golden.EverySize(states, shown, 130, 45, 3, 2) }
