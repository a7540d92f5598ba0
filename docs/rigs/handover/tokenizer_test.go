package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tokscope/probe/sim/text"
)

// A text of n tokens of the vocabulary, with blanks between them, has n
// tokens for the embedded endpoint: other tools then send what they mean to.
func TestVocabularyCountsLikeTheEndpoint(t *testing.T) {
	words := vocabulary()
	if len(words) < 100_000 {
		t.Errorf("%d words: random prompts would often be the same", len(words))
	}
	whole := regexp.MustCompile("^(?:" + pieces + ")$")
	for _, w := range words {
		if text.Count(" "+w) != 1 || !whole.MatchString(w) {
			t.Errorf("%q is no token of its own", w)
		}
	}
	if n := len(slices.Compact(slices.Sorted(slices.Values(words)))); n != len(words) {
		t.Errorf("%d of %d words come twice", len(words)-n, len(words))
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for n := 1; n <= 2000; n *= 3 {
		prompt := make([]string, n)
		for i := range prompt {
			prompt[i] = words[rng.IntN(len(words))]
		}
		if have := text.Count(strings.Join(prompt, " ")); have != n {
			t.Errorf("%d words have %d tokens", n, have)
		}
	}
}

func TestTokenizerFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	if err := writeTokenizer(dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"tokenizer.json", "tokenizer_config.json", "config.json"} {
		if b, err := os.ReadFile(filepath.Join(dir, name)); err != nil || len(b) < 10 {
			t.Errorf("%s: %d bytes, %v", name, len(b), err)
		}
	}
}

func TestSteps(t *testing.T) {
	var s steps
	if err := s.parse("1:150,8:400"); err != nil || !slices.Equal(s, steps{{1, 150}, {8, 400}}) {
		t.Errorf("%v, %v", s, err)
	}
	for _, bad := range []string{"", "1", "a:5", "8:4", "0:4", "1:"} {
		if err := new(steps).parse(bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}
