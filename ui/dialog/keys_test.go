package dialog

import (
	"strings"
	"testing"

	"tokscope/metrics/testkit"
	"tokscope/ui/keys"
)

// typed are the keys of the dialogs in which text is typed.
func typed() []keys.Section {
	return []keys.Section{{Name: "prompt editor", Bindings: editorKeys(nil)}, {Name: "pickers", Bindings: listKeys(nil)}}
}

// allKeys are the keys of every kind of dialog.
func allKeys() []keys.Section {
	return append(typed(), keys.Section{Name: "help", Bindings: NewHelp().keys}, keys.Section{Name: "questions", Bindings: askKeys()})
}

func TestNoKeyHasTwoMeaningsInADialog(t *testing.T) {
	for _, s := range allKeys() {
		seen := map[string]keys.Intent{}
		for _, b := range s.Bindings {
			if len(b.Keys) == 0 || b.Help == "" || b.Do == keys.None || b.Word != nil && b.Rank == 0 {
				t.Errorf("%s: a line is not complete: %+v", s.Name, b)
			}
			if b.Act != nil {
				t.Errorf("%s: %q does not go through Do", s.Name, b.Name(false))
			}
			for _, k := range b.Keys {
				if do, ok := seen[k]; ok {
					t.Errorf("%s: %q is both %q and %q", s.Name, k, do, b.Do)
				}
				seen[k] = b.Do
			}
			if strings.IndexFunc(b.Name(true)+b.Help, func(r rune) bool { return r > '~' }) >= 0 {
				t.Errorf("%s: %q has no ASCII name or help", s.Name, b.Name(false))
			}
		}
	}
}

func TestPrintableKeysAreTextWhereTextIsTyped(t *testing.T) {
	for _, s := range typed() {
		for r := ' '; r <= '~'; r++ {
			testkit.Is(t, keys.Find(s.Bindings, string(r)), nil, r, "cannot be typed in the", s.Name)
		}
		testkit.Is(t, keys.Find(s.Bindings, "space"), nil, "a space cannot be typed in the", s.Name)
	}
}

// What a dialog's footer says depends on the dialog.
func TestWordsOfDialogs(t *testing.T) {
	d := NewThemes("scope")
	clear := keys.Find(d.Bindings(), "ctrl+u")
	if clear.Works() {
		t.Error("an empty filter can be cleared")
	}
	typeIn(d, "x")
	if !clear.Works() {
		t.Error("a filter cannot be cleared")
	}
	if h := NewHelp(); keys.Find(h.Bindings(), "down").Works() {
		t.Error("what has no rows scrolls")
	}
}
