package say

import (
	"fmt"
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/pick"
	"tokscope/ui/format"
)

// Failed says how many of so many ended requests failed, and of which kinds, the most
// frequent first; nil where none failed:
//
//	8 of 17 failed: 6× HTTP 429, 2× HTTP 500
func Failed(n, of int, kinds []metrics.FaultCount) Sentence {
	if n <= 0 {
		return nil
	}
	return Sentence{{Text: format.Count(n) + " of " + format.Count(max(n, of)) + " failed"},
		{Text: format.If(len(kinds) > 0, ": "+FaultKinds(kinds)), Rank: 1}}
}

// FaultKinds writes how often requests failed in which way: by the status of HTTP, else in
// words: "6× HTTP 429, 1× timed out".
func FaultKinds(kinds []metrics.FaultCount) string {
	return strings.Join(pick.Each(kinds, func(f *metrics.FaultCount) string {
		words := strings.TrimPrefix(faultWords(&metrics.Fault{Kind: f.Kind}), "the ")
		if f.Status != 0 {
			words = fmt.Sprintf("HTTP %d", f.Status)
		}
		return format.Count(f.N) + "× " + words
	}), ", ")
}
