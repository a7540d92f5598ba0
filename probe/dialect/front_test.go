package dialect

import (
	"net/http"
	"slices"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
)

// TestFronts holds which proxies headers name. The first three are what the
// real ones sent.
func TestFronts(t *testing.T) {
	for _, c := range []struct {
		name string
		h    http.Header
		want []metrics.Front
	}{
		{"nginx 1.22", header("Server", "nginx/1.22.1", "Connection", "keep-alive"), []metrics.Front{metrics.FrontNginx}},
		{"HAProxy 2.6 adds nothing", header("Server", "uvicorn", "Transfer-Encoding", "chunked"), nil},
		{"a header that nginx would have removed", header("X-Accel-Buffering", "no"), nil},
		{"nothing", header(), nil},
		{"cloudflare before caddy", header("Server", "cloudflare", "Cf-Ray", "9a1", "Via", "1.1 Caddy"),
			[]metrics.Front{metrics.FrontCaddy, metrics.FrontCloudflare}},
		{"istio", header("Server", "istio-envoy", "X-Envoy-Upstream-Service-Time", "12"),
			[]metrics.Front{metrics.FrontEnvoy}},
		{"aws", header("X-Amz-Cf-Id", "abc", "X-Amz-Apigw-Id", "def", "Via", "1.1 f00.cloudfront.net (CloudFront)"),
			[]metrics.Front{metrics.FrontAPIGateway, metrics.FrontCloudFront}},
		{"alb", header("Server", "awselb/2.0"), []metrics.Front{metrics.FrontALB}},
		{"google", header("Via", "1.1 google"), []metrics.Front{metrics.FrontGoogle}},
		{"fastly", header("Via", "1.1 varnish", "X-Served-By", "cache-fra-1"), []metrics.Front{metrics.FrontVarnish,
			metrics.FrontFastly}},
		{"kong", header("Via", "kong/3.4.0", "X-Kong-Proxy-Latency", "1"), []metrics.Front{metrics.FrontKong}},
		{"azure", header("Server", "Microsoft-Azure-Application-Gateway/v2", "Apim-Request-Id", "x"),
			[]metrics.Front{metrics.FrontAppGateway, metrics.FrontAPIManagement}},
	} {
		got := FrontsOf(c.h)
		testkit.That(t, slices.Equal(got, c.want), "%s: %v, want %v", c.name, got, c.want)
	}
	for _, m := range frontMarks {
		testkit.That(t, slices.Contains(metrics.Fronts, m.front), "%s is not in metrics.Fronts", m.front)
	}
}
