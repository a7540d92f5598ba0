package explain

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics/serving"
	"tokscope/ui/dialog"
	"tokscope/ui/say"
)

// turnKnob moves a knob by that many positions and skips those that do not
// fit. The time knob is listed from real time down, but turning it on still
// speeds time up.
func (s *Screen) turnKnob(k serving.Knob, by int) tea.Cmd {
	choices := s.back.ExplainChoices(k)
	if n := len(choices); k == serving.KnobTime && n > 0 && choices[0].Knobs.Time > choices[n-1].Knobs.Time {
		by = -by
	}
	at := slices.IndexFunc(choices, func(c serving.KnobChoice) bool { return c.Now })
	why := ""
	for i := at + by; at >= 0 && i >= 0 && i < len(choices); i += by {
		c := &choices[i]
		if c.Why == "" {
			set := s.setKnobs(c.Knobs)
			if why != "" {
				set = tea.Batch(set, s.host.Say(why))
			}
			return set
		}
		why = fmt.Sprintf("%s %s: %s", say.Knob(k), say.KnobChoice(k, c), c.Why)
	}
	if why == "" {
		why = say.Knob(k) + ": no further value"
	}
	return s.host.Say(why)
}

// setKnobs sets the engine to k from its next step on.
func (s *Screen) setKnobs(k serving.Knobs) tea.Cmd {
	err := s.back.ExplainTurn(k)
	s.refresh()
	if err != nil {
		return s.host.Complain(err)
	}
	return nil
}

// openKnob opens the list of a knob's positions.
func (s *Screen) openKnob(k serving.Knob) {
	s.host.Open(dialog.NewKnob(k, s.back.ExplainChoices(k)), dialog.Chose(s.setKnobs))
}

// pause stops the engine's time, or continues it.
func (s *Screen) pause() {
	s.back.ExplainPause(!s.view.Explain.Paused)
	s.refresh()
}

// stepOnce runs one more step and shows it.
func (s *Screen) stepOnce() {
	s.newest()
	s.back.ExplainStep()
	s.refresh()
}

// newest follows the newest step again.
func (s *Screen) newest() { s.view.Cursor = 0 }

// zoomMost is the largest distance of the timeline from the fitting scale.
const zoomMost = 3

// nextZoom zooms the timeline: closer until zoomMost, then from afar back to
// the fitting scale.
func (s *Screen) nextZoom() {
	v := &s.view
	if v.Zoom++; v.Zoom > zoomMost {
		v.Zoom = -zoomMost
	}
}

// maximized reports whether a panel fills the screen.
func (s *Screen) maximized() bool { return s.view.Max }

// panels reports whether there is another panel to show.
func (s *Screen) panels() bool { return s.view.Max || s.pic.switches }

// selectKnob selects the knob by places on, in a circle.
func (s *Screen) selectKnob(by int) {
	v := &s.view
	v.Knob = serving.Knob((int(v.Knob) + by + int(serving.NumKnobs)) % int(serving.NumKnobs))
}
