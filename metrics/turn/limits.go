package turn

import "tokscope/metrics"

// Limits are the rate limits of the last answer that told them.
type Limits struct {
	metrics.LimitForecasts
	// Turns is for how many turns like the last five what is left is enough, before a reset.
	// All their tokens count, cached ones too, so it is a lower bound where a provider leaves
	// them out. Unknown with fewer than three.
	Turns metrics.Value
}
