package dialog

import (
	"tokscope/metrics/serving"
	"tokscope/themes"
	"tokscope/ui/say"
)

// Knob is the picker for one knob's position on the Explain screen.
type Knob struct{ picker }

// UseKnobs reports the chosen knobs.
type UseKnobs struct{ Knobs serving.Knobs }

func (UseKnobs) act() {}

// NewKnob returns the picker with the present position selected. A position
// that does not fit is shown with its reason and cannot be chosen.
func NewKnob(k serving.Knob, choices []serving.KnobChoice) *Knob {
	d := &Knob{}
	d.list = list{title: say.Knob(k), hint: "from the next step on", width: 74, whole: true}
	d.leave = Closed{}
	d.accept = func(it item) Act {
		c := it.value.(serving.KnobChoice)
		if c.Why != "" {
			d.say, d.role = say.KnobChoice(k, &c)+": "+c.Why, themes.Warn
			return nil
		}
		return UseKnobs{c.Knobs}
	}
	now := -1
	for i, c := range choices {
		// typed as it stands beside the other knobs
		it := item{name: say.KnobChoice(k, &c), group: say.KnobPosition(k, &c.Knobs), value: c}
		switch {
		case c.Now:
			it.mark, it.detail, now = isCurrent, []string{"now"}, i
		case c.Why != "":
			it.mark, it.detail, it.dim = notReady, []string{c.Why}, true
		}
		d.items = append(d.items, it)
	}
	d.refresh()
	d.at = max(now, 0)
	return d
}
