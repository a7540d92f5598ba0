package explain

import (
	"fmt"
	"regexp"
	"slices"
	"testing"

	"tokscope/metrics/serving"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/keys"
	"tokscope/ui/uitest/golden"
)

// someKeys are keys that the screen names.
var someKeys = []keys.Binding{{Do: goOn, Show: "enter"}, {Do: nextOne, Show: ">"}, {Do: previousOne, Show: "<"},
	{Do: keys.Close, Show: "t"}, {Do: keys.NextPanel, Show: "v"}}

// sceneOf is a view of one of the scenes, as the root would make it.
func sceneOf(name string) *View {
	v := &View{Explain: momentOf(name), Knob: serving.KnobUsers, Table: someKeys}
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
func frame(v *View, w, h int) *draw.Grid {
	g := draw.New(max(w-1, 0), max(h-2, 0))
	(&picture{}).Draw(g, g.Bounds(), v)
	return g
}

// slowedScene is a lesson on a machine that cannot keep up with it.
func slowedScene() *View {
	v := sceneOf("seesaw")
	v.Explain.Running, v.Explain.Speed = true, 0.35*v.Explain.Knobs.Time
	v.Explain.Tour.Verdict, v.Explain.Tour.Progress = "", 0.4
	return v
}

// states are the moments of the golden files, in their order.
var states = append(slices.Clone(allScenes), "slowed", "text panel", "lens chat", "lens agent", "lens voice")

// stateOf is one of them.
func stateOf(name string) *View {
	switch name {
	case "slowed":
		return slowedScene()
	case "text panel":
		v := sceneOf("phases")
		v.Panel = Text
		return v
	case "lens chat":
		return lensOn(sceneOf("chunk"), "chat")
	case "lens agent":
		return lensOn(sceneOf("phases"), "agent")
	case "lens voice":
		return lensOn(sceneOf("uses"), "voice")
	}
	return sceneOf(name)
}

// shownAt draws one of them.
func shownAt(name string, w, h int) *draw.Grid { return frame(stateOf(name), w, h) }

// chosen is a moment with p as the panel in view.
func chosen(p Panel) *View {
	v := sceneOf("chunk")
	v.Panel = p
	return v
}

// TestGolden holds every state at 40x12, 80x24 and 120x40, and at 80x24 each panel:
// at 120x40 all of them are in view.
func TestGolden(t *testing.T) {
	for _, size := range [][2]int{{40, 12}, {80, 24}, {120, 40}} {
		sheet := golden.NewSheet(t, fmt.Sprintf("%dx%d", size[0], size[1]))
		for _, name := range states {
			sheet.Screen(name, shownAt(name, size[0], size[1]))
		}
		for p := Step; p <= WhatIf; p++ {
			g := frame(chosen(p), size[0], size[1])
			switch want := frame(sceneOf("chunk"), size[0], size[1]).Plain(); {
			case size[0] == 80:
				sheet.Screen(p.String()+" panel", g)
			case g.Plain() != want:
				t.Errorf("%v: the choice of %s changes what is in view:\n%s", size, p, g.Plain())
			}
		}
	}
}

// TestGoldenSizes holds one state at the other sizes, and in ASCII.
func TestGoldenSizes(t *testing.T) {
	sheet := golden.NewSheet(t, "sizes")
	for _, size := range [][2]int{{100, 30}, {200, 50}, {300, 80}} {
		sheet.Screen(fmt.Sprintf("chunk, %dx%d", size[0], size[1]), frame(sceneOf("chunk"), size[0], size[1]))
	}
	for _, name := range []string{"slow", "preempt", "seesaw"} {
		v := sceneOf(name)
		v.Look.Glyphs = themes.ASCIIGlyphs()
		sheet.Screen(name+", ASCII, 120x40", frame(v, 120, 40))
	}
}

// TestEveryViewInASCII draws every state and panel without Unicode.
func TestEveryViewInASCII(t *testing.T) {
	panels := slices.Clone(panelNames[Step : WhatIf+1])
	golden.ASCII(t, append(panels, states...), func(name string, factor float64) func(w, h int) *draw.Grid {
		var v *View
		if p := slices.Index(panelNames[:WhatIf+1], name); p >= 0 {
			v = chosen(Panel(p))
		} else {
			v = stateOf(name)
		}
		golden.Scale(v, factor)
		v.Explain.Slipped *= factor
		for i := range v.Explain.Steps {
			for j := range v.Explain.Steps[i].Terms {
				v.Explain.Steps[i].Terms[j].Seconds *= factor
			}
		}
		v.Look.Glyphs = themes.ASCIIGlyphs()
		return func(w, h int) *draw.Grid { return frame(v, w, h) }
	}, " us", " ms", " s ", " min")
}

// lost are words that the next size leaves out or words otherwise. A figure in
// large numerals is no word.
var lost = map[string]string{
	"lens chat, 40x12 to 80x24":    "bandwidth-bound",
	"phases, 40x12 to 80x24":       "7.52 1/11",
	"seesaw, 40x12 to 80x24":       "7.52 4/11",
	"goodput, 40x12 to 80x24":      "7.52 10/11",
	"uses, 40x12 to 80x24":         "7.52 11/11",
	"broken, 40x12 to 80x24":       "TTFT TPOT per tok/s aggregate",
	"slowed, 40x12 to 80x24":       "7.52 4/11",
	"slowed, 120x40 to 200x50":     "81.1 914 p99 14.3",
	"text panel, 40x12 to 80x24":   "7.52 1/11",
	"lens agent, 40x12 to 80x24":   "7.52 1/11",
	"lens voice, 40x12 to 80x24":   "7.52 11/11",
	"chunk, 80x24 to 100x30":       "7.52",
	"many, 80x24 to 100x30":        "10.4 57",
	"pools, 80x24 to 100x30":       "7.72 more",
	"past, 80x24 to 100x30":        "1.91",
	"hybrid, 80x24 to 100x30":      "9.02 988",
	"uses, 80x24 to 100x30":        "18 31 21",
	"busy, 80x24 to 100x30":        "7.52",
	"refused, 80x24 to 100x30":     "7.52",
	"broken, 80x24 to 100x30":      "6.66",
	"lens chat, 80x24 to 100x30":   "7.52 more",
	"lens voice, 80x24 to 100x30":  "18 31",
	"many, 120x40 to 200x50":       "56",
	"pools, 120x40 to 200x50":      "more",
	"hybrid, 120x40 to 200x50":     "340",
	"seesaw, 120x40 to 200x50":     "81.1 914 p99 14.3",
	"goodput, 120x40 to 200x50":    "81.1 914 p99 14.3",
	"uses, 120x40 to 200x50":       "p99",
	"refused, 120x40 to 200x50":    "81.1 8.39 119 914 p99 14.3",
	"text panel, 120x40 to 200x50": "81.1 914 p99 14.3",
	"lens voice, 120x40 to 200x50": "p99",
	"hybrid, 200x50 to 300x80":     "141 20.2",
	"decode, 80x24 to 100x30":      "6.66",
	"many, 200x50 to 300x80":       "51",
	"decode, 200x50 to 300x80":     "51",
	"pools, 200x50 to 300x80":      "51",
	"broken, 200x50 to 300x80":     "51",
	"uses, 200x50 to 300x80":       "31 21",
	"lens voice, 200x50 to 300x80": "31 21 20×300",
}

// skipped are words that do not count: names and hints that stand elsewhere, or only where.
var skipped = regexp.MustCompile(`^(Llama|8B|H100|it|waits|for|bytes|memory|arithmetic|rest|FLOP/B|done|room|other|panels|since|last)$`)

// TestLargerShowsMore checks the sizes without golden files against those that
// have one.
func TestLargerShowsMore(t *testing.T) {
	steps := [][4]int{{40, 12, 80, 24}, {80, 24, 100, 30}, {120, 40, 200, 50}, {200, 50, 300, 80}}
	golden.Larger(t, states, steps, skipped, lost, shownAt)
}

// TestNoWarningIsCut checks every state at all sizes from 80x24.
func TestNoWarningIsCut(t *testing.T) { golden.Uncut(t, states, shownAt) }
