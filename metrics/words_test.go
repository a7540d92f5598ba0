package metrics

import (
	"testing"

	"pgregory.net/rapid"

	"tokscope/metrics/testkit"
)

func TestCountWords(t *testing.T) {
	for _, c := range []struct {
		text string
		want int
	}{
		{"", 0},
		{"   \n\t", 0},
		{"one", 1},
		{"Don't split well-known words.", 4},
		{"a — b ## c", 3},
		{"3.14 is 2 numbers and 3 words", 7},
		{"| cell | cell |", 2},
		{"(word) \"word\"", 2},
		{"größer als früher", 3},
		{"не разделяй слова", 3},
		{"한국어 단어 셋", 3},
		{"a\u00a0b", 2},
		{"今天天气很好我们去公园散步吧真的", 10}, // 16 characters
		{"きょうはいい", 4},            // 6 characters, 3.75
		{"用 Go 写的程序", 4},         // 5 characters and a word
		{"สวัสดีครับ", 2},        // 7 letters, 3 marks: 1.75
		{"in中in文", 3},            // a character ends a word: 2 words and 2 characters
	} {
		testkit.Is(t, CountWords([]byte(c.text)), c.want, "CountWords", c.text)
	}
}

func TestWordsFrom(t *testing.T) {
	for text, want := range map[string]string{"plain words": "words", "世界": "characters",
		"hello 世界": "words and characters"} {
		f := newPlay().chunk(100, text).done().measure()
		testkit.Is(t, f.WordsFrom, want, text, "words from")
	}
	// Tokens without text, as a server with token ids and no detokeniser sends them.
	s := newPlay().counted(100, "", 1).counted(700, "", 4)
	s.TokensFrom = TokensIDs
	f := s.measure()
	testkit.That(t, f.WordsFrom == WordsOfTokens && f.Words == 4,
		"%d words from %q, want 4 from tokens", f.Words, f.WordsFrom)
	near(t, "WPM", f.WPM, 4*0.75/0.6*60)
	// Without a whole word behind the first chunk a speed of 0 would be a figure that
	// nobody measured.
	f = newPlay().chunk(1, "Hello").chunk(2, "oooo").chunk(3, "oo").done().measure()
	testkit.That(t, !f.WPM.OK && !f.TimesReading.OK && f.WPM.Why != 0, "WPM %+v, times reading %+v", f.WPM, f.TimesReading)
}

// However a text is cut, even within a character, the count is the same.
func TestWordsDoNotDependOnTheCuts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var text []byte
		for _, p := range rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 20).Draw(t, "pieces") {
			text = append(text, p...)
		}
		var whole, cut wordCounter
		whole.add(text)
		for rest := text; len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "cut")
			cut.add(rest[:n])
			rest = rest[n:]
		}
		for _, w := range []*wordCounter{&whole, &cut} {
			clear(w.carry[w.carried:]) // used up
		}
		testkit.Need(t, whole, cut, text, "whole")
	})
}
