package say

import (
	"testing"

	"tokscope/metrics/serving"
	"tokscope/ui/format"
)

// TestKnobs checks the words of the knobs, of their positions and of changes.
func TestKnobs(t *testing.T) {
	from := serving.Knobs{Model: "llama-3.1-8b", Precision: "bf16", Hardware: "h100", Users: 8, Prompt: 1000, Output: 200, Mode: "continuous", Accept: 0.8, Time: 0.2}
	to := from
	to.Precision, to.Users, to.DraftK, to.Time, to.TP = "q4", 64, 3, 1, 2
	if got, want := KnobChanges(&from, &to), "quantization bf16 → q4, tensor parallel auto → 2, users 8 → 64, draft off → 3, time 0.2x → 1x"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := KnobChanges(&to, &to); got != "" {
		t.Errorf("no change is %q", got)
	}
	other := from
	if other.Accept = 0.5; KnobChanges(&from, &other) != "" {
		t.Error("acceptance changed without a draft model")
	}
	for k := range serving.NumKnobs {
		if Knob(k) == "" || KnobPosition(k, &to) == "" {
			t.Errorf("knob %v is %q, at %q", k, Knob(k), KnobPosition(k, &to))
		}
	}
	if Knob(serving.NumKnobs) != "" || KnobPosition(serving.KnobAccept, &from) != format.Unknown {
		t.Error("a knob that does not exist has a word, or acceptance without a draft model a position")
	}
	for _, x := range []struct {
		knob serving.Knob
		c    serving.KnobChoice
		want string
	}{
		{serving.KnobModel, serving.KnobChoice{Name: "Llama 3.3 70B", Auto: 4, Knobs: from}, "Llama 3.3 70B (on 4)"},
		{serving.KnobModel, serving.KnobChoice{Name: "Llama 3.1 8B", Auto: 1, Knobs: from}, "Llama 3.1 8B"},
		{serving.KnobTP, serving.KnobChoice{Auto: 2, Knobs: from}, "auto (2)"},
		{serving.KnobTP, serving.KnobChoice{Knobs: to}, "2"},
		{serving.KnobBudget, serving.KnobChoice{Knobs: from}, "auto"},
		{serving.KnobAccept, serving.KnobChoice{Knobs: from}, "80 %"},
		{serving.KnobTime, serving.KnobChoice{Knobs: from}, "0.2x"},
		{serving.KnobPrompt, serving.KnobChoice{Knobs: serving.Knobs{Prompt: 32000}}, "32,000"},
	} {
		if got := KnobChoice(x.knob, &x.c); got != x.want {
			t.Errorf("%q, want %q", got, x.want)
		}
	}
}
