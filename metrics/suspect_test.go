package metrics

import (
	"slices"
	"testing"
)

// TestExcludes holds which doubts keep a request out of baselines and comparisons,
// and which of them a watch shares.
func TestExcludes(t *testing.T) {
	lag := []SuspectCode{SuspectLate, SuspectStopped}
	path := []SuspectCode{SuspectBuffered, SuspectTerminalBurst, SuspectHeld, SuspectHeldDecode, SuspectCompressed,
		SuspectCached, SuspectClock, SuspectOrder}
	none := []SuspectCode{
		"", SuspectOneChunk, SuspectWithheld, SuspectSilence, SuspectMultiToken, SuspectFirstChunk, SuspectFirstMean,
		SuspectFewTokens, SuspectUsageZero, SuspectUsageOver, SuspectUsageAsked, SuspectUsageUnder, SuspectUsageFell,
		SuspectPromptOver, SuspectPromptCut, SuspectHidden, SuspectTruncated, SuspectLeftOpen, SuspectCutOff, SuspectMixed,
		SuspectBody, SuspectServer, SuspectChoices,
	}
	none = append(none, SuspectSummarized, SuspectUnsent, SuspectExcluded, SuspectOthers)
	for _, c := range slices.Concat(lag, path, none) {
		if want := !slices.Contains(none, c); c.Excludes() != want || c.Lag() != slices.Contains(lag, c) {
			t.Errorf("%q: excludes %v, lag %v", c, c.Excludes(), c.Lag())
		}
	}
}
