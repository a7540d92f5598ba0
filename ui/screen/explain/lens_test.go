package explain

import (
	"fmt"
	"strings"
	"testing"

	"tokscope/metrics/slo"
	"tokscope/metrics/testkit"
	"tokscope/ui/draw"
)

// lensOn chooses a lens for v.
func lensOn(v *View, key string) *View {
	v.Look.Lens, v.Look.Task = key, slo.DefaultAgentTask
	return v
}

// LensAs tells where the lens is drawn at every size. Where it does not fit,
// nothing of it is drawn.
func TestLensAs(t *testing.T) {
	for _, c := range []struct {
		scene string
		w, h  int
		want  LensAs
		shown string
	}{
		{"chunk", 40, 12, LensNone, ""},
		{"chunk", 80, 24, LensLine, "voice ✓ TTFT"},
		{"chunk", 120, 30, LensLine, "voice ✓ TTFT"},
		{"chunk", 120, 40, LensTile, "lens ─ voice"},
		{"chunk", 200, 50, LensBox, fmt.Sprintf("lens ─ voice ─ mean of %d requests", sceneOf("chunk").Explain.Figures.Requests)},
		{"phases", 80, 24, LensLine, "voice ✓ TTFT"},
		{"phases", 120, 40, LensTile, "lens ─ voice"},
		{"phases", 200, 50, LensBox, "lens ─ voice"},
		{"uses", 40, 12, LensNone, ""},
		{"uses", 80, 24, LensBoard, "✓ agent step"},
		{"uses", 120, 40, LensBoard, "✓ batch"},
		{"uses", 200, 50, LensBoard, "✓ batch"},
	} {
		s := &picture{}
		v := lensOn(sceneOf(c.scene), "voice")
		at := draw.Rect{W: c.w - 1, H: c.h - 2}
		testkit.Is(t, s.lensAs(at, v), c.want, c.scene, c.w, "x", c.h)
		got := frame(v, c.w, c.h).Plain()
		if c.shown == "" && strings.Contains(got, "≤") || !strings.Contains(got, c.shown) {
			t.Errorf("%s, %dx%d: want %q in\n%s", c.scene, c.w, c.h, c.shown, got)
		}
		if v.Look.Lens = ""; c.want != LensBoard && s.lensAs(at, v) != LensNone {
			t.Errorf("%s, %dx%d: a lens that is off is shown", c.scene, c.w, c.h)
		}
	}
}

// A lens in the place of a panel moves no other panel. One key shows the
// replaced panel.
func TestTheLensMovesNothing(t *testing.T) {
	slots := func(s *picture, v *View) map[Panel]draw.Rect {
		g := draw.New(119, 38)
		s.Draw(g, g.Bounds(), v)
		at := map[Panel]draw.Rect{}
		for _, sl := range s.slots {
			at[sl.panel] = sl.r
		}
		return at
	}
	s := &picture{}
	v := sceneOf("chunk")
	off, on := slots(s, v), slots(s, lensOn(v, "chat"))
	for p := range off {
		if _, ok := on[p]; ok == (p == KV) {
			t.Errorf("with a lens %s is shown: %v", p, ok)
		}
	}
	for _, p := range [...]Panel{Batch, Client, WhatIf} {
		testkit.Is(t, on[p], off[p], p, "moved from … to")
	}
	s.NextPanel(v)
	testkit.Need(t, v.Panel, KV, "the key for other panels shows")
	if got := slots(s, v); got[KV].Empty() || got[Lens].Empty() || !got[Roofline].Empty() {
		t.Errorf("the cache is not in the place of the roofline: %+v", got)
	}
}
