package keys

import (
	"testing"

	"tokscope/metrics/testkit"
)

func TestFind(t *testing.T) {
	table := []Binding{
		{Do: Quit, Keys: []string{"q"}},
		{Do: Help, Keys: []string{"?", "f1"}},
	}
	for key, want := range map[string]Intent{"q": Quit, "f1": Help, "?": Help, "x": None} {
		got := None
		if b := Find(table, key); b != nil {
			got = b.Do
		}
		testkit.Is(t, got, want, key)
	}
	testkit.Is(t, Of(table, Help).Name(false), "?", "the help is at")
	testkit.Is(t, Of(table, Mouse), nil, "no key is called")
}

// A footer has the lowest ranks first, each word once, and nothing that does
// nothing now.
func TestHints(t *testing.T) {
	on := true
	is := func() bool { return on }
	table := []Binding{
		{Do: Help, Keys: []string{"?"}}, // no word: not in the footer
		{Do: Quit, Keys: []string{"q"}, Rank: 12, Word: Always("quit")},
		{Do: Stop, Keys: []string{"x"}, Rank: 11, Word: When(is, "stop")},
		{Do: Save, Keys: []string{"s"}, Rank: 50, RankNow: When(is, 1), Word: Either(is, "save", "quit")},
		{Do: Down, Keys: []string{"down"}, Foot: "↑↓", Rank: 60, Word: Always("move")},
	}
	words := func(ascii bool) []string {
		var out []string
		for _, h := range Hints(nil, table, ascii) {
			out = append(out, h.Key+" "+h.Word)
		}
		return out
	}
	testkit.Same(t, words(false), []string{"s save", "x stop", "q quit", "↑↓ move"}, "the footer")
	testkit.That(t, table[2].Works() && table[0].Works(), "what the footer promises does not work")
	on = false
	testkit.Same(t, words(true), []string{"q quit", "up/down move"}, "the footer")
	testkit.That(t, !table[2].Works(), "a key without a word works")
}

// TestGrouped checks that each key has one heading, that those without a group of their
// own are there to look, and that no heading is empty.
func TestGrouped(t *testing.T) {
	var got []string
	for _, s := range Grouped("live", []Binding{{Keys: []string{"d"}}, {Keys: []string{"s"}},
		{Keys: []string{"space"}}, {Keys: []string{"z"}}, {Keys: []string{"up", "ctrl+p"}}}) {
		line := s.Name
		for _, b := range s.Bindings {
			line += " " + b.Name(true)
		}
		got = append(got, line)
	}
	testkit.Same(t, got, []string{"live: run space", "live: look d z", "live: move up", "live: files s"}, "the groups")
}
