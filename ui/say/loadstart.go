package say

import (
	"fmt"
	"strings"

	"tokscope/metrics/loadstat"
	"tokscope/ui/format"
)

// Start is a load that has not begun.
type Start struct {
	Drive loadstat.Drive
	Work  string // what each request sends, in a few words
	// On is the endpoint where that is not this machine, and Tokens about the most that a
	// request has there, of prompt and answer; 0 where it is not known.
	On     string
	Tokens int
}

// Sentence says what its start does:
//
//	space starts 64 users of 1k in · up to 200 tokens; each asks again and again until x stops it
//	space starts 64 users on api.example.com …; a round is up to about 76,800 tokens
func (s Start) Sentence() Sentence {
	who, n := format.Plural(s.Drive.Users, "user", "users"), float64(s.Drive.Users)
	goes, brief, round := "; each asks again and again until x stops it", "; each asks until x", "; a round"
	if s.Drive.Open() {
		who = format.Exact(s.Drive.Rate) + format.Either(s.Drive.Rate == 1, " request", " requests") + " a second"
		n = s.Drive.Rate * 60
		goes, brief, round = ", until x stops them", ", until x", "; a minute"
	}
	tokens := format.If(s.Tokens > 0, round+" is up to about "+Tokens(n*float64(s.Tokens)))
	return Sentence{{Text: "space starts " + who},
		{Text: format.If(s.On != "", " on "+format.Name(s.On, nameMost))},
		{Text: " of " + s.Work, Rank: 1}, {Text: goes, Brief: brief}, {Text: tokens}}
}

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
