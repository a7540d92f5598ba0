package dialect

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
)

// header makes a header of pairs.
func header(pairs ...string) http.Header {
	h := http.Header{}
	for i := 0; i < len(pairs); i += 2 {
		h.Add(pairs[i], pairs[i+1])
	}
	return h
}

func TestHTTPFault(t *testing.T) {
	for _, r := range []struct {
		name    string
		status  int
		header  http.Header
		body    string
		kind    metrics.FaultKind
		code    string
		message string
		next    string // a part of it
	}{
		{"openai", 401, nil, `{"error":{"message":"Incorrect API key provided.","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}`,
			metrics.FaultAuth, "invalid_api_key", "HTTP 401 Unauthorized: Incorrect API key provided", "OPENAI_API_KEY"},
		{"no rights", 403, nil, `{"error":{"message":"Country not supported","type":"t"}}`, metrics.FaultAuth, "t",
			"HTTP 403 Forbidden: Country not supported", "rights"},
		{"type where there is no code", 400, nil, `{"error":{"message":"Bad","type":"invalid_request_error","code":null}}`,
			metrics.FaultHTTP, "invalid_request_error", "HTTP 400 Bad Request: Bad", "field of the request"},
		{"string error (TGI)", 429, nil, `{"error":"Model is overloaded","error_type":"overloaded"}`, metrics.FaultRateLimit,
			"overloaded", "HTTP 429 Too Many Requests: Model is overloaded", "fewer requests"},
		{"rate limit with a wait", 429, header("Retry-After", "7"), `{"error":{"message":"slow down"}}`,
			metrics.FaultRateLimit, "", "HTTP 429 Too Many Requests: slow down", "try again in 7s"},
		{"no credit", 429, nil, `{"error":{"message":"You exceeded your quota","code":"insufficient_quota"}}`,
			metrics.FaultRateLimit, "insufficient_quota", "HTTP 429 Too Many Requests: You exceeded your quota", "billing"},
		{"FastAPI", 404, nil, `{"detail":"Not Found"}`, metrics.FaultHTTP, "", "HTTP 404 Not Found", "/v1"},
		{"FastAPI's list", 422, nil,
			`{"detail":[{"type":"missing","loc":["body","messages"],"msg":"Field required","input":{"message":"not this"}},{"type":"extra_forbidden","loc":["body","x"],"msg":"Extra inputs are not permitted"}]}`,
			metrics.FaultHTTP, "extra_forbidden",
			"HTTP 422 Unprocessable Entity: Field required; Extra inputs are not permitted", "field of the request"},
		{"FastAPI with an object", 500, nil, `{"detail":{"error":"worker died"}}`, metrics.FaultHTTP, "",
			"HTTP 500 Internal Server Error: worker died", "log"},
		{"older vLLM", 400, nil, `{"object":"error","message":"This model's maximum context length is 2048 tokens.","type":"BadRequestError","param":null,"code":400}`,
			metrics.FaultHTTP, "BadRequestError", "HTTP 400 Bad Request: This model's maximum context length is 2048 tokens",
			"shorten the prompt"},
		{"message only", 402, nil, `{"message":"Insufficient Balance"}`, metrics.FaultHTTP, "",
			"HTTP 402 Payment Required: Insufficient Balance", "billing"},
		{"Cloudflare's API", 405, nil,
			`{"success":false,"errors":[{"code":7001,"message":"Method not allowed"}],"result":null}`, metrics.FaultHTTP,
			"7001", "HTTP 405 Method Not Allowed", "path of the URL"},
		{"Gemini's list", 404, nil, `[{"error":{"code":404,"message":"models/x is not found","status":"NOT_FOUND"}}]`,
			metrics.FaultHTTP, "NOT_FOUND", "HTTP 404 Not Found: models/x is not found", "model's name"},
		{"Gemini's wrong key", 400, nil,
			`[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}]`,
			metrics.FaultAuth, "INVALID_ARGUMENT", "HTTP 400 Bad Request: API key not valid. Please pass a valid API key",
			"check the key"},
		{"interim status", 101, nil, "", metrics.FaultProtocol, "",
			"the server answered with HTTP status 101, which no answer to a request has", "inference server"},
		{"status 000", 0, nil, "x", metrics.FaultProtocol, "",
			"the server answered with HTTP status 000, which no answer to a request has", "inference server"},
		{"Anthropic", 529, nil, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`,
			metrics.FaultHTTP, "overloaded_error", "HTTP 529 Overloaded", "wait a moment"},
		{"Anthropic's limit of spending", 429, nil,
			`{"type":"error","error":{"type":"rate_limit_error","message":"No more","details":{"error_code":"org_spend_limit_reached"}},"request_id":"req_1"}`,
			metrics.FaultRateLimit, "org_spend_limit_reached", "HTTP 429 Too Many Requests: No more", "billing"},
		{"Anthropic's rate limit", 429, header("Retry-After", "3"),
			`{"type":"error","error":{"type":"rate_limit_error","message":"Slow down","details":null},"request_id":"req_1"}`,
			metrics.FaultRateLimit, "rate_limit_error", "HTTP 429 Too Many Requests: Slow down", "try again in 3s"},
		{"Anthropic's context", 400, nil,
			`{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}`,
			metrics.FaultHTTP, "invalid_request_error",
			"HTTP 400 Bad Request: prompt is too long: 210000 tokens > 200000 maximum", "shorten the prompt"},
		{"problem details", 415, nil, `{"type":"about:blank","title":"Unsupported Media Type","status":415}`,
			metrics.FaultHTTP, "about:blank", "HTTP 415 Unsupported Media Type", ""},
		{"llama.cpp loading", 503, nil, `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`,
			metrics.FaultHTTP, "unavailable_error", "HTTP 503 Service Unavailable: Loading model", "still loading"},
		{"a page", 502, nil, "<html>\r\n<head><title>502 Bad Gateway</title></head><body>nginx</body></html>",
			metrics.FaultHTTP, "", "HTTP 502 Bad Gateway", "wait a moment"},
		{"a page without a title", 500, nil, "<!DOCTYPE html><p>sorry", metrics.FaultHTTP, "",
			"HTTP 500 Internal Server Error: an HTML page", "log"},
		{"Cloudflare's page", 524, nil, "<title>host | 524: A timeout\n occurred</title>", metrics.FaultHTTP, "",
			"HTTP 524 Cloudflare: the server was reached and sent no byte within Cloudflare's limit: host | 524: A timeout " +
				"occurred", "headers or comments early"},
		{"Cloudflare without a page", 524, nil, "error code: 524", metrics.FaultHTTP, "",
			"HTTP 524 Cloudflare: the server was reached and sent no byte within Cloudflare's limit: error code: 524",
			"headers or comments early"},
		{"Cloudflare before TCP", 522, nil, "", metrics.FaultHTTP, "",
			"HTTP 522 Cloudflare: the server did not take the connection in time", "admits Cloudflare"},
		{"Cloudflare's TLS", 525, nil, `{"error":{"message":"SSL handshake failed"}}`, metrics.FaultHTTP, "",
			"HTTP 525 Cloudflare: the TLS handshake with the server failed: SSL handshake failed", "TLS between"},
		{"Cloudflare's name", 530, nil, "error code: 1016", metrics.FaultHTTP, "",
			"HTTP 530 Cloudflare: the server's name cannot be resolved, or the site is blocked: error code: 1016", "look it up"},
		{"a proxy gave up", 499, nil, "", metrics.FaultHTTP, "", "HTTP 499 Client Closed Request", "raise its timeout"},
		{"nginx wants a certificate", 400, nil,
			"<html><head><title>400 No required SSL certificate was sent</title></head></html>", metrics.FaultHTTP, "",
			"HTTP 400 Bad Request: 400 No required SSL certificate was sent", "client certificate"},
		{"text", 500, nil, "upstream connect error\nand more", metrics.FaultHTTP, "",
			"HTTP 500 Internal Server Error: upstream connect error", "log"},
		{"nothing", 504, nil, "", metrics.FaultHTTP, "", "HTTP 504 Gateway Timeout", "wait a moment"},
		{"unknown status", 799, nil, "", metrics.FaultHTTP, "", "HTTP 799", "log"},
		{"proxy", 407, nil, "", metrics.FaultHTTP, "", "HTTP 407 Proxy Authentication Required", "HTTPS_PROXY"},
		{"too large", 413, nil, "", metrics.FaultHTTP, "", "HTTP 413 Request Entity Too Large", "shorten"},
		{"redirect", 308, header("Location", "https://elsewhere.example/v1"), "", metrics.FaultRedirect, "",
			"HTTP 308 Permanent Redirect", "use https://elsewhere.example/v1"},
		{"not a stream", 200, nil, `{"error":{"message":"boom"}}`, metrics.FaultInStream, "",
			"the answer (HTTP 200) is not an event stream: boom", "can stream"},
		{"nested error", 500, nil, `{"error":{"message":{"error":{"message":"inner","code":"deep"}}}}`, metrics.FaultHTTP,
			"deep", "HTTP 500 Internal Server Error: inner", "log"},
	} {
		t.Run(r.name, func(t *testing.T) {
			f := HTTPFault(r.status, r.header, []byte(r.body))
			if f.Kind != r.kind || f.Status != r.status || f.Code != r.code || f.Message != r.message ||
				!strings.Contains(f.Next, r.next) || r.next == "" && f.Next != "" || f.Body != r.body {
				t.Errorf("%+v", f)
			}
			testkit.That(t, r.kind != metrics.FaultRedirect || f.Location == r.header.Get("Location"), "location %q", f.Location)
		})
	}
}

func TestHTTPFaultBounds(t *testing.T) {
	f := HTTPFault(500, nil, []byte(strings.Repeat("é", 5000)))
	testkit.That(t, len(f.Body) <= maxBody && len(f.Body) >= maxBody-4 && !strings.Contains(f.Body, "\uFFFD"),
		"%d bytes, ends in %q", len(f.Body), f.Body[len(f.Body)-4:])
	testkit.That(t, len(f.Message) <= maxMessage+100, "message of %d bytes", len(f.Message))
	f = HTTPFault(500, nil, []byte(strings.Repeat("\xff ", 5000)))
	testkit.That(t, len(f.Body) <= maxBody, "%d bytes", len(f.Body))
	deep := `{"error":` + strings.Repeat(`{"message":`, 3000) + `"x"` + strings.Repeat("}", 3001)
	f = HTTPFault(400, nil, []byte(deep))
	testkit.Is(t, f.Kind, metrics.FaultHTTP, f)
}

func TestRetryAfter(t *testing.T) {
	const date = "Fri, 20 Nov 2026 12:00:00 GMT"
	for _, r := range []struct {
		name string
		h    http.Header
		want time.Duration
	}{
		{"none", nil, 0},
		{"seconds", header("Retry-After", "3"), 3 * time.Second},
		{"fractions", header("Retry-After", "0.5"), 500 * time.Millisecond},
		{"milliseconds first", header("Retry-After", "3", "Retry-After-Ms", "1250"), 1250 * time.Millisecond},
		{"a date against the server's clock", header("Retry-After", "Fri, 20 Nov 2026 12:01:30 GMT", "Date", date),
			90 * time.Second},
		{"a date in the past", header("Retry-After", "Fri, 20 Nov 2026 11:00:00 GMT", "Date", date), 0},
		{"a date without a clock", header("Retry-After", "Fri, 20 Nov 2026 12:01:30 GMT"), 0},
		{"nonsense", header("Retry-After", "soon"), 0},
		{"negative", header("Retry-After", "-5"), 0},
	} {
		t.Run(r.name, func(t *testing.T) {
			testkit.Is(t, HTTPFault(429, r.h, nil).RetryAfter, r.want)
		})
	}
}
