package history

import (
	"fmt"
	"testing"

	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/uitest/golden"
)

// shown draws one of the states. A screen of it is made once in f.
func shown(t *testing.T, f func(t *testing.T, draw func(name string, w, h int) *draw.Grid)) {
	at(t, func(t *testing.T) {
		made := map[string]*desk{}
		f(t, func(name string, w, h int) *draw.Grid {
			if made[name] == nil {
				made[name] = sceneOf(t, name)
			}
			return made[name].frame(w, h)
		})
	})
}

// TestGolden holds every state at 80x24 and at 120x40.
func TestGolden(t *testing.T) {
	shown(t, func(t *testing.T, draw func(string, int, int) *draw.Grid) {
		golden.Screens(t, states, draw, [2]int{80, 24}, [2]int{120, 40})
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
		for _, name := range []string{"change", "empty", "unreadable", "filter"} {
			sheet.Screen(name+", 40x12", sceneOf(t, name).frame(40, 12))
		}
	})
}

// TestEverySizeDraws draws states of every layout at many sizes.
func TestEverySizeDraws(t *testing.T) {
	shown(t, func(t *testing.T, draw func(string, int, int) *draw.Grid) {
		golden.EverySize([]string{"loading", "unreadable", "baseline", "filter"}, draw, 320, 85, 23, 7)
	})
}

// TestWarningsAreWhole checks that no ellipsis cuts a warning at any size.
func TestWarningsAreWhole(t *testing.T) {
	shown(t, func(t *testing.T, draw func(string, int, int) *draw.Grid) {
		golden.Uncut(t, []string{"baseline"}, draw)
	})
}
