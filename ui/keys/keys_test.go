package keys

import (
	"slices"
	"strings"
	"testing"
)

func TestNoKeyHasTwoMeaningsInOneContext(t *testing.T) {
	type place struct {
		c Context
		k string
	}
	seen := map[place]Intent{}
	for i := range table {
		b := &table[i]
		for _, k := range b.Keys {
			for _, c := range []Context{b.In, Global} {
				if do, ok := seen[place{c, k}]; ok {
					t.Errorf("%q in %s: both intent %d and %d", k, b.In, do, b.Do)
				}
			}
			seen[place{b.In, k}] = b.Do
		}
	}
	for p := range seen {
		if do, ok := seen[place{Global, p.k}]; ok && p.c != Global {
			t.Errorf("%q in %s hides the global intent %d", p.k, p.c, do)
		}
	}
}

func TestEveryLineIsComplete(t *testing.T) {
	for i := range table {
		b := &table[i]
		if len(b.Keys) == 0 || b.Show == "" || b.Help == "" || b.Do == None {
			t.Errorf("line %d is not complete: %+v", i, b)
		}
		if strings.IndexFunc(b.Name(true), func(r rune) bool { return r > '~' }) >= 0 {
			t.Errorf("%q has no ASCII name", b.Show)
		}
		if (b.Foot == "") != (b.FootASCII == "") || strings.IndexFunc(b.FootASCII, func(r rune) bool { return r > '~' }) >= 0 {
			t.Errorf("%q has no ASCII name in the footer", b.Foot)
		}
		if strings.IndexFunc(b.Help, func(r rune) bool { return r > '~' }) >= 0 {
			t.Errorf("%q: the help is not ASCII", b.Show)
		}
		if b.Word != nil && b.Rank == 0 {
			t.Errorf("%q stands in the footer without a rank", b.Show)
		}
	}
	for _, c := range Contexts() {
		if len(In(c)) == 0 {
			t.Errorf("no key in %s", c)
		}
	}
}

func TestPrintableKeysAreTextWhereTextIsTyped(t *testing.T) {
	for _, c := range []Context{Editor, List} {
		for r := ' '; r <= '~'; r++ {
			if b := Find(c, string(r)); b != nil {
				t.Errorf("%q cannot be typed in the %s", r, c)
			}
		}
		if Find(c, "space") != nil {
			t.Errorf("a space cannot be typed in the %s", c)
		}
	}
}

func TestLookup(t *testing.T) {
	for _, c := range []struct {
		name string
		in   Context
		key  string
		s    State
		want Intent
	}{
		{"run at rest", Live, "space", State{}, Run},
		{"no run over a run", Live, "space", State{Running: true}, None},
		{"stop while it runs", Live, "x", State{Running: true}, Stop},
		{"esc stops too", Live, "esc", State{Running: true}, Stop},
		{"nothing to stop", Live, "x", State{}, None},
		{"nothing to copy", Live, "y", State{}, None},
		{"copy an ended run", Live, "y", State{Ended: true}, Copy},
		{"freeze what runs", Live, "f", State{Running: true}, Freeze},
		{"unfreeze after the end", Live, "f", State{Frozen: true, Ended: true}, Freeze},
		{"nothing to freeze", Live, "f", State{Ended: true}, None},
		{"quit anywhere", Editor, "ctrl+c", State{}, Quit},
		{"q is text", Editor, "q", State{}, None},
		{"q closes the help", Reader, "q", State{}, Close},
		{"clear only a filter", List, "ctrl+u", State{}, None},
		{"clear the filter", List, "ctrl+u", State{Filter: true}, Clear},
		{"no explain without an engine", Live, "4", State{}, None},
		{"to explain", Live, "4", State{Explains: true}, ToExplain},
		{"a user is a digit", Load, "4", State{Explains: true}, TypeUsers},
		{"tab goes on", Load, "tab", State{Explains: true}, ToExplain},
		{"esc goes back", Load, "esc", State{Explains: true}, ToLive},
		{"enter opens a knob", Explain, "enter", State{}, GoOn},
		{"enter goes on", Explain, "enter", State{Touring: true, Turn: "add 8 users"}, GoOn},
		{"the end of the tour", Explain, "enter", State{Touring: true}, None},
		{"no list of its own beside enter", Explain, "l", State{}, None},
		{"the list on the tour", Explain, "l", State{Touring: true}, Choices},
		{"no lesson without the tour", Explain, "n", State{MoreNext: true}, None},
		{"the next lesson", Explain, "n", State{Touring: true, MoreNext: true}, NextLesson},
		{"nothing before the first", Explain, "p", State{Touring: true}, None},
		{"nobody else to watch", Explain, "v", State{}, None},
		{"shift is another key", Explain, "U", State{}, FewerUsers},
		{"unknown", Live, "ctrl+9", State{}, None},
	} {
		if got := Lookup(c.in, c.key, c.s); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

func words(c Context, s State) []string {
	var out []string
	for _, h := range Hints(nil, c, s, false) {
		out = append(out, h.Key+" "+h.Word)
	}
	return out
}

func TestHintsSayWhatWorksNow(t *testing.T) {
	for _, c := range []struct {
		name string
		s    State
		has  []string
		not  []string
	}{
		{"before any run", State{}, []string{"space run", "q quit", "p prompt"}, []string{"x stop", "y copy", "f freeze"}},
		{"running", State{Running: true}, []string{"x stop", "f freeze"}, []string{"space run", "space again"}},
		{"frozen", State{Running: true, Frozen: true}, []string{"f unfreeze", "x stop"}, []string{"f freeze"}},
		{"ended", State{Ended: true}, []string{"space again", "y copy", "s save"}, []string{"x stop"}},
		{"long text", State{Scroll: true}, []string{"↑↓ scroll"}, nil},
		{"definitions", State{Defs: true}, []string{"d back"}, []string{"d definitions"}},
	} {
		got := words(Live, c.s)
		for _, w := range c.has {
			if !slices.Contains(got, w) {
				t.Errorf("%s: %q is missing from %q", c.name, w, got)
			}
		}
		for _, want := range c.not {
			if slices.Contains(got, want) {
				t.Errorf("%s: %q cannot be done", c.name, want)
			}
		}
	}
	if got := words(Live, State{Defs: true, Ended: true}); got[2] != "d back" {
		t.Errorf("the way back from the definitions is not among the first: %q", got)
	}
	if got := words(Live, State{Running: true}); got[0] != "x stop" || got[1] != "q quit" {
		t.Errorf("the way out is not first: %q", got)
	}
}

// The footer leads a stranger: outside the tour to it, on it to its next stage.
func TestHintsOfExplain(t *testing.T) {
	for _, c := range []struct {
		name  string
		s     State
		first []string
	}{
		{"at rest", State{}, []string{"t tour", "space pause", "q quit", "←/→ steps"}},
		{"paused", State{Halted: true}, []string{"t tour", "space go on", "q quit"}},
		{"in the past", State{Past: true}, []string{"t tour", "space pause", "q quit"}},
		{"a stage to come", State{Touring: true, Turn: "quantise to 4 bits", MoreNext: true, MoreBack: true},
			[]string{"enter quantise to 4 bits", "n next lesson", "p back", "esc leave the tour", "q quit"}},
		{"all stages shown", State{Touring: true, MoreNext: true}, []string{"enter next lesson", "esc leave the tour", "q quit"}},
		{"the last lesson", State{Touring: true, MoreBack: true}, []string{"p back", "esc leave the tour", "q quit"}},
	} {
		if got := words(Explain, c.s); !slices.Equal(got[:len(c.first)], c.first) {
			t.Errorf("%s: the footer begins with %q, want %q", c.name, got[:len(c.first)], c.first)
		}
	}
}

func TestEveryHintWorks(t *testing.T) {
	for bits := range 1 << 10 {
		on := func(i int) bool { return bits>>i&1 == 1 }
		s := State{Running: on(0), Ended: on(1), Frozen: on(2), Mouse: on(3), Scroll: on(4), Defs: on(5), Filter: on(6), Agent: on(6), Loads: on(7)}
		if on(8) { // the words of the Load screen depend on none of these
			s = State{Loads: true, Loading: on(0), Loaded: on(1), Holding: on(2), Leaving: on(3), Lanes: on(4), Typing: on(5), Log: on(6), Mouse: on(7)}
		}
		if on(9) { // nor do those of Explain
			s = State{Loads: true, Explains: true, Halted: on(0), Past: on(1), Panels: on(2), Watched: on(3), Touring: on(4), MoreNext: on(5), MoreBack: on(6), Mouse: on(7)}
			if on(8) {
				s.Turn = "quantise to 4 bits"
			}
		}
		for _, c := range Contexts() {
			for _, h := range Hints(nil, c, s, false) {
				works := false
				for _, b := range In(c) {
					works = works || b.Do == h.Binding && Lookup(c, b.Keys[0], s) == h.Binding
				}
				if !works {
					t.Fatalf("%s promises %q in %+v, and the key does nothing", c, h.Word, s)
				}
			}
		}
	}
}

func TestMarkdownHasEveryKey(t *testing.T) {
	md := Markdown(Live)
	for _, b := range In(Live) {
		if !strings.Contains(md, "| `"+b.Show+"` | "+b.Help+" |") {
			t.Errorf("%q is missing", b.Show)
		}
	}
}
