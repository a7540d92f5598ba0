package ui

import tea "charm.land/bubbletea/v2"

// changedMsg reports that the backend has something new although no frame was
// due.
type changedMsg struct{}

// Notify wakes the interface after a request started, ended or failed. Any
// goroutine may call it at any time, also before the interface runs and after
// it ended. It never blocks, and simultaneous calls count as one.
func (m *Model) Notify() {
	select {
	case m.wake <- struct{}{}:
	default:
	}
}

// listen waits for the next Notify. One listener is alive at a time: Update
// starts the next when it takes the message.
func (m *Model) listen() tea.Cmd {
	wake, closed := m.wake, m.closed
	return func() tea.Msg {
		select {
		case <-wake:
			return changedMsg{}
		case <-closed:
			return nil
		}
	}
}
