package say

import (
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
