package loadstat

import (
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
)

// TestWarmupCounts holds that a warm-up counts its endings, and the tokens that
// the server counted alone.
func TestWarmupCounts(t *testing.T) {
	price := metrics.Endpoint{Price: metrics.Price{In: 1, Out: 2, Currency: "USD"}}
	ended := func(state metrics.State, kind metrics.FaultKind, prompt, output metrics.Value,
		source metrics.TokenSource) metrics.Run {
		r := metrics.Run{Stream: metrics.Stream{State: state, Endpoint: price},
			Figures: metrics.Figures{PromptTokens: prompt, Tokens: output, TokenSource: source}}
		if kind != "" {
			r.Stream.Fault = &metrics.Fault{Kind: kind}
		}
		return r
	}
	none := metrics.Unknown(metrics.WhyNoTokens)
	got := WarmupOf([]metrics.Run{
		ended(metrics.Done, "", metrics.Known(1e6, 0), metrics.Known(2e6, 0), metrics.TokensUsage),
		ended(metrics.Done, "", metrics.Known(5, 0), metrics.Known(7, 0), metrics.TokensEstimated),
		ended(metrics.Failed, metrics.FaultReset, none, none, metrics.TokensUnknown),
		ended(metrics.Failed, metrics.FaultHTTP, none, none, metrics.TokensUnknown),
		ended(metrics.Truncated, metrics.FaultHTTP, none, none, metrics.TokensUnknown),
		ended(metrics.Cancelled, metrics.FaultCancelled, none, none, metrics.TokensUnknown),
	})
	want := Warmup{Requests: 6, Failed: 3, Cancelled: 1, Faults: []metrics.FaultCount{{Kind: metrics.FaultHTTP, N: 2},
		{Kind: metrics.FaultReset, N: 1}},
		Prompt: metrics.Known(1e6+5, 2), Output: metrics.Known(2e6, 1), Cost: metrics.Known(5, 1), Currency: "USD"}
	testkit.Same(t, got, want, "counts")
	w := WarmupOf(nil)
	testkit.That(t, w.Requests == 0 && !w.Output.OK && w.Output.Why != 0, "an empty warm-up counts %+v", w)
}
