package ui

import (
	"cmp"
	"slices"

	tea "charm.land/bubbletea/v2"

	"tokscope/ui/dialog"
	"tokscope/ui/format"
	"tokscope/ui/keys"
)

// keys are the bindings of the top dialog. Without one they are those of the
// screen and of all screens.
func (m *Model) keys() []keys.Binding {
	if d := m.stack.top(); d != nil {
		return d.Bindings()
	}
	return m.bindings.screens[m.screens.at]
}

// onKey carries out a key, or passes it as text to the dialog that takes
// text.
func (m *Model) onKey(k tea.KeyPressMsg) tea.Cmd {
	name, d := k.String(), m.stack.top()
	b := cmp.Or(keys.At(m.keys(), name), keys.Find(m.bindings.global, name))
	switch {
	case b != nil && b.Works():
		return m.press(b, name)
	case d != nil && k.Text != "":
		m.dirty = true
		return m.act(d.Type(k.Text, false))
	}
	return nil
}

func (m *Model) onPaste(s string) tea.Cmd {
	d := m.stack.top()
	if d == nil || s == "" {
		return nil
	}
	m.dirty = true
	return m.act(d.Type(s, true))
}

// press carries out a binding, after its key or a click in the footer.
func (m *Model) press(b *keys.Binding, key string) tea.Cmd {
	m.dirty = true
	switch {
	case b.Act != nil:
		return b.Act()
	case b.Do == keys.ToScreen:
		return m.show(m.screens.tabKey(key))
	}
	return m.do(b.Do)
}

// do carries out an intent of the root, or of the dialog on top.
func (m *Model) do(in keys.Intent) tea.Cmd {
	m.dirty = true
	switch in {
	case keys.Quit:
		return m.quit()
	case keys.Suspend:
		return m.suspend()
	case keys.Redraw:
		return tea.ClearScreen
	}
	if d := m.stack.top(); d != nil {
		return m.act(d.Do(in))
	}
	switch in {
	case keys.NextScreen:
		return m.show(m.screens.beside(m.screens.at, 1))
	case keys.PrevScreen:
		return m.show(m.screens.beside(m.screens.at, -1))
	case keys.StopHidden:
		return m.stopHidden()
	case keys.Help:
		own := m.screens.shown().Bindings()
		table := append(keys.Grouped(string(m.screens.shown().Name()), own),
			keys.Section{Name: "every screen", Bindings: slices.Concat(m.keys()[len(own):], m.bindings.global)})
		m.open(dialog.NewHelp(table...), nil)
	case keys.PickTheme:
		m.open(dialog.NewThemes(m.surface.palette.Theme().Name), m.themed)
	case keys.Mouse:
		m.look.Mouse = !m.look.Mouse
		return m.say(format.Either(m.look.Mouse, "mouse on: click, drag and wheel work",
			"mouse off: the terminal selects text again"))
	case keys.PickEndpoint:
		return m.choice.endpoints()
	case keys.PickModel:
		return m.choice.models(m.back.Endpoint())
	case keys.Commands:
		return openPalette(m)
	case keys.Picture:
		m.toast.text = "" // it is no part of the picture
		m.draw()
		return m.savePicture()
	}
	return nil
}

// themed applies the chosen theme, or ends the preview.
func (m *Model) themed(a dialog.Act) tea.Cmd {
	if t, ok := a.(dialog.UseTheme); ok {
		m.opt.Theme = t.Name
	}
	m.applyTheme(m.opt.Theme)
	return nil
}

func (m *Model) applyTheme(name string) {
	m.dirty = m.surface.theme(name, m.opt.Profile) || m.dirty
}
