package explain

import (
	"strings"
	"testing"

	"tokscope/themes"
	"tokscope/ui/uitest/golden"
)

// TestEveryViewInASCII draws every state and panel without Unicode, with its
// figures from microseconds to hours. A random test meets few of these.
func TestEveryViewInASCII(t *testing.T) {
	seen := map[string]bool{}
	views := map[string]func() *View{}
	for _, name := range states {
		views[name] = func() *View { return stateOf(name) }
	}
	for p := Step; p <= WhatIf; p++ {
		views[p.String()+" panel"] = func() *View { return chosen(p) }
	}
	for name, view := range views {
		for _, factor := range []float64{1e-6, 1e-3, 1, 1e3, 1e6} {
			v := view()
			golden.Scale(v, factor)
			v.Explain.Slipped *= factor
			for i := range v.Explain.Steps {
				for j := range v.Explain.Steps[i].Terms {
					v.Explain.Steps[i].Terms[j].Seconds *= factor
				}
			}
			v.Look.Glyphs = themes.ASCIIGlyphs()
			for _, size := range [][2]int{{40, 12}, {80, 24}, {120, 40}, {200, 50}} {
				text := frame(v, size[0], size[1]).Plain()
				if i := strings.IndexFunc(text, func(r rune) bool { return r > '~' }); i >= 0 {
					t.Errorf("%s, figures times %g, %v: %.20q", name, factor, size, text[i:])
				}
				for _, unit := range []string{" us", " ms", " s ", " min"} {
					seen[unit] = seen[unit] || strings.Contains(text, unit)
				}
			}
		}
	}
	for _, unit := range []string{" us", " ms", " s ", " min"} {
		if !seen[unit] {
			t.Errorf("no figure in%s was drawn", unit)
		}
	}
}
