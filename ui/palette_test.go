package ui

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"tokscope/ui/dialog"
	"tokscope/ui/keys"
	"tokscope/ui/screen"
	"tokscope/ui/uitest"
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
	playExplain(t, 120, 40, colours, func(r *harness, b *uitest.ExplainBackend) {
		r.press("space")
		r.stream(40)
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

// TestPaletteRunsWhatTheKeyRuns compares, for each binding of each screen, the
// key with the row of the palette: the screen after it, the calls of the
// backend, the messages to the terminal.
func TestPaletteRunsWhatTheKeyRuns(t *testing.T) {
	for name, key := range map[screen.Name]string{screen.Live: "1", screen.Load: "2", screen.Explain: "4"} {
		var table []keys.Binding
		playExplain(t, 120, 40, colours, func(r *harness, _ *uitest.ExplainBackend) {
			table = slices.Concat(r.m.bindings.screens[r.m.screens.find(name)], r.m.bindings.global)
		})
		ran := 0
		for i := range table {
			b := &table[i]
			if b.Do == keys.Commands || b.Do == keys.Suspend {
				continue // opens the palette itself; stops the program
			}
			if testing.Short() && i%4 != 0 {
				continue
			}
			works := false
			byKey := after(t, key, func(r *harness) {
				now := keys.Find(append(r.m.keys(), r.m.bindings.global...), b.Keys[0])
				works = now.Works()
				r.press(b.Keys[0])
			})
			byRow := after(t, key, func(r *harness) {
				r.press(":")
				r.typed(string(b.Do))
				d, ok := r.m.stack.top().(*dialog.Palette)
				if !ok {
					t.Fatalf("%s, %q: no palette", name, b.Do)
				}
				r.sees(string(b.Do)[:min(len(b.Do), 30)])
				r.press("enter")
				if !works && r.m.stack.top() == d {
					r.press("esc")
				}
			})
			if d := cmp.Diff(byKey.lines(), byRow.lines()); d != "" {
				t.Errorf("%s, %q: after the key %s (-) and from the palette (+):\n%s", name, b.Do, b.Keys[0], d)
			}
			ran++
		}
		if ran < 8 {
			t.Errorf("%s: %d bindings were compared", name, ran)
		}
	}
}

// The palette of each screen with a tab has every action of all of them, once,
// and the lessons.
func TestPaletteHasEveryAction(t *testing.T) {
	playExplain(t, 120, 40, Options{}, func(r *harness, _ *uitest.ExplainBackend) {
		want := map[string]bool{"lesson 1: Two phases": true}
		tabs := []int{}
		for i, s := range r.m.screens.all {
			if r.m.screens.first(s.Tab()) == i {
				tabs = append(tabs, i)
				for _, b := range slices.Concat(s.Bindings(), onScreens(), everywhere()) {
					want[string(b.Do)] = true
				}
			}
		}
		if len(tabs) < 2 || len(want) < 50 {
			t.Fatalf("%d screens, %d actions", len(tabs), len(want))
		}
		for _, i := range tabs {
			r.m.screens.at = i
			has := map[string]int{}
			for _, c := range commands(r.m) {
				has[c.Name]++
			}
			for name := range want {
				if has[name] != 1 {
					t.Errorf("on %s %q occurs %d times", r.shown(), name, has[name])
				}
			}
		}
		r.m.screens.at = 0
	})
}

// Themes, endpoints, models, lessons and actions of other screens are a few
// letters away; a dialog takes the letters as text.
func TestPaletteGoesAnywhere(t *testing.T) {
	playExplain(t, 120, 40, colours, func(r *harness, _ *uitest.ExplainBackend) {
		r.press(":")
		r.typed("solarized-l")
		r.press("enter")
		if got := r.m.opt.Theme; got != "solarized-light" {
			t.Errorf("the theme is %q", got)
		}
		r.press("ctrl+p")
		r.typed("endpoint groq")
		r.press("enter")
		r.sees("model ─ groq")
		r.press("enter")
		r.sees("groq")
		if got := r.b.Endpoint().Name; got != "groq" {
			t.Errorf("the endpoint is %q", got)
		}
		r.press(":")
		r.typed("model qwen")
		r.press("enter")
		if got := r.b.Endpoint().Model; got != "qwen3-32b" {
			t.Errorf("the model is %q", got)
		}
		r.press(":")
		r.typed("lesson 2")
		r.press("enter")
		if r.shown() != screen.Explain {
			t.Errorf("a lesson shows %s", r.shown())
		}
		r.sees("lesson 2")
		r.press("esc", "1", ":")
		r.sees("commands")
		r.typed("defin")
		r.click("definitions")
		r.seesNot("commands ─")
		if !r.m.look.Definitions {
			t.Error("a click ran nothing")
		}
		r.press("e", ":", "S")
		r.sees(":S")
	})
}

// While a request runs the palette asks no server; it lists what is known.
func TestPaletteAsksNothingWhileARequestRuns(t *testing.T) {
	play(t, 80, 24, Options{}, func(r *harness) {
		r.press(":")
		if n := len(r.m.choice.known.endpoints); n == 0 || len(r.m.choice.known.models) == 0 {
			t.Errorf("at rest it knows %d endpoints", n)
		}
		r.press("esc", "space")
		r.b.Sent()
		r.drain()
		id := r.m.choice.id
		r.b.Named = []string{"new-model"}
		r.press(":")
		if r.m.choice.stop != nil || r.m.choice.id != id+1 {
			t.Error("a server was asked")
		}
		r.typed("qwen3")
		r.sees("model: qwen3-32b")
	})
}

// The palette fits, with its rows and their keys.
func TestPaletteFits(t *testing.T) {
	for _, size := range [][2]int{{40, 12}, {80, 24}} {
		play(t, size[0], size[1], Options{}, func(r *harness) {
			r.press(":")
			r.typed("units")
			r.sees("units", "╰", " U │")
			r.send(tea.WindowSizeMsg{Width: 8, Height: 4})
			r.typed("é漢👩‍👩‍👧")
		})
	}
}
