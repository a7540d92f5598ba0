package loadstat

import "tokscope/metrics"

// Warmup counts the requests that were sent before the measured ones. They are
// in no figure.
type Warmup struct {
	Requests int `json:"requests"` // that were sent
	Failed   int `json:"failed"`   // failed or truncated
	// Cancelled are those that an interruption stopped.
	Cancelled int                  `json:"canceled"`
	Faults    []metrics.FaultCount `json:"faults,omitempty"` // of the failed ones, most frequent first
	// Prompt and Output are the tokens that the server counted, and Cost what
	// they cost, in Currency. N is the number of requests with a count; without
	// any they are unknown.
	Prompt   metrics.Value `json:"prompt_tokens"`
	Output   metrics.Value `json:"output_tokens" form:"n=requests_counted"`
	Cost     metrics.Value `json:"cost"`
	Currency string        `json:"cost_currency,omitempty"`
}

// WarmupOf counts the requests of a warm-up.
func WarmupOf(runs []metrics.Run) Warmup {
	w := Warmup{Requests: len(runs), Prompt: metrics.Unknown(metrics.WhyNotCounted),
		Output: metrics.Unknown(metrics.WhyNotCounted), Cost: metrics.Unknown(metrics.WhyNotCounted)}
	add := func(sum *metrics.Value, v metrics.Value) {
		if v.OK {
			*sum = metrics.Known(sum.V+v.V, sum.N+1)
		} else if sum.N == 0 {
			sum.Why = v.Why
		}
	}
	for i := range runs {
		s, f := &runs[i].Stream, &runs[i].Figures
		switch s.State {
		case metrics.Failed, metrics.Truncated:
			w.Failed++
			if s.Fault != nil {
				w.Faults = metrics.AddFaults(w.Faults, s.Fault.Count())
			}
		case metrics.Cancelled:
			w.Cancelled++
		}
		add(&w.Prompt, f.PromptTokens)
		if f.TokenSource != metrics.TokensEstimated {
			add(&w.Output, f.Tokens)
		}
		add(&w.Cost, metrics.Cost(s, f))
		if c := s.Endpoint.Price.Currency; c != "" {
			w.Currency = c
		}
	}
	return w
}
