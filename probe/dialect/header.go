package dialect

import (
	"cmp"
	"net/http"
	"strings"
	"time"

	"tokscope/metrics"
)

// headerTimes lists the durations that servers send in headers.
var headerTimes = []timeField{
	{"Openai-Processing-Ms", metrics.ServerProcessing, time.Millisecond, "openai-processing-ms"},
	{"X-Envoy-Upstream-Service-Time", metrics.ServerProcessing, time.Millisecond, "x-envoy-upstream-service-time"},
	{"Fireworks-Server-Time-To-First-Token", metrics.ServerTTFT, time.Second, "fireworks-server-time-to-first-token"},
	{"Fireworks-Server-Processing-Time", metrics.ServerProcessing, time.Second, "fireworks-server-processing-time"},
	{"Fireworks-Prefill-Queue-Duration", metrics.ServerQueue, time.Second, "fireworks-prefill-queue-duration"},
	{"Fireworks-Prefill-Duration", metrics.ServerPrefill, time.Second, "fireworks-prefill-duration"},
	{"Server-Time-To-First-Token", metrics.ServerTTFT, time.Second, "server-time-to-first-token"}, // Baseten and similar
	{"Server-Processing-Time", metrics.ServerProcessing, time.Second, "server-processing-time"},
	{"X-Litellm-Response-Duration-Ms", metrics.ServerProcessing, time.Millisecond, "x-litellm-response-duration-ms"},
	{"X-Litellm-Overhead-Duration-Ms", "gateway overhead", time.Millisecond, "x-litellm-overhead-duration-ms"},
	{"X-Queue-Time", metrics.ServerQueue, time.Millisecond, "x-queue-time"}, // TGI
	{"X-Total-Time", metrics.ServerTotal, time.Millisecond, "x-total-time"},
}

// requestIDHeaders are in order of preference. cf-ray only identifies the
// request at Cloudflare's edge; an id in the stream replaces it.
var requestIDHeaders = []string{"X-Request-Id", "Request-Id", "X-Generation-Id",
	"Apim-Request-Id", "X-Litellm-Call-Id", "Mistral-Correlation-Id"}

// What gateways and providers say about who served a request, in order of preference.
var (
	providerHeaders = []string{"X-Provider-Name", "X-Inference-Provider", "X-Portkey-Provider", "Helicone-Provider"}
	regionHeaders   = []string{"X-Groq-Region", "X-Ms-Region", "X-Litellm-Model-Region"}
	fallbackHeaders = []string{"X-Litellm-Attempted-Fallbacks", "Helicone-Fallback-Index"}
	retryHeaders    = []string{"X-Litellm-Attempted-Retries", "X-Portkey-Retry-Attempt-Count"}
)

// Header decodes server times, rate limits and the request id from the
// response's headers. It resets *out first. Call it before the first Event:
// an id in the headers takes precedence over ids in events.
func (d *Decoder) Header(h http.Header, out *Out) {
	out.reset()
	d.need()
	for i := range headerTimes {
		f := &headerTimes[i]
		out.Server = f.add([]byte(strings.TrimSpace(h.Get(f.key))), false, out.Server)
	}
	out.Server = serverTiming(h.Values("Server-Timing"), out.Server)
	for _, name := range []string{"Fireworks-Prompt-Tokens", "Prompt-Tokens"} { // Fireworks, and gateways with its names
		if n := asCount([]byte(strings.TrimSpace(h.Get(name)))); n > 0 {
			d.rest.prompt = n
		}
	}
	if id := firstHeader(h, requestIDHeaders); id != "" {
		d.idRank, out.RequestID = idHeader, id
	} else if id := h.Get("Cf-Ray"); id != "" && d.idRank < idEdge {
		d.idRank, out.RequestID = idEdge, id
	}
	out.Provider = firstHeader(h, providerHeaders)
	count := func(names []string) int { return max(asCount([]byte(firstHeader(h, names))), 0) }
	out.Served = metrics.Served{Region: firstHeader(h, regionHeaders), Deployment: h.Get("X-Litellm-Model-Id"),
		Fallbacks: count(fallbackHeaders), Retries: count(retryHeaders)}
	out.RateLimit = rateLimit(h)
	out.Fronts = FrontsOf(h)
}

// firstHeader returns the first of the named fields that is there, "" without any.
func firstHeader(h http.Header, names []string) string {
	for _, k := range names {
		if v := strings.TrimSpace(h.Get(k)); v != "" {
			return v
		}
	}
	return ""
}

// timingNames maps names of Server-Timing metrics to the program's.
var timingNames = map[string]string{
	"queue": metrics.ServerQueue, "prefill": metrics.ServerPrefill, "decode": metrics.ServerDecode,
	"ttft": metrics.ServerTTFT, "total": metrics.ServerTotal, "processing": metrics.ServerProcessing,
	"load": metrics.ServerLoad,
}

// serverTiming adds the durations of Server-Timing headers (W3C Server Timing): a list of
// metrics, each a name with parameters, with dur in milliseconds. A metric without a
// duration is skipped.
func serverTiming(lines []string, times []metrics.ServerTime) []metrics.ServerTime {
	for _, p := range listItems(lines) {
		if name := p["name"]; name != "" {
			f := timeField{name: cmp.Or(timingNames[strings.ToLower(name)], name), unit: time.Millisecond,
				from: "server-timing " + name}
			times = f.add([]byte(p["dur"]), false, times)
		}
	}
	return times
}

// splitOutsideQuotes yields the parts of s between separators outside quoted
// strings.
func splitOutsideQuotes(s string, sep byte) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		quoted, from := false, 0
		for i := 0; i < len(s); i++ {
			switch {
			case quoted && s[i] == '\\':
				i++
			case s[i] == '"':
				quoted = !quoted
			case s[i] == sep && !quoted:
				if !yield(s[from:i]) {
					return
				}
				from = i + 1
			}
		}
		yield(s[from:])
	}
}
