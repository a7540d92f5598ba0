package endpoint

import (
	"cmp"
	"math"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
)

func TestPrices(t *testing.T) {
	c := profiles(t, `[profile.work]
url = "https://h/v1"
model = "big"
price_in = 0.59
price_out = 1
price_cache_read = 0.06
price_cache_write = 0.74
prices = { "small" = { in = 0.05, out = 0.08 }, "tiny" = { in = 0.04, cache_read = 0.01, cache_write = 0.02 } }
currency = "EUR"

[profile.any]
url = "https://any/v1"
price_out = 2

[profile.none]
url = "https://none/v1"
`)
	for _, x := range []struct {
		profile, model string
		want           metrics.Price
	}{
		// the profile's own model
		{"work", "", metrics.Price{In: 0.59, Out: 1, CacheRead: 0.06, CacheWrite: 0.74, Currency: "EUR"}},
		{"work", "small", metrics.Price{In: 0.05, Out: 0.08, Currency: "EUR"}},
		{"work", "tiny", metrics.Price{In: 0.04, CacheRead: 0.01, CacheWrite: 0.02, Currency: "EUR"}},
		{"work", "other", metrics.Price{}}, // unknown
		{"any", "whatever", metrics.Price{In: 0, Out: 2, Currency: "USD"}},
		{"none", "m", metrics.Price{}},
	} {
		r := Resolver{Env: env(), Profiles: c}
		target := testkit.Must(r.Resolve(x.profile))(t)
		target.Model = cmp.Or(x.model, target.Model)
		testkit.Is(t, target.Price(), x.want, x.profile, "model", x.model)
	}
	var shown []string
	for name, p := range c {
		p.Show(func(key, value string) { shown = append(shown, "profile."+name+"."+key+"="+value) })
	}
	for _, want := range []string{"profile.work.price_in=0.59", "profile.work.price_out=1",
		"profile.work.prices.small.in=0.05", "profile.work.prices.small.out=0.08",
		"profile.work.price_cache_read=0.06", "profile.work.price_cache_write=0.74",
		"profile.work.prices.tiny.cache_read=0.01", "profile.work.prices.tiny.cache_write=0.02",
		"profile.work.currency=EUR"} {
		testkit.That(t, strings.Contains(strings.Join(shown, "\n"), want), "config show lacks %s: %q", want, shown)
	}
}

// TestPricesOfATap holds whose prices count for a model at an address: those of the profiles there,
// one that names the model first.
func TestPricesOfATap(t *testing.T) {
	c := profiles(t, `[profile.a-any]
url = "https://api.anthropic.com"
price_in = 3

[profile.b-opus]
url = "https://api.anthropic.com/v1"
api_key_env = "NOT_SET"
headers = { "X-Team" = "${NOT_SET}" }
model = "opus"
price_in = 15
prices = { "haiku" = { in = 1, out = 5 } }

[profile.anthropic]
price_out = 99

[profile.elsewhere]
url = "http://127.0.0.1:8000/v1"
price_in = 7
`)
	r := Resolver{Env: env(), Profiles: c}
	for _, x := range []struct {
		at, model string
		in, out   float64
	}{
		{"https://api.anthropic.com", "opus", 15, 0}, {"https://api.anthropic.com", "haiku", 1, 5},
		{"https://api.anthropic.com", "sonnet", 3, 0}, {"http://127.0.0.1:8000", "any", 7, 0},
		{"http://127.0.0.1:8001", "any", 0, 0}, {"http://api.anthropic.com", "opus", 0, 0},
	} {
		p := r.Prices(x.at)(x.model)
		testkit.That(t, p.In == x.in && p.Out == x.out, "%s at %s: %+v", x.model, x.at, p)
	}
}

func TestInfinitePrice(t *testing.T) {
	testkit.That(t, !priceOK(math.Inf(1)), "an infinite price")
}
