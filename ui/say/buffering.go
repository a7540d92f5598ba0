package say

import (
	"slices"
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/pick"
	"tokscope/ui/format"
)

// FrontAdvice is what makes a proxy, gateway or CDN pass a stream on at once.
type FrontAdvice struct {
	Front metrics.Front
	Name  string // as its makers write it
	Set   string // the setting, as it is written
	Where string // where it is set, or what else matters
}

// frontAdvice has a line for every front: the settings that were found
// documented, or measured with the product. docs/buffering.md has the same, with their
// sources.
var frontAdvice = []FrontAdvice{
	{metrics.FrontNginx, "nginx", "proxy_buffering off;",
		"in the location, or have the server send the header X-Accel-Buffering: no"},
	{metrics.FrontKong, "Kong", "response_buffering=false", "on the route"},
	{metrics.FrontAPISIX, "APISIX", `"proxy-buffering": {"disable_proxy_buffering": true}`, "a plugin of the route"},
	{metrics.FrontHAProxy, "HAProxy", "option http-no-delay",
		"in frontend and backend; without it the kernel holds small writes for 200 ms"},
	{metrics.FrontApache, "Apache httpd", "flushpackets=on", "a parameter of ProxyPass"},
	{metrics.FrontAPIGateway, "AWS API Gateway", "responseTransferMode: STREAM",
		"of the integration; the default waits for the whole response"},
	{metrics.FrontAppGateway, "Azure Application Gateway", "Response buffer: disabled",
		"in the gateway's configuration; the default is enabled"},
	{metrics.FrontAPIManagement, "Azure API Management", `<forward-request buffer-response="false"/>`,
		"a policy; body logging and validate-content buffer too"},
	{metrics.FrontCaddy, "Caddy", "flush_interval -1",
		"in reverse_proxy; text/event-stream is flushed at once without it, so check the content type"},
	{metrics.FrontEnvoy, "Envoy", "response_body_mode: STREAMED",
		"in ext_proc, where it is BUFFERED; no compressor for text/event-stream"},
	{metrics.FrontVarnish, "Varnish", "set beresp.do_stream = true;", "in vcl_backend_response"},
	{metrics.FrontFastly, "Fastly", "set beresp.do_stream = true;", "in vcl_fetch"},
	{metrics.FrontCloudflare, "Cloudflare", "response_buffering: off",
		"a setting of Enterprise zones; off is the default, so look behind it first"},
	{metrics.FrontCloudFront, "CloudFront", "", "no setting is documented: look behind it first"},
	{metrics.FrontGoogle, "Google Cloud", "STREAMING_MODE_ENABLED",
		"the streaming mode of API Gateway; for a load balancer no setting is documented"},
	{metrics.FrontALB, "AWS ALB", "", "no setting is documented: look behind it first"},
}

// AdviceOf returns what to set in a front; ok is false for an unknown one.
func AdviceOf(f metrics.Front) (a FrontAdvice, ok bool) {
	return pick.Value(frontAdvice, func(a *FrontAdvice) bool { return a.Front == f })
}

// BufferAdvice returns what to set: for the fronts that headers name (known),
// else for those that most often buffer. A timer of 200 ms is that of the
// kernel, which HAProxy asks for.
func BufferAdvice(fronts []metrics.Front, b *metrics.Buffering) (out []FrontAdvice, known bool) {
	add := func(f metrics.Front) {
		if a, ok := AdviceOf(f); ok && !slices.Contains(out, a) {
			out = append(out, a)
		}
	}
	if b.Corked() {
		add(metrics.FrontHAProxy)
	}
	for _, f := range fronts {
		add(f)
	}
	if known = len(out) > 0; !known {
		for _, f := range []metrics.Front{metrics.FrontNginx, metrics.FrontHAProxy,
			metrics.FrontApache, metrics.FrontAPIGateway, metrics.FrontAppGateway} {
			add(f)
		}
	}
	return out, known
}

// firstAdvice is the setting to try first, "in nginx: proxy_buffering off", "" where
// neither a timer nor a header names a proxy.
func firstAdvice(fronts []metrics.Front, b *metrics.Buffering) string {
	advised, known := BufferAdvice(fronts, b)
	a := &advised[0]
	set := format.Either(a.Set != "", "in "+a.Name+": "+strings.TrimSuffix(a.Set, ";"), "look behind "+a.Name)
	return format.If(known, set)
}

// bufferWords says what comes in bursts and what is constant of them, and that in a few
// words.
func bufferWords(s *metrics.Suspicion) (text, brief string) {
	b, n, apart := &s.Buffering, format.Number(s.Ratio), format.Ms(s.Ms)+" apart"
	bursts := format.Plural(b.Bursts, "burst", "bursts")
	brief = "buffered: " + n + " chunks at once"
	switch b.Kind {
	case metrics.BufferSize:
		size := format.Amount(b.Bytes, "B") + " at a time"
		if n := b.Usual(); n > 0 { // a power of two within the accuracy of the fit
			size = format.Count(n>>10) + " KiB at a time"
		}
		return "a proxy or the server buffers " + size + ": " + bursts + ", " + apart, "buffered: " + size
	case metrics.BufferTimer:
		sent := " every " + format.Ms(b.Ms)
		text = "a proxy or the server buffers and sends" + sent + ": " + bursts + " of " + n + " chunks"
		return text, "buffered: sent" + sent
	case metrics.BufferCount:
		return "the server or a proxy sends " + n + " chunks at a time, " + apart, brief
	}
	return "a proxy or the server buffers: " + n + " chunks at a time, " + apart, brief
}
