package endpoint

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
)

// ModelPrice is what a million tokens of one model cost, in the profile's
// currency.
type ModelPrice struct {
	In  float64 `toml:"in"`
	Out float64 `toml:"out"`
}

// Price is what a million prompt tokens and a million output tokens cost. The
// zero value: no price is known.
type Price struct {
	In, Out  float64
	Currency string // "USD"; "" without a price
}

// DefaultCurrency is that of prices whose profile names none.
const DefaultCurrency = "USD"

// Price is what t's model costs by the configuration: the model's own price,
// else that of the profile. A profile's price is for the model that it names,
// and for all of them where it names none.
func (t Target) Price() Price {
	p := Price{Currency: t.currency}
	if m, ok := t.prices[t.Model]; ok {
		p.In, p.Out = m.In, m.Out
	} else if t.priced == "" || t.priced == t.Model {
		p.In, p.Out = t.price.In, t.price.Out
	}
	if p.In == 0 && p.Out == 0 {
		return Price{}
	}
	if p.Currency == "" {
		p.Currency = DefaultCurrency
	}
	return p
}

// setPrices takes over those of a profile.
func (t *Target) setPrices(p Profile) {
	t.price, t.priced = ModelPrice{p.PriceIn, p.PriceOut}, p.Model
	t.prices, t.currency = p.Prices, p.Currency
}

var currencyWord = regexp.MustCompile(`^[A-Za-z€£¥$]{1,8}$`)

// checkPrices refuses prices that cannot be meant: key is where, "" is none.
func (p Profile) checkPrices() (key, what string) {
	for _, x := range []struct {
		key string
		v   float64
	}{{"price_in", p.PriceIn}, {"price_out", p.PriceOut}} {
		if !priceOK(x.v) {
			return x.key, x.key + " is not a price of a million tokens"
		}
	}
	for _, m := range sortedKeys(p.Prices) {
		if x := p.Prices[m]; !priceOK(x.In) || !priceOK(x.Out) {
			return "prices", fmt.Sprintf("the price of %s is not one of a million tokens", m)
		}
	}
	if p.Currency != "" && !currencyWord.MatchString(p.Currency) {
		return "currency", "currency is not a word of at most eight letters"
	}
	return "", ""
}

// priceOK: a million tokens for a million is a typing mistake.
func priceOK(v float64) bool { return !math.IsNaN(v) && v >= 0 && v <= 1e6 }

// shownPrice is a price for config show, "" for none.
func shownPrice(v float64) string {
	if v == 0 {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
