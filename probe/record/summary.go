package record

import "tokscope/metrics"

// Summary is the JSON form of metrics.Summary: figures over the requests that
// ended well. The others are only counted.
type Summary struct {
	Requests  int            `json:"requests"`
	Done      int            `json:"done"`
	Failed    int            `json:"failed"`
	Truncated int            `json:"truncated"`
	Cancelled int            `json:"canceled"`
	Faults    map[string]int `json:"faults,omitempty"` // by kind

	TTFB    Estimate `json:"ttfb_ms"`
	TTFT    Estimate `json:"ttft_ms"`
	TTFC    Estimate `json:"ttfc_ms"`
	TPOT    Estimate `json:"tpot_ms"`
	Speed   Estimate `json:"speed_tok_per_s"` // per user
	Total   Estimate `json:"total_ms"`
	WPM     Estimate `json:"words_per_minute"`
	Longest Estimate `json:"longest_gap_ms"`
	Peak    Estimate `json:"peak_tok_per_s"` // of each request's fastest second

	Gaps        Dist     `json:"gap_ms"` // all gaps of all requests
	ITL         Dist     `json:"itl_ms"`
	GapsUnknown int      `json:"gaps_unknown"`       // inside bursts, in neither distribution
	LeftOut     *Trimmed `json:"left_out,omitempty"` // of requests beyond the memory for chunks and texts
	Stalls      int      `json:"stalls"`
	Stalled     int      `json:"requests_with_stalls"`

	PromptTokens *float64 `json:"prompt_tokens"` // sum
	OutputTokens *float64 `json:"output_tokens"` // sum
	Estimated    bool     `json:"output_tokens_estimated"`
	Window       *float64 `json:"window_ms"`            // first request sent to last chunk
	Throughput   *float64 `json:"throughput_tok_per_s"` // all streams over the window
	RequestRate  *float64 `json:"requests_per_s"`

	PromptRange Range  `json:"prompt_tokens_range"`
	OutputRange Range  `json:"output_tokens_range"`
	Concurrency Range  `json:"concurrency_range"`
	Reused      int    `json:"connections_reused"` // by requests that got one, however they ended
	Fresh       int    `json:"connections_new"`    // the same
	Retried     int    `json:"retried,omitempty"`  // requests sent again on a new connection
	Stamps      string `json:"stamps"`
	Lag         Lag    `json:"lag"`
	// RateLimit is of the last request's endpoint; absent where no answer told of
	// one.
	RateLimit *RateLimits `json:"rate_limit,omitempty"`
}

// Trimmed counts what was dropped from memory when requests had ended: their
// figures stay. The percentiles of gap_ms and itl_ms name another method then.
type Trimmed struct {
	Requests int `json:"requests"`
	Chunks   int `json:"chunks"`
	Text     int `json:"text_bytes"`
}

// Estimate is a figure over requests, one value each, with the 95 %
// confidence interval of its median.
type Estimate struct {
	Dist
	Low  *float64 `json:"median_low"`
	High *float64 `json:"median_high"`
}

// Range is the smallest and the largest of n values.
type Range struct {
	N   int      `json:"n"`
	Min *float64 `json:"min"`
	Max *float64 `json:"max"`
}

func estimateOf(e metrics.Estimate, say Sentences) Estimate {
	return Estimate{distOf(e.Dist, say), value(e.Low), value(e.High)}
}

func rangeOf(r metrics.Range) Range {
	if r.N == 0 {
		return Range{}
	}
	return Range{r.N, finite(r.Min), finite(r.Max)}
}

// SummaryOf returns the JSON form of s.
func SummaryOf(s metrics.Summary, say Sentences) Summary {
	out := Summary{
		Requests: s.Requests, Done: s.Done, Failed: s.Failed, Truncated: s.Truncated, Cancelled: s.Cancelled,
		TTFB: estimateOf(s.TTFB, say), TTFT: estimateOf(s.TTFT, say),
		TTFC: estimateOf(s.TTFC, say), TPOT: estimateOf(s.TPOT, say),
		Speed: estimateOf(s.Speed, say), Total: estimateOf(s.Total, say), WPM: estimateOf(s.WPM, say),
		Longest: estimateOf(s.Longest, say), Peak: estimateOf(s.Peak, say),
		Gaps: distOf(s.Gaps, say), ITL: distOf(s.ITL, say), GapsUnknown: s.GapsUnknown, Stalls: s.Stalls, Stalled: s.Stalled,
		PromptTokens: value(s.PromptTokens), OutputTokens: value(s.OutputTokens), Estimated: s.Estimated,
		Window: value(s.Window), Throughput: value(s.Throughput), RequestRate: value(s.RequestRate),
		PromptRange: rangeOf(s.Prompt), OutputRange: rangeOf(s.Output), Concurrency: rangeOf(s.Concurrency),
		Reused: s.Reused, Fresh: s.Fresh, Retried: s.Retried, Stamps: summaryStamps(&s), Lag: LagOf(s.Observer, s.Delay, say),
		RateLimit: rateLimitsOf(&s.Limits, say),
	}
	if s.Trimmed > 0 {
		out.LeftOut = &Trimmed{s.Trimmed, s.ChunksTrimmed, s.TextTrimmed}
	}
	for _, f := range s.Faults {
		if out.Faults == nil {
			out.Faults = map[string]int{}
		}
		out.Faults[string(f.Kind)] = f.N
	}
	return out
}

// summaryStamps names the source of the stamps of all requests; "none"
// without any.
func summaryStamps(s *metrics.Summary) string {
	if s.Observer.KernelStamps+s.Observer.UserStamps == 0 {
		return "none"
	}
	return s.Stamps.String()
}
