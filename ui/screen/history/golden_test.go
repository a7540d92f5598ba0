package history

import (
	"fmt"
	"strings"
	"testing"

	"tokscope/themes"
	"tokscope/ui/uitest/golden"
)

// TestGolden holds every state at 80x24 and at 120x40.
func TestGolden(t *testing.T) {
	at(t, func(t *testing.T) {
		compactSheet, large := golden.NewSheet(t, "80x24"), golden.NewSheet(t, "120x40")
		for _, name := range states {
			d := sceneOf(t, name)
			compactSheet.Screen(name, d.frame(80, 24))
			large.Screen(name, d.frame(120, 40))
		}
	})
}

// TestGoldenSizes holds some states at the other sizes, and in ASCII.
func TestGoldenSizes(t *testing.T) {
	at(t, func(t *testing.T) {
		sheet := golden.NewSheet(t, "sizes")
		d := sceneOf(t, "baseline")
		for _, size := range [][2]int{{40, 12}, {100, 30}, {200, 50}} {
			sheet.Screen(fmt.Sprintf("baseline, %dx%d", size[0], size[1]), d.frame(size[0], size[1]))
		}
		d.view.Glyphs = themes.ASCIIGlyphs()
		sheet.Screen("baseline, ASCII, 120x40", d.frame(120, 40))
	})
}

// TestSmallestTerminal checks that 40x12 has what each state is about.
func TestSmallestTerminal(t *testing.T) {
	at(t, func(t *testing.T) {
		for name, want := range map[string][]string{
			"change":     {"groq", "TTFT is 2.", "08:07", "TTFT"},
			"empty":      {"Nothing has been measured"},
			"unreadable": {"permission denied"},
			"filter":     {"429"},
		} {
			text := sceneOf(t, name).frame(40, 12).Plain()
			for _, w := range want {
				if !strings.Contains(strings.Join(strings.Fields(text), " "), w) {
					t.Errorf("%s has no %q:\n%s", name, w, text)
				}
			}
		}
	})
}

// TestEverySizeDraws draws states of every layout at many sizes.
func TestEverySizeDraws(t *testing.T) {
	at(t, func(t *testing.T) {
		for _, name := range []string{"loading", "unreadable", "baseline", "filter"} {
			d := sceneOf(t, name)
			for w := 0; w < 320; w += 23 {
				for h := 0; h < 85; h += 7 {
					d.frame(w, h)
				}
			}
		}
	})
}
