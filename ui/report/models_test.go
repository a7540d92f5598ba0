package report

import (
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/serving"
)

// survey has three machines and two models; the second model fits the last
// machine only.
func survey() *serving.Survey {
	s := &serving.Survey{Prompt: 1000, Output: 200, Speed: 20,
		Machines: []serving.SurveyMachine{{Key: "rtx4090", Name: "RTX 4090", Memory: 24 << 30, Bandwidth: 1008e9,
			Aliases: []string{"4090"}}, {Key: "dgx-spark", Name: "DGX Spark", Note: "one device only"},
			{Key: "h200", Name: "H200"}},
		Models: []serving.SurveyModel{{Key: "llama-3.1-8b", Name: "Llama 3.1 8B", Total: 8.03e9, Active: 7.5e9,
			Context: 131072}, {Key: "gemma-3-27b", Name: "Gemma 3 27B", Note: "5 of 6 layers have the window"}},
	}
	for _, m := range s.Models {
		for j, h := range s.Machines {
			p := serving.SurveyPair{Model: m.Key, Machine: h.Key, Target: m.Key + "@" + h.Key, Precision: "bf16",
				Devices: 1 + j, Weights: 16.1e9, One: metrics.Known(52.25, 0), Users: 22}
			if m.Note != "" && j < 2 {
				p = serving.SurveyPair{Model: m.Key, Machine: h.Key,
					Why: "54 GB of weights, 24 GB of memory (Gemma 3 27B bf16 on RTX 4090)"}
			}
			s.Pairs = append(s.Pairs, p)
		}
	}
	return s
}

// TestModels shows a matrix, one machine and one model. A matrix depends on the width.
func TestModels(t *testing.T) {
	machine, model := survey(), survey()
	machine.Machines, machine.Pairs = machine.Machines[:1], []serving.SurveyPair{machine.Pairs[0], machine.Pairs[3]}
	model.Models, model.Pairs = model.Models[1:], model.Pairs[3:]
	show(t, "models",
		scene{"a matrix", Survey(survey(), 80, false, false)},
		scene{"of 50 columns", Survey(survey(), 50, false, false)},
		scene{"all, in ASCII", Survey(survey(), 50, true, true)},
		scene{"a machine", Survey(machine, 70, false, false)},
		scene{"a model", Survey(model, 80, false, false)})
}

// TestTour shows the lessons with a verdict, for a person, broken between words.
func TestTour(t *testing.T) {
	if d := Tour([]Verdict{{Title: "x"}}); !d.Empty() {
		t.Errorf("of nothing: %q", d.Text(80))
	}
	show(t, "tour", scene{"two of three lessons", Tour([]Verdict{{}, {Title: "The seesaw", Holds: true,
		Text: "64 users: 94.0 tok/s per user, 5705 tok/s aggregate; 1 user: 150 tok/s"}, {Title: "A prefix", Text: "none"}})})
}
