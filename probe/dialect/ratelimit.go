package dialect

import (
	"net/http"
	"strings"
	"time"

	"tokscope/metrics"
)

// limitHeaders lists the header names of each rate-limit value, best first.
// The shortest window comes first: a burst of requests reaches it first.
var limitHeaders = struct {
	limitRequests, remainingRequests, resetRequests []string
	limitTokens, remainingTokens, resetTokens       []string
}{
	limitRequests: []string{"X-Ratelimit-Limit-Requests", "Anthropic-Ratelimit-Requests-Limit",
		"X-Ratelimit-Limit-Requests-Minute", "X-Ratelimit-Limit-Requests-Hour",
		"X-Ratelimit-Limit-Requests-Day", "X-Ratelimit-Limit", "Ratelimit-Limit"},
	remainingRequests: []string{"X-Ratelimit-Remaining-Requests", "Anthropic-Ratelimit-Requests-Remaining",
		"X-Ratelimit-Remaining-Requests-Minute", "X-Ratelimit-Remaining-Requests-Hour",
		"X-Ratelimit-Remaining-Requests-Day", "X-Ratelimit-Remaining", "Ratelimit-Remaining"},
	resetRequests: []string{"X-Ratelimit-Reset-Requests", "Anthropic-Ratelimit-Requests-Reset",
		"X-Ratelimit-Reset-Requests-Minute", "X-Ratelimit-Reset-Requests-Hour",
		"X-Ratelimit-Reset-Requests-Day", "X-Ratelimit-Reset", "Ratelimit-Reset"},
	limitTokens: []string{"X-Ratelimit-Limit-Tokens", "Anthropic-Ratelimit-Tokens-Limit",
		"X-Ratelimit-Limit-Tokens-Minute", "X-Ratelimit-Limit-Tokens-Hour", "X-Ratelimit-Limit-Tokens-Day",
		"Anthropic-Ratelimit-Output-Tokens-Limit", "X-Ratelimit-Limit-Tokens-Generated"},
	remainingTokens: []string{"X-Ratelimit-Remaining-Tokens", "Anthropic-Ratelimit-Tokens-Remaining",
		"X-Ratelimit-Remaining-Tokens-Minute", "X-Ratelimit-Remaining-Tokens-Hour", "X-Ratelimit-Remaining-Tokens-Day",
		"Anthropic-Ratelimit-Output-Tokens-Remaining", "X-Ratelimit-Remaining-Tokens-Generated"},
	resetTokens: []string{"X-Ratelimit-Reset-Tokens", "Anthropic-Ratelimit-Tokens-Reset",
		"X-Ratelimit-Reset-Tokens-Minute", "X-Ratelimit-Reset-Tokens-Hour",
		"X-Ratelimit-Reset-Tokens-Day", "Anthropic-Ratelimit-Output-Tokens-Reset"},
}

// rateLimit decodes the rate-limit headers of OpenAI, Groq, Azure, Cerebras,
// Anthropic and the usual generic names. Missing values are -1. It returns
// nil if all are missing.
func rateLimit(h http.Header) *metrics.RateLimit {
	now := serverNow(h)
	r := metrics.RateLimit{
		LimitRequests:     firstCount(h, limitHeaders.limitRequests),
		RemainingRequests: firstCount(h, limitHeaders.remainingRequests),
		LimitTokens:       firstCount(h, limitHeaders.limitTokens),
		RemainingTokens:   firstCount(h, limitHeaders.remainingTokens),
		ResetRequests:     firstReset(h, limitHeaders.resetRequests, now),
		ResetTokens:       firstReset(h, limitHeaders.resetTokens, now),
	}
	if r == (metrics.RateLimit{LimitRequests: -1, RemainingRequests: -1,
		LimitTokens: -1, RemainingTokens: -1, ResetRequests: -1, ResetTokens: -1}) {
		return nil
	}
	return &r
}

func firstCount(h http.Header, names []string) int {
	for _, k := range names {
		v, _, _ := strings.Cut(h.Get(k), ",") // RateLimit-Limit may include a policy: 100, 100;w=60
		v, _, _ = strings.Cut(v, ";")
		if n := asCount([]byte(strings.TrimSpace(v))); n >= 0 {
			return n
		}
	}
	return -1
}

func firstReset(h http.Header, names []string, now time.Time) time.Duration {
	for _, k := range names {
		if d, ok := until(strings.TrimSpace(h.Get(k)), now); ok {
			return d
		}
	}
	return -1
}

// serverNow returns the server's clock from its Date header, or the zero
// time. Times from the server are compared with it, so a wrong local clock
// does not matter.
func serverNow(h http.Header) time.Time {
	t, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		return time.Time{}
	}
	return t
}

// until parses a wait in any form that servers use. That is 6m0s, 12ms, 1.5
// (seconds), an RFC 3339 or HTTP date, or an epoch in seconds or
// milliseconds. Dates and epochs need now. A past one is a wait of 0. ok is
// false if v has no such form.
func until(v string, now time.Time) (d time.Duration, ok bool) {
	if v == "" {
		return 0, false
	}
	if n, isNumber := asFloat([]byte(v)); isNumber {
		switch {
		case n >= 1e12:
			return sinceDate(time.UnixMilli(int64(min(n, 1e15))), now)
		case n >= 1e9:
			return sinceDate(time.Unix(int64(n), 0), now)
		}
		return duration(n, time.Second)
	}
	if d, err := time.ParseDuration(v); err == nil {
		return d, d >= 0 && d <= longest
	}
	if t, err := time.Parse(time.RFC3339, v); err == nil {
		return sinceDate(t, now)
	}
	if t, err := http.ParseTime(v); err == nil {
		return sinceDate(t, now)
	}
	return 0, false
}

func sinceDate(t, now time.Time) (time.Duration, bool) {
	if now.IsZero() {
		return 0, false
	}
	d := max(t.Sub(now), 0)
	return d, d <= longest
}

// retryAfter returns the wait that the server asks for, or 0: retry-after-ms,
// or Retry-After in seconds or as a date.
func retryAfter(h http.Header) time.Duration {
	for _, k := range []string{"Retry-After-Ms", "X-Ms-Retry-After-Ms"} {
		if v, ok := asFloat([]byte(strings.TrimSpace(h.Get(k)))); ok {
			if d, ok := duration(v, time.Millisecond); ok {
				return d
			}
		}
	}
	d, _ := until(strings.TrimSpace(h.Get("Retry-After")), serverNow(h))
	return d
}
