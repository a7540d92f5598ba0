package report

import (
	"strings"
	"testing"

	"tokscope/metrics"
)

// TestProbeSaysTheCost holds that a probe sums what its requests cost, says which
// ones are not in the sum, and says nothing without a price.
func TestProbeSaysTheCost(t *testing.T) {
	r := ranOnce()
	if text := summaryOf(t, r); strings.Contains(text, "\ncost") {
		t.Errorf("a cost without a price:\n%s", text)
	}
	price := metrics.Price{In: 0.5, Out: 2, Currency: "USD"}
	r.Stream.Endpoint.Price = price
	one := metrics.Cost(&r.Stream, &r.Figures)
	if !one.OK {
		t.Fatal("no cost")
	}
	failed := failedRun()
	failed.Stream.Endpoint.Price = price
	text := summaryOf(t, r, r, failed)
	if want := "cost        0.000842 USD at the configured price; 2 of 3 requests, the others: "; !strings.Contains(text, want) {
		t.Errorf("two of %v: no %q in\n%s", one.V, want, text)
	}
	if text := summaryOf(t, failed); !strings.Contains(text, "cost        – (") {
		t.Errorf("a failed request:\n%s", text)
	}
}
