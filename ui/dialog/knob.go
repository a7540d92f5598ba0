package dialog

import (
	"tokscope/metrics/serving"
	"tokscope/themes"
	"tokscope/ui/say"
)

// NewKnob returns the picker for one knob's position on the Explain screen, with the
// present position selected; it answers with a Chosen of all knobs. A position that
// does not fit is shown with its reason and cannot be chosen.
func NewKnob(k serving.Knob, choices []serving.KnobChoice) *Picker[serving.KnobChoice] {
	d := newPicker[serving.KnobChoice](list{title: say.Knob(k), hint: "from the next step on",
		width: 74, whole: true}, nil)
	d.use = func(c serving.KnobChoice) Act {
		if c.Why != "" {
			d.say, d.role = say.KnobChoice(k, &c)+": "+c.Why, themes.Warn
			return nil
		}
		return Chosen[serving.Knobs]{c.Knobs}
	}
	for _, c := range choices {
		// typed as it stands beside the other knobs
		it := item{name: say.KnobChoice(k, &c), group: say.KnobPosition(k, &c.Knobs), value: c}
		switch {
		case c.Now:
			it.detail = []string{"now"}
		case c.Why != "":
			it.mark, it.detail, it.dim = notReady, []string{c.Why}, true
		}
		d.add(it, c.Now)
	}
	return d.open()
}
