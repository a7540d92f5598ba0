package text

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"tokscope/metrics/testkit"
)

func split(s string) (list []string) {
	for s != "" {
		t := Next(s)
		list = append(list, t)
		s = s[len(t):]
	}
	return list
}

func TestTokens(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"Hello world", "Hello| world"},
		{"the server reads.", "the| server| reads|."},
		{"a  b", "a| | b"},
		{"line\n\nnext", "line|\n\n|next"},
		{"12345", "123|45"},
		{"if x == 1 {", "if| x| ==| 1| {"},
		{"\tindented", "\tindented"[:1] + "inde|nted"},
		{"等待", "等|待"},
		{"速さは", "速|さ|は"},
		{"скорость", "скор|ость"},
		{"-----", "-----"},
	} {
		got := strings.Join(split(c.text), "|")
		if c.text == "\tindented" {
			// The pieces of a long word are not specified.
			got, c.want = strings.ReplaceAll(got, "|", ""), c.text
		}
		testkit.Is(t, got, c.want, c.text)
	}
}

func TestTokensJoinedGiveTheText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()),
			func(b []byte) string { return string(b) })).Draw(t, "text")
		list := split(s)
		testkit.Need(t, strings.Join(list, ""), s, "came back as")
		testkit.Need(t, len(list), Count(s), "pieces")
		for _, x := range list {
			testkit.Given(t, x != "" && (!utf8.ValidString(s) || utf8.ValidString(x)), "piece %q of %q", x, s)
		}
	})
}

// Published tokens per word and characters per token of current vocabularies.
// English prose has 1.3 and a little over 4, other European languages 1.6.
// Technical text and code have more.
func TestGranularity(t *testing.T) {
	for language, want := range map[string]struct{ words, low, high float64 }{
		"en": {1.3, 1.15, 1.4}, "think": {1.3, 1.15, 1.4}, "de": {1.6, 1.35, 1.9}, "fr": {1.6, 1.3, 1.8},
		"es": {1.6, 1.2, 1.8},
		"ru": {2.5, 1.6, 3.5}, "ko": {2.5, 1.5, 3.5}, "ar": {2.2, 1.5, 3}, "hi": {2.2, 1.5, 3}, "code": {2.2, 1.6, 3},
	} {
		tokens, words, chars := 0, 0, 0
		for _, p := range Passages(language) {
			tokens += Count(p.Body)
			words += len(strings.Fields(p.Body))
			chars += utf8.RuneCountInString(p.Body)
		}
		if words == 0 {
			t.Errorf("nothing in %s", language)
			continue
		}
		per := float64(tokens) / float64(words)
		t.Logf("%-5s %5d words, %.2f tokens a word, %.1f characters a token", language, words, per,
			float64(chars)/float64(tokens))
		testkit.That(t, per >= want.low && per <= want.high,
			"%s: %.2f tokens a word, want about %.1f", language, per, want.words)
	}
}

func TestPassagesAreClean(t *testing.T) {
	testkit.That(t, len(Passages("en")) >= 8 && len(Passages("think")) >= 3, "too few passages")
	for l := range library() {
		for _, p := range Passages(l) {
			testkit.That(t, p.Title != "" && len(p.Body) >= 200 && utf8.ValidString(p.Body) && !strings.Contains(p.Body, "\r"),
				"%s %q: %d bytes", l, p.Title, len(p.Body))
		}
	}
}

func TestGuess(t *testing.T) {
	for prompt, want := range map[string]string{
		"Explain how batching works.":                 "en",
		"Write a Python function that sorts a list":   "code",
		"Wie funktioniert das und was ist die Pause?": "de",
		"Comment est faite la réponse ?":              "fr",
		"¿Cómo se mide la espera y por qué?":          "es",
		"Почему так долго?":                           "ru",
		"为什么这么慢?":                                     "zh",
		"なぜ遅いのですか":                                    "ja",
		"왜 느립니까":                                      "ko",
		"لماذا هذا بطيء":                              "ar",
		"यह धीमा क्यों है":                            "hi",
		"Tell me, in one long English sentence with many words, what the German word die means to you here": "en",
		"": "en",
	} {
		testkit.Is(t, Guess(prompt), want, prompt)
	}
}

func TestWritersAreEndless(t *testing.T) {
	a, b := NewWriter("en", 3), NewWriter("en", 3)
	passages := 0
	for range 20000 {
		x := a.Token()
		testkit.Given(t, x != "" && x == b.Token(), "token %q", x)
		if a.AtEnd() {
			passages++
		}
	}
	testkit.That(t, passages >= 20, "%d passages in 20000 tokens", passages)
	testkit.That(t, NewWriter("klingon", 0).Token() != "", "an unknown language is not written in English")
}

func TestPickMatchesTheQuestion(t *testing.T) {
	for _, c := range []struct{ language, prompt, title string }{
		{"en", "What is done in prefill, when every token of the prompt is read side by side, and why is it only a silence?",
			"Reading before writing"},
		{"en", "Why does batching pay, and how do sixteen conversations share the weights?", "Sharing the weights"},
		{"en", "Tell the story of a lighthouse keeper who measures the tides and the ships.", "The keeper who measured"},
		{"en", strings.Repeat("Every lighthouse keeper kept a log. ", 40) + "\n\nSum up these notes in three paragraphs.",
			"What the notes have in common"},
		{"en", "Explain to a curious person how a language model answers: what happens between the question and the first " +
			"word, and what happens for every word after it?", "Between the question and the first word"},
		{"code", "Write a Python function that computes the roofline of a step", "A roofline in Python"},
	} {
		for seed := range uint64(5) {
			got := Passages(c.language)[Pick(c.language, c.prompt, seed)].Title
			testkit.That(t, got == c.title, "%.60q, seed %d: %q, want %q", c.prompt, seed, got, c.title)
		}
	}
	seen := map[int]bool{}
	for seed := range uint64(50) {
		seen[Pick("en", "x", seed)] = true
	}
	testkit.That(t, len(seen) >= 10, "a prompt about nothing is answered in %d ways", len(seen))
}

// A byte that is no UTF-8 reads like U+FFFD, which has three.
func TestBytesThatAreNoText(t *testing.T) {
	for _, s := range []string{"\ufffd\xff", "\xff\ufffd", " \ufffd\xff\xffa"} {
		joined := strings.Join(slices.Collect(All(s)), "")
		testkit.Is(t, joined, s, "joined")
		testkit.That(t, strings.HasSuffix(Next(s), "\xff") || strings.HasSuffix(Next(s), "\ufffd"), "%q cuts a rune", Next(s))
	}
}

// The work for a long word grows with its length only. If each token read the
// whole rest of the word, this test would take hours.
func TestOneLongWord(t *testing.T) {
	word := strings.Repeat("x", 2<<20)
	n := Count(word)
	testkit.That(t, n >= len(word)/6 && n <= len(word)/2, "%d tokens in %d letters", n, len(word))
}
