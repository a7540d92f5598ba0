package ui

import (
	tea "charm.land/bubbletea/v2"

	"tokscope/ui/screen"
)

// Notify wakes the interface after a request started, ended or failed. Any
// goroutine may call it at any time, also before the interface runs and after
// it ended. It never blocks, and simultaneous calls count as one.
func (m *Model) Notify() {
	select {
	case m.wake <- struct{}{}:
	default:
	}
}

// listen waits for the next Notify, which says that the backend has something new
// although no frame was due. One listener is alive at a time: its reply starts the next.
func (m *Model) listen() tea.Cmd {
	wake, closed := m.wake, m.closed
	return func() tea.Msg {
		select {
		case <-wake:
			return screen.Reply(func() tea.Cmd {
				m.sample(true)
				return m.listen()
			})
		case <-closed:
			return nil
		}
	}
}
