package dialog

import "tokscope/ui/keys"

// editorKeys is the keyboard of the prompt editor: every printable key is
// text. The words come from d.
func editorKeys(d *Editor) []keys.Binding {
	return []keys.Binding{
		{Do: keys.Accept, Keys: []string{"ctrl+r", "ctrl+enter", "alt+enter"}, Rank: 10,
			Word: keys.Always("run"), Help: "run this prompt; ctrl+enter and alt+enter too, in terminals that report them"},
		{Do: keys.NextPreset, Keys: []string{"tab"}, Rank: 12,
			Word: keys.Always("preset"), Help: "the next preset; your own text is one of them"},
		{Do: keys.PrevPreset, Keys: []string{"shift+tab"}, Help: "the previous preset"},
		{Do: keys.NextLength, Keys: []string{"ctrl+t"}, Rank: 13,
			Word: keys.When(func() bool { return d.lengths.on }, "lengths"),
			Help: "in the prompt of a load: to the lengths, then back to the text"},
		{Do: keys.Undo, Keys: []string{"ctrl+/", "ctrl+_"}, Rank: 30,
			Word: keys.Always("undo"), Help: "take back the last change"},
		{Do: keys.Clear, Keys: []string{"ctrl+x"}, Rank: 31,
			Word: keys.Always("clear"), Help: "remove all text (undo brings it back)"},
		{Do: keys.Close, Keys: []string{"esc", "ctrl+s"}, Rank: 11,
			Word: keys.Always("back"), Help: "back without running; the text is kept; ctrl+s does the same"},
		{Do: keys.NewLine, Keys: []string{"enter"}, Help: "a new line"},
		{Do: keys.Up, Keys: []string{"up", "ctrl+p"}, Help: "a row up"},
		{Do: keys.Down, Keys: []string{"down", "ctrl+n"}, Help: "a row down"},
		{Do: keys.Left, Keys: []string{"left", "ctrl+b"}, Help: "a character left"},
		{Do: keys.Right, Keys: []string{"right", "ctrl+f"}, Help: "a character right"},
		{Do: keys.WordLeft, Keys: []string{"ctrl+left", "alt+left", "alt+b"}, Help: "a word left"},
		{Do: keys.WordRight, Keys: []string{"ctrl+right", "alt+right", "alt+f"}, Help: "a word right"},
		{Do: keys.LineStart, Keys: []string{"home", "ctrl+a"}, Help: "to the start of the row"},
		{Do: keys.LineEnd, Keys: []string{"end", "ctrl+e"}, Help: "to the end of the row"},
		{Do: keys.Home, Keys: []string{"ctrl+home", "alt+<"}, Help: "to the start of the text"},
		{Do: keys.End, Keys: []string{"ctrl+end", "alt+>"}, Help: "to the end of the text"},
		{Do: keys.PageUp, Keys: []string{"pgup"}, Help: "a page up"},
		{Do: keys.PageDown, Keys: []string{"pgdown"}, Help: "a page down"},
		{Do: keys.DeleteBack, Keys: []string{"backspace", "shift+backspace", "ctrl+h"},
			Help: "delete the character before the cursor"},
		{Do: keys.DeleteForward, Keys: []string{"delete", "ctrl+d"}, Help: "delete the character after the cursor"},
		{Do: keys.DeleteWord, Keys: []string{"ctrl+w", "alt+backspace", "ctrl+backspace"},
			Help: "delete the word before the cursor"},
		{Do: keys.DeleteToStart, Keys: []string{"ctrl+u"}, Help: "delete to the start of the line"},
		{Do: keys.DeleteToEnd, Keys: []string{"ctrl+k"}, Help: "delete to the end of the line"},
	}
}

// listKeys is the keyboard of the pickers: every printable key filters. The
// words come from l.
func listKeys(l *list) []keys.Binding {
	return []keys.Binding{
		{Do: keys.Up, Keys: []string{"up", "ctrl+p"}, Help: "one up"},
		{Do: keys.Down, Keys: []string{"down", "ctrl+n"}, Foot: "↑↓", Rank: 12,
			Word: keys.Always("move"), Help: "one down"},
		{Do: keys.PageUp, Keys: []string{"pgup"}, Help: "a page up"},
		{Do: keys.PageDown, Keys: []string{"pgdown"}, Help: "a page down"},
		{Do: keys.Home, Keys: []string{"home"}, Help: "to the first"},
		{Do: keys.End, Keys: []string{"end"}, Help: "to the last"},
		{Do: keys.Accept, Keys: []string{"enter"}, Rank: 10, Word: keys.Always("choose"), Help: "apply"},
		{Do: keys.DeleteBack, Keys: []string{"backspace", "shift+backspace", "ctrl+h"},
			Help: "remove the last character of the filter"},
		{Do: keys.DeleteWord, Keys: []string{"ctrl+w", "alt+backspace", "ctrl+backspace"},
			Help: "remove the last word of the filter"},
		{Do: keys.Clear, Keys: []string{"ctrl+u"}, Rank: 30,
			Word: keys.When(func() bool { return l.filter != "" }, "clear"), Help: "empty the filter"},
		{Do: keys.Close, Keys: []string{"esc"}, Rank: 11, Word: keys.Always("back"), Help: "cancel: nothing changes"},
	}
}

// readerKeys is the keyboard of a dialog that is only read: the help and the
// definition lab. The key that opens it closes it, and so do those of also; moves
// is the word of the footer for its rows.
func readerKeys(opens string, moves func() string, also ...string) []keys.Binding {
	return []keys.Binding{
		{Do: keys.Up, Keys: []string{"up", "k"}, Help: "a line up"},
		{Do: keys.Down, Keys: []string{"down", "j"}, Foot: "↑↓", Rank: 12, Word: moves, Help: "a line down"},
		{Do: keys.PageUp, Keys: []string{"pgup"}, Help: "a page up"},
		{Do: keys.PageDown, Keys: []string{"pgdown", "space"}, Help: "a page down; space does the same"},
		{Do: keys.Home, Keys: []string{"home"}, Help: "to the top"},
		{Do: keys.End, Keys: []string{"end"}, Help: "to the end"},
		{Do: keys.Close, Keys: append([]string{"esc", opens, "q", "enter"}, also...), Rank: 11,
			Word: keys.Always("back"), Help: "back to the screen; " + opens + " and q too"},
	}
}

func askKeys() []keys.Binding {
	return []keys.Binding{
		{Do: keys.Accept, Keys: []string{"enter", "y"}, Rank: 10, Word: keys.Always("yes"), Help: "yes, go on"},
		{Do: keys.Close, Keys: []string{"esc", "n", "q"}, Rank: 11, Word: keys.Always("no"), Help: "no, leave it as it is"},
	}
}
