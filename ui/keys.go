package ui

import (
	tea "charm.land/bubbletea/v2"

	"tokscope/ui/keys"
)

var everywhere = map[keys.Intent]handler{
	keys.Quit:    (*Model).quit,
	keys.Suspend: (*Model).suspend,
	keys.Redraw:  func(*Model) tea.Cmd { return tea.ClearScreen },
}
