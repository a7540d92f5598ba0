package say

import (
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
