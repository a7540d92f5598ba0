package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/themes"
	"tokscope/ui/sanitize"
)

func (m *Model) show(s string, role themes.Role, d time.Duration) tea.Cmd {
	id := m.toast.id + 1
	m.toast = toast{sanitize.Line(s, toastMost), role, id}
	m.dirty = true
	return tea.Tick(d, func(time.Time) tea.Msg { return toastGone{id} })
}
