package dialog

import (
	"fmt"
	"testing"

	"tokscope/metrics"
	"tokscope/ui/keys"
	"tokscope/ui/prompts"
	"tokscope/ui/uitest/golden"
)

var sizes = [][2]int{{40, 12}, {80, 24}, {120, 40}, {200, 50}}

func TestGoldenDialogs(t *testing.T) {
	for name, mk := range map[string]func() Dialog{
		"searching": func() Dialog { return NewEndpoints(offered[0], noSpin) },
		"picker":    func() Dialog { d := endpoints(); d.Do(keys.Down); return d },
		"filtered":  func() Dialog { d := endpoints(); typeIn(d, "http"); return d },
		"url":       func() Dialog { d := endpoints(); typeIn(d, "localhost:9000/v1"); return d },
		"models": func() Dialog {
			d := NewModels(offered[1], noSpin)
			d.Found([]string{"llama-3.1-8b", "llama-3.1-70b", "qwen3-32b"})
			return d
		},
		"themes": func() Dialog { return NewThemes("scope") },
		"length": func() Dialog { return NewLength(200) },
		"editor": func() Dialog { return NewEditor(prompts.Default()) },
		"own": func() Dialog {
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
		"help": func() Dialog { return NewHelp() },
		"knob": func() Dialog {
			d := NewKnob(metrics.KnobModel, positions)
			d.Do(keys.Down)
			d.Do(keys.Accept)
			return d
		},
		"objectives": func() Dialog { slos, _ := metrics.Parse("ttft=500ms,tpot=20ms"); return NewObjectives(slos) },
		"lessons":    func() Dialog { return NewLessons(titles, 2, []bool{true, true}) },
	} {
		for _, size := range sizes {
			t.Run(fmt.Sprintf("%s-%dx%d", name, size[0], size[1]), func(t *testing.T) {
				golden.Text(t, fmt.Sprintf("%s-%dx%d", name, size[0], size[1]), drawn(mk(), size[0], size[1])+"\n")
			})
		}
	}
}
