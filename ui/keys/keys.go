// Package keys defines key bindings. Screens, dialogs and the root each have
// a list of them. Together they are the only table of the keyboard. The
// footer, the help overlay, the command palette and the dispatch are made from
// it, so none can show a key that does not work.
//
// A key is one line in the list of its owner. That is a screen
// (ui/screen/live/keys.go, load/keys.go, explain/keys.go), a dialog
// (ui/dialog/keys.go), or the root (ui/keys.go, for keys that work
// everywhere).
package keys

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics/pick"
)

// Intent is an action in plain words, independent of key or click. Two
// bindings with the same Intent do the same. A screen defines intents of its
// own in its own list.
type Intent string

// None is no intent.
const None Intent = ""

// Intents that the root carries out.
const (
	Quit         Intent = "quit"
	Suspend      Intent = "suspend"
	Redraw       Intent = "redraw"
	Help         Intent = "help"
	PickTheme    Intent = "theme"
	Mouse        Intent = "mouse"
	PickEndpoint Intent = "endpoint"
	PickModel    Intent = "model"
	Picture      Intent = "picture"
	Commands     Intent = "commands"
	NextScreen   Intent = "next screen"
	PrevScreen   Intent = "previous screen"
	ToScreen     Intent = "a screen" // by the key of its tab
	StopHidden   Intent = "stop elsewhere"
)

// Intents of several screens.
const (
	Stop       Intent = "stop"
	EditPrompt Intent = "prompt"
	Save       Intent = "save"
	NextLens   Intent = "next lens"
	AgentTask  Intent = "task of the agent lens"
	ToLive     Intent = "to live"
	ToLoad     Intent = "to load"
	Users      Intent = "type users"
	PrevLane   Intent = "previous user"
	NextLane   Intent = "next user"
	Maximize   Intent = "maximize"
	NextPanel  Intent = "next panel"
)

// Movement, in screens and in dialogs.
const (
	Up       Intent = "up"
	Down     Intent = "down"
	PageUp   Intent = "page up"
	PageDown Intent = "page down"
	Home     Intent = "home"
	End      Intent = "end"
	Close    Intent = "back"
)

// Intents in dialogs.
const (
	Accept     Intent = "accept"
	NextPreset Intent = "next preset"
	PrevPreset Intent = "previous preset"
	Clear      Intent = "clear"
	Undo       Intent = "undo"
	NextLength Intent = "next length"
)

// Text editing.
const (
	Left          Intent = "left"
	Right         Intent = "right"
	WordLeft      Intent = "word left"
	WordRight     Intent = "word right"
	LineStart     Intent = "line start"
	LineEnd       Intent = "line end"
	NewLine       Intent = "new line"
	DeleteBack    Intent = "delete back"
	DeleteForward Intent = "delete forward"
	DeleteWord    Intent = "delete word"
	DeleteToStart Intent = "delete to start"
	DeleteToEnd   Intent = "delete to end"
)

// Binding is one line of the table.
type Binding struct {
	// Do is the key's action. Where Act is nil, the root or the dialog
	// carries it out.
	Do   Intent
	Keys []string // as Bubble Tea names them
	// Show is how footer and help write the key; "" writes the first of Keys.
	Show string
	// Foot replaces Show in the footer, where one entry covers a key and its opposite.
	Foot string
	// Word returns the footer's present word for the key, "" while the key does
	// nothing. A nil Word keeps the key out of the footer.
	Word func() string
	// Rank orders the footer: lower ranks stay when room is short.
	Rank int
	// RankNow, if set, returns the present rank; 0 means Rank.
	RankNow func() int
	// Help is the help overlay's sentence.
	Help string
	// Act carries out the key.
	Act func() tea.Cmd
}

// Section holds the keys of one screen or one kind of dialog, under their
// heading in the help. A key occurs at most once in a section.
type Section struct {
	Name     string
	Bindings []Binding
}

// signs are the names of keys that footer and help write otherwise.
var signs = map[string]string{"up": "↑", "down": "↓", "pgup": "PgUp", "pgdown": "PgDn",
	"left": "←", "shift+left": "shift+←", "ctrl+left": "ctrl+←",
	"right": "→", "shift+right": "shift+→", "ctrl+right": "ctrl+→",
	"home": "Home", "ctrl+home": "ctrl+Home", "end": "End", "ctrl+end": "ctrl+End"}

// arrows are the names of arrows where only ASCII can be drawn.
var arrows = strings.NewReplacer("←→", "left/right", "↑↓", "up/down",
	"←", "left", "→", "right", "↑", "up", "↓", "down")

// Name returns the key as text.
func (b *Binding) Name(ascii bool) string {
	key := b.Show
	if key == "" && len(b.Keys) > 0 {
		key = cmp.Or(signs[b.Keys[0]], b.Keys[0])
	}
	if ascii {
		return arrows.Replace(key)
	}
	return key
}

// Works reports whether the key has an effect now.
func (b *Binding) Works() bool { return b.Word == nil || b.Word() != "" }

// ShowsScreen reports whether the key does nothing but show another screen.
func (b *Binding) ShowsScreen() bool {
	switch b.Do {
	case ToLive, ToLoad, ToScreen, NextScreen, PrevScreen:
		return true
	}
	return false
}

// Find returns the binding of key in table, nil if key has none.
func Find(table []Binding, key string) *Binding {
	return pick.First(table, func(b *Binding) bool { return slices.Contains(b.Keys, key) })
}

// At returns the binding of key in table that works now, else the first one; nil if
// key has none.
func At(table []Binding, key string) *Binding {
	works := func(b *Binding) bool { return slices.Contains(b.Keys, key) && b.Works() }
	return cmp.Or(pick.First(table, works), Find(table, key))
}

// Of returns the binding of table that does do, nil if it has none.
func Of(table []Binding, do Intent) *Binding {
	return pick.First(table, func(b *Binding) bool { return b.Do == do })
}

// Always is a Word that never changes.
func Always(word string) func() string { return func() string { return word } }

// When is a Word or a RankNow: v while ok is true. Otherwise the key does nothing, or
// has its usual rank.
func When[T any](ok func() bool, v T) func() T { return Either(ok, v, *new(T)) }

// Either is yes or no, by is.
func Either[T any](is func() bool, yes, no T) func() T {
	return func() T {
		if is() {
			return yes
		}
		return no
	}
}

// First is the first Word or RankNow of each that has a value now.
func First[T comparable](each ...func() T) func() T {
	return func() (v T) {
		for _, f := range each {
			if v = f(); v != *new(T) {
				break
			}
		}
		return v
	}
}

// Do is an Act without a command.
func Do(f func()) func() tea.Cmd { return func() tea.Cmd { f(); return nil } }

// groups are the headings of the help with their keys, in the order shown. The one
// without keys has all that no other has.
var groups = [...]struct {
	name string
	keys []string
}{
	{"run", []string{"space", "x", "a", "-", "+", "."}},
	{"look", nil},
	{"move", []string{"esc", "up", "down", "left", "right", "shift+left", "shift+right",
		"pgup", "pgdown", "home", "end", "enter", "n", "N", "/"}},
	{"choose", []string{"p", "e", "m", "c", "[", "]", "L", "o", "u", "b", "w", "r", "U", "backspace"}},
	{"files", []string{"s", "S", "y", "Y"}},
}

// Grouped returns the keys of table under a heading each for what they are for, which
// begins with name. A key means the same on every screen, so that it has one group.
func Grouped(name string, table []Binding) []Section {
	var out [len(groups)]Section
	rest := 0
	for i, g := range groups {
		out[i].Name = name + ": " + g.name
		if g.keys == nil {
			rest = i
		}
	}
	for _, b := range table {
		i := rest
		for j, g := range groups {
			if len(b.Keys) > 0 && slices.Contains(g.keys, b.Keys[0]) {
				i = j
			}
		}
		out[i].Bindings = append(out[i].Bindings, b)
	}
	return slices.DeleteFunc(out[:], func(s Section) bool { return len(s.Bindings) == 0 })
}

// Hint is one entry of a footer.
type Hint struct {
	Binding *Binding
	Key     string
	Word    string
	Rank    int
}

// Hints appends the active keys of table to dst, most important first, and
// returns it. Of two active keys with the same action it names the first.
func Hints(dst []Hint, table []Binding, ascii bool) []Hint {
	for _, b := range pick.All(table) {
		if b.Word == nil {
			continue
		}
		if w := b.Word(); w != "" {
			rank := b.Rank
			if b.RankNow != nil {
				rank = cmp.Or(b.RankNow(), rank)
			}
			foot := Binding{Show: b.Foot, Keys: b.Keys}
			dst = append(dst, Hint{b, foot.Name(ascii), w, rank})
		}
	}
	slices.SortStableFunc(dst, func(a, b Hint) int { return cmp.Compare(a.Rank, b.Rank) })
	kept := dst[:0]
	for _, h := range dst {
		if !slices.ContainsFunc(kept, func(k Hint) bool { return k.Word == h.Word }) {
			kept = append(kept, h)
		}
	}
	return kept
}
