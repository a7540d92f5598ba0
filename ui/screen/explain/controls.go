package explain

import (
	"cmp"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics/serving"
	"tokscope/ui/dialog"
	"tokscope/ui/format"
	"tokscope/ui/report"
	"tokscope/ui/sanitize"
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

func (s *Screen) openKnob(k serving.Knob) {
	s.host.Open(dialog.NewKnob(k, s.back.ExplainChoices(k)), dialog.Chose(s.setKnobs))
}

func (s *Screen) pause() {
	s.back.ExplainPause(!s.view.Explain.Paused)
	s.refresh()
}

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

func (s *Screen) maximized() bool { return s.view.Max }

// panels reports whether there is another panel to show.
func (s *Screen) panels() bool { return s.view.Max || s.pic.switches }

// selectKnob selects the knob by places on, in a circle.
func (s *Screen) selectKnob(by int) {
	v := &s.view
	v.Knob = serving.Knob((int(v.Knob) + by + int(serving.NumKnobs)) % int(serving.NumKnobs))
}

// openTour is the action of T. It resumes the tour, or lists the lessons
// while the tour is on.
func (s *Screen) openTour() {
	t := &s.view.Explain.Tour
	if !t.On {
		s.lesson(s.back.TourAt())
		return
	}
	s.host.Open(dialog.NewLessons(s.back.TourLessons(), t.Lesson.Number, t.Seen), dialog.Chose(func(n int) tea.Cmd {
		s.lesson(n)
		return nil
	}))
}

// lesson begins lesson n, limited to the first and the last.
func (s *Screen) lesson(n int) {
	n = min(max(n, 1), max(len(s.back.TourLessons()), 1))
	s.newest()
	s.back.ExplainPause(false) // a lesson needs running time
	s.back.TourGo(n)
	s.refresh()
	if k := s.view.Explain.Tour.Lesson.Knobs; len(k) > 0 {
		s.view.Knob = k[0] // the knob that the lesson asks to turn
	}
}

// byLesson begins the lesson by places away from the present one.
func (s *Screen) byLesson(by int) {
	t := &s.view.Explain.Tour
	if n := t.Lesson.Number + by; t.On && n >= 1 && n <= t.Lessons {
		s.lesson(n)
	}
}

// goOn is the action of enter. On the tour it shows the next stage of the
// lesson, and after the last stage the next lesson. Otherwise it lists the
// choices of the selected knob. Leaving a lesson before its verdict shows a
// notice: a hasty user may not realize that a stage needs time.
func (s *Screen) goOn() tea.Cmd {
	t := &s.view.Explain.Tour
	switch {
	case !t.On:
		s.openKnob(s.view.Knob)
	case t.Stage+1 < len(t.Lesson.Stages):
		s.newest()
		s.back.ExplainPause(false)
		s.back.TourStage(t.Stage + 1)
		s.refresh()
	default:
		n, without := t.Lesson.Number, t.Ready && t.Verdict == ""
		s.byLesson(1)
		if without && n < t.Lessons {
			return s.host.Say(fmt.Sprintf("lesson %d ended without a verdict: not every stage was measured", n))
		}
	}
	return nil
}

// judge keeps the verdict of the shown lesson. It may change while measuring
// continues.
func (s *Screen) judge(t *serving.TourView) {
	n := t.Lesson.Number
	if !t.On || t.Verdict == "" || n < 1 || n > t.Lessons {
		return
	}
	for len(s.verdicts) < n {
		s.verdicts = append(s.verdicts, report.Verdict{})
	}
	s.verdicts[n-1] = report.Verdict{Title: t.Lesson.Title, Text: say.Lesson(t.Verdict), Holds: t.Holds}
}

// turnMost limits the words of a lesson's next stage in the footer, in
// columns.
const turnMost = 32

func (s *Screen) touring() bool { return s.view.Explain.Tour.On }

// nextLesson is the word of a key for the next lesson, "" after the last one.
func (s *Screen) nextLesson() string {
	t := &s.view.Explain.Tour
	return format.If(t.Lesson.Number < t.Lessons, format.Either(s.narrow(), "next", "next lesson"))
}

// stageWords describe the next stage of the lesson, "" without one.
func (s *Screen) stageWords() string {
	t := &s.view.Explain.Tour
	i := t.Stage + 1
	if !t.On || i >= len(t.Lesson.Stages) {
		return ""
	}
	return cmp.Or(sanitize.Line(say.Lesson(t.Lesson.Stages[i].Turn), turnMost), "next stage") // until they are computed
}
