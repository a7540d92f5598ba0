package say

import (
	"cmp"
	"strconv"
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/pick"
	"tokscope/metrics/verdict"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
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
	return strings.Join(pick.Each(kinds, severalTimes), ", ")
}

// Failures writes the same, and without a number where all failed in one way.
func Failures(all []verdict.Failure) string {
	if len(all) == 1 {
		return FaultName(all[0].Kind, all[0].Status)
	}
	return FaultKinds(pick.Each(all, func(f *verdict.Failure) metrics.FaultCount { return metrics.FaultCount(*f) }))
}

func severalTimes(f *metrics.FaultCount) string {
	return format.Count(f.N) + "× " + strings.TrimPrefix(FaultName(f.Kind, f.Status), "the ")
}

// FaultName names one way to fail, by its status of HTTP where there is one: "HTTP 500",
// "timed out".
func FaultName(kind metrics.FaultKind, status int) string {
	if status != 0 {
		return "HTTP " + strconv.Itoa(status)
	}
	return cmp.Or(faults[kind], sanitize.Line(string(kind), nameMost), "without a reason")
}
