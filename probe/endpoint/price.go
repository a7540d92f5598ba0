package endpoint

import (
	"cmp"
	"fmt"
	"math"
	"regexp"

	"tokscope/metrics"
)

// DefaultCurrency is the currency of profiles without one.
const DefaultCurrency = "USD"

// Price returns the configured price of t's model: the model's own, else the
// profile's. A profile's price is for the model that it names, or for all
// models if it names none.
func (t Target) Price() metrics.Price {
	of := cmp.Or(t.profile, &Profile{})
	p, ok := of.Prices[t.Model]
	if !ok && (of.Model == "" || of.Model == t.Model) {
		p = metrics.Price{In: of.PriceIn, Out: of.PriceOut, CacheRead: of.PriceCacheRead, CacheWrite: of.PriceCacheWrite}
	}
	if !p.Known() {
		return metrics.Price{}
	}
	p.Currency = cmp.Or(of.Currency, DefaultCurrency)
	return p
}

// Prices returns what the profiles at the host of address say of the price of a model: one that
// names it before one for all models, the first by name.
func (r *Resolver) Prices(address string) func(model string) metrics.Price {
	var there []Target
	for _, name := range sortedKeys(r.Profiles) {
		if t, err := r.placed(name, r.Profiles[name], asWritten); err == nil && RootOf(t.URL) == RootOf(address) {
			there = append(there, t)
		}
	}
	return func(model string) (other metrics.Price) {
		for _, t := range there {
			t.Model = model
			_, named := t.profile.Prices[model]
			if p := t.Price(); p.Known() && (named || t.profile.Model != "") {
				return p
			} else if !other.Known() {
				other = p
			}
		}
		return other
	}
}

var currencyWord = regexp.MustCompile(`^[A-Za-z€£¥$]{1,8}$`)

// checkPrices returns the key of the first impossible price and what is wrong
// with it, or "" and "".
func (p Profile) checkPrices() (key, what string) {
	for _, x := range []struct {
		key string
		of  float64
	}{{"price_in", p.PriceIn}, {"price_out", p.PriceOut},
		{"price_cache_read", p.PriceCacheRead}, {"price_cache_write", p.PriceCacheWrite}} {
		if !priceOK(x.of) {
			return x.key, x.key + " is not a price of a million tokens"
		}
	}
	for _, m := range sortedKeys(p.Prices) {
		if x := p.Prices[m]; !priceOK(x.In) || !priceOK(x.Out) || !priceOK(x.CacheRead) || !priceOK(x.CacheWrite) {
			return "prices", fmt.Sprintf("the price of %s is not one of a million tokens", m)
		}
	}
	if p.Currency != "" && !currencyWord.MatchString(p.Currency) {
		return "currency", "currency is not a word of at most eight letters"
	}
	return "", ""
}

// priceOK reports whether v is plausible. More than a million per million
// tokens is a typing mistake.
func priceOK(v float64) bool { return !math.IsNaN(v) && v >= 0 && v <= 1e6 }
