package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"tokscope/ui/dialog"
	"tokscope/ui/screen"
)

// overlay is a dialog with the function that gets its closing act.
type overlay struct {
	dialog.Dialog
	answered func(dialog.Act) tea.Cmd // may be nil
}

// stack holds the dialogs over the screen. The last one gets the keys.
type stack []overlay

// top is the dialog that gets the keys, or nil when the screen gets them.
func (s stack) top() dialog.Dialog {
	if len(s) == 0 {
		return nil
	}
	return s[len(s)-1].Dialog
}

// busy reports whether something in a dialog moves.
func (s stack) busy() bool {
	return slices.ContainsFunc(s, func(d overlay) bool { return d.Busy() })
}

func (m *Model) open(d dialog.Dialog, answered func(dialog.Act) tea.Cmd) {
	m.stack = append(m.stack, overlay{d, answered})
	m.dirty = true
}

// act carries out a request of the top dialog. An act that closes the dialog
// is passed to its opener, and so is a preview.
func (m *Model) act(a dialog.Act) tea.Cmd {
	switch a := a.(type) {
	case nil:
	case dialog.PreviewTheme:
		m.applyTheme(a.Name)
	case dialog.PreviewFilter: // the dialog stays
		if d := m.stack[len(m.stack)-1]; d.answered != nil {
			return d.answered(a)
		}
	case dialog.UseCurl:
		return m.choice.curl(a)
	case dialog.UseEndpoint:
		return m.choice.models(a.Endpoint)
	case dialog.UseModel:
		m.choice.cancel()
		m.stack = m.stack[:0]
		e := a.Endpoint
		e.Model = a.Model
		if cmd, taken := m.screens.shown().Choose(e); taken {
			return cmd
		}
		return tea.Batch(m.screens.broadcast(screen.EndpointChanges{}), m.choice.choose(e))
	default:
		last := len(m.stack) - 1
		d := m.stack[last]
		m.stack = m.stack[:last]
		m.choice.cancel()
		m.dirty = true
		if d.answered != nil {
			return d.answered(a)
		}
	}
	return nil
}
