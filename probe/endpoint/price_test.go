package endpoint

import (
	"math"
	"strings"
	"testing"
)

func TestPrices(t *testing.T) {
	c := must(t, `[profile.work]
url = "https://h/v1"
model = "big"
price_in = 0.59
price_out = 1
prices = { "small" = { in = 0.05, out = 0.08 } }
currency = "EUR"

[profile.any]
url = "https://any/v1"
price_out = 2

[profile.none]
url = "https://none/v1"
`)
	for _, x := range []struct {
		profile, model string
		want           Price
	}{
		{"work", "", Price{0.59, 1, "EUR"}}, // the profile's own model
		{"work", "small", Price{0.05, 0.08, "EUR"}},
		{"work", "other", Price{}}, // nobody knows
		{"any", "whatever", Price{0, 2, "USD"}},
		{"none", "m", Price{}},
	} {
		r := Resolver{Env: env(), Profiles: c}
		target, err := r.Resolve(x.profile)
		if err != nil {
			t.Fatal(err)
		}
		if x.model != "" {
			target.Model = x.model
		}
		if got := target.Price(); got != x.want {
			t.Errorf("%s, model %q: %+v, want %+v", x.profile, x.model, got, x.want)
		}
	}
	var shown []string
	for _, s := range c.Show() {
		shown = append(shown, s.Name+"="+s.Value)
	}
	for _, want := range []string{"profile.work.price_in=0.59", "profile.work.price_out=1", "profile.work.prices.small.in=0.05", "profile.work.prices.small.out=0.08", "profile.work.currency=EUR"} {
		if !strings.Contains(strings.Join(shown, "\n"), want) {
			t.Errorf("config show lacks %s: %q", want, shown)
		}
	}
}

func TestUnknownPrices(t *testing.T) {
	for _, x := range []struct{ line, says string }{
		{"price_in = -1", "price_in is not a price"},
		{"price_out = nan", "price_out is not a price"},
		{"price_out = 1e7", "price_out is not a price"},
		{`prices = { m = { in = -1 } }`, "the price of m"},
		{`prices = { m = { input = 1 } }`, "unknown key"},
		{`currency = "a lot of money"`, "currency"},
	} {
		_, err := parse("config.toml", "[profile.a]\nurl = \"https://h/v1\"\n"+x.line+"\n")
		if err == nil || !strings.Contains(err.Error(), x.says) || !strings.Contains(err.Error(), "config.toml:3") {
			t.Errorf("%s: %v, want %q in line 3", x.line, err, x.says)
		}
	}
	if priceOK(math.Inf(1)) {
		t.Error("an infinite price")
	}
}
