package metrics

import (
	"math"
	"testing"

	"tokscope/metrics/testkit"
)

// TestCost holds the price of a request, and when it is unknown.
func TestCost(t *testing.T) {
	s := newPlay().every(100, 10, 40, "word ").usage(40).done()
	f := s.measure()
	unknown(t, "no price", Cost(&s.Stream, &f), WhyNoPrice)
	s.Endpoint.Price = Price{In: 0.5, Out: 2, Currency: "USD"}
	v := Cost(&s.Stream, &f)
	testkit.That(t, !v.OK, "the prompt was not counted: %v", v)
	s.Usage.Prompt = 1000
	s.Work.Prompt = string(make([]byte, 4000))
	f = s.measure()
	near(t, "cost", Cost(&s.Stream, &f), (1000*0.5+40*2)/1e6)
	s.Usage.Completion = -1
	f = s.measure()
	unknown(t, "estimated", Cost(&s.Stream, &f), WhyNotCounted)
}

// TestCostOfTheCache: what came from the cache, and went there, has prices of its own, and the
// figure of a request is the sum.
func TestCostOfTheCache(t *testing.T) {
	own := Price{In: 10, Out: 100, CacheRead: 1, CacheWrite: 20, Currency: "EUR"}
	plain := Price{In: 10, Out: 100, Currency: "EUR"}
	micro := func(input, read, write, output float64) Bill {
		return Bill{input / 1e6, read / 1e6, write / 1e6, output / 1e6, "EUR", 1, (input + read + write + output) / 1e6}
	}
	for _, c := range []struct {
		price                        Price
		prompt, cached, written, out int
		want                         Bill
	}{
		{own, 1000, 600, 300, 10, micro(100*10, 600*1, 300*20, 10*100)},
		{own, 1000, -1, 0, 10, micro(1000*10, 0, 0, 10*100)},
		{own, 1000, 600, 900, 10, micro(0, 600*1, 400*20, 10*100)}, // more than there are
		{plain, 1000, 600, 300, 10, micro(100*10, 600*10, 300*10, 10*100)},
		{Price{Currency: "EUR"}, 1000, 600, 300, 10, Bill{}},
		{own, -1, 600, 300, 10, Bill{}},
		{own, 1000, 600, 300, -1, Bill{}},
	} {
		u := Usage{Prompt: c.prompt, Cached: c.cached, CacheWritten: c.written, Completion: c.out}
		got := c.price.OfUsage(&u)
		for _, x := range [][2]float64{{got.Input, c.want.Input}, {got.CacheRead, c.want.CacheRead},
			{got.CacheWrite, c.want.CacheWrite}, {got.Output, c.want.Output}, {got.Total, c.want.Total}} {
			testkit.That(t, math.Abs(x[0]-x[1]) <= 1e-12, "%+v: %+v", c, got)
		}
		testkit.That(t, got.N == c.want.N && got.Currency == c.want.Currency, "%+v: %+v", c, got)
		if c.want.N > 0 {
			s := Stream{Endpoint: Endpoint{Price: c.price}, Usage: u}
			f := Figures{PromptTokens: Known(float64(c.prompt), 0), Tokens: Known(float64(c.out), 0), TokenSource: TokensUsage}
			near(t, "figure", Cost(&s, &f), c.want.Total)
		}
	}
	sum := micro(1, 2, 3, 4)
	sum.Add(micro(10, 20, 30, 40))
	sum.Add(Bill{Input: 9, Currency: "USD", N: 1})
	testkit.That(t, math.Abs(sum.Total*1e6-110) <= 1e-6 && sum.N == 2 && sum.Currency == "EUR", "the sum is %+v", sum)
}
