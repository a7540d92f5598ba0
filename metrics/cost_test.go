package metrics

import (
	"math"
	"testing"
)

// TestCost holds the price of a request, and when it is unknown.
func TestCost(t *testing.T) {
	s := newPlay().every(100, 10, 40, "word ").usage(40).done()
	f := s.measure()
	unknown(t, "no price", Cost(&s.Stream, &f), WhyNoPrice)
	s.Endpoint.Price = Price{In: 0.5, Out: 2, Currency: "USD"}
	if v := Cost(&s.Stream, &f); v.OK {
		t.Errorf("the prompt was not counted: %v", v)
	}
	s.Usage.Prompt = 1000
	s.Work.Prompt = string(make([]byte, 4000))
	f = s.measure()
	near(t, "cost", Cost(&s.Stream, &f), (1000*0.5+40*2)/1e6)
	s.Usage.Completion = -1
	f = s.measure()
	unknown(t, "estimated", Cost(&s.Stream, &f), WhyNotCounted)
}

// TestCostOfTheCache: what came from the cache, and went there, has prices of its own.
func TestCostOfTheCache(t *testing.T) {
	own := Price{In: 10, Out: 100, CacheRead: 1, CacheWrite: 20, Currency: "EUR"}
	plain := Price{In: 10, Out: 100, Currency: "EUR"}
	for _, c := range []struct {
		price                        Price
		prompt, cached, written, out int
		want                         Value
	}{
		{own, 1000, 600, 300, 10, Known((100*10+600*1+300*20+10*100)/1e6, 0)},
		{own, 1000, -1, 0, 10, Known((1000*10+10*100)/1e6, 0)},
		{own, 1000, 600, 900, 10, Known((600*1+400*20+10*100)/1e6, 0)}, // more than there are
		{plain, 1000, 600, 300, 10, Known((1000*10+10*100)/1e6, 0)},
		{Price{}, 1000, 600, 300, 10, Unknown(WhyNoPrice)},
		{own, -1, 600, 300, 10, Unknown(WhyNotCounted)},
		{own, 1000, 600, 300, -1, Unknown(WhyNotCounted)},
	} {
		u := Usage{Prompt: c.prompt, Cached: c.cached, CacheWritten: c.written, Completion: c.out}
		got := c.price.OfUsage(&u)
		if got.OK && math.Abs(got.V-c.want.V) < 1e-12 {
			got.V = c.want.V
		}
		if got != c.want {
			t.Errorf("%+v: %+v", c, got)
		}
	}
}
