package dialect

import (
	"net/http"
	"slices"
	"strings"

	"tokscope/metrics"
)

// frontMarks are the signs of proxies, gateways and CDNs in the headers of a
// response. Sources: the products' documentation of their headers, and what
// nginx 1.22, HAProxy 2.6 and Apache 2.4 answered. HAProxy and Traefik add no
// header of their own, unless their configuration asks for it. X-Accel-Buffering is no sign of
// nginx: nginx removes it.
var frontMarks = []struct {
	front  metrics.Front
	header string // of the response; a final * matches any ending
	holds  string // in its value, lower case; "" matches any
}{
	{metrics.FrontNginx, "Server", "nginx"},
	{metrics.FrontNginx, "Server", "openresty"},
	{metrics.FrontNginx, "Server", "tengine"},
	{metrics.FrontKong, "Server", "kong"},
	{metrics.FrontKong, "Via", "kong"},
	{metrics.FrontKong, "X-Kong-*", ""},
	{metrics.FrontAPISIX, "Server", "apisix"},
	{metrics.FrontApache, "Server", "apache"},
	{metrics.FrontApache, "Via", "apache"},
	{metrics.FrontHAProxy, "Server", "haproxy"},
	{metrics.FrontHAProxy, "Via", "haproxy"},
	{metrics.FrontCaddy, "Server", "caddy"},
	{metrics.FrontCaddy, "Via", "caddy"},
	{metrics.FrontEnvoy, "Server", "envoy"},
	{metrics.FrontEnvoy, "X-Envoy-*", ""},
	{metrics.FrontVarnish, "Server", "varnish"},
	{metrics.FrontVarnish, "Via", "varnish"},
	{metrics.FrontVarnish, "X-Varnish", ""},
	{metrics.FrontFastly, "X-Served-By", "cache-"},
	{metrics.FrontFastly, "X-Fastly-*", ""},
	{metrics.FrontCloudflare, "Server", "cloudflare"},
	{metrics.FrontCloudflare, "Cf-Ray", ""},
	{metrics.FrontCloudFront, "Via", "cloudfront"},
	{metrics.FrontCloudFront, "X-Amz-Cf-Id", ""},
	{metrics.FrontCloudFront, "X-Cache", "cloudfront"},
	{metrics.FrontAPIGateway, "X-Amz-Apigw-Id", ""},
	{metrics.FrontAPIGateway, "Apigw-Requestid", ""},
	{metrics.FrontALB, "Server", "awselb"},
	{metrics.FrontGoogle, "Via", "google"},
	{metrics.FrontGoogle, "Server", "google frontend"},
	{metrics.FrontAppGateway, "Server", "microsoft-azure-application-gateway"},
	{metrics.FrontAPIManagement, "Apim-Request-Id", ""},
}

// FrontsOf returns the proxies, gateways and CDNs that headers name, in the
// order of metrics.Fronts; nil without one. A server that is no proxy may
// call itself nginx too.
func FrontsOf(h http.Header) []metrics.Front {
	var found []metrics.Front
	for _, m := range frontMarks {
		if !slices.Contains(found, m.front) && marked(h, m.header, m.holds) {
			found = append(found, m.front)
		}
	}
	slices.SortFunc(found, func(a, b metrics.Front) int {
		return slices.Index(metrics.Fronts, a) - slices.Index(metrics.Fronts, b)
	})
	return found
}

// marked reports whether a header of that name has a value that holds text.
func marked(h http.Header, name, text string) bool {
	start, any := strings.CutSuffix(name, "*")
	for key, values := range h {
		if key != name && !(any && strings.HasPrefix(key, start)) {
			continue
		}
		if slices.ContainsFunc(values, func(v string) bool { return strings.Contains(strings.ToLower(v), text) }) {
			return true
		}
	}
	return false
}
