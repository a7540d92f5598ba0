package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tokscope/themes"
	"tokscope/ui/dialog"
	"tokscope/ui/draw"
	"tokscope/ui/keys"
	"tokscope/ui/prompts"
	"tokscope/ui/screen"
	goldenfile "tokscope/ui/uitest/golden"
)

// whole returns the key table of the program with all screens.
func whole(t testing.TB) []keys.Section {
	m := New(withTap("for you"), newBackend(t), Options{})
	out := []keys.Section{{Name: "every screen", Bindings: onScreens(m)},
		{Name: "everywhere", Bindings: everywhere},
		{Name: "prompt editor", Bindings: dialog.NewEditor(prompts.Default()).Bindings()},
		{Name: "pickers", Bindings: dialog.NewThemes("").Bindings()}}
	for _, s := range m.screens.all {
		out = append(out, keys.Section{Name: string(s.Name()), Bindings: s.Bindings()})
	}
	return out
}

func TestNoKeyHasTwoMeaningsInOneContext(t *testing.T) {
	table := whole(t)
	var global []keys.Binding
	for _, s := range table {
		if s.Name == "everywhere" {
			global = s.Bindings
		}
	}
	if len(global) == 0 || len(table) < 7 {
		t.Fatalf("%d sections", len(table))
	}
	for _, s := range table {
		seen := map[string]keys.Intent{}
		for i := range s.Bindings {
			b := &s.Bindings[i]
			for _, k := range b.Keys {
				if do, ok := seen[k]; ok {
					t.Errorf("%q in %s: both %q and %q", k, s.Name, do, b.Do)
				}
				seen[k] = b.Do
				if g := keys.Find(global, k); g != nil && g.Do != b.Do {
					t.Errorf("%q in %s hides the global %q", k, s.Name, g.Do)
				}
			}
		}
	}
}

func TestEveryLineIsComplete(t *testing.T) {
	root := []keys.Intent{keys.Quit, keys.Suspend, keys.Redraw, keys.Help, keys.PickTheme, keys.Mouse, keys.PickEndpoint,
		keys.PickModel, keys.Picture, keys.Commands, keys.NextScreen, keys.PrevScreen, keys.StopHidden, keys.ToScreen}
	dialogs := map[string]bool{"prompt editor": true, "pickers": true}
	for _, s := range whole(t) {
		if len(s.Bindings) == 0 {
			t.Errorf("no key in %s", s.Name)
		}
		for i := range s.Bindings {
			b := &s.Bindings[i]
			at := fmt.Sprintf("%s, line %d (%s)", s.Name, i, b.Name(false))
			if len(b.Keys) == 0 || b.Help == "" || b.Do == keys.None {
				t.Errorf("%s is not complete: %+v", at, b)
			}
			if strings.IndexFunc(b.Name(true), func(r rune) bool { return r > '~' }) >= 0 {
				t.Errorf("%s has no ASCII name", at)
			}
			if foot := (&keys.Binding{Show: b.Foot}).Name(true); strings.IndexFunc(foot,
				func(r rune) bool { return r > '~' }) >= 0 {
				t.Errorf("%s has no ASCII name in the footer", at)
			}
			if strings.IndexFunc(b.Help, func(r rune) bool { return r > '~' }) >= 0 {
				t.Errorf("%s: the help is not ASCII", at)
			}
			if b.Word != nil && b.Rank == 0 {
				t.Errorf("%s stands in the footer without a rank", at)
			}
			if handled := b.Act != nil; !dialogs[s.Name] && handled == slices.Contains(root, b.Do) {
				t.Errorf("%s (%q): either the screen has a handler or the root knows it", at, b.Do)
			}
		}
	}
}

// hints are the entries of the footer, as it would be with room for all.
func (r *harness) hints() []string {
	var out []string
	for _, h := range keys.Hints(nil, r.m.keys(), false) {
		out = append(out, h.Key+" "+h.Word)
	}
	return out
}

// works fails when the footer promises what no key does.
func (r *harness) worksAll() {
	r.Helper()
	table := r.m.keys()
	for _, h := range keys.Hints(nil, table, false) {
		works := false
		for i := range table {
			b := &table[i]
			works = works || b.Do == h.Binding.Do && b.Works() && keys.At(table, b.Keys[0]) == b
		}
		if !works {
			r.Fatalf("%s promises %q, and the key does nothing", r.shown(), h.Word)
		}
	}
}

// TestHelpIsOfTheShownScreen checks that the help of each screen has the keys of that
// screen first, then those of all screens that mean something there, and no other.
func TestHelpIsOfTheShownScreen(t *testing.T) {
	playEvery(t, func(r *harness) {
		for at, s := range r.m.screens.all {
			if s.Name() == screen.Lent {
				continue // it shows what another screen opens
			}
			r.m.screens.at, r.m.stack = at, nil
			r.press("?")
			g := draw.New(79, 400)
			r.m.stack.top().Draw(g, g.Bounds(), themes.UnicodeGlyphs())
			var got, want []string
			for row := range strings.SplitSeq(g.Plain(), "\n") {
				const keyEnd = 12 // the key stands before it, right-aligned
				if cells := []rune(row); len(cells) > keyEnd && cells[keyEnd-1] != ' ' && cells[keyEnd] == ' ' {
					got = append(got, strings.TrimSpace(string(cells[1:keyEnd])))
				}
			}
			got = slices.DeleteFunc(got, func(s string) bool { return strings.Contains(s, ": ") }) // a heading
			for _, b := range slices.Concat(r.m.bindings[at], everywhere) {
				want = append(want, b.Name(false))
			}
			own := len(r.m.bindings[at])
			slices.Sort(got[:min(own, len(got))]) // they are grouped
			slices.Sort(want[:own])
			if !slices.Equal(got, want) {
				t.Errorf("the help of %s has the keys\n%q, want\n%q", s.Name(), got, want)
			}
		}
	})
}

// TestHelpIsDrawn shows the help of Live at some sizes.
func TestHelpIsDrawn(t *testing.T) {
	sheet := goldenfile.NewSheet(t, "help")
	for _, size := range [][2]int{{40, 12}, {80, 24}, {120, 40}, {200, 50}} {
		play(t, "live", size[0], size[1], Options{}, func(r *harness) {
			r.press("?")
			g := draw.New(size[0]-1, size[1]-2)
			r.m.stack.top().Draw(g, g.Bounds(), themes.UnicodeGlyphs())
			sheet.Screen(fmt.Sprintf("%dx%d", size[0], size[1]), g)
		})
	}
}
