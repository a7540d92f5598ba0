package record

import "tokscope/metrics/loadstat"

// Warmup counts the requests sent before the measured ones. They are in no figure
// of the document, and neither in the session file nor in the history.
type Warmup struct {
	Requests int            `json:"requests"`
	Failed   int            `json:"failed"`
	Canceled int            `json:"canceled"` // by an interruption
	Faults   map[string]int `json:"faults,omitempty"`
	// Prompt and Output are the tokens that the server counted, null where it
	// counted none; Counted is how many requests they are of.
	Prompt   *float64 `json:"prompt_tokens"`
	Output   *float64 `json:"output_tokens"`
	Counted  int      `json:"requests_counted"`
	Cost     *float64 `json:"cost"` // null without prices
	Currency string   `json:"cost_currency,omitempty"`
}

// WithWarmup adds the warm-up of a probe; nil adds nothing.
func (d *Document) WithWarmup(w *loadstat.Warmup) {
	if w == nil {
		return
	}
	d.Warmup = &Warmup{
		Requests: w.Requests, Failed: w.Failed, Canceled: w.Cancelled, Prompt: value(w.Prompt), Output: value(w.Output),
		Counted: w.Output.N, Cost: value(w.Cost), Currency: w.Currency,
	}
	for _, f := range w.Faults {
		if d.Warmup.Faults == nil {
			d.Warmup.Faults = map[string]int{}
		}
		d.Warmup.Faults[string(f.Kind)] += f.N
	}
}
