package ui

import (
	"tokscope/metrics"
	"tokscope/ui/dialog"
	"tokscope/ui/keys"
	"tokscope/ui/sanitize"
	"tokscope/ui/screen/explain"

	tea "charm.land/bubbletea/v2"
)

// onExplain is what the keys of the Explain screen do.
var onExplain = map[keys.Intent]handler{
	keys.Pause:       quiet((*Model).pause),
	keys.StepOnce:    quiet((*Model).stepOnce),
	keys.StepBack:    quiet(func(m *Model) { m.explain.screen.Move(&m.explain.view, -1) }),
	keys.StepOn:      quiet(func(m *Model) { m.explain.screen.Move(&m.explain.view, 1) }),
	keys.PageBack:    quiet(func(m *Model) { m.explain.screen.MovePage(&m.explain.view, -1) }),
	keys.PageOn:      quiet(func(m *Model) { m.explain.screen.MovePage(&m.explain.view, 1) }),
	keys.Newest:      quiet((*Model).newest),
	keys.Slower:      func(m *Model) tea.Cmd { return m.turnKnob(metrics.KnobTime, -1) },
	keys.Faster:      func(m *Model) tea.Cmd { return m.turnKnob(metrics.KnobTime, 1) },
	keys.PrevKnob:    quiet(func(m *Model) { m.selectKnob(-1) }),
	keys.NextKnob:    quiet(func(m *Model) { m.selectKnob(1) }),
	keys.TurnDown:    func(m *Model) tea.Cmd { return m.turnKnob(m.explain.view.Knob, -1) },
	keys.TurnUp:      func(m *Model) tea.Cmd { return m.turnKnob(m.explain.view.Knob, 1) },
	keys.Choices:     quiet(func(m *Model) { m.openKnob(m.explain.view.Knob) }),
	keys.NextPanel:   quiet(func(m *Model) { m.explain.screen.NextPanel(&m.explain.view, 1) }),
	keys.Closer:      quiet(func(m *Model) { m.zoom(1) }),
	keys.Farther:     quiet(func(m *Model) { m.zoom(-1) }),
	keys.MoreUsers:   func(m *Model) tea.Cmd { return m.turnKnob(metrics.KnobUsers, 1) },
	keys.FewerUsers:  func(m *Model) tea.Cmd { return m.turnKnob(metrics.KnobUsers, -1) },
	keys.NextWatched: quiet(func(m *Model) { m.watch(1) }),
	keys.PrevWatched: quiet(func(m *Model) { m.watch(-1) }),
	keys.NextLens:    (*Model).nextLens,
	keys.AgentTask:   quiet(func(m *Model) { m.open(dialog.NewTask(m.view.Task)) }),
	keys.Tour:        quiet((*Model).openTour),
	keys.GoOn:        (*Model).goOn,
	keys.NextLesson:  quiet(func(m *Model) { m.byLesson(1) }),
	keys.PrevLesson:  quiet(func(m *Model) { m.byLesson(-1) }),
	keys.Close:       (*Model).backOut,
	keys.ToLive:      quiet((*Model).toLive),
	keys.ToLoad:      (*Model).toLoad,
	keys.PickTheme:   quiet(func(m *Model) { m.open(dialog.NewThemes(m.palette.Theme().Name)) }),
	keys.Mouse:       (*Model).toggleMouse,
	keys.Help:        quiet(func(m *Model) { m.open(dialog.NewHelpFor(keys.Explain)) }),
}

// Widths of the footer: below the first, and below the second beside the
// observer, it says less of each key.
const (
	narrowBelow = 72
	wideFrom    = 100
)

// turnMost bounds the words of a lesson's next stage in the footer, in columns.
const turnMost = 32

// explainState fills in what the footer's words depend on.
func (m *Model) explainState(s *keys.State) {
	e := &m.explain
	s.Explains = e.back != nil
	if !e.on {
		return
	}
	v := &e.view.Explain
	w := m.grid.Bounds().W
	s.Narrow = w < narrowBelow || w < wideFrom && m.observed(w)
	s.Halted, s.Past = v.Paused, e.view.Cursor != 0
	s.Panels, s.Watched = e.screen.Switches(), v.Knobs.Users > 1
	s.Agent = s.Agent || e.screen.LensAs(m.w, m.h, &e.view) == explain.LensBoard
	t := &v.Tour
	s.Touring = t.On
	if !t.On {
		return
	}
	s.MoreNext, s.MoreBack = t.Lesson.Number < t.Lessons, t.Lesson.Number > 1
	if i := t.Stage + 1; i < len(t.Lesson.Stages) {
		if s.Turn = sanitize.Line(t.Lesson.Stages[i].Turn, turnMost); s.Turn == "" {
			s.Turn = "next stage" // its words are still being computed
		}
	}
}

// clickExplain is a click on the Explain screen: on a step the cursor goes
// there, a knob is selected and a selected one opened, a request's user is
// watched, and the tour goes on.
func (m *Model) clickExplain(x, y int) tea.Cmd {
	e := &m.explain
	if k, ok := e.screen.KnobAt(x, y); ok {
		if k == e.view.Knob {
			m.openKnob(k)
		}
		e.view.Knob = k
		return nil
	}
	if user, ok := e.screen.UserAt(x, y); ok {
		e.back.ExplainWatch(user)
		m.sample(true)
		return nil
	}
	switch id, _ := e.screen.Hit(x, y); id {
	case "timeline":
		e.drag = true
		m.lookAt(x, y)
	case "stage":
		return m.do(keys.GoOn)
	case "next":
		return m.do(keys.NextLesson)
	case "back":
		return m.do(keys.PrevLesson)
	case "leave":
		return m.do(keys.Close)
	}
	return nil
}

// lookAt puts the cursor on the step that is drawn at x, y.
func (m *Model) lookAt(x, y int) {
	e := &m.explain
	if n, ok := e.screen.StepAt(x, y); ok {
		e.view.Cursor = n
	}
}
