package loadgen

import (
	"math"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/testkit"
	"tokscope/probe/endpoint"
)

func TestNeedsConsent(t *testing.T) {
	at := func(kind metrics.EndpointKind, url string) endpoint.Target {
		return endpoint.Target{Endpoint: metrics.Endpoint{Kind: kind, Name: "it", URL: url}}
	}
	far := at(metrics.EndpointURL, "https://api.example.com/v1")
	light, heavy := metrics.Workload{InputTokens: 100, MaxTokens: 50}, metrics.Workload{InputTokens: 10_000,
		MaxTokens: 300}
	for _, c := range []struct {
		name  string
		t     endpoint.Target
		w     metrics.Workload
		users int
		d     time.Duration
		want  float64 // tokens; 0: no question
	}{
		{"embedded", at(metrics.EndpointEmbedded, "http://127.0.0.1:1/v1"), heavy, 1024, time.Hour, 0},
		{"loopback", at(metrics.EndpointURL, "http://localhost:8000/v1"), heavy, 1024, time.Hour, 0},
		{"loopback v6", at(metrics.EndpointURL, "http://[::1]:8000/v1"), heavy, 64, time.Hour, 0},
		{"no loopback", at(metrics.EndpointURL, "http://127.0.0.1.example.com/v1"), light, 5, time.Second, 938},
		{"few", far, light, 4, 10 * time.Second, 0},
		{"five users", far, light, 5, 10 * time.Second, 9375},
		{"many tokens", far, heavy, 1, time.Minute, 187_273},
		{"until stopped", far, light, 64, 0, 720_000},
	} {
		q, needed := NeedsConsent(c.t, Estimate(Config{Work: c.w}, Step{Users: c.users, Max: c.d}, nil))
		if needed != (c.want != 0) || needed != (q != loadstat.Question{}) || math.Round(q.Forecast.Tokens()) != c.want {
			t.Errorf("%s: %v %+v, want %v tokens", c.name, needed, q, c.want)
		}
		if needed && (q.Endpoint != "it" || q.Forecast.Users != c.users || q.Forecast.For != c.d ||
			q.Forecast.Assumed != 100) {
			t.Errorf("%s: %+v", c.name, q)
		}
	}
}

func TestEstimate(t *testing.T) {
	c := Config{Work: metrics.Workload{InputTokens: 1000, MaxTokens: 200}, Price: metrics.Price{In: 2, Out: 8,
		Currency: "EUR"}}
	f := Estimate(c, Step{Users: 64, Requests: 10}, nil)
	if f.Requests != 10 || f.Prompt != 10_000 || f.Output != 2000 || !f.Cost.OK || f.Cost.V != (10_000*2+2000*8)/1e6 {
		t.Errorf("ten requests: %+v", f)
	}
	drawn := c
	drawn.Input, drawn.Output = metrics.Lengths{Low: 200, High: 4000}, metrics.Lengths{Choices: []int{100, 400}}
	if f := Estimate(drawn, Step{Users: 64, Requests: 10}, nil); f.Prompt != 21_000 || f.Output != 2500 {
		t.Errorf("ten requests of drawn lengths: %+v", f)
	}
	c.MaxTokens = 5000
	if f := Estimate(c, Step{Users: 64, Max: time.Hour}, nil); f.Tokens() > 5000.01 || f.Tokens() < 4999.9 {
		t.Errorf("more than the cap: %+v", f)
	}
	c.MaxTokens, c.Shape.Rate = 0, 3
	if f := Estimate(c, Step{Max: 10 * time.Second}, nil); f.Requests != 30 {
		t.Errorf("a schedule: %+v", f)
	}
	if f := Estimate(Config{Work: metrics.Workload{Prompt: "a b c"}}, Step{Users: 1, Max: time.Second}, nil); f.Cost.OK ||
		f.Cost.Why == 0 || !(f.Output > 0) {
		t.Errorf("without price and bound: %+v", f)
	}
}

// A running load is measured: an estimate of it elsewhere does not assume less than
// what it uses here.
func TestEstimateLike(t *testing.T) {
	c := Config{Work: metrics.Workload{InputTokens: 1000, MaxTokens: 200}}
	fast := loadstat.Point{Speed: metrics.Known(200, 8), TTFT: metrics.Dist{P50: metrics.Known(100, 8)}}
	f := Estimate(c, Step{Users: 4}, &fast)
	want := 4 * 60 / (0.1 + 200.0/200)
	testkit.That(t, math.Abs(f.Requests-want) <= 1e-9 && f.Assumed == 200, "fast: %+v, want %v requests", f, want)
	slow := loadstat.Point{Speed: metrics.Known(20, 8), TTFT: metrics.Dist{P50: metrics.Known(4000, 8)}}
	for name, p := range map[string]*loadstat.Point{"slow": &slow, "unknown": {}} {
		testkit.Is(t, Estimate(c, Step{Users: 4}, p), Estimate(c, Step{Users: 4}, nil), name)
	}
}

// The wait after a failure grows, stays in its bounds and differs from user to
// user.
func TestBackoff(t *testing.T) {
	rng := testkit.Rand(t, 1)
	seen := map[time.Duration]bool{}
	for n := 1; n < 40; n++ {
		most := min(backoffFirst<<min(n-1, 10), backoffMost)
		d := backoff(&metrics.Fault{Kind: metrics.FaultHTTP}, n, rng)
		testkit.That(t, d >= most/2 && d <= most, "failure %d: %v, at most %v", n, d, most)
		seen[d] = true
	}
	testkit.That(t, len(seen) >= 35, "only %d different waits", len(seen))
	for asked, want := range map[time.Duration]time.Duration{time.Millisecond: time.Millisecond,
		7 * time.Second: 7 * time.Second, time.Hour: time.Minute} {
		if d := backoff(&metrics.Fault{Kind: metrics.FaultRateLimit, RetryAfter: asked}, 1, rng); d < want ||
			d > want+want/10 {
			t.Errorf("Retry-After %v: %v", asked, d)
		}
	}
}
