package dialog

import (
	"strings"
	"testing"
	"time"

	"tokscope/metrics/loadstat"
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
	if act := d.Do(keys.Accept); act != (Chosen[serving.Knobs]{positions[0].Knobs}) {
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
	if act := d.Do(keys.Accept); act != (Chosen[serving.Knobs]{positions[2].Knobs}) {
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
		if act := d.Do(keys.Accept); act != (Chosen[serving.Knobs]{gemma.Knobs}) {
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
	if act := d.Do(keys.Accept); act != (Chosen[serving.Knobs]{choices[1].Knobs}) {
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
		if act := d.Do(keys.Accept); act != (Chosen[int]{c.want}) {
			t.Errorf("typed %q: %+v, want lesson %d", c.typed, act, c.want)
		}
	}
}

// TestDriveIsTypedOrChosen: any number up to the largest can be typed, a rate
// and a ramp too; what is none of them is not taken for another one.
func TestDriveIsTypedOrChosen(t *testing.T) {
	users := func(n int) Act { return Chosen[loadstat.Drive]{loadstat.Drive{Users: n}} }
	for typed, want := range map[string]Act{
		"": users(48), "1": users(1), "3": users(3), "64": users(64), "100": users(100), "1024": users(1024), "1025": nil, "0": nil, "-3": nil, "x": nil,
		"12/s":            Chosen[loadstat.Drive]{loadstat.Drive{Rate: 12}},
		"2.5/s poisson":   Chosen[loadstat.Drive]{loadstat.Drive{Rate: 2.5, Poisson: true}},
		"10-200 in 60s":   Chosen[loadstat.Drive]{loadstat.Drive{Users: 10, To: 200, Within: time.Minute}},
		"10..200/1m":      Chosen[loadstat.Drive]{loadstat.Drive{Users: 10, To: 200, Within: time.Minute}},
		"200 in 60 s":     Chosen[loadstat.Drive]{loadstat.Drive{Users: 48, To: 200, Within: time.Minute}},
		"0.5-20/s in 2m":  Chosen[loadstat.Drive]{loadstat.Drive{Rate: 0.5, To: 20, Within: 2 * time.Minute}},
		"1-20/s/2m":       Chosen[loadstat.Drive]{loadstat.Drive{Rate: 1, To: 20, Within: 2 * time.Minute}},
		"20/s in 2m":      nil, // the load is no open loop: from where?
		"10-200 in 1s":    nil,
		"10-2000 in 60s":  nil,
		"10-10 in 60s":    nil,
		"10-200":          nil,
		"NaN/s":           nil,
		"1e99/s":          nil,
		"10-200 in never": nil,
	} {
		d := NewDrive(loadstat.Drive{Users: 48}, 1024)
		typeIn(d, typed)
		if act := d.Do(keys.Accept); act != want {
			t.Errorf("typed %q: %+v, want %+v", typed, act, want)
		}
	}
	for _, size := range [][2]int{{40, 12}, {80, 24}, {120, 40}} {
		d := NewDrive(loadstat.Drive{Users: 48}, 1024)
		typeIn(d, "12/s foo")
		s := drawn(d, size[0], size[1])
		words := strings.Join(strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(" \n│", r) }), " ")
		if !strings.Contains(words, "nothing matches type 64, 12/s, 12/s poisson or 10-200 in 60s") {
			t.Errorf("%v: what can be typed is missing:\n%s", size, s)
		}
	}
	rate := loadstat.Drive{Rate: 12}
	for typed, want := range map[string]Act{"": Chosen[loadstat.Drive]{rate}, "5": Chosen[loadstat.Drive]{loadstat.Drive{Rate: 5}}, "30 in 10s": Chosen[loadstat.Drive]{loadstat.Drive{Rate: 12, To: 30, Within: 10 * time.Second}}, "7 poisson": Chosen[loadstat.Drive]{loadstat.Drive{Rate: 7, Poisson: true}}} {
		d := NewDrive(rate, 1024)
		typeIn(d, typed)
		if act := d.Do(keys.Accept); act != want {
			t.Errorf("typed %q: %+v, want %+v", typed, act, want)
		}
	}
	if s := drawn(NewDrive(loadstat.Drive{Users: 48}, 1024), 80, 24); !strings.Contains(s, "type "+driveForms) || !strings.Contains(s, "48") {
		t.Errorf("the picker:\n%s", s)
	}
	if s := drawn(NewDrive(rate, 1024), 80, 24); !strings.Contains(s, "12/s") || !strings.Contains(s, "at random (Poisson)") {
		t.Errorf("the picker of a rate:\n%s", s)
	}
}
