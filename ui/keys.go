package ui

import (
	"slices"

	"tokscope/metrics/pick"
	"tokscope/ui/keys"
)

// everywhere returns the bindings that work on every screen and dialog.
func everywhere() []keys.Binding {
	return []keys.Binding{
		{Do: keys.Quit, Keys: []string{"ctrl+c"}, Help: "quit"},
		{Do: keys.Suspend, Keys: []string{"ctrl+z"}, Help: "suspend; gaps across it are marked"},
		{Do: keys.Redraw, Keys: []string{"ctrl+l"}, Help: "redraw the screen"},
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
