package record

import (
	"time"

	"tokscope/metrics"
)

// RateLimit is the JSON form of metrics.RateLimit: what the headers of one answer
// say. null is not given.
type RateLimit struct {
	LimitRequests     *int     `json:"limit_requests"`
	RemainingRequests *int     `json:"remaining_requests"`
	ResetRequests     *float64 `json:"reset_requests_ms"` // from the answer on
	LimitTokens       *int     `json:"limit_tokens"`
	RemainingTokens   *int     `json:"remaining_tokens"`
	ResetTokens       *float64 `json:"reset_tokens_ms"`
}

// RateLimits is the JSON form of metrics.LimitForecasts. A limit that no answer
// told of is null.
type RateLimits struct {
	Requests *LimitForecast `json:"requests"`
	Tokens   *LimitForecast `json:"tokens"`
}

// LimitForecast is what one rate limit allows at the present pace. Times count
// from the moment of the document.
type LimitForecast struct {
	Limit   *int     `json:"limit"`
	Left    *int     `json:"remaining"` // as of the last answer
	Age     *float64 `json:"age_ms"`    // of that answer
	Reset   *float64 `json:"reset_ms"`  // until the limit is full again
	Pace    *float64 `json:"pace_per_s"`
	UsedUp  *float64 `json:"used_up_ms"` // until nothing is left at that pace
	Outcome string   `json:"outcome"`    // "used_up" before the reset, "lasts" past it, "reset": it has passed; "" unknown
	Answers int      `json:"answers"`    // that the forecast rests on
	Text    string   `json:"text,omitempty"`
	// Unknown has the reason of each null figure.
	Unknown map[string]string `json:"unknown,omitempty"`
}

// given returns n, nil where it was not given.
func given(n int) *int {
	if n < 0 {
		return nil
	}
	return &n
}

// rateLimitOf returns the JSON form of r, nil for none.
func rateLimitOf(r *metrics.RateLimit) *RateLimit {
	if r == nil {
		return nil
	}
	wait := func(d time.Duration) *float64 {
		if d < 0 {
			return nil
		}
		return finite(msOf(d))
	}
	return &RateLimit{given(r.LimitRequests), given(r.RemainingRequests),
		wait(r.ResetRequests), given(r.LimitTokens), given(r.RemainingTokens), wait(r.ResetTokens)}
}

// restore returns what r was made from. Values that no header has count as not
// given.
func (r *RateLimit) restore() *metrics.RateLimit {
	count := func(n *int) int {
		if n == nil || *n < 0 {
			return -1
		}
		return *n
	}
	wait := func(ms *float64) time.Duration {
		if ms == nil || !(*ms >= 0) {
			return -1
		}
		return durationOf(*ms)
	}
	return &metrics.RateLimit{
		LimitRequests:     count(r.LimitRequests),
		RemainingRequests: count(r.RemainingRequests), ResetRequests: wait(r.ResetRequests),
		LimitTokens: count(r.LimitTokens), RemainingTokens: count(r.RemainingTokens), ResetTokens: wait(r.ResetTokens),
	}
}

// rateLimitsOf returns the JSON form of f, nil where no answer told of a limit.
func rateLimitsOf(f *metrics.LimitForecasts, say Sentences) *RateLimits {
	if !f.Known() {
		return nil
	}
	return &RateLimits{limitForecastOf(&f.Requests, "requests", say), limitForecastOf(&f.Tokens, "tokens", say)}
}

func limitForecastOf(f *metrics.LimitForecast, what string, say Sentences) *LimitForecast {
	if !f.Known() {
		return nil
	}
	out := &LimitForecast{Limit: given(f.Limit), Left: given(f.Left), Outcome: string(f.Outcome), Answers: f.Answers}
	for _, x := range []struct {
		name string
		v    metrics.Value
		to   **float64
	}{{"age_ms", f.Age, &out.Age}, {"reset_ms", f.Reset, &out.Reset},
		{"pace_per_s", f.Pace, &out.Pace}, {"used_up_ms", f.UsedUp, &out.UsedUp}} {
		if *x.to = value(x.v); *x.to == nil {
			if out.Unknown == nil {
				out.Unknown = map[string]string{}
			}
			out.Unknown[x.name] = say.why(x.v.Why)
		}
	}
	if say.RateLimit != nil {
		out.Text = say.RateLimit(f, what)
	}
	return out
}
