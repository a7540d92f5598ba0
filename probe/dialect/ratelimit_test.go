package dialect

import (
	"strings"
	"testing"
	"time"
)

// TestWaits: whatever form a server gives the end of its limit, that is the wait of the
// fault and of its advice.
func TestWaits(t *testing.T) {
	const date = "Fri, 20 Nov 2026 12:00:00 GMT"
	const min, sec = time.Minute, time.Second
	for _, c := range []struct {
		name   string
		status int
		header []string
		body   string
		want   time.Duration
		next   string
	}{
		{"headers: OpenAI", 429, []string{"x-ratelimit-remaining-requests", "0", "x-ratelimit-reset-requests", "7m12s"}, "",
			7*min + 12*sec, "try again in 7m12s"},
		{"headers: tokens, while requests are left", 429, []string{"x-ratelimit-remaining-requests", "9",
			"x-ratelimit-reset-requests", "2s",
			"x-ratelimit-remaining-tokens", "0", "x-ratelimit-reset-tokens", "41s"}, "{}", 41 * sec, "try again in 41s"},
		{"headers: the day is used up, the minute is not", 429, []string{"x-ratelimit-remaining-requests-minute", "29",
			"x-ratelimit-reset-requests-minute", "3",
			"x-ratelimit-remaining-requests-day", "0", "x-ratelimit-reset-requests-day", "5400"}, "", 90 * min,
			"try again in 1h30m0s"},
		{"headers: Anthropic's moment", 429, []string{"anthropic-ratelimit-input-tokens-remaining", "0",
			"anthropic-ratelimit-input-tokens-reset", "2026-11-20T12:00:33Z", "date", date}, "", 33 * sec, "try again in 33s"},
		{"headers: seconds left", 429, []string{"x-ratelimit-limit", "5", "x-ratelimit-remaining", "0",
			"x-ratelimit-timeremaining", "17"}, "", 17 * sec, "try again in 17s"},
		{"headers: only a reset, and 429", 429, []string{"x-ratelimit-reset", "1795176030", "date", date}, "", 30 * sec,
			"try again in 30s"},
		{"headers: only a reset, and no 429", 500, []string{"x-ratelimit-reset", "30"}, "", 0, "log"},
		{"headers: something is left", 503, []string{"x-ratelimit-remaining", "3", "x-ratelimit-reset", "30"}, "", 0,
			"a moment"},
		{"headers: no such limit", 503, []string{"x-ratelimit-limit", "0", "x-ratelimit-remaining", "0", "x-ratelimit-reset",
			"30"}, "", 0, "a moment"},
		{"IETF", 429, []string{"RateLimit-Policy", `"default";q=100;w=60`, "RateLimit", `"default";r=0;t=30`}, "", 30 * sec,
			"try again in 30s"},
		{"IETF: two policies", 429, []string{"RateLimit", `"burst";r=4;t=2, "day, all";r=0;t=600`}, "", 10 * min,
			"try again in 10m0s"},
		{"IETF: of tokens", 429, []string{"RateLimit-Policy", `p;q=9000;qu="tokens"`, "RateLimit", `p;r=0;t=12`}, "",
			12 * sec, "try again in 12s"},
		{"IETF: the older form", 429, []string{"RateLimit", "limit=10, remaining=0, reset=44"}, "", 44 * sec,
			"try again in 44s"},
		{"IETF: the older form with semicolons", 429, []string{"RateLimit", "limit=10; remaining=0; reset=45"}, "", 45 * sec,
			"try again in 45s"},
		{"Retry-After stands above a reset", 429, []string{"Retry-After", "2", "x-ratelimit-remaining", "0",
			"x-ratelimit-reset", "60"}, "", 2 * sec, "try again in 2s"},
		{"body: Gemini", 429, nil,
			`[{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34s"}]}}]`, 34 * sec, "try again in 34s"},
		{"body: OpenRouter", 429, []string{"date", date},
			`{"error":{"code":429,"metadata":{"headers":{"X-RateLimit-Limit":"20","X-RateLimit-Remaining":"0","X-RateLimit-Reset":"1795176042000"}}}}`, 42 * sec, "try again in 42s"},
		{"body: seconds", 429, nil, `{"error":{"type":"usage_limit_reached","resets_in_seconds":3600,"plan_type":"plus"}}`,
			time.Hour, "try again in 1h0m0s"},
		{"body: milliseconds", 503, nil, `{"message":"busy","retry_after_ms":1500}`, 1500 * time.Millisecond,
			"try again in 1.5s"},
		{"body: retryAfter", 429, nil, `{"detail":{"retryAfter":6}}`, 6 * sec, "try again in 6s"},
		{"words: OpenAI", 429, nil,
			`{"error":{"message":"Rate limit reached for gpt in organization org-1 on requests per min (RPM): Limit 3, Used 3. Please try again in 20s. Visit https://x"}}`, 20 * sec, "try again in 20s"},
		{"words: Groq", 429, nil,
			`{"error":{"message":"Limit 100000, Used 99000, Requested 1200. Please try again in 7m12.5s."}}`,
			7*min + 12500*time.Millisecond, "try again in 7m12.5s"},
		{"words: Azure", 429, nil,
			`{"error":{"code":"429","message":"Requests have exceeded token rate limit. Please retry after 12 seconds."}}`,
			12 * sec, "try again in 12s"},
		{"words: minutes and seconds", 429, nil, `try again in 2 minutes 5 seconds`, 125 * sec, "try again in 2m5s"},
		{"words: LiteLLM", 429, []string{"date", date},
			`{"error":{"message":"Rate limit exceeded. Remaining: 0. Limit resets at: 2026-11-20 12:00:50 UTC"}}`, 50 * sec,
			"try again in 50s"},
		{"no wait in words", 429, nil,
			`{"error":{"message":"try again in a while, or reset your key","retries":3,"reset":false}}`, 0, "a moment"},
		{"hostile", 429, nil, `{"retry_after":-5,"reset":1e300,"retryDelay":"soon","resets_at":"x"}`, 0, "a moment"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := HTTPFault(c.status, header(c.header...), []byte(c.body))
			if f.RetryAfter != c.want || !strings.Contains(f.Next, c.next) {
				t.Errorf("wait %v, want %v; next %q", f.RetryAfter, c.want, f.Next)
			}
		})
	}
}

// TestWaitWithoutDate: without the server's clock a moment counts from ours.
func TestWaitWithoutDate(t *testing.T) {
	at := time.Now().Add(30 * time.Second)
	for _, h := range [][]string{
		{"Retry-After", at.UTC().Format("Mon, 02 Jan 2006 15:04:05 GMT")},
		{"X-Ratelimit-Remaining", "0", "X-Ratelimit-Reset", at.Format(time.RFC3339)},
		{"Anthropic-Ratelimit-Tokens-Remaining", "0", "Anthropic-Ratelimit-Tokens-Reset", at.UTC().Format(time.RFC3339)},
	} {
		if got := HTTPFault(429, header(h...), nil).RetryAfter; got < 20*time.Second || got > 31*time.Second {
			t.Errorf("%v: %v", h, got)
		}
	}
}

// TestWaitInTheStream: an error inside an answer names its wait as well.
func TestWaitInTheStream(t *testing.T) {
	for doc, want := range map[string]time.Duration{
		`{"error":{"message":"Rate limit reached. Please try again in 3.2s.","code":"rate_limit_exceeded"}}`: 3200 * time.Millisecond,
		`{"error":{"code":429,"message":"slow down","metadata":{"retry_after_seconds":9}}}`:                  9 * time.Second,
		`{"error":{"message":"boom"}}`: 0,
	} {
		d, out := New(), Out{}
		if d.Event(event(doc), &out); out.Fault == nil || out.Fault.RetryAfter != want {
			t.Errorf("%s: %+v", doc, out.Fault)
		}
	}
}
