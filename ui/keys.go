package ui

import "tokscope/ui/keys"

// everywhere returns the bindings that work on every screen and dialog.
func everywhere() []keys.Binding {
	return []keys.Binding{
		{Do: keys.Quit, Keys: []string{"ctrl+c"}, Show: "ctrl+c", Help: "quit"},
		{Do: keys.Suspend, Keys: []string{"ctrl+z"}, Show: "ctrl+z", Help: "suspend tokscope; gaps across it are marked"},
		{Do: keys.Redraw, Keys: []string{"ctrl+l"}, Show: "ctrl+l", Help: "redraw the screen"},
	}
}
