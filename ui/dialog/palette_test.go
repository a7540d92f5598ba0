package dialog

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	_ "tokscope/metrics/testkit"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/keys"
)

var aBinding = &keys.Binding{Do: "definitions", Keys: []string{"d"}, Show: "d"}

// palette is one with a few commands, the offered endpoints and two models.
func palette() *Palette {
	d := NewPalette([]Command{
		{Name: "stop", About: "stop the request and keep what arrived", Key: "x", Off: true, Act: RunKey{}},
		{Name: "definitions", About: "show the definition of each figure", Key: "d", Act: RunKey{Screen: 0, Binding: aBinding}},
		{Name: "next lens", About: "the next workload lens: chat, voice, agent, batch, off", Key: "w", Act: RunKey{Screen: 0}},
		{Name: "previous lesson", About: "on the tour: the previous lesson", Key: "N", Act: RunKey{Screen: 2}},
		{Name: "lesson 4: The seesaw", About: "of the tour", Act: RunKey{Screen: 3}},
	})
	d.Endpoints(offered)
	d.Models(offered[1], []string{"llama-3.1-70b", "qwen3-32b"})
	return d
}

// names are the rows shown.
func (d *Palette) names() []string {
	var out []string
	for _, it := range d.shown {
		out = append(out, it.name)
	}
	return out
}

func TestPaletteFindsByAFewLetters(t *testing.T) {
	for search, want := range map[string]string{
		"def": "definitions", "dfn": "definitions", "nl": "next lens", "pl": "previous lesson", "l4": "lesson 4: The seesaw", "see": "lesson 4: The seesaw",
		"nord": "theme: nord", "tnord": "theme: nord", "th mocha": "theme: catppuccin-mocha", "groq": "endpoint: groq", "m qwen": "model: qwen3-32b",
		"voice": "next lens", "figure": "definitions", "STOP": "stop", "e127": "endpoint: 127.0.0.1:8080", "70b": "model: llama-3.1-70b",
	} {
		d := palette()
		typeIn(d, search)
		if got := d.names(); len(got) == 0 || got[0] != want {
			t.Errorf("%q finds %q, want %q first", search, got, want)
		}
	}
}

// Letters that begin words come before letters within, and those in a row
// before scattered ones.
func TestOrderOfMatches(t *testing.T) {
	for _, names := range [][]string{
		{"lens", "next lens", "help", "tool"},
		{"pick model", "spam and mud"},
		{"copy", "cold request", "scope"},
	} {
		for i := 1; i < len(names); i++ {
			search := map[string]string{"lens": "l", "pick model": "pm", "copy": "co"}[names[0]]
			if a, b := inOrder(search, names[i-1]), inOrder(search, names[i]); a < b || a == 0 {
				t.Errorf("%q: %q is worth %d, %q %d", search, names[i-1], a, names[i], b)
			}
		}
	}
	if inOrder("ba", "ab") != 0 || inOrder("aa", "a") != 0 || inOrder("", "ab") != 1 || inOrder("a", "") != 0 {
		t.Error("letters are found in another order, or twice")
	}
}

// A name is found exactly when the letters occur in it in their order.
func TestInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		letters := rapid.StringOfN(rapid.SampledFrom([]rune("ab -x")), 0, 8, -1)
		search, name := letters.Draw(t, "search"), letters.Draw(t, "name")
		rest, found := name, true
		for _, r := range strings.ReplaceAll(search, " ", "") {
			i := strings.IndexRune(rest, r)
			if found = i >= 0; !found {
				break
			}
			rest = rest[i+1:]
		}
		if got := inOrder(search, name); got > 0 != found {
			t.Fatalf("%q in %q is worth %d, want found %v", search, name, got, found)
		}
	})
}

// A click on a row chooses it; one beside the box closes the palette.
func TestPaletteClick(t *testing.T) {
	d := palette()
	rows := strings.Split(drawn(d, 80, 24), "\n")
	y := slices.IndexFunc(rows, func(s string) bool { return strings.Contains(s, "definitions") })
	if act := d.Click(20, y); act != (RunKey{Screen: 0, Binding: aBinding}) {
		t.Errorf("a click on %q requests %+v", rows[y], act)
	}
	if act := palette().Click(0, 0); act != (Closed{}) {
		t.Errorf("a click beside the box requests %+v", act)
	}
}

// Whatever is typed, moved or clicked, the palette draws itself at any size.
func TestPaletteTakesAnyText(t *testing.T) {
	anything := rapid.Rune().Filter(unicode.IsPrint)
	moves := []keys.Intent{keys.Up, keys.Down, keys.PageUp, keys.PageDown, keys.Home, keys.End, keys.DeleteBack, keys.DeleteWord, keys.Clear, keys.Accept}
	rapid.Check(t, func(t *rapid.T) {
		d := palette()
		for range rapid.IntRange(0, 12).Draw(t, "steps") {
			switch rapid.IntRange(0, 3).Draw(t, "step") {
			case 0:
				d.Do(rapid.SampledFrom(moves).Draw(t, "move"))
			case 1:
				d.Click(rapid.IntRange(-1, 90).Draw(t, "x"), rapid.IntRange(-1, 30).Draw(t, "y"))
			default:
				d.Type(string(anything.Draw(t, "rune")), false)
			}
			for _, size := range [][2]int{{40, 12}, {80, 24}, {3, 3}} {
				g := draw.New(size[0]-1, max(size[1]-2, 0))
				d.Draw(g, g.Bounds(), themes.ASCIIGlyphs())
				for _, row := range strings.Split(g.Plain(), "\n") {
					if draw.Width(row) > size[0]-1 {
						t.Fatalf("%q is wider than %d", row, size[0]-1)
					}
				}
			}
		}
	})
}

// TestPaletteSaysASentenceOnce checks that the sentence of the selected row stands below
// the rows only where its row cuts it.
func TestPaletteSaysASentenceOnce(t *testing.T) {
	const long = "what two does, in so many words that no row of this box has room for all of them, and then some more"
	d := NewPalette([]Command{{Name: "one", About: "what one does"}, {Name: "two", About: long}})
	for _, c := range []struct {
		typed, about string
		says         int
	}{{"one", "what one does", 1}, {"two", "what two does", 2}, {"xyz", "what", 0}} {
		d.Do(keys.Clear)
		typeIn(d, c.typed)
		if s := drawn(d, 80, 24); strings.Count(s, c.about) != c.says {
			t.Errorf("%d times after %q, want %d:\n%s", strings.Count(s, c.about), c.typed, c.says, s)
		}
	}
}

// TestPaletteLettersAreTheLastResort checks that a row whose name only has the letters
// somewhere is no match beside one that has the word, and that the box fits what matches.
func TestPaletteLettersAreTheLastResort(t *testing.T) {
	commands := []Command{{Name: "why slow", About: "what took the time"}, {Name: "down (History)", About: "the older run"}}
	for search, want := range map[string]string{"why": "why slow", "dwy": "down (History)"} {
		d := NewPalette(commands)
		typeIn(d, search)
		if got := d.names(); len(got) != 1 || got[0] != want {
			t.Errorf("%q finds %q, want %q alone", search, got, want)
		}
		if drawn(d, 120, 40); d.box.H != 8 {
			t.Errorf("the box of a row has %d rows", d.box.H)
		}
	}
}
