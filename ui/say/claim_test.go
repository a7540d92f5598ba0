package say

import (
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
)

func TestClaimWords(t *testing.T) {
	run := func(users int, speed metrics.Value, source metrics.TokenSource) *metrics.Run {
		c := metrics.Claim{Model: "Llama 3.1 8B Q4_K_M", Machine: "RTX 4090", Bandwidth: 1008, Weights: 4.66, Cache: 131072, Step: 1}
		r := &metrics.Run{Stream: metrics.Stream{Endpoint: metrics.Endpoint{Claim: &c}}}
		r.Stream.Work.Concurrency = users
		r.Figures.Speed, r.Figures.TokenSource = speed, source
		r.Figures.PromptTokens = metrics.Known(1000, 0)
		return r
	}
	const on = "Llama 3.1 8B Q4_K_M on RTX 4090"
	for _, c := range []struct {
		r     *metrics.Run
		wants []string
	}{
		{run(1, metrics.Known(165, 0), metrics.TokensUsage), []string{
			"165 tok/s is 78 % of the memory's bound: plausible", on + ": at most 210 tok/s, 1,008 GB/s, 4.66 GB of weights and 0.131 GB of cache"}},
		{run(8, metrics.Known(40, 0), metrics.TokensUsage), []string{
			"40.0 tok/s is 19 % of the memory's bound: plausible; 8 requests at a time, each is slower than alone"}},
		{run(1, metrics.Known(420, 0), metrics.TokensUsage), []string{
			"420 tok/s is 2.0x the memory's bound, above it: another model, precision, a draft or another machine"}},
		{run(1, metrics.Known(420, 0), metrics.TokensEstimated), []string{
			"about 420 tok/s is 2.0x the memory's bound: undecided, the speed is in doubt"}},
		{run(1, metrics.Unknown(metrics.WhyAtOnce), metrics.TokensUsage), []string{"– (", "claimed: " + on}},
	} {
		got := strings.Join(Claim(metrics.JudgeClaim([]*metrics.Run{c.r})), "\n")
		testkit.Has(t, got, c.wants...)
	}
	held := run(1, metrics.Known(420, 0), metrics.TokensUsage)
	held.Figures.Suspect = []metrics.Suspicion{{Code: metrics.SuspectHeld}}
	is(t, Claim(metrics.JudgeClaim([]*metrics.Run{held}))[0], "about 420 tok/s is 2.0x the memory's bound: undecided, the speed is in doubt")
	testkit.That(t, Claim(nil) == nil, "nobody claimed anything")
}
