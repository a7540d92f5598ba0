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
		{"work", "", metrics.Price{In: 0.59, Out: 1, CacheRead: 0.06, CacheWrite: 0.74, Currency: "EUR"}}, // the profile's own model
		{"work", "small", metrics.Price{In: 0.05, Out: 0.08, Currency: "EUR"}},
		{"work", "tiny", metrics.Price{In: 0.04, CacheRead: 0.01, CacheWrite: 0.02, Currency: "EUR"}},
		{"work", "other", metrics.Price{}}, // unknown
		{"any", "whatever", metrics.Price{In: 0, Out: 2, Currency: "USD"}},
		{"none", "m", metrics.Price{}},
	} {
		r := Resolver{Env: env(), Profiles: c}
		target := testkit.Must(r.Resolve(x.profile))(t)
		target.Model = cmp.Or(x.model, target.Model)
		if got := target.Price(); got != x.want {
			t.Errorf("%s, model %q: %+v, want %+v", x.profile, x.model, got, x.want)
		}
	}
	var shown []string
	for name, p := range c {
		p.Show(func(key, value string) { shown = append(shown, "profile."+name+"."+key+"="+value) })
	}
	for _, want := range []string{"profile.work.price_in=0.59", "profile.work.price_out=1", "profile.work.prices.small.in=0.05", "profile.work.prices.small.out=0.08",
		"profile.work.price_cache_read=0.06", "profile.work.price_cache_write=0.74", "profile.work.prices.tiny.cache_read=0.01", "profile.work.prices.tiny.cache_write=0.02", "profile.work.currency=EUR"} {
		if !strings.Contains(strings.Join(shown, "\n"), want) {
			t.Errorf("config show lacks %s: %q", want, shown)
		}
	}
}

func TestInfinitePrice(t *testing.T) {
	if priceOK(math.Inf(1)) {
		t.Error("an infinite price")
	}
}
