package say

import (
	"fmt"
	"strings"

	"tokscope/metrics/loadstat"
	"tokscope/ui/format"
)

// Question writes the question for consent to a load, "" without one: "64
// users on api.example.com would use up to 720,000 tokens a minute (if every
// user gets 100 tok/s). Go on?".
func Question(q loadstat.Question) string {
	if q.Endpoint == "" {
		return ""
	}
	used := ""
	if q.Free > 0 {
		used = Tokens(q.Used) + " are used, and more than " + format.Whole(q.Free) + " need your consent. "
		if q.Brief {
			return used + "Go on?"
		}
	}
	if q.From != "" {
		used = format.Either(q.From == q.Endpoint, "This model has another price. ", // of the same endpoint
			"The load would leave "+q.From+" and go on at "+q.Endpoint+". ")
	}
	f := &q.Forecast
	per := format.Either(f.For > 0, " in "+f.For.String(), " a minute")
	cost := format.If(f.Cost.OK, ", "+strings.TrimSpace(format.Money(f.Cost.V)+" "+f.Currency))
	return fmt.Sprintf("%s%s on %s would use up to %s%s%s (%s). Go on?", used,
		format.Plural(f.Users, "user", "users"), q.Endpoint, Tokens(f.Tokens()), per, cost, forecastBasis(f))
}

// Tokens writes an estimated number of tokens: "720,000 tokens", "2.25M
// tokens".
func Tokens(v float64) string {
	return format.Either(v < 1e6, format.Whole, format.Number)(v) + " tokens"
}

// forecastBasis writes the assumption behind a forecast.
func forecastBasis(f *loadstat.Forecast) string {
	switch f.Basis {
	case loadstat.BasisSchedule:
		return "if every request of the schedule is answered"
	case loadstat.BasisCount:
		return "for all " + format.Plural(f.Count, "request", "requests")
	case loadstat.BasisCap:
		return "up to the cap"
	}
	return "if every user gets " + format.Number(f.Assumed) + " tok/s"
}
