package explain

import (
	"fmt"
	"testing"

	"tokscope/metrics"
	"tokscope/themes"
	cell "tokscope/ui/draw"
	"tokscope/ui/uitest"
	"tokscope/ui/uitest/golden"
)

// sceneOf is a view of one of the scenes, as the root would make it.
func sceneOf(name string) *View {
	v := &View{Explain: uitest.Explain(name), Knob: metrics.KnobUsers, Keys: Keys{Stage: "enter", Next: ">", Back: "<", Leave: "t", Panel: "c"}}
	if name == "past" {
		for i := range v.Explain.Steps {
			if v.Explain.Steps[i].Prefilled > 0 && i > 50 {
				v.Cursor = v.Explain.Steps[i].Number
				break
			}
		}
	}
	return v
}

// frame draws v as the root would on a terminal of w by h, without its rows.
func frame(v *View, w, h int) *cell.Grid {
	g := cell.New(max(w-1, 0), max(h-2, 0))
	New().Draw(g, g.Bounds(), v)
	return g
}

func TestGolden(t *testing.T) {
	for _, size := range [][2]int{{40, 12}, {80, 24}, {120, 40}} {
		for _, name := range uitest.ExplainScenes {
			golden.Screen(t, fmt.Sprintf("%s-%dx%d", name, size[0], size[1]), frame(sceneOf(name), size[0], size[1]))
		}
	}
	for p := Step; p <= WhatIf; p++ {
		v := sceneOf("chunk")
		v.Panel = p
		golden.Screen(t, p.String()+"-panel-80x24", frame(v, 80, 24))
	}
	v := sceneOf("phases")
	v.Panel = Text
	golden.Screen(t, "text-panel-80x24", frame(v, 80, 24))
	for _, name := range []string{"chunk", "slow", "crowd", "pools", "seesaw"} {
		golden.Screen(t, name+"-200x50", frame(sceneOf(name), 200, 50))
	}
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 50}} {
		for key, name := range map[string]string{"chat": "chunk", "agent": "phases"} {
			golden.Screen(t, fmt.Sprintf("lens-%s-%dx%d", key, size[0], size[1]), frame(lensOn(sceneOf(name), key), size[0], size[1]))
		}
	}
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 50}} {
		golden.Screen(t, fmt.Sprintf("uses-lens-%dx%d", size[0], size[1]), frame(lensOn(sceneOf("uses"), "voice"), size[0], size[1]))
	}
	golden.Screen(t, "chunk-300x80", frame(sceneOf("chunk"), 300, 80))
	for _, name := range []string{"slow", "preempt", "seesaw"} {
		v := sceneOf(name)
		v.Glyphs = themes.ASCIIGlyphs()
		golden.Screen(t, name+"-ascii-120x40", frame(v, 120, 40))
	}
}
