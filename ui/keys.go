package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics/pick"
	"tokscope/ui/keys"
)

// everywhere returns the bindings that work on every screen and dialog.
func everywhere() []keys.Binding {
	return []keys.Binding{
		{Do: keys.Quit, Keys: []string{"ctrl+c"}, Show: "ctrl+c", Help: "quit"},
		{Do: keys.Suspend, Keys: []string{"ctrl+z"}, Show: "ctrl+z", Help: "suspend tokscope; gaps across it are marked"},
		{Do: keys.Redraw, Keys: []string{"ctrl+l"}, Show: "ctrl+l", Help: "redraw the screen"},
	}
}

// firstTabRank and tabRank are the ranks of the next tab. The first screen teaches
// a newcomer that there are others. stopRank is that of the key that stops what runs
// on another screen.
const firstTabRank, tabRank, stopRank = 22, 26, 1

// onScreens returns the bindings that work on every screen, and in no dialog.
func onScreens(m *Model) []keys.Binding {
	s := &m.screens
	table := []keys.Binding{
		{Do: keys.Commands, Keys: []string{":", "ctrl+p"}, Show: ":",
			Help: "find any action, theme, endpoint, model or lesson by a few letters; ctrl+p does the same"},
		{Do: keys.PickTheme, Keys: []string{"t"}, Show: "t", Rank: 52,
			Word: keys.Always("theme"), Help: "choose a theme, with a preview"},
		{Do: keys.Mouse, Keys: []string{"k"}, Show: "k", Rank: 60,
			Word: keys.Either(func() bool { return m.look.Mouse }, "mouse off", "mouse on"),
			Help: "switch the mouse off, so that the terminal selects text, or on"},
		{Do: keys.Picture, Keys: []string{"S"}, Show: "S", Rank: 55,
			Word: keys.Always("picture"), Help: "save the screen as a picture (SVG) and as text, beside the results"},
		{Do: keys.Help, Keys: []string{"?", "f1"}, Show: "?", Help: "this help"},
		{Do: keys.StopHidden, Keys: []string{"x"}, Show: "x", Rank: stopRank, Word: s.stopWord,
			Help: "stop what runs: here, else on another screen, as the header says"},
		{Do: keys.Quit, Keys: []string{"q"}, Show: "q", Rank: 13,
			Word: keys.Always("quit"), Help: "quit; the summary stays in the scrollback"},
	}
	if !s.several() {
		return table
	}
	return append([]keys.Binding{
		{Do: keys.NextScreen, Keys: []string{"tab"}, Show: "tab", Rank: tabRank,
			RankNow: keys.RankIf(func() bool { return s.at == 0 }, firstTabRank),
			Word:    s.nextWord, Help: "to the next screen, in the order of the header"},
		{Do: keys.PrevScreen, Keys: []string{"shift+tab"}, Show: "shift+tab", Help: "to the screen before"},
		{Do: keys.ToScreen, Keys: pick.Each(s.tabs, func(t *tab) string { return t.Key }),
			Show: s.tabs[0].Key + " to " + s.tabs[len(s.tabs)-1].Key,
			Type: func(key string) tea.Cmd { return m.show(s.tabKey(key)) },
			Help: "to the screen that has this number in the header"},
	}, table...)
}

// bindings are the tables of all keys.
type bindings struct {
	screens [][]keys.Binding // of each screen, its own and then those of all screens
	global  []keys.Binding   // those that work everywhere
}

func newBindings(m *Model) bindings {
	b := bindings{global: everywhere()}
	shared := onScreens(m)
	for _, s := range m.screens.all {
		b.screens = append(b.screens, withShared(s.Bindings(), shared))
	}
	return b
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
