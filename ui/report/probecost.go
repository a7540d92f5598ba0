package report

import (
	"io"

	"tokscope/metrics"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
)

// printCost prints what the requests cost together at the configured price,
// failed ones included; without a price it prints nothing. Requests whose tokens
// the server did not count are not in the sum, and that is said.
func printCost(w io.Writer, runs []metrics.Run) {
	sum, known, cached, currency := 0.0, 0, false, ""
	why := metrics.WhyNoPrice
	for i := range runs {
		s, f := &runs[i].Stream, &runs[i].Figures
		cost := metrics.Cost(s, f)
		if !cost.OK {
			if cost.Why != metrics.WhyNoPrice {
				why = cost.Why
			}
			continue
		}
		sum, known, currency = sum+cost.V, known+1, s.Endpoint.Price.Currency
		cached = cached || f.CachedTokens.OK && f.CachedTokens.V > 0
	}
	switch {
	case known == 0 && why == metrics.WhyNoPrice:
		return
	case known == 0:
		row(w, "cost", "– (%s)", format.Why(why))
		return
	}
	text := format.Join(" ", format.Money(sum), currency) + " at the configured price"
	if cached {
		text += ", cached tokens in full"
	}
	if known < len(runs) {
		text += "; " + format.Count(known) + " of " +
			format.Plural(len(runs), "request", "requests") + ", the others: " + format.Why(why)
	}
	row(w, "cost", "%s", sanitize.Line(text, 200))
}
