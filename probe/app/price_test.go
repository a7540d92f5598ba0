package app_test

import (
	"testing"

	"tokscope/metrics"
	"tokscope/probe/app"
	"tokscope/probe/client"
	"tokscope/probe/endpoint"
)

// TestEndpointHasItsPrice checks that the screen knows what an endpoint costs
// before it sends a request: auto is bounded by it.
func TestEndpointHasItsPrice(t *testing.T) {
	r := &endpoint.Resolver{Env: func(string) string { return "" }, Profiles: map[string]endpoint.Profile{
		"work": {URL: "https://llm.example.com/v1", Model: "m", PriceIn: 0.5, PriceOut: 2},
	}}
	target, err := r.Resolve("work")
	if err != nil {
		t.Fatal(err)
	}
	e := client.New(client.Options{})
	defer e.Close()
	s := app.New(app.Options{Engine: e, Resolver: r, Target: target, Version: "test"})
	defer s.Wait()
	if got, want := s.Endpoint().Price, (metrics.Price{In: 0.5, Out: 2, Currency: "USD"}); got != want {
		t.Errorf("the price is %+v, want %+v", got, want)
	}
}
