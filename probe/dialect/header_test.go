package dialect

import (
	"net/http"
	"testing"
	"time"
)

func TestHeaders(t *testing.T) {
	const date = "Fri, 20 Nov 2026 12:00:00 GMT"
	for _, r := range []struct {
		name string
		h    http.Header
		want string
	}{
		{"none", http.Header{}, ""},
		{"openai", header("Openai-Processing-Ms", "212", "X-Request-Id", "r", "Cf-Ray", "c"),
			"processing 212ms by openai-processing-ms | id r"},
		{"anthropic", header("Request-Id", "r"), "id r"},
		{"openrouter", header("X-Generation-Id", "g", "X-Provider-Name", "P"), "id g | provider P"},
		{"azure", header("Apim-Request-Id", "a"), "id a"},
		{"edge only", header("Cf-Ray", "c"), "id c"},
		{"envoy", header("X-Envoy-Upstream-Service-Time", "88"), "processing 88ms by x-envoy-upstream-service-time"},
		{"fireworks", header("Fireworks-Server-Time-To-First-Token", "0.091"),
			"ttft 91ms by fireworks-server-time-to-first-token"},
		{"litellm", header("X-Litellm-Response-Duration-Ms", "310.5"),
			"processing 310.5ms by x-litellm-response-duration-ms"},
		{"server timing", header("Server-Timing", `cache;desc="hit, miss;dur=9", queue;dur=1.5;desc=q, gfet4t7; dur=1034`,
			"Server-Timing", "total;dur=5;dur=6"),
			"queue 1.5ms by server-timing queue | gfet4t7 1.034s by server-timing gfet4t7 | total 5ms by server-timing total"},
		{"broken server timing", header("Server-Timing", `;;=,a;dur=x,b;dur=-1,"unended`), ""},
		{"no number", header("Openai-Processing-Ms", "fast"), ""},
		{"limits in seconds (Azure)", header("X-Ratelimit-Limit-Requests", "10", "X-Ratelimit-Remaining-Requests", "0",
			"X-Ratelimit-Reset-Requests", "60"), "requests 0 of 10 for 1m0s | tokens -1 of -1 for -1ns"},
		{"shortest window (Cerebras)", header("X-Ratelimit-Limit-Requests-Day", "14400", "X-Ratelimit-Limit-Requests-Minute",
			"30", "X-Ratelimit-Remaining-Tokens-Minute", "60000"), "requests -1 of 30 for -1ns | tokens 60000 of -1 for -1ns"},
		{"policy in the value", header("Ratelimit-Limit", "100, 100;w=60", "Ratelimit-Remaining", "99"),
			"requests 99 of 100 for -1ns | tokens -1 of -1 for -1ns"},
		{"epochs", header("X-Ratelimit-Limit", "20", "X-Ratelimit-Reset", "1795176030000", "Date", date),
			"requests -1 of 20 for 30s | tokens -1 of -1 for -1ns"},
		{"epochs in seconds", header("X-Ratelimit-Limit", "20", "X-Ratelimit-Reset", "1795176030", "Date", date),
			"requests -1 of 20 for 30s | tokens -1 of -1 for -1ns"},
		{"hostile counts", header("X-Ratelimit-Remaining-Tokens", "-5", "X-Ratelimit-Remaining-Requests", "NaN",
			"X-Ratelimit-Limit-Tokens", "1e300", "X-Ratelimit-Limit-Requests", "12\x1b[2J", "X-Ratelimit-Reset-Tokens", "1s"),
			"requests -1 of -1 for -1ns | tokens -1 of -1 for 1s"},
		{"hostile waits", header("X-Ratelimit-Remaining-Tokens", "5", "X-Ratelimit-Reset-Tokens", "-6m0s",
			"X-Ratelimit-Reset-Requests", "9e99"), "requests -1 of -1 for -1ns | tokens 5 of -1 for -1ns"},
		{"a wait beyond all reason", header("X-Ratelimit-Remaining-Tokens", "5", "X-Ratelimit-Reset-Tokens", "2562047h",
			"X-Ratelimit-Reset-Requests", "+Inf"), "requests -1 of -1 for -1ns | tokens 5 of -1 for -1ns"},
		{"a past moment, by our clock", header("Anthropic-Ratelimit-Requests-Limit", "20",
			"Anthropic-Ratelimit-Requests-Reset", "2001-11-20T12:00:01Z"),
			"requests -1 of 20 for 0s | tokens -1 of -1 for -1ns"},
	} {
		t.Run(r.name, func(t *testing.T) {
			d, out := New(), Out{}
			d.Header(r.h, &out)
			if got := describe(&out); got != r.want {
				t.Errorf("got  %s\nwant %s", got, r.want)
			}
		})
	}
}

func TestResetForms(t *testing.T) {
	for v, want := range map[string]time.Duration{
		"12ms": 12 * time.Millisecond, "6m0s": 6 * time.Minute, "1s": time.Second, "2m59.56s": 179560 * time.Millisecond,
		"7.66s": 7660 * time.Millisecond, "33011.382867": 33011382867 * time.Microsecond, "0": 0, "1h2m": 62 * time.Minute,
	} {
		if got, ok := until(v, time.Time{}); !ok || got != want {
			t.Errorf("%s: %v %v, want %v", v, got, ok, want)
		}
	}
	for _, v := range []string{"", "-1s", "soon", "99999h", "1e99"} {
		if got, ok := until(v, time.Time{}); ok {
			t.Errorf("%q: %v", v, got)
		}
	}
}

// TestRequestID checks that the best source wins, in any order.
func TestRequestID(t *testing.T) {
	ids := func(h http.Header, docs ...string) (got []string) {
		d, out := New(), Out{}
		d.Header(h, &out)
		got = append(got, out.RequestID)
		for _, doc := range docs {
			d.Event(event(doc), &out)
			got = append(got, out.RequestID)
		}
		return got
	}
	alive, chunk := `{"id":"alive","choices":[{"delta":{}}]}`, `{"id":"chunk","choices":[{"delta":{"content":"a"}}]}`
	role, groq := `{"id":"role","choices":[{"delta":{"role":"assistant"}}]}`,
		`{"id":"other","choices":[],"x_groq":{"id":"req"}}`
	for _, r := range []struct {
		name string
		got  []string
		want []string
	}{
		{"header", ids(header("X-Request-Id", "h"), chunk, groq), []string{"h", "", ""}},
		{"edge, then chunk, then upstream", ids(header("Cf-Ray", "c"), chunk, groq, groq), []string{"c", "chunk", "req", ""}},
		{"chunk", ids(http.Header{}, chunk, chunk), []string{"", "chunk", ""}},
		{"keep-alives, then chunk", ids(http.Header{}, alive, alive, chunk, alive), []string{"", "", "", "chunk", ""}},
		{"keep-alive, edge", ids(header("Cf-Ray", "c"), alive, chunk), []string{"c", "", "chunk"}},
		{"keep-alive, header", ids(header("Request-Id", "h"), alive, chunk), []string{"h", "", ""}},
		{"role, then another's text", ids(http.Header{}, alive, role, chunk), []string{"", "", "role", "chunk"}},
		{"an error", ids(http.Header{}, `{"id":"e","error":{"message":"boom"}}`), []string{"", "e"}},
	} {
		for i := range r.want {
			if r.got[i] != r.want[i] {
				t.Errorf("%s: %q, want %q", r.name, r.got, r.want)
				break
			}
		}
	}
}
