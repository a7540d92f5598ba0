package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"tokscope/ui/dialog"
)

// beginTour is how the program opens with the tour.
func (m *Model) beginTour() tea.Cmd {
	cmd := m.toExplain()
	if !m.explain.on {
		return cmd
	}
	n := m.opt.Lesson
	if n == 0 {
		n = m.explain.back.TourAt()
	}
	m.lesson(n)
	return cmd
}

// openTour is what t does: it begins the tour where one was, and lists its
// lessons while it is on.
func (s *Model) openTour() {
	e := &s.explain
	t := &e.view.Explain.Tour
	if !t.On {
		s.lesson(e.back.TourAt())
		return
	}
	s.open(dialog.NewLessons(e.back.TourLessons(), t.Lesson.Number, t.Seen))
}

// lesson begins lesson n, the first or the last where there is none of that number.
func (s *Model) lesson(n int) {
	e := &s.explain
	n = min(max(n, 1), max(len(e.back.TourLessons()), 1))
	s.newest()
	e.back.ExplainPause(false) // a lesson is shown by what happens
	e.back.TourGo(n)
	s.sample(true)
	if k := e.view.Explain.Tour.Lesson.Knobs; len(k) > 0 {
		e.view.Knob = k[0] // the one that the lesson tells to turn
	}
}

// byLesson goes to a lesson before or after the present one.
func (s *Model) byLesson(by int) {
	t := &s.explain.view.Explain.Tour
	if n := t.Lesson.Number + by; t.On && n >= 1 && n <= t.Lessons {
		s.lesson(n)
	}
}

// goOn is what enter does: on the tour the next stage of the lesson, and after
// the last the next lesson; else the choices of the selected knob. A lesson that
// is left without a verdict says so: who hurries may not know what it takes.
func (s *Model) goOn() tea.Cmd {
	e := &s.explain
	t := &e.view.Explain.Tour
	switch {
	case !t.On:
		s.openKnob(e.view.Knob)
	case t.Stage+1 < len(t.Lesson.Stages):
		s.newest()
		e.back.ExplainPause(false)
		e.back.TourStage(t.Stage + 1)
		s.sample(true)
	default:
		n, without := t.Lesson.Number, t.Ready && t.Verdict == ""
		s.byLesson(1)
		if without && n < t.Lessons {
			return s.say(fmt.Sprintf("lesson %d ended without a verdict: not every stage was measured", n))
		}
	}
	return nil
}
