package access

import (
	"testing"

	"tokscope/metrics/testkit"
)

// TestMetricsType holds the choice between the two formats of a page.
func TestMetricsType(t *testing.T) {
	for accept, want := range map[string]bool{
		"": false, "*/*": false, "text/html": false, "text/plain": false, "application/json": false,
		"application/openmetrics-text;q=0": false,
		"application/openmetrics-text":     true, "application/openmetrics-text; version=1.0.0; charset=utf-8": true,
		"application/openmetrics-text;version=1.0.0;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2": true,
		"text/plain;q=0.9, application/openmetrics-text;q=0.5":    false,
		"application/openmetrics-text, */*":                       true,
		"application/openmetrics-text; version=2.0.0, text/plain": false,
	} {
		if kind, got := MetricsType([]string{accept}); got != want || (kind == OpenMetrics) != want {
			t.Errorf("%q: %v, %s", accept, got, kind)
		}
	}
}

// TestEdgesOfBuckets holds the edges as servers with Python's client write them: sums over
// both kinds of servers need the same label.
func TestEdgesOfBuckets(t *testing.T) {
	p := Page{Fractions: true}
	p.Histogram("n", nil, []float64{0.5, 1, 262144, 1e6, 1e15}, make([]uint64, 6), 0, nil)
	for _, edge := range []string{"0.5", "1.0", "262144.0", "1e+06", "1e+15", "+Inf"} {
		testkit.Has(t, string(p.End()), `le="`+edge+`"`)
	}
}
