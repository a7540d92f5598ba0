package report

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"tokscope/metrics"
	"tokscope/metrics/serving"
)

// survey has three machines and two models; the second model fits the last
// machine only.
func survey() *serving.Survey {
	s := &serving.Survey{Prompt: 1000, Output: 200, Speed: 20,
		Machines: []serving.SurveyMachine{{Key: "rtx4090", Name: "RTX 4090", Memory: 24 << 30, Bandwidth: 1008e9, Aliases: []string{"4090"}}, {Key: "dgx-spark", Name: "DGX Spark", Note: "one device only"}, {Key: "h200", Name: "H200"}},
		Models:   []serving.SurveyModel{{Key: "llama-3.1-8b", Name: "Llama 3.1 8B", Total: 8.03e9, Active: 7.5e9, Context: 131072}, {Key: "gemma-3-27b", Name: "Gemma 3 27B", Note: "5 of 6 layers have the window"}},
	}
	for _, m := range s.Models {
		for j, h := range s.Machines {
			p := serving.SurveyPair{Model: m.Key, Machine: h.Key, Target: m.Key + "@" + h.Key, Precision: "bf16", Devices: 1 + j, Weights: 16.1e9, One: metrics.Known(52.25, 0), Users: 22}
			if m.Note != "" && j < 2 {
				p = serving.SurveyPair{Model: m.Key, Machine: h.Key, Why: "54 GB of weights, 24 GB of memory (Gemma 3 27B bf16 on RTX 4090)"}
			}
			s.Pairs = append(s.Pairs, p)
		}
	}
	return s
}

func written(t *testing.T, s *serving.Survey, o Models) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteModels(&b, s, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestModelsAsMatrix(t *testing.T) {
	got := written(t, survey(), Models{Width: 60})
	want := `                              rtx4090      dgx-spark
llama-3.1-8b               52.2    22 2x  52.2    22
gemma-3-27b*                        –              –

Not shown (--all): h200
Cells: devices, tok/s of one user, users that get 20 tok/s.
  –: does not fit.
`
	if !strings.HasPrefix(got, want) {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	all := written(t, survey(), Models{Width: 60, All: true, ASCII: true})
	if strings.Contains(all, "Not shown") || !strings.Contains(all, "h200\nllama-3.1-8b           3x  52.2    22\ngemma-3-27b*           3x  52.2    22\n") {
		t.Errorf("%s", all)
	}
	for _, r := range all {
		if r > 127 {
			t.Fatalf("%q with --ascii", r)
		}
	}
}

func TestModelsAsList(t *testing.T) {
	s := survey()
	s.Machines = s.Machines[:1]
	s.Pairs = []serving.SurveyPair{s.Pairs[0], s.Pairs[3]}
	got := written(t, s, Models{Width: 70})
	want := `RTX 4090 (rtx4090): 24.0 GiB, 1.01 TB/s
also: 4090

model         weights           tok/s  users  target
llama-3.1-8b  bf16     16.1 GB   52.2     22  llama-3.1-8b@rtx4090
gemma-3-27b*  – 54 GB of weights, 24 GB of memory (Gemma 3 27B bf16 o…

tok/s: of one user. users: how many get 20 tok/s. –: does not fit.
*: the computation leaves something out; tokscope models NAME says
  what.
Requests have 1,000 tokens in and 200 out.
Figures are computed by the embedded endpoint's model, not measured.
`
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	s = survey()
	s.Models, s.Pairs = s.Models[1:], s.Pairs[3:]
	got = written(t, s, Models{Width: 80})
	for _, line := range []string{"note: 5 of 6 layers have the window\n", "\ndgx-spark*  – 54 GB", "\nh200        bf16     16.1 GB   52.2     22  gemma-3-27b@h200\n"} {
		if !strings.Contains(got, line) {
			t.Errorf("no %q in\n%s", line, got)
		}
	}
}

// No line is longer than the terminal is wide.
func TestModelsFitTheWidth(t *testing.T) {
	for _, width := range []int{40, 60, 80, 120, 200, 300} {
		for _, all := range []bool{false, true} {
			for line := range strings.SplitSeq(written(t, survey(), Models{Width: width, All: all}), "\n") {
				if n := utf8.RuneCountInString(line); n > width {
					t.Errorf("%d columns at %d: %s", n, width, line)
				}
			}
		}
	}
}
