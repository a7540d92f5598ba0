package dialect

import (
	"net/http"
	"strings"
	"time"

	"tokscope/metrics"
)

// limitHeaders returns the header names of a rate-limit value, best first: what is
// Limit, Remaining or Reset, of Requests or Tokens. The shortest window comes first: a
// burst of requests reaches it first.
func limitHeaders(what, of string) []string {
	name := "X-Ratelimit-" + what
	list := []string{name + "-" + of, "Anthropic-Ratelimit-" + of + "-" + what,
		name + "-" + of + "-Minute", name + "-" + of + "-Hour", name + "-" + of + "-Day"}
	if of == "Tokens" {
		return append(list, "Anthropic-Ratelimit-Output-Tokens-"+what, name+"-Tokens-Generated")
	}
	return append(list, name, "Ratelimit-"+what)
}

// rateLimit decodes the rate-limit headers of OpenAI, Groq, Azure, Cerebras,
// Anthropic and the usual generic names. Missing values are -1. It returns
// nil if all are missing.
func rateLimit(h http.Header) *metrics.RateLimit {
	now := serverNow(h)
	count := func(what, of string) int { return firstCount(h, limitHeaders(what, of)) }
	r := metrics.RateLimit{
		LimitRequests: count("Limit", "Requests"), RemainingRequests: count("Remaining", "Requests"),
		LimitTokens: count("Limit", "Tokens"), RemainingTokens: count("Remaining", "Tokens"),
		ResetRequests: firstReset(h, limitHeaders("Reset", "Requests"), now),
		ResetTokens:   firstReset(h, limitHeaders("Reset", "Tokens"), now),
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
