package tap

import (
	"testing"

	"tokscope/themes"
	"tokscope/ui/uitest/golden"
)

// TestGolden holds every state at 80x24 and at 120x40.
func TestGolden(t *testing.T) { golden.Screens(t, states, shown, [2]int{80, 24}, [2]int{120, 40}) }

// TestGoldenSizes holds a state at the other sizes, from each turn's own start, and in ASCII.
func TestGoldenSizes(t *testing.T) {
	sheet := golden.NewSheet(t, "sizes")
	for _, name := range []string{"no request", "silent", "failed"} {
		sheet.Screen(name+", 40x12", shown(name, 40, 12))
	}
	sheet.Screen("thinking, 200x50", shown("thinking", 200, 50))
	v := scene("thinking")
	v.Own = true
	sheet.Screen("thinking, each from its start, 120x40", frame(v, 120, 40))
	v = scene("failed")
	v.Look.Glyphs = themes.ASCIIGlyphs()
	sheet.Screen("failed, ASCII, 120x40", frame(v, 120, 40))
}

// TestEverySizeDraws draws every state at many sizes.
func TestEverySizeDraws(*testing.T) { golden.EverySize(states, shown, 130, 45, 7, 3) }
