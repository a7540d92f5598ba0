package metrics

import (
	"testing"

	"tokscope/metrics/testkit"
)

// claimOn is a claim with a bound of 100 tok/s without context, 50 behind 1,000 tokens.
var claimOn = Claim{Bandwidth: 1000, Weights: 10, Cache: 1e7, Step: 1}

// claimed are that many requests of an endpoint with that claim at those speeds, behind
// prompts of 1,000 tokens.
func claimed(c *Claim, speeds ...float64) (runs []*Run) {
	for _, v := range speeds {
		r := &Run{Stream: Stream{State: Done, Endpoint: Endpoint{Claim: c}}}
		r.Figures.PromptTokens, r.Figures.Speed = Known(1000, 0), Known(v, 0)
		runs = append(runs, r)
	}
	return runs
}

// TestJudgeClaim holds when a speed can be, and that what is not certain settles nothing.
func TestJudgeClaim(t *testing.T) {
	for name, c := range map[string]struct {
		speeds []float64
		is     Plausibility
		share  float64
	}{
		"below":                         {[]float64{40}, ClaimPlausible, .8},
		"above":                         {[]float64{65}, ClaimAbove, 1.3},
		"all of a few above":            {[]float64{60, 51, 55}, ClaimAbove, 1.1},
		"some of a few below":           {[]float64{60, 49, 55}, ClaimUnsettled, 1.1},
		"the interval of many above":    {[]float64{60, 55, 56, 57, 58, 59, 60, 61, 62, 30}, ClaimAbove, 1.17},
		"the interval of many has both": {[]float64{40, 41, 42, 45, 51, 52, 53, 55}, ClaimPlausible, .96},
		"most of the interval is above": {[]float64{40, 41, 42, 51, 52, 53, 54, 55}, ClaimUnsettled, 1.03},
	} {
		got := JudgeClaim(claimed(&claimOn, c.speeds...))
		testkit.That(t, got.Is == c.is && got.Share.P50.V >= c.share-.01 && got.Share.P50.V <= c.share+.01,
			"%s: %s at %.3f of the bound", name, got.Is, got.Share.P50.V)
		near(t, "bound", got.Bound, 50)
	}
	testkit.That(t, JudgeClaim(nil) == nil && JudgeClaim(claimed(nil, 10)) == nil, "nobody claimed anything")
	other := claimOn
	other.Weights = 1
	if got := JudgeClaim(append(claimed(&other, 300), claimed(&claimOn, 40)...)); got.Share.N != 1 ||
		got.Is != ClaimPlausible {
		t.Errorf("a request under another claim: %+v", got)
	}
}

// TestClaimDoubts holds what keeps a claim from being wrong, and what is unknown.
func TestClaimDoubts(t *testing.T) {
	runs := claimed(&claimOn, 90)
	runs[0].Figures.TokenSource = TokensEstimated
	if got := JudgeClaim(runs); got.Is != ClaimUnsettled || !got.Doubted {
		t.Errorf("tokens by estimate: %s", got.Is)
	}
	for _, code := range []SuspectCode{SuspectHeld, SuspectTerminalBurst, SuspectFirstChunk, SuspectFirstMean,
		SuspectBody} {
		runs = claimed(&claimOn, 90)
		runs[0].Figures.Suspect = []Suspicion{{Code: code}}
		if got := JudgeClaim(runs); (got.Is == ClaimUnsettled) != (code != SuspectBody) {
			t.Errorf("a doubt of %s: %s", code, got.Is)
		}
	}
	runs = claimed(&claimOn, 90)
	runs[0].Figures.Speed = Unknown(WhyAtOnce)
	got := JudgeClaim(runs)
	unknown(t, "speed of an answer held back", got.Speed, WhyAtOnce)
	unknown(t, "its bound", got.Bound, WhyAtOnce)
	unknown(t, "its share", got.Share.P50, WhyAtOnce)
	testkit.That(t, got.Is == ClaimUnknown, "an unknown speed: %s", got.Is)
	drafted := claimOn
	drafted.Step = 4
	near(t, "bound of a draft", JudgeClaim(claimed(&drafted, 90)).Bound, 200)
	runs = claimed(&claimOn, 90)
	runs[0].Figures.PromptTokens, runs[0].Figures.DecodeTokens = Unknown(WhyNotReported), Known(200, 0)
	near(t, "half of the answer", JudgeClaim(runs).Bound, 1000/11.)
}
