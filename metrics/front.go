package metrics

// Front names a proxy, gateway or CDN that the headers of a response name: one
// of the constants below. The words are part of the JSON output. That one is
// on the way does not say that it buffers.
type Front string

const (
	FrontNginx         Front = "nginx" // also OpenResty and Tengine
	FrontKong          Front = "kong"
	FrontAPISIX        Front = "apisix"
	FrontApache        Front = "apache"
	FrontHAProxy       Front = "haproxy"
	FrontCaddy         Front = "caddy"
	FrontEnvoy         Front = "envoy" // also Istio
	FrontVarnish       Front = "varnish"
	FrontFastly        Front = "fastly"
	FrontCloudflare    Front = "cloudflare"
	FrontCloudFront    Front = "cloudfront"
	FrontAPIGateway    Front = "aws_api_gateway"
	FrontALB           Front = "aws_alb"
	FrontGoogle        Front = "google" // its load balancers, Cloud Run and API Gateway
	FrontAppGateway    Front = "azure_application_gateway"
	FrontAPIManagement Front = "azure_api_management"
)

// Fronts are the fronts of this program, the most likely to buffer first.
var Fronts = []Front{
	FrontNginx, FrontKong, FrontAPISIX, FrontHAProxy, FrontApache, FrontAPIGateway, FrontAppGateway, FrontAPIManagement,
	FrontCaddy, FrontEnvoy, FrontVarnish, FrontFastly, FrontCloudflare, FrontCloudFront, FrontGoogle, FrontALB,
}
