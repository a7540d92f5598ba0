package metrics

import (
	"slices"
	"strings"
	"testing"

	"tokscope/metrics/testkit"
)

// A count that cannot be is a doubt, and the next best count takes its place. One
// that is only unusual stays.
func TestIncredibleCounts(t *testing.T) {
	four := func() *play { return newPlay().every(100, 10, 4, "three words here ") } // 68 bytes, estimated at 16 tokens
	asked := func(s *play, most int) *play { s.Work.MaxTokens = most; return s }
	fell := func(s *play, peak int) *play { s.Usage.Peak = peak; return s }
	counted := func(tokens int16) *play {
		s := newPlay().counted(100, "ab ", tokens).counted(110, "cd ", tokens).counted(120, "ef ", tokens)
		s.TokensFrom = TokensContinuous
		return s
	}
	running := fell(counted(4).usage(2).done(), 12)
	running.TokensFrom = TokensContinuous
	live := four()
	live.LiveTokens, live.TokensFrom = 1e9, TokensTimings
	hidden := asked(four().usage(5000).done(), 200)
	hidden.Usage.Reasoning = 4990
	along := asked(four().usage(5000).done(), 200)
	along.Usage.Reasoning, along.LiveTokens, along.TokensFrom = 4990, 5000, TokensContinuous
	for _, c := range []struct {
		name   string
		s      *play
		tokens float64
		source TokenSource
		code   SuspectCode // "" for no doubt about counts
	}{
		{"10^12 tokens in 68 bytes", asked(four().usage(999999999999).done(), 200), 12, TokensEstimated, SuspectUsageOver},
		{"more than any machine makes, no limit asked", four().usage(50_000).done(), 12, TokensEstimated, SuspectUsageOver},
		{"over the limit, and more than any machine makes",
			asked(newPlay().every(0.3, 0.45, 10, "three words here ").usage(235).done(), 50), 30, TokensEstimated,
			SuspectUsageAsked},
		{"over the limit a little", asked(four().usage(70).done(), 50), 70, TokensUsage, ""},
		{"a server that ignores the limit", asked(newPlay().every(100, 10, 100, "word ").usage(100).done(), 10), 100,
			TokensUsage, ""},
		{"as asked for, of random text", asked(newPlay().every(100, 10, 20, "quelym").usage(60).done(), 64), 60, TokensUsage,
			""},
		{"hidden reasoning", hidden, 5000, TokensUsage, ""},
		{"hidden reasoning, counted all along", along, 5000, TokensContinuous, ""},
		{"3 tokens for 200 words", newPlay().every(500, 10, 200, "miller ").usage(3).done(), 200, TokensEstimated,
			SuspectUsageUnder},
		{"the tokens of the last chunks", newPlay().every(90, 5, 64, "one two three ").usage(12).done(), 192,
			TokensEstimated, SuspectUsageUnder},
		{"1 token for ten lines", newPlay().every(700, 100, 10, "a\nb\n").usage(1).done(), 20, TokensEstimated,
			SuspectUsageUnder},
		{"a few tokens less than words", newPlay().every(90, 5, 40, "word ").usage(33).done(), 33, TokensUsage, ""},
		{"a script without blanks", newPlay().every(90, 5, 40, "世界世界").usage(20).done(), 20, TokensUsage, ""},
		{"a count that fell", fell(four().usage(8).done(), 30), 12, TokensEstimated, SuspectUsageFell},
		{"a count without the end of the sequence", fell(four().usage(8).done(), 9), 8, TokensUsage, ""},
		{"a count that fell after counted chunks", running, 12, TokensContinuous, SuspectUsageFell},
		{"a running count that cannot be", live, 12, TokensEstimated, SuspectUsageOver},
		{"chunks with more tokens than bytes", counted(20000), 3, TokensEstimated, SuspectUsageOver},
		{"no chunk, and far over the limit", asked(newPlay().usage(999999), 200), 0, TokensUnknown, SuspectUsageAsked},
	} {
		f := c.s.measure()
		if c.s.Usage.Reasoning > 0 && !f.Suspects(SuspectHidden) {
			t.Errorf("%s: nothing says that the reasoning is left out: %v", c.name, suspects(&f))
		}
		testkit.That(t, f.TokenSource == c.source && f.Tokens.V == c.tokens,
			"%s: %v tokens from %v, want %v from %v", c.name, f.Tokens, f.TokenSource, c.tokens, c.source)
		got := suspects(&f)
		counts := slices.DeleteFunc(got, func(code SuspectCode) bool {
			return code != SuspectUsageOver && code != SuspectUsageAsked && code != SuspectUsageUnder && code != SuspectUsageFell
		})
		testkit.That(t, (c.code != "" || len(counts) == 0) && (c.code == "" || slices.Equal(counts, []SuspectCode{c.code})),
			"%s: doubts %v, want %q", c.name, counts, c.code)
		testkit.That(t, c.code == "" || !f.ITL.P50.OK || f.ITL.P50.V >= 0.1, "%s: %v ms a token", c.name, f.ITL.P50.V)
		testkit.That(t, c.code == "" || !f.Speed.OK || f.Speed.V <= 10_000, "%s: a speed of %v tok/s", c.name, f.Speed.V)
	}
}

// A prompt that the server cut, and a count that cannot be, are doubts, and the
// figures of the prompt are unknown. Fewer tokens than asked for are usual.
func TestIncrediblePrompts(t *testing.T) {
	base := func(prompt, cached int, w Workload) *play {
		s := newPlay().every(100, 10, 4, "word ").usage(4).done()
		s.Usage.Prompt, s.Usage.Cached, s.Work = prompt, cached, w
		return s
	}
	words := Workload{Prompt: strings.Repeat("word ", 1000)}
	for _, c := range []struct {
		name  string
		s     *play
		speed bool // of the prefill is known
		code  SuspectCode
	}{
		{"a context of 3072 for 6000", base(3072, -1, Workload{InputTokens: 6000}), false, SuspectPromptCut},
		{"a context of 4096 for 6000", base(4096, -1, Workload{InputTokens: 6000}), false, SuspectPromptCut},
		{"a tokenizer with fewer tokens", base(4800, -1, Workload{InputTokens: 6000}), true, ""},
		{"a written prompt", base(512, -1, words), false, SuspectPromptCut},
		{"a written prompt, whole", base(1010, -1, words), true, ""},
		{"the cached part is not in the count", base(200, 810, words), false, SuspectCached},
		{"a short prompt", base(2, -1, Workload{Prompt: "a few words"}), true, ""},
		{"10^12 tokens", base(1e12, -1, words), false, SuspectPromptOver},
		{"a gateway's instructions", base(9000, -1, words), true, ""},
		{"no count", base(-1, -1, words), false, ""},
	} {
		f := c.s.measure()
		got := suspects(&f)
		testkit.That(t, (c.code != "" || len(got) == 0) && (c.code == "" || slices.Equal(got, []SuspectCode{c.code})),
			"%s: doubts %v, want %q", c.name, got, c.code)
		testkit.That(t, c.code == SuspectCached || f.PrefillSpeed.OK == c.speed,
			"%s: prefill speed %+v", c.name, f.PrefillSpeed)
		testkit.That(t, c.code != SuspectPromptOver || !f.PromptTokens.OK, "%s: %v prompt tokens", c.name, f.PromptTokens)
	}
}
