package say

import (
	"strings"
	"testing"
	"unicode/utf8"

	"tokscope/metrics"
)

// TestBriefDoubtsFit checks that every doubt has a brief form, and that it fits
// BriefMost columns with large numbers.
func TestBriefDoubtsFit(t *testing.T) {
	for code := range doubts {
		for _, s := range []metrics.Suspicion{
			{Code: code, N: 3, Of: 5, Ratio: 1.36, Ms: 12.3},
			{Code: code, N: 200_000, Of: 200_000, Ratio: 987.6, Ms: 987_654, Delay: metrics.Delay{P99: 98_765}},
		} {
			if text := SuspicionBrief(&s); text == "" || text == string(code) || utf8.RuneCountInString(text) > BriefMost {
				t.Errorf("%s is written as %q", code, text)
			}
		}
	}
	for code, text := range notes {
		if got := NoteBrief(&metrics.Note{Code: code}); got != text || utf8.RuneCountInString(got) > BriefMost {
			t.Errorf("the note %s is written as %q", code, got)
		}
	}
	if got := NoteBrief(&metrics.Note{Code: "a_word\x1b_that_is_much_too_long_for_the_line"}); got != "a word  that is much too long " {
		t.Errorf("an unknown note is written as %q", got)
	}
}

// TestEverySuspicionHasASentence checks the text of every code.
func TestEverySuspicionHasASentence(t *testing.T) {
	codes := codesIn(t, "suspect.go", "SuspectCode")
	if len(codes) != len(doubts) || len(codes) < 19 {
		t.Errorf("%d codes, %d sentences", len(codes), len(doubts))
	}
	for _, code := range codes {
		s := Suspicion(&metrics.Suspicion{Code: metrics.SuspectCode(code), N: 2, Of: 3})
		if len(strings.Fields(s)) < 4 || strings.Contains(s, "%!") {
			t.Errorf("%s: %q", code, s)
		}
	}
	for want, s := range map[string]metrics.Suspicion{
		"30 of 40 chunks came in one read: gaps and speed are not the model's":                                         {Code: metrics.SuspectTerminalBurst, N: 30, Of: 40},
		"a proxy or the server buffers: 8.00 chunks at a time, 120 ms apart":                                           {Code: metrics.SuspectBuffered, Ratio: 8, Ms: 120},
		"chunks were held back: nothing for 900 ms, then 40 within 5.00 ms":                                            {Code: metrics.SuspectHeld, Ms: 900, N: 40, Limit: 5},
		"the first chunk carried 3 tokens: TPOT is 22 % too small":                                                     {Code: metrics.SuspectFirstChunk, N: 3, Ratio: 2. / 9},
		"tokscope read 6.00 ms late (p99, worst 81.0 ms): 75 % of the gaps have only bounds; TTFT is not affected":     {Code: metrics.SuspectLate, Delay: metrics.Delay{Code: metrics.DelayReads, P99: 6, Max: 81, Shared: 0.75}},
		"tokscope read 6.00 ms late (p99, worst 81.0 ms): 75 % of the gaps have only bounds; TTFT may be shorter":      {Code: metrics.SuspectLate, Delay: metrics.Delay{Code: metrics.DelayReads, P99: 6, Max: 81, Shared: 0.75, First: true}},
		"tokscope lagged 6.00 ms (p99, worst 9.00 ms): TTFT and every gap may be late by as much":                      {Code: metrics.SuspectLate, Delay: metrics.Delay{Code: metrics.DelayStamps, P99: 6, Max: 9}},
		"tokscope lagged 6.00 ms (p99, worst 9.00 ms): times without a kernel timestamp may be late by as much":        {Code: metrics.SuspectLate, Delay: metrics.Delay{Code: metrics.DelayMixed, P99: 6, Max: 9}},
		"tokscope was suspended for 4.20 s, or the machine was: a gap across this is not the server's":                 {Code: metrics.SuspectStopped, Ms: 4200},
		"the server reports 150 ms before the first token; the client waited 100 ms":                                   {Code: metrics.SuspectServer, Ms: 150, Limit: 100},
		"the response came with Content-Encoding \"gzip\" although none was offered: the encoder may hold chunks back": {Code: metrics.SuspectCompressed, Name: "gzip"},
		"new_code": {Code: "new_code"},
	} {
		if got := Suspicion(&s); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
