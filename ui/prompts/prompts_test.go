package prompts

import (
	"testing"

	"tokscope/metrics/testkit"
)

func TestPresetsAreComplete(t *testing.T) {
	seen := map[string]bool{Custom: true}
	for _, p := range All() {
		testkit.That(t, !seen[p.Name], "%q: the name is taken", p.Name)
		seen[p.Name] = true
		testkit.That(t, p.Work.Name == p.Name && p.Work.Prompt != "" && p.Work.MaxTokens > 0 && p.About != "",
			"%q is not complete: %+v", p.Name, p)
		if got, ok := ByName(p.Name); !ok || got.Work.Prompt != p.Work.Prompt {
			t.Errorf("ByName(%q) = %+v, %v", p.Name, got, ok)
		}
	}
	if _, ok := ByName("no such"); ok {
		t.Error("found a preset that is not there")
	}
	if p := All(); Default().Prompt != p[0].Work.Prompt {
		t.Error("the default is not the first")
	}
}

func TestStepGoesThroughAllLengthsAndBack(t *testing.T) {
	n := Lengths[0]
	for i, want := range Lengths[1:] {
		n = Step(n, 1)
		testkit.Need(t, n, want, "step", i)
	}
	testkit.Is(t, Step(n, 1), n, "the upper end moved to")
	for i := len(Lengths) - 2; i >= 0; i-- {
		n = Step(n, -1)
		testkit.Need(t, n, Lengths[i], "back at", i)
	}
	testkit.Is(t, Step(n, -1), n, "the lower end moved to")
	for _, c := range []struct{ n, by, want int }{{150, 1, 200}, {150, -1, 100}, {5000, 1, 0}, {5000, -1, 3200},
		{3, -1, 16}, {3, 1, 16}} {
		testkit.Is(t, Step(c.n, c.by), c.want, "Step", c.n, c.by)
	}
}
