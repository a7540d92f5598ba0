package ui

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"tokscope/metrics/testkit"
	"tokscope/ui/keys"
)

// meaning is one line of the key grammar: keys, their one meaning in the whole
// program, and the intents that carry it out.
type meaning struct {
	keys, means string
	does        []keys.Intent
}

// grammar is the table of docs/keys.md. Keys without intents have no use yet,
// and mean nothing else.
var grammar = []meaning{
	{"1 2 3 4 5 6 tab shift+tab", "the screens; `6` is there while a tap is shown",
		[]keys.Intent{keys.ToLive, keys.ToLoad, keys.ToScreen, keys.NextScreen, keys.PrevScreen}},
	{"space", "run, pause, go on", []keys.Intent{"run", "hold", "pause", "race"}},
	{"x", "stop what runs", []keys.Intent{keys.Stop, keys.StopHidden}},
	{"enter", "open what is selected; on the tour go on", []keys.Intent{"open lane", "open run", "open turn", "go on"}},
	{"esc", "back one level", []keys.Intent{keys.Close}},
	{"home end", "first, newest", []keys.Intent{keys.Home, keys.End, "newest step"}},
	{"left right", "the cursor in time; on Load the slider, or the load of a recording", []keys.Intent{"cursor back",
		"cursor on", "fewer users", "more users", "load before", "next load"}},
	{"shift+left shift+right", "the same by a page, or by one user", []keys.Intent{"cursor a page back",
		"cursor a page forward", "one user fewer", "one user more"}},
	{"up down", "select: line, lane, knob, row", []keys.Intent{keys.Up, keys.Down, "previous knob", "next knob"}},
	{"pgup pgdown", "the same by a page", []keys.Intent{keys.PageUp, keys.PageDown, "cursor a page back",
		"cursor a page forward"}},
	{"backspace", "take the last change of a running load back", []keys.Intent{keys.Undo}},
	{"[ ]", "the selected setting down, up", []keys.Intent{"shorter output", "longer output", "knob down", "knob up"}},
	{"- +", "slower, faster", []keys.Intent{"slower", "faster"}},
	{".", "one step", []keys.Intent{"one step"}},
	{"=", "pin as reference", []keys.Intent{"pin"}},
	{"/", "filter", []keys.Intent{"filter"}},
	{": ctrl+p", "command palette", []keys.Intent{keys.Commands}},
	{"? f1", "help", []keys.Intent{keys.Help}},
	{"q ctrl+c", "quit", []keys.Intent{keys.Quit}},
	{"ctrl+z", "suspend", []keys.Intent{keys.Suspend}},
	{"ctrl+l", "redraw", []keys.Intent{keys.Redraw}},
	{"a", "auto trigger", []keys.Intent{"auto"}},
	{"b", "the agent's task", []keys.Intent{keys.AgentTask}},
	{"c", "connection", []keys.Intent{"connection"}},
	{"d", "definitions", []keys.Intent{"definitions"}},
	{"D", "definition lab", []keys.Intent{"definition lab"}},
	{"e", "endpoint; on Race the contestants", []keys.Intent{keys.PickEndpoint, "contestants"}},
	{"f", "freeze the display", []keys.Intent{"freeze"}},
	{"k", "mouse on, off", []keys.Intent{keys.Mouse}},
	{"l", "log or linear", []keys.Intent{"scale"}},
	{"L", "list of the selected setting; on Live output lengths", []keys.Intent{"output length", "choices"}},
	{"m", "model", []keys.Intent{keys.PickModel}},
	{"n N", "next, previous: lesson, user, stall, change point, failure", []keys.Intent{"next failure",
		"previous failure", "next user or lesson", "previous user or lesson", keys.NextLane, keys.PrevLane, "next stall",
		"previous stall", "next change", "previous change"}},
	{"o", "objectives", []keys.Intent{"objectives"}},
	{"p", "prompt and lengths", []keys.Intent{keys.EditPrompt}},
	{"r", "reader's pace", []keys.Intent{"pace"}},
	{"s S", "save results, save a picture", []keys.Intent{keys.Save, keys.Picture}},
	{"t T", "theme, tour", []keys.Intent{keys.PickTheme, "tour"}},
	{"u U", "type the number of users, units", []keys.Intent{keys.Users, "units"}},
	{"v", "view: which chart or panel", []keys.Intent{"next chart", keys.NextPanel, "next figure", "view"}},
	{"w", "workload lens", []keys.Intent{keys.NextLens}},
	{"y Y", "copy the summary, copy the request", []keys.Intent{"copy", "copy request"}},
	{"z Z", "zoom, maximize a panel", []keys.Intent{"zoom", keys.Maximize}},
}

// TestOneKeyHasOneMeaning compares the bindings of all screens with the
// grammar. In dialogs keys are text and movement.
func TestOneKeyHasOneMeaning(t *testing.T) {
	means := map[string]meaning{}
	for _, m := range grammar {
		for _, k := range strings.Fields(m.keys) {
			_, twice := means[k]
			testkit.That(t, !twice, "the grammar has %q twice", k)
			means[k] = m
		}
	}
	for _, s := range whole(t) {
		if s.Name == "prompt editor" || s.Name == "pickers" {
			continue
		}
		for _, b := range s.Bindings {
			for _, k := range b.Keys {
				switch m, known := means[k]; {
				case known && slices.Contains(m.does, b.Do):
				case !known:
					t.Errorf("%q on %s is not in the grammar: %q", k, s.Name, b.Do)
				default:
					t.Errorf("%q on %s does %q; it means %q", k, s.Name, b.Do, m.means)
				}
			}
		}
	}
}

// TestGrammarIsDocumented checks that docs/keys.md has the grammar.
func TestGrammarIsDocumented(t *testing.T) {
	text := testkit.Must(os.ReadFile("../docs/keys.md"))(t)
	page := string(text)
	var want strings.Builder
	for _, m := range grammar {
		fmt.Fprintf(&want, "| `%s` | %s |\n", strings.Join(strings.Fields(m.keys), "` `"), m.means)
	}
	testkit.That(t, strings.Contains(page, "|---|---|\n"+want.String()+"\n"),
		"docs/keys.md has not this table:\n%s", &want)
}
