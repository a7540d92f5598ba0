package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/ui/draw"
	"tokscope/ui/keys"
)

// place is a part of the frame that can be clicked, outside of dialogs.
type place struct {
	draw.Rect
	do keys.Intent
}

// wheelRows is how many rows a notch of the wheel scrolls.
const wheelRows = 3

// pointer collects what the mouse does between two frames: a flood of wheel
// and drag messages must not make a flood of frames.
type pointer struct {
	due    bool // a pointerMsg is on its way; until then filter collects
	wheel  int  // rows collected
	drag   int  // rows collected
	last   int  // row of the last drag message
	x      int  // its column
	across bool // the mouse was dragged since the last look
	inDrag bool
}

type pointerMsg struct{}

// filter drops floods of mouse messages before Update. It runs on Bubble
// Tea's own goroutine, like Update.
func filter(model tea.Model, msg tea.Msg) tea.Msg {
	m, ok := model.(*Model)
	if !ok || !m.pointer.due {
		return msg
	}
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		m.pointer.wheel += notch(msg)
		return nil
	case tea.MouseMotionMsg:
		m.pointer.moved(msg.X, msg.Y)
		return nil
	}
	return msg
}

func notch(w tea.MouseWheelMsg) int {
	switch w.Button {
	case tea.MouseWheelUp:
		return -wheelRows
	case tea.MouseWheelDown:
		return wheelRows
	}
	return 0
}

func (p *pointer) moved(x, y int) {
	if p.inDrag {
		p.drag += p.last - y
	}
	p.last, p.inDrag, p.x, p.across = y, true, x, true
}

// onMouse takes one message of the mouse.
func (m *Model) onMouse(msg tea.MouseMsg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.MouseClickMsg:
		m.pointer.inDrag, m.pointer.last = true, msg.Y
		if msg.Button == tea.MouseLeft {
			return m.click(msg.X, msg.Y)
		}
	case tea.MouseReleaseMsg:
		m.pointer.inDrag, m.load.drag, m.explain.drag = false, false, false
	case tea.MouseWheelMsg:
		m.pointer.wheel += notch(msg)
		return m.onPointer()
	case tea.MouseMotionMsg:
		m.pointer.moved(msg.X, msg.Y)
		return m.onPointer()
	}
	return nil
}

// onPointer does what was collected, and collects on for the time of a frame
// if there was anything.
func (m *Model) onPointer() tea.Cmd {
	n, drag := m.pointer.wheel, m.pointer.drag
	m.pointer.wheel, m.pointer.drag, m.pointer.due = 0, 0, false
	slide := (m.load.drag || m.explain.drag) && m.pointer.across
	m.pointer.across = false
	if n == 0 && drag == 0 && !slide {
		return nil
	}
	m.pointer.due = true
	next := tea.Tick(time.Second/time.Duration(m.opt.fps()), func(time.Time) tea.Msg { return pointerMsg{} })
	m.dirty = true
	if d := m.top(); d != nil {
		return tea.Batch(next, m.act(d.Wheel(n+drag)))
	}
	switch {
	case slide && m.explain.drag:
		m.lookAt(m.pointer.x, m.pointer.last)
	case slide:
		m.resizeLoad(m.load.screen.UsersAt(m.pointer.x))
	case m.explain.on:
		m.explain.screen.Move(&m.explain.view, n)
	case m.load.on:
		m.load.screen.MoveRow(&m.load.view, n+drag)
	default:
		m.screen.Scroll(n + drag)
	}
	return next
}

// click does what the clicked place stands for.
func (m *Model) click(at, y int) tea.Cmd {
	for _, p := range m.places {
		if p.Contains(at, y) {
			return m.do(p.do)
		}
	}
	m.dirty = true
	if d := m.top(); d != nil {
		return m.act(d.Click(at, y))
	}
	if m.explain.on {
		return m.clickExplain(at, y)
	}
	if m.load.on {
		return m.clickLoad(at, y)
	}
	if id, ok := m.screen.Hit(at, y); ok {
		if in, ok := panels[id]; ok {
			return m.do(in)
		}
	}
	return nil
}

// panels says what a click on a panel of the Live screen does.
var panels = map[string]keys.Intent{
	"now":     keys.Definitions,
	"reading": keys.Pace,
	"gaps":    keys.Freeze,
}
