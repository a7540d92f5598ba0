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
	return append(typed(), keys.Section{Name: "help", Bindings: NewHelp().keys}, keys.Section{Name: "questions",
		Bindings: askKeys()})
}

func TestNoKeyHasTwoMeaningsInADialog(t *testing.T) {
	for _, s := range allKeys() {
		seen := map[string]keys.Intent{}
		for _, b := range s.Bindings {
			testkit.That(t, len(b.Keys) != 0 && b.Help != "" && b.Do != keys.None && (b.Word == nil || b.Rank != 0),
				"%s: a line is not complete: %+v", s.Name, b)
			if b.Act != nil {
				t.Errorf("%s: %q does not go through Do", s.Name, b.Name(false))
			}
			for _, k := range b.Keys {
				do, ok := seen[k]
				testkit.That(t, !ok, "%s: %q is both %q and %q", s.Name, k, do, b.Do)
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
	testkit.That(t, !clear.Works(), "an empty filter can be cleared")
	typeIn(d, "x")
	testkit.That(t, clear.Works(), "a filter cannot be cleared")
	h := NewHelp()
	testkit.That(t, !keys.Find(h.Bindings(), "down").Works(), "what has no rows scrolls")
}
