package dialog

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"tokscope/metrics/testkit"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/keys"
)

var aBinding = &keys.Binding{Do: "definitions", Keys: []string{"d"}, Show: "d"}

// palette is one with a few commands, the offered endpoints and two models.
func palette() *Palette {
	d := NewPalette([]Command{
		{Name: "stop", About: "stop the request and keep what arrived", Key: "x", Off: true, Act: RunKey{}},
		{Name: "definitions", About: "show the definition of each figure", Key: "d",
			Act: RunKey{Screen: 0, Binding: aBinding}},
		{Name: "next lens", About: "the next workload lens: chat, voice, agent, batch, off", Key: "w",
			Act: RunKey{Screen: 0}},
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
		"def": "definitions", "ne le": "next lens", "lesson 4": "lesson 4: The seesaw", "see": "lesson 4: The seesaw",
		"nord": "theme: nord", "th mocha": "theme: catppuccin-mocha", "groq": "endpoint: groq", "m qwen": "model: qwen3-32b",
		"voice": "next lens", "figure": "definitions", "STOP": "stop", "127": "endpoint: 127.0.0.1:8080",
		"70b": "model: llama-3.1-70b",
	} {
		d := palette()
		typeIn(d, search)
		got := d.names()
		testkit.That(t, len(got) != 0 && got[0] == want, "%q finds %q, want %q first", search, got, want)
	}
}

// A click on a row chooses it; one beside the box closes the palette.
func TestPaletteClick(t *testing.T) {
	d := palette()
	rows := strings.Split(drawn(d, 80, 24), "\n")
	y := slices.IndexFunc(rows, func(s string) bool { return strings.Contains(s, "definitions") })
	if act := d.Click(20, y); act != (RunKey{Screen: 0, Binding: aBinding}) {
		t.Errorf("a click on %q requests %+v", rows[y], act)
	}
	testkit.Is[Act](t, palette().Click(0, 23), Closed{}, "a click beside the box requests")
}

// Whatever is typed, moved or clicked, the palette draws itself at any size.
func TestPaletteTakesAnyText(t *testing.T) {
	anything := rapid.Rune().Filter(unicode.IsPrint)
	moves := []keys.Intent{keys.Up, keys.Down, keys.PageUp, keys.PageDown, keys.Home, keys.End, keys.DeleteBack,
		keys.DeleteWord, keys.Clear, keys.Accept}
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

// TestPaletteSaysASentenceOnce checks that each sentence is there once, the selected row's
// as a whole, and that the rows below it are clicked where they stand.
func TestPaletteSaysASentenceOnce(t *testing.T) {
	const long = "what two does, in so many words that no row of this box has room for all of them"
	d := NewPalette([]Command{
		{Name: "two", About: long, Act: RunKey{Screen: 2}},
		{Name: "twothree", About: "what three does", Act: RunKey{Screen: 3}},
	})
	typeIn(d, "two")
	s := drawn(d, 80, 24)
	if strings.Count(s, "what two") != 1 || strings.Count(s, "what three") != 1 || !strings.Contains(s, "all of them") {
		t.Errorf("not each sentence once, and as a whole:\n%s", s)
	}
	testkit.Is(t, d.box.H, 7, "the box of three rows")
	testkit.Is[Act](t, d.Click(d.rows.X, d.rows.Y+2), RunKey{Screen: 3}, "a click on the last row requests")
}

// TestPaletteFindsWords checks that letters scattered in a name, or within a word, are no match.
func TestPaletteFindsWords(t *testing.T) {
	commands := []Command{{Name: "why slow", About: "what took the time"},
		{Name: "down (History)", About: "the older run"}}
	for search, want := range map[string]string{
		"why": "why slow", "olde": "down (History)", "dwy": "", "low": "", "istory": "",
	} {
		d := NewPalette(commands)
		typeIn(d, search)
		testkit.Is(t, strings.Join(d.names(), ", "), want, search, "finds … alone")
	}
}
