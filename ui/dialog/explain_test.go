package dialog

import (
	"strings"
	"testing"

	"tokscope/metrics/serving"
	"tokscope/ui/keys"
)

var positions = []serving.KnobChoice{
	{Name: "llama-3.1-8b", Knobs: serving.Knobs{Model: "llama-3.1-8b"}, Now: true},
	{Name: "llama-3.1-70b", Knobs: serving.Knobs{Model: "llama-3.1-70b"}, Why: "141 GB of weights, 80 GB of memory"},
	{Name: "qwen3-32b", Knobs: serving.Knobs{Model: "qwen3-32b"}},
}

var titles = []string{"Two phases", "The prompt", "The ceiling", "The seesaw", "Who gets what", "The long prompt", "The cache fills", "Context", "Guessing", "Goodput", "Which number"}

func TestKnobPicker(t *testing.T) {
	d := NewKnob(serving.KnobModel, positions)
	if act := d.Do(keys.Accept); act != (UseKnobs{positions[0].Knobs}) {
		t.Errorf("the present position is not selected: %+v", act)
	}
	d.Do(keys.Down)
	if act := d.Do(keys.Accept); act != nil {
		t.Errorf("a position that does not fit was taken: %+v", act)
	}
	if s := drawn(d, 80, 24); !strings.Contains(s, "llama-3.1-70b: 141 GB of weights, 80 GB of memory") {
		t.Errorf("no reason on the screen:\n%s", s)
	}
	typeIn(d, "qwen")
	if act := d.Do(keys.Accept); act != (UseKnobs{positions[2].Knobs}) {
		t.Errorf("filtered: %+v", act)
	}
}

// TestKnobPickerKnowsKeys: a model is found by its name in the list and by its
// key beside the other knobs.
func TestKnobPickerKnowsKeys(t *testing.T) {
	gemma := serving.KnobChoice{Name: "Gemma 3 27B", Knobs: serving.Knobs{Model: "gemma-3-27b"}}
	for _, typed := range []string{"gemma-3-27b", "gemma 3", "27B"} {
		d := NewKnob(serving.KnobModel, append(positions[:3:3], gemma))
		typeIn(d, typed)
		if act := d.Do(keys.Accept); act != (UseKnobs{gemma.Knobs}) {
			t.Errorf("typed %q: %+v", typed, act)
		}
	}
}

// TestTypedNameIsSelected: of all items that match, the one whose name was
// typed is selected.
func TestTypedNameIsSelected(t *testing.T) {
	var choices []serving.KnobChoice
	for _, n := range []int{32, 2, 4, 16} {
		choices = append(choices, serving.KnobChoice{Knobs: serving.Knobs{TP: n}, Auto: 32})
	}
	d := NewKnob(serving.KnobTP, choices)
	typeIn(d, "2")
	if act := d.Do(keys.Accept); act != (UseKnobs{choices[1].Knobs}) {
		t.Errorf("typed 2: %+v", act)
	}
}

func TestLessonPicker(t *testing.T) {
	for _, c := range []struct {
		typed string
		want  int
	}{{"", 2}, {"4", 4}, {"11", 11}, {"seesaw", 4}, {"cache", 7}} {
		d := NewLessons(titles, 2, []bool{true})
		typeIn(d, c.typed)
		if act := d.Do(keys.Accept); act != (UseLesson{c.want}) {
			t.Errorf("typed %q: %+v, want lesson %d", c.typed, act, c.want)
		}
	}
}

// TestUsersAreTypedOrChosen: any number up to the largest can be typed; what is
// no number of users is not taken for another one.
func TestUsersAreTypedOrChosen(t *testing.T) {
	for typed, want := range map[string]Act{"": UseUsers{48}, "1": UseUsers{1}, "3": UseUsers{3}, "64": UseUsers{64}, "100": UseUsers{100}, "1024": UseUsers{1024}, "1025": nil, "0": nil, "-3": nil, "x": nil} {
		d := NewUsers(48, 1024)
		typeIn(d, typed)
		if act := d.Do(keys.Accept); act != want {
			t.Errorf("typed %q: %+v, want %+v", typed, act, want)
		}
	}
	if s := drawn(NewUsers(48, 1024), 80, 24); !strings.Contains(s, "type a number, 1 to 1,024") || !strings.Contains(s, "48") {
		t.Errorf("the picker:\n%s", s)
	}
}
