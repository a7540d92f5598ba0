package metrics

import "testing"

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
