package dialog

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/definition"
	"tokscope/metrics/serving"
	"tokscope/metrics/slo"
	"tokscope/metrics/testkit/example"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/keys"
	"tokscope/ui/prompts"
	"tokscope/ui/uitest/golden"
)

// states are the dialogs of the golden files.
func states() map[string]func() Dialog {
	return map[string]func() Dialog{
		"searching": func() Dialog { return NewEndpoints(offered[0], noSpin) },
		"picker":    func() Dialog { d := endpoints(); d.Do(keys.Down); return d },
		"filtered":  func() Dialog { d := endpoints(); typeIn(d, "http"); return d },
		"url":       func() Dialog { d := endpoints(); typeIn(d, "localhost:9000/v1"); return d },
		"models": func() Dialog {
			d := NewModels(offered[1], noSpin)
			d.Found([]string{"llama-3.1-8b", "llama-3.1-70b", "qwen3-32b"})
			return d
		},
		"palette": func() Dialog { d := palette(); typeIn(d, "l"); return d },
		"themes":  func() Dialog { return NewThemes("scope") },
		"length":  func() Dialog { return NewLength(200) },
		"editor":  func() Dialog { return NewEditor(prompts.Default()) },
		"custom": func() Dialog {
			d := NewEditor(prompts.Default())
			d.Do(keys.PrevPreset)
			d.Type("\n\nВ два абзаца, пожалуйста. 日本語でも。\n\tindented", true)
			return d
		},
		"lengths": func() Dialog {
			d := NewEditor(prompts.Load())
			d.LoadLengths(prompts.Load(), metrics.Lengths{}, metrics.Lengths{})
			return d
		},
		"drawn": func() Dialog {
			d := NewEditor(prompts.Load())
			d.LoadLengths(prompts.Load(), metrics.Lengths{Low: 200, High: 4000}, metrics.Lengths{Choices: []int{50, 200, 800}})
			return d
		},
		"field": func() Dialog {
			d := NewEditor(prompts.Load())
			d.LoadLengths(prompts.Load(), metrics.Lengths{}, metrics.Lengths{})
			d.Do(keys.NextLength)
			typeIn(d, "..4000")
			return d
		},
		"wrong": func() Dialog {
			d := NewEditor(prompts.Load())
			d.LoadLengths(prompts.Load(), metrics.Lengths{}, metrics.Lengths{})
			d.Do(keys.NextLength)
			typeIn(d, "..x")
			d.Do(keys.Accept)
			return d
		},
		"knob": func() Dialog {
			d := NewKnob(serving.KnobModel, positions)
			d.Do(keys.Down)
			d.Do(keys.Accept)
			return d
		},
		"objectives":  func() Dialog { slos, _ := slo.Parse("ttft=500ms,tpot=20ms"); return NewObjectives(slos) },
		"definitions": func() Dialog { return definitions(0) },
		"sglang":      func() Dialog { return definitions(2) },
		"lessons":     func() Dialog { return NewLessons(titles, 2, []bool{true, true}) },
	}
}

// definitions is the dialog on the example of the lab, with a tool selected.
func definitions(at int) *Definitions {
	s := example.Stream(metrics.InReasoning, 50)
	f := metrics.Measure(s, metrics.Options{})
	trace, _ := definition.Of(s, &f)
	d := NewDefinitions("run 1 as other tools define it", trace)
	d.at = at
	return d
}

// at draws the dialog name into the body of a terminal of w by h.
func at(name string, w, h int) *draw.Grid {
	g := draw.New(max(w-1, 0), max(h-2, 0))
	states()[name]().Draw(g, g.Bounds(), themes.UnicodeGlyphs())
	return g
}

// TestGolden holds every dialog at 80x24 and at 120x40, and one of them at the
// other sizes.
func TestGolden(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}} {
		sheet := golden.NewSheet(t, fmt.Sprintf("%dx%d", size[0], size[1]))
		for _, name := range slices.Sorted(maps.Keys(states())) {
			sheet.Screen(name, at(name, size[0], size[1]))
		}
	}
	sheet := golden.NewSheet(t, "sizes")
	for _, size := range [][2]int{{40, 12}, {100, 30}, {200, 50}} {
		sheet.Screen(fmt.Sprintf("picker, %dx%d", size[0], size[1]), at("picker", size[0], size[1]))
	}
}
