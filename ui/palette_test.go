package ui

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"tokscope/metrics/testkit"
	"tokscope/themes"
	"tokscope/ui/dialog"
	"tokscope/ui/draw"
	"tokscope/ui/keys"
	"tokscope/ui/screen"
)

// outcome is what one action changed.
type outcome struct {
	screen, calls, effects string
	quit                   bool
}

func (o outcome) lines() []string {
	return append(strings.Split(o.screen, "\n"), o.calls, o.effects, strconv.FormatBool(o.quit))
}

// after shows the screen with that key, runs there what act does, and returns
// what came of it.
func after(t *testing.T, key string, act func(*harness)) (o outcome) {
	t.Helper()
	play(t, "explain", 120, 40, colours, func(r *harness) {
		r.do("space stream:40")
		if key != "1" {
			r.press(key)
		}
		r.wait(time.Second)
		r.effects = nil
		begun := len(r.b.Calls())
		act(r)
		calls := slices.DeleteFunc(r.b.Calls()[begun:], func(s string) bool { return s == "endpoints" || s == "models" })
		o = outcome{r.screen(), strings.Join(calls, "\n"), strings.Join(slices.DeleteFunc(r.effects, isKey), " "), r.quit}
	})
	return o
}

func isKey(effect string) bool { return effect == "tea.KeyPressMsg" }

// TestPaletteRunsWhatTheKeyRuns compares, for each binding of each screen, the key with
// the row of the palette: the screen after it, the calls of the backend, the messages to
// the terminal. The palette is that of the screen, and that of Live, which goes there.
func TestPaletteRunsWhatTheKeyRuns(t *testing.T) {
	for name, tab := range map[screen.Name]string{screen.Live: "1", screen.Load: "2", screen.Explain: "4"} {
		var own, all []keys.Binding
		play(t, "explain", 120, 40, colours, func(r *harness) {
			i := r.m.screens.find(name)
			own = r.m.screens.all[i].Bindings()
			all = slices.Concat(r.m.bindings[i], everywhere)
		})
		// opens the palette itself; stops the program; has a row for each screen; x does what the screen has for it first
		onlyHere := func(b *keys.Binding) bool {
			return b.Do == keys.Commands || b.Do == keys.StopHidden || b.Do == keys.Suspend || b.Do == keys.ToScreen
		}
		testkit.That(t, comparePalette(t, name, tab, tab, all, 4, onlyHere) >= 8,
			"too few bindings of %s were compared", name)
		elsewhere := func(b *keys.Binding) bool { return byRoot(b) || b.ShowsScreen() }
		testkit.That(t, tab == "1" || comparePalette(t, name, "1", tab, own, 6, elsewhere) >= 4,
			"too few actions of %s were compared with the palette of Live", name)
	}
}

// comparePalette compares the keys of a table on the screen called name, which tab shows,
// with the palette on the screen of the tab from. It leaves out what skip says, and in
// short mode all but one of every. It returns how many it compared.
func comparePalette(t *testing.T, name screen.Name, from, tab string, table []keys.Binding, every int,
	skip func(*keys.Binding) bool) (ran int) {
	for i := range table {
		b := &table[i]
		if skip(b) || testing.Short() && i%every != 0 {
			continue
		}
		works := false
		begin := func(r *harness) {
			if name == screen.Load { // most of its keys are for a load that runs
				r.do("2 space " + from)
			}
		}
		byKey := after(t, from, func(r *harness) {
			begin(r)
			if from != tab {
				r.press(tab)
			}
			works = keys.Find(append(r.m.keys(), everywhere...), b.Keys[0]).Works()
			r.press(b.Keys[0])
		})
		byRow := after(t, from, func(r *harness) {
			begin(r)
			row := string(b.Do)
			if from != tab {
				row = rowsOf(r.m, r.m.screens.find(name), b)[0].Name
			}
			r.press(":")
			r.typed(row)
			d := r.m.stack.top().(*dialog.Palette)
			r.sees(row[:min(len(row), 30)])
			r.press("enter")
			if from != tab && !works {
				r.sees("not now")
			}
			if !works && r.m.stack.top() == d {
				r.press("esc")
			}
		})
		if from != tab && !works {
			continue
		}
		if d := cmp.Diff(byKey.lines(), byRow.lines()); d != "" {
			t.Errorf("%s, %q: after the key %s (-) and from the palette of %s (+):\n%s", name, b.Do, b.Keys[0], from, d)
		}
		ran++
	}
	return ran
}

// withTab returns the screens that a tab shows.
func withTab(m *Model) (at []int) {
	for i := range m.screens.all {
		if m.screens.leads(i) {
			at = append(at, i)
		}
	}
	return at
}

// byRoot reports whether the root carries b out, so that it does the same on
// every screen. ToScreen depends on its key.
func byRoot(b *keys.Binding) bool { return b.Act == nil && b.Do != keys.ToScreen }

func isAnswer(c dialog.Command) bool {
	for _, a := range answers {
		if a.name == c.Name {
			return true
		}
	}
	return false
}

// rowsOf returns the rows of the palette that do what the binding does on screen i.
func rowsOf(m *Model, i int, b *keys.Binding) (found []dialog.Command) {
	for _, c := range commands(m) {
		run, ok := c.Act.(dialog.RunKey)
		if ok && !isAnswer(c) && run.Screen == i && run.Binding != nil && run.Binding.Do == b.Do &&
			slices.Contains(run.Binding.Keys, b.Keys[0]) {
			found = append(found, c)
		}
	}
	return found
}

// TestPaletteHasEveryAction checks that the palette of each screen has one row
// for each key of each screen with a tab, under a name of its own. What the
// root carries out has one row for all screens; a key that only shows a screen
// is there on its own screen, and elsewhere as the row of the screen it shows.
func TestPaletteHasEveryAction(t *testing.T) {
	playEvery(t, func(r *harness) {
		tabs, rows := withTab(r.m), 0
		testkit.Given(t, len(tabs) >= 5, "%d screens", len(tabs))
		for at := range r.m.screens.all {
			r.m.screens.at = at
			names := map[string]int{}
			for _, c := range commands(r.m) {
				names[c.Name]++
			}
			for name, n := range names {
				if n != 1 {
					t.Errorf("on %s %d rows are called %q", r.shown(), n, name)
				}
			}
			for _, i := range tabs {
				s := r.m.screens.all[i]
				if i != at && s.Tab() != r.m.screens.shown().Tab() && names["to "+string(s.Name())] != 1 {
					t.Errorf("on %s no row shows %s", r.shown(), s.Name())
				}
				for _, b := range slices.Concat(r.m.bindings[i], everywhere) {
					switch {
					case byRoot(&b):
						own := keys.Find(r.m.screens.shown().Bindings(), b.Keys[0])
						if names[string(b.Do)] != 1 && (own == nil || own.Do == b.Do) {
							t.Errorf("on %s %q occurs %d times", r.shown(), b.Do, names[string(b.Do)])
						}
					case b.Do == keys.ToScreen, i != at && b.ShowsScreen():
					default:
						if got := rowsOf(r.m, i, &b); len(got) != 1 {
							t.Errorf("on %s %d rows do what %s does on %s (%s)", r.shown(), len(got), b.Keys[0], s.Name(), b.Do)
						}
						rows++
					}
				}
			}
		}
		r.m.screens.at = 0
		testkit.That(t, rows >= 500, "%d rows were looked for", rows)
	})
	play(t, "explain", 120, 40, Options{}, func(r *harness) {
		if !slices.ContainsFunc(commands(r.m), func(c dialog.Command) bool { return c.Name == "lesson 1: Two phases" }) {
			t.Error("no row starts the first lesson")
		}
	})
}

// Themes, endpoints, models, lessons and actions of other screens are a few
// letters away; a dialog takes the letters as text.
func TestPaletteGoesAnywhere(t *testing.T) {
	play(t, "explain", 120, 40, colours, func(r *harness) {
		r.do(`: "solarized-l" enter`)
		testkit.Is(t, r.m.opt.Theme, "solarized-light", "the theme")
		r.do(`ctrl+p "endpoint groq" enter > model ─ groq`)
		r.do("enter > groq")
		testkit.Is(t, r.b.Endpoint().Name, "groq", "the endpoint")
		r.do(`: "model qwen" enter`)
		testkit.Is(t, r.b.Endpoint().Model, "qwen3-32b", "the model")
		r.do(`: "lesson 2" enter > at:explain | lesson 2`)
		r.do("esc 1 : > commands")
		r.do(`"defin" click:definitions > !commands ─`)
		testkit.That(t, r.m.look.Definitions, "a click ran nothing")
		r.do("e : S > :S")
	})
}

// TestPaletteAnswers asks as a person does, on every screen with a tab: the first row is
// the one that answers, and it does what exists.
func TestPaletteAnswers(t *testing.T) {
	for i, from := range []string{"1", "2", "4", "5"} {
		if i > 0 && testing.Short() {
			break
		}
		flow := func(steps string) {
			play(t, "all", 120, 40, Options{}, func(r *harness) {
				r.do("space sent stream:40 finish drain wait:300ms " + from)
				r.do(steps)
			})
		}
		flow(`: "why slow" enter > at:live | since the request was sent`)
		flow(`: "slow" > why slow`)
		flow(`: "compare with usual" enter > at:live | it takes 10 good runs`)
		flow(`: "compare with yesterday" enter > at:history`)
		flow(`: "yesterday" enter > at:history`)
		flow(`: "ticket" enter > at:live | saved:.txt`)
		flow(`: "slack" enter > at:live | saved:.txt`)
		flow(`: "go to the pause" enter > at:live`)
		flow(`: "stall" > stall`)
	}
}

// TestPageFromPalette saves the run as a page.
func TestPageFromPalette(t *testing.T) {
	play(t, "all", 120, 40, Options{}, func(r *harness) {
		r.do(`space sent stream:40 finish drain wait:300ms : "page of the run" enter > page-run.html`)
		testkit.Has(t, r.b.Saved.Picture, "Content-Security-Policy", "<svg", "First token after")
	})
}

// TestPaletteFindsByWhatItDoes checks that every action is found by the words of its
// sentence, among the first rows that match them.
func TestPaletteFindsByWhatItDoes(t *testing.T) {
	playEvery(t, func(r *harness) {
		all := commands(r.m)
		for i, c := range all {
			if testing.Short() && i%5 != 0 {
				continue
			}
			d := dialog.NewPalette(all)
			words := strings.FieldsFunc(c.About, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
			if len(words) < 3 {
				continue // "of the tour": many are
			}
			for _, w := range words[:min(len(words), 8)] {
				for _, letter := range w + " " {
					d.Type(string(letter), false)
				}
			}
			g := draw.New(200, 50)
			d.Draw(g, g.Bounds(), themes.UnicodeGlyphs())
			if !strings.Contains(g.Plain(), c.Name[:min(len(c.Name), 30)]) {
				t.Errorf("%q is not found by %q:\n%s", c.Name, strings.Join(words[:min(len(words), 8)], " "), g.Plain())
			}
		}
	})
}

// While a request runs the palette asks no server; it lists what is known.
func TestPaletteAsksNothingWhileARequestRuns(t *testing.T) {
	play(t, "live", 80, 24, Options{}, func(r *harness) {
		r.press(":")
		n := len(r.m.choice.known.endpoints)
		testkit.That(t, n != 0 && len(r.m.choice.known.models) != 0, "at rest it knows %d endpoints", n)
		r.do("esc space sent")
		r.drain()
		id := r.m.choice.id
		r.b.Named = []string{"new-model"}
		r.press(":")
		testkit.That(t, r.m.choice.stop == nil && r.m.choice.id == id+1, "a server was asked")
		r.do(`"qwen3" > model: qwen3-32b`)
	})
}

// The palette fits, with its rows and their keys.
func TestPaletteFits(t *testing.T) {
	for _, size := range [][2]int{{40, 12}, {80, 24}} {
		play(t, "live", size[0], size[1], Options{}, func(r *harness) {
			r.do(`: "units" > units | ╰ |  U │`)
			r.send(tea.WindowSizeMsg{Width: 8, Height: 4})
			r.typed("é漢👩‍👩‍👧")
		})
	}
}
