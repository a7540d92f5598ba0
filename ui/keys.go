package ui

import (
	"cmp"
	"slices"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics/pick"
	"tokscope/ui/dialog"
	"tokscope/ui/format"
	"tokscope/ui/keys"
)

// everywhere are the bindings that work on every screen and dialog.
var everywhere = []keys.Binding{
	{Do: keys.Quit, Keys: []string{"ctrl+c"}, Help: "quit"},
	{Do: keys.Suspend, Keys: []string{"ctrl+z"}, Help: "suspend; gaps across it are marked"},
	{Do: keys.Redraw, Keys: []string{"ctrl+l"}, Help: "redraw the screen"},
}

// firstTabRank and tabRank are the ranks of the next tab. The first screen teaches
// a newcomer that there are others. stopRank is that of the key that stops what runs
// on another screen.
const firstTabRank, tabRank, stopRank = 22, 26, 1

// onScreens returns the bindings that work on every screen, and in no dialog.
func onScreens(m *Model) []keys.Binding {
	s := &m.screens
	table := []keys.Binding{
		{Do: keys.Commands, Keys: []string{":", "ctrl+p"}, Help: "find anything by a few letters; ctrl+p too"},
		{Do: keys.PickTheme, Keys: []string{"t"}, Rank: 52,
			Word: keys.Always("theme"), Help: "choose a theme, with a preview"},
		{Do: keys.Mouse, Keys: []string{"k"}, Rank: 60,
			Word: keys.Either(func() bool { return m.look.Mouse }, "mouse off", "mouse on"),
			Help: "mouse off (to select text) or on"},
		{Do: keys.Picture, Keys: []string{"S"}, Rank: 55,
			Word: keys.Always("picture"), Help: "save the screen as a picture and as text"},
		{Do: keys.Help, Keys: []string{"?", "f1"}, Help: "this help"},
		{Do: keys.StopHidden, Keys: []string{"x"}, Rank: stopRank, Word: s.stopWord,
			Help: "stop what runs, here or on another screen"},
		{Do: keys.Quit, Keys: []string{"q"}, Rank: 13,
			Word: keys.Always("quit"), Help: "quit; the summary stays in the terminal"},
	}
	if !s.several() {
		return table
	}
	return append([]keys.Binding{
		{Do: keys.NextScreen, Keys: []string{"tab"}, Rank: tabRank,
			RankNow: keys.When(func() bool { return s.at == 0 }, firstTabRank),
			Word:    s.nextWord, Help: "to the next screen"},
		{Do: keys.PrevScreen, Keys: []string{"shift+tab"}, Help: "to the screen before"},
		{Do: keys.ToScreen, Keys: pick.Each(s.tabs, func(t *tab) string { return t.Key }),
			Show: s.tabs[0].Key + " to " + s.tabs[len(s.tabs)-1].Key,
			Help: "to the screen of this number"},
	}, table...)
}

// bindingsOf returns the bindings of each screen, its own and then those of all screens.
func bindingsOf(m *Model) (all [][]keys.Binding) {
	shared := onScreens(m)
	for _, s := range m.screens.all {
		all = append(all, withShared(s.Bindings(), shared))
	}
	return all
}

// withShared returns table and, behind it, the bindings of shared with the keys
// that table does not bind, and the one that stops: it works where table's does not.
func withShared(table, shared []keys.Binding) []keys.Binding {
	out := slices.Clone(table)
	for _, b := range shared {
		b.Keys = slices.DeleteFunc(slices.Clone(b.Keys), func(key string) bool {
			return b.Do != keys.StopHidden && keys.Find(table, key) != nil
		})
		if len(b.Keys) > 0 {
			out = append(out, b)
		}
	}
	return out
}

// keys are the bindings of the top dialog. Without one they are those of the
// screen and of all screens.
func (m *Model) keys() []keys.Binding {
	if d := m.stack.top(); d != nil {
		return d.Bindings()
	}
	return m.bindings[m.screens.at]
}

// onKey carries out a key, or passes it as text to the dialog that takes
// text.
func (m *Model) onKey(k tea.KeyPressMsg) tea.Cmd {
	name, d := k.String(), m.stack.top()
	b := cmp.Or(keys.At(m.keys(), name), keys.Find(everywhere, name))
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

// do carries out an intent of the root, of the dialog on top, or of the shown screen.
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
			keys.Section{Name: "every screen", Bindings: slices.Concat(m.keys()[len(own):], everywhere)})
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
	default:
		if b := keys.Of(m.screens.shown().Bindings(), in); b != nil && b.Act != nil {
			return b.Act()
		}
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
