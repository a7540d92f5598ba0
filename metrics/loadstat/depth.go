package loadstat

import "tokscope/metrics"

// DepthSide holds the requests of a depth with one kind of prefix. Every
// figure is a median, and its N is the number of requests behind it.
type DepthSide struct {
	Prompt metrics.Value `json:"prompt_tokens"` // as the server counted them
	Cached metrics.Value `json:"cached_tokens"` // of these, found in the server's prefix cache
	TTFT   metrics.Value `json:"ttft_ms" form:"n=n"`
	// Prefill is the median of prompt tokens / TTFT, tok/s. It counts cached
	// tokens too, so a warm prefix reads as a higher speed.
	Prefill metrics.Value `json:"prefill_tok_per_s"`
	Ended   int           `json:"ended_well"` // requests that ended well
	Failed  int           `json:"failed"`
}

// DepthRow is one depth.
type DepthRow struct {
	Depth int `json:"depth_tokens"` // prompt tokens asked for
	// TooLong: prompt and answer exceed DepthOutcome.Context. Nothing was sent.
	TooLong bool      `json:"exceeds_context"`
	Cold    DepthSide `json:"cold"` // prompts that were new to the server
	Warm    DepthSide `json:"warm"` // the same prompts again
	// TPOT, ms, and Speed, tok/s of one user, are medians over the cold and the
	// warm requests: a prefix cache does not change decode.
	TPOT      metrics.Value `json:"tpot_ms" form:"n=n"`
	Speed     metrics.Value `json:"speed_tok_per_s"`
	Estimated bool          `json:"tokens_estimated"` // the tokens of an answer were estimated, not counted
}

// DepthOutcome is a finished or interrupted sweep over prompt lengths.
type DepthOutcome struct {
	Endpoint metrics.Endpoint `json:"endpoint"`
	Model    string           `json:"model_reported,omitempty"`        // that answered last, by the server's name
	Context  int              `json:"context_tokens" form:"null=zero"` // of the model, as the server lists it; 0: unknown
	Rows     []DepthRow       `json:"rows"`                            // in order; a row that was interrupted is left out
	Fit      TTFTFit          `json:"ttft_fit"`                        // of the cold requests of all depths
	Stopped  metrics.Ending   `json:"stopped,omitzero"`                // why depths are missing
	Fault    *metrics.Fault   `json:"fault,omitempty"`                 // an example of a failed request, nil without one
	// Interrupted is true when a person ended it.
	Interrupted bool          `json:"interrupted"`
	Tokens      float64       `json:"tokens_used"` // prompt and output of everything sent
	Cost        metrics.Value `json:"cost"`        // in the currency of the prices
	Currency    string        `json:"currency,omitempty"`
	Observer    metrics.Observer
	Stamps      string `json:"stamps"` // who took them, as View.Stamps
}

// DepthSamples collects the requests of a depth. The zero value is empty. It is
// not safe for concurrent use.
type DepthSamples struct {
	cold, warm  depthSamples
	tpot, speed metrics.Middle
	estimated   bool
}

type depthSamples struct {
	prompt, cached, ttft, prefill metrics.Middle
	ended, failed                 int
}

// Add counts an ended request. warm: its prompt was sent before.
func (s *DepthSamples) Add(v *metrics.Stream, f *metrics.Figures, warm bool) {
	side := &s.cold
	if warm {
		side = &s.warm
	}
	if v.State != metrics.Done {
		side.failed++
		return
	}
	side.ended++
	side.prompt.Add(f.PromptTokens)
	side.cached.Add(f.CachedTokens)
	side.ttft.Add(f.TTFT)
	side.prefill.Add(prefillOf(f))
	s.tpot.Add(f.TPOT)
	s.speed.Add(f.Speed)
	s.estimated = s.estimated || f.Estimated()
}

// Row returns the figures of the requests so far.
func (s *DepthSamples) Row(depth int) DepthRow {
	return DepthRow{Depth: depth, Cold: s.cold.side(), Warm: s.warm.side(), Estimated: s.estimated,
		TPOT: s.tpot.Median(metrics.WhyNoneEndedWell), Speed: s.speed.Median(metrics.WhyNoneEndedWell)}
}

func (s *depthSamples) side() DepthSide {
	none := metrics.WhyNoneEndedWell
	return DepthSide{Prompt: s.prompt.Median(none), Cached: s.cached.Median(none), TTFT: s.ttft.Median(none),
		Prefill: s.prefill.Median(none), Ended: s.ended, Failed: s.failed}
}

// prefillOf returns prompt tokens / TTFT, tok/s.
func prefillOf(f *metrics.Figures) metrics.Value {
	switch {
	case !f.PromptTokens.OK:
		return f.PromptTokens
	case !f.TTFT.OK:
		return f.TTFT
	}
	return metrics.Finite(f.PromptTokens.V*1000/f.TTFT.V, 1)
}

// DepthFit fits TTFT to the prompt tokens of cold requests. Prompts that the
// server did not count are left out.
func DepthFit(cold []metrics.Figures) TTFTFit {
	prompts, ttfts := make([]float64, len(cold)), make([]float64, len(cold))
	for i := range cold {
		prompts[i], ttfts[i] = cold[i].PromptTokens.OrNaN(), cold[i].TTFT.OrNaN()
	}
	return FitTTFT(prompts, ttfts)
}
