package dialect

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"tokscope/metrics"
)

// HTTPFault returns the fault of an answer that is not a stream. The status
// gives its kind. It holds the server's message in any shape (see errorOf),
// the wait, and the next step. h may be nil. At most 4 KiB of body are kept.
// A 2xx status gives FaultNotStream, or FaultInStream where the body is an error.
//
// Nothing is redacted: the caller scrubs keys that the server may echo.
func HTTPFault(status int, h http.Header, body []byte) *metrics.Fault {
	e := serverError{}
	if len(body) > 0 {
		e = errorOf(body)
	}
	broken := len(body) > 0 && !json.Valid(body) && bytes.Contains(body, []byte(`"error"`))
	if status < 200 {
		return &metrics.Fault{
			Kind: metrics.FaultProtocol, Status: status, Body: BodyStart(body),
			Message: fmt.Sprintf("the server answered with HTTP status %03d, which no answer to a request has", status),
			Next:    "check that the address is that of an inference server",
		}
	}
	f := &metrics.Fault{Kind: kindOf(status), Status: status,
		Code: e.code, Body: BodyStart(body), RetryAfter: waitOf(status, h, body)}
	if f.Kind == metrics.FaultNotStream && (e.found || broken) {
		f.Kind = metrics.FaultInStream
	}
	if f.Kind == metrics.FaultRedirect {
		f.Location = h.Get("Location")
	}
	f.Message = statusLine(status)
	if said := Excerpt([]byte(cmp.Or(e.message, e.code)), maxMessage); said != "" && !repeats(f.Message, said) {
		f.Message += ": " + said
	}
	f.Next = nextStep(status, h, e, f.RetryAfter)
	if status == http.StatusBadRequest && hold(e.words(), // Gemini answers so to a wrong key
		"api key not valid", "api_key_invalid", "invalid_api_key", "invalid api key", "incorrect api key") {
		f.Kind, f.Next = metrics.FaultAuth, nextStep(http.StatusUnauthorized, h, e, 0)
	}
	if f.Next == "" && (status == http.StatusBadRequest || status == http.StatusUnprocessableEntity) {
		f.Next = "the server refuses a field of the request: its message names it"
	}
	return f
}

func kindOf(status int) metrics.FaultKind {
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return metrics.FaultAuth
	case status == http.StatusTooManyRequests:
		return metrics.FaultRateLimit
	case status >= 300 && status < 400 && status != http.StatusNotModified:
		return metrics.FaultRedirect
	case status >= 200 && status < 300:
		return metrics.FaultNotStream
	}
	return metrics.FaultHTTP
}

// repeats reports whether said, a server's message, is the status line again:
// proxies answer 502 with a page that says "502 Bad Gateway".
func repeats(line, said string) bool {
	said = strings.TrimPrefix(strings.ToLower(strings.TrimRight(said, ". ")), "http ")
	line = strings.TrimPrefix(strings.ToLower(line), "http ")
	_, text, _ := strings.Cut(line, " ")
	return said == line || said == text
}

// statusLine names a status in words, including nonstandard ones of large
// providers.
func statusLine(status int) string {
	text := http.StatusText(status)
	switch {
	case status >= 200 && status < 300:
		return fmt.Sprintf("the answer (HTTP %d) is not an event stream", status)
	case text != "":
	case gatewayStatus[status].text != "":
		text = gatewayStatus[status].text
	default:
		return fmt.Sprintf("HTTP %d", status)
	}
	return fmt.Sprintf("HTTP %d %s", status, text)
}

// gatewayStatus are the statuses of gateways that no standard names, with what to do;
// "" as for other failures of that class.
var gatewayStatus = map[int]struct{ text, next string }{
	498: {"Capacity Exceeded", ""},
	499: {"Client Closed Request", "a proxy on the way gave up before the answer: raise its timeout, or " + early},
	520: {"Cloudflare: the server's answer was empty or broken", "look at the server's log"},
	521: {"Cloudflare: the server refused the connection", "check that it runs and admits Cloudflare's addresses"},
	522: {"Cloudflare: the server did not take the connection in time",
		"check that it runs, is not overloaded, and admits Cloudflare's addresses"},
	523: {"Cloudflare: no route to the server", "check the server's address at Cloudflare (DNS)"},
	524: {"Cloudflare: the server was reached and sent no byte within Cloudflare's limit",
		early + "; Cloudflare waits about 100 s"},
	525: {"Cloudflare: the TLS handshake with the server failed", "check TLS between Cloudflare and the server"},
	526: {"Cloudflare: the server's certificate is not valid", "renew it, or check the TLS mode at Cloudflare"},
	527: {"Cloudflare: the connection to the server broke", ""},
	529: {"Overloaded", ""},
	530: {"Cloudflare: the server's name cannot be resolved, or the site is blocked",
		"its page has a number from 1000 on: look it up"},
}

// WantsCertificate is the next step after an answer that asks for a client certificate, as
// nginx sends it where there is none or one that it does not trust.
const WantsCertificate = "the server wants a client certificate that it trusts: " +
	"give it with --cert and --key, or cert and cert_key in the profile"

// early is the mend of a gateway that waits for a first byte.
const early = "let the server send headers or comments early"

// nextStep returns what the user can do about an error, or "". after is the wait, 0 for
// an unknown one.
func nextStep(status int, h http.Header, e serverError, after time.Duration) string {
	words := e.words()
	has := func(texts ...string) bool { return hold(words, texts...) }
	wait := "wait a moment and try again"
	if after > 0 {
		wait = "try again in " + after.Round(100*time.Millisecond).String()
	}
	if g := gatewayStatus[status]; g.next != "" {
		return g.next
	}
	switch {
	case status >= 400 && status < 500 && has("ssl certificate", "client certificate"):
		return WantsCertificate
	case status == 401:
		return "check the key: the provider's variable (such as OPENAI_API_KEY), or api_key_env of the profile"
	case status == 407:
		return "set the proxy's user and password in its variable: HTTPS_PROXY, HTTP_PROXY or ALL_PROXY"
	case status == 403:
		return "the key has no permission for this: check its rights, the model and the region"
	case status == 402 || has("insufficient_quota", "insufficient balance", "credit balance", "spend_limit"):
		return "the account has no credit left: check its billing"
	case status == 429 || has("rate_limit"):
		return "the rate limit is reached: " + wait + ", or send fewer requests"
	case has("context length", "context_length", "context size",
		"longer than context", "prompt is too long", "too many tokens", "exceed_context"):
		return "shorten the prompt or the output: they do not fit into the model's context"
	case status == 404 || has("model_not_found", "model not found"):
		return "check the model's name and the path of the URL (it usually ends in /v1)"
	case status == 405:
		return "check the path of the URL: this one is not for chat completions"
	case status == 413:
		return "shorten the prompt: the request is too large for the server"
	case status == 503 && has("loading"):
		return "the model is still loading: " + wait
	case status == 502 || status == 503 || status == 504 ||
		status == 529 || status == 527 || has("overloaded"):
		return "the server, or one behind it, is unavailable: " + wait
	case status == 408 || has("timeout_error"):
		return wait
	case status >= 500:
		return "the server failed: try again, and look at its log"
	case status == http.StatusNotModified:
		return "a cache answered in place of the server: check the URL and the proxy on the way"
	case status >= 300 && status < 400:
		const follow = "redirects are not followed, because the key would be sent along: "
		if to := h.Get("Location"); to != "" {
			return follow + "if you trust it, use " + Excerpt([]byte(to), 200)
		}
		return follow + "use the final URL"
	case status >= 200 && status < 300:
		return "check that the URL is that of a chat completions API and that the server can stream"
	}
	return ""
}
