package say

import (
	"slices"
	"strings"
	"time"

	"tokscope/metrics"
	"tokscope/ui/format"
)

// limitLeft is what one rate limit allows, and for how long. what is "tokens" or
// "requests":
//
//	4,200 of 6,000 tokens left, reset in 6 s; at this pace used up in 40 s
//	0 of 6,000 tokens left: used up, resets in 45 s
//	20 requests left, limit 10, reset in 6 s; at this pace it lasts
//
// It is "" where no answer told what is left.
func limitLeft(f *metrics.LimitForecast, what string) string {
	if !f.Known() {
		return ""
	}
	of := format.If(f.Limit >= f.Left, " of "+format.Count(f.Limit))
	return format.Count(f.Left) + of + " " + what + " left" + LimitNext(f)
}

// LimitNext is limitLeft without what is left: what becomes of it.
func LimitNext(f *metrics.LimitForecast) string {
	// more is left than the limit: the server counts otherwise
	above := format.If(f.Limit >= 0 && f.Left > f.Limit, ", limit "+format.Count(f.Limit))
	switch {
	case exhausted(f) && f.Reset.OK:
		return ": used up, resets in " + soon(f.Reset.V)
	case exhausted(f):
		return ": used up"
	case f.Outcome == metrics.LimitReset:
		return " " + soon(f.Age.V) + " ago" + above + "; it has reset since"
	case f.Reset.OK:
		above += ", reset in " + soon(f.Reset.V)
	}
	pace := "at this pace it lasts" + format.If(f.Reset.OK && f.UsedUp.OK, " past the reset")
	switch {
	case !f.Pace.OK:
		pace = "pace " + format.Reason(f.Pace)
	case f.Outcome == metrics.LimitUsedUp:
		pace = "at this pace used up in " + soon(f.UsedUp.V)
	}
	return above + "; " + pace
}

// Allowed says when the endpoint allows a further request, as its Retry-After or the
// reset of its limit tell: "the next request is allowed in 30 s".
func Allowed(wait time.Duration) string {
	return "the next request is allowed in " + soon(float64(wait)/float64(time.Millisecond))
}

// WaitOf says behind what is left of the wait of s, which failed, what asked for it.
func WaitOf(s *metrics.Stream) string {
	wait, r := s.Fault.RetryAfter, s.RateLimit
	switch {
	case r != nil && (wait == r.ResetRequests || wait == r.ResetTokens):
		return "until its limit resets"
	case s.Head != nil && slices.ContainsFunc(s.Head.Fields, func(f metrics.HeaderField) bool {
		return strings.Contains(strings.ToLower(f.Name), "retry-after")
	}):
		return "of the server's Retry-After"
	}
	return "as the answer says"
}

// exhausted reports whether nothing is left of f until its reset.
func exhausted(f *metrics.LimitForecast) bool {
	return f.Left == 0 && f.Outcome == metrics.LimitUsedUp
}

// RateLimitBrief is the limit that matters most in few words, and in fewer: the limit
// used up first, else that of tokens. spent reports that it is used up before its
// reset. Both are "" without a limit.
func RateLimitBrief(all *metrics.LimitForecasts) (text, brief string, spent bool) {
	if f, tokens := all.UsedUp(); f != nil {
		what := format.Either(tokens, "tokens", "requests")
		switch {
		case exhausted(f) && f.Reset.OK:
			return "0 " + what + " left for " + soon(f.Reset.V), "limit used up", true
		case exhausted(f):
			return what + " used up", "limit used up", true
		}
		in := " in " + soon(f.UsedUp.V)
		return what + " used up" + in, "limit" + in, true
	}
	f, what := &all.Tokens, "tokens"
	if !f.Known() {
		f, what = &all.Requests, "requests"
	}
	if !f.Known() || f.Outcome == metrics.LimitReset {
		return "", "", false
	}
	return format.Count(f.Left) + " " + what + " left", "", false
}

// RateLimitMark is "rate limit in 40 s" where a limit is used up before its reset,
// "rate limit used up" where nothing is left of it, else "".
func RateLimitMark(all *metrics.LimitForecasts) string {
	if _, brief, spent := RateLimitBrief(all); spent {
		return "rate " + brief
	}
	return ""
}

// RateLimits says what both limits allow, each with its words, tokens first.
func RateLimits(all *metrics.LimitForecasts) []string {
	return format.Written(limitLeft(&all.Tokens, "tokens"), limitLeft(&all.Requests, "requests"))
}

// soon is a time to come in whole seconds, given in milliseconds.
func soon(ms float64) string {
	if ms > 0 && ms < 1000 {
		return "<1 s"
	}
	var room [32]byte
	return string(format.AppendElapsed(room[:0], ms/1000))
}
