package ui

import (
	"slices"

	"tokscope/ui/dialog"
	"tokscope/ui/keys"
	"tokscope/ui/screen"
)

// everywhere returns the bindings that work on every screen and dialog.
func everywhere() []keys.Binding {
	return []keys.Binding{
		{Do: keys.Quit, Keys: []string{"ctrl+c"}, Show: "ctrl+c", Help: "quit"},
		{Do: keys.Suspend, Keys: []string{"ctrl+z"}, Show: "ctrl+z", Help: "suspend tokscope; gaps across it are marked"},
		{Do: keys.Redraw, Keys: []string{"ctrl+l"}, Show: "ctrl+l", Help: "redraw the screen"},
	}
}

// onScreens returns the bindings that work on every screen, and in no dialog.
func onScreens() []keys.Binding {
	return []keys.Binding{
		{Do: keys.Commands, Keys: []string{":", "ctrl+p"}, Show: ":",
			Help: "find any action, theme, endpoint, model or lesson by a few letters; ctrl+p does the same"},
		{Do: keys.Picture, Keys: []string{"S"}, Show: "S", Rank: 55,
			Word: keys.Always("picture"), Help: "save the screen as a picture (SVG) and as text, beside the results"},
	}
}

// bindings are the tables of all keys.
type bindings struct {
	sections []keys.Section   // as the help lists them
	screens  [][]keys.Binding // of each screen, with those of all screens
	global   []keys.Binding   // those that work everywhere
}

func newBindings(all []screen.Screen) bindings {
	b := bindings{global: everywhere()}
	shared := onScreens()
	for _, s := range all {
		table := s.Bindings()
		b.sections = append(b.sections, keys.Section{Name: string(s.Name()), Bindings: table})
		b.screens = append(b.screens, slices.Concat(table, shared))
	}
	b.sections = append(append(b.sections, dialog.Sections()...),
		keys.Section{Name: "every screen", Bindings: shared}, keys.Section{Name: "everywhere", Bindings: b.global})
	return b
}
