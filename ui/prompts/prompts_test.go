package prompts

import "testing"

func TestPresetsAreComplete(t *testing.T) {
	seen := map[string]bool{Custom: true}
	for _, p := range All() {
		if seen[p.Name] {
			t.Errorf("%q: the name is taken", p.Name)
		}
		seen[p.Name] = true
		if p.Work.Name != p.Name || p.Work.Prompt == "" || p.Work.MaxTokens <= 0 || p.About == "" {
			t.Errorf("%q is not complete: %+v", p.Name, p)
		}
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
		if n = Step(n, 1); n != want {
			t.Fatalf("step %d: got %d, want %d", i, n, want)
		}
	}
	if Step(n, 1) != n {
		t.Errorf("the upper end moved to %d", Step(n, 1))
	}
	for i := len(Lengths) - 2; i >= 0; i-- {
		if n = Step(n, -1); n != Lengths[i] {
			t.Fatalf("back at %d: got %d, want %d", i, n, Lengths[i])
		}
	}
	if Step(n, -1) != n {
		t.Errorf("the lower end moved to %d", Step(n, -1))
	}
	for _, c := range []struct{ n, by, want int }{{150, 1, 200}, {150, -1, 100}, {5000, 1, 0}, {5000, -1, 3200}, {3, -1, 16}, {3, 1, 16}} {
		if got := Step(c.n, c.by); got != c.want {
			t.Errorf("Step(%d, %d) = %d, want %d", c.n, c.by, got, c.want)
		}
	}
}
