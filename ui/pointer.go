package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/ui/keys"
	"tokscope/ui/screen"
)

// wheelRows is how many rows a notch of the wheel scrolls.
const wheelRows = 3

// pointer collects the mouse events between two frames, so that a flood of
// wheel and drag messages draws few frames.
type pointer struct {
	screen.Pointer      // collected: X and Y of the last move, Held until the button is up
	due            bool // onPointer is due; until then filter collects
	across         bool // the mouse was dragged since the last frame
	inDrag         bool
}

// filter drops floods of mouse messages before Update: msg while events are collected.
// It returns others. It runs on Bubble Tea's own goroutine, like Update.
func (m *Model) filter(msg tea.Msg) tea.Msg {
	if m.pointer.due && m.pointer.collect(msg) {
		return nil
	}
	return msg
}

// collect takes a notch of the wheel or a move of the mouse. It reports whether msg is one.
func (p *pointer) collect(msg tea.Msg) bool {
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		p.Wheel += notch(msg)
	case tea.MouseMotionMsg:
		if p.inDrag {
			p.Drag += p.Y - msg.Y
		}
		p.X, p.Y, p.inDrag, p.across = msg.X, msg.Y, true, true
	default:
		return false
	}
	return true
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

func (m *Model) onMouse(msg tea.MouseMsg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.MouseClickMsg:
		m.pointer.inDrag, m.pointer.Y = true, msg.Y
		if msg.Button == tea.MouseLeft {
			return m.click(msg.Mouse())
		}
	case tea.MouseReleaseMsg:
		m.pointer.inDrag, m.pointer.Held = false, false
	default:
		if m.pointer.collect(msg) {
			return m.onPointer()
		}
	}
	return nil
}

// onPointer carries out the collected events. If there were any, it collects
// for another frame.
func (m *Model) onPointer() tea.Cmd {
	p := m.pointer.Pointer
	p.Held = p.Held && m.pointer.across
	m.pointer.Wheel, m.pointer.Drag, m.pointer.due, m.pointer.across = 0, 0, false, false
	if p.Wheel == 0 && p.Drag == 0 && !p.Held {
		return nil
	}
	m.pointer.due = true
	next := tea.Tick(time.Second/time.Duration(m.opt.fps()), func(time.Time) tea.Msg { return screen.Reply(m.onPointer) })
	m.dirty = true
	if d := m.stack.top(); d != nil {
		return tea.Batch(next, m.act(d.Wheel(p.Wheel+p.Drag)))
	}
	return tea.Batch(next, m.screens.shown().Update(p))
}

// click passes a click to the owner of the clicked target: the root, the top
// dialog, or the screen that drew it.
func (m *Model) click(at tea.Mouse) tea.Cmd {
	target := m.surface.grid.TargetAt(at.X, at.Y)
	switch t := target.(type) {
	case *keys.Binding:
		return m.press(t, "")
	case keys.Intent:
		return m.do(t)
	case onTab:
		return m.show(int(t))
	}
	m.dirty = true
	if d := m.stack.top(); d != nil {
		return m.act(d.Click(at.X, at.Y))
	}
	if target == nil {
		return nil
	}
	cmd, held := m.screens.shown().Click(target, at)
	m.pointer.Held = held
	return cmd
}
