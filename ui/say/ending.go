package say

import (
	"fmt"

	"tokscope/metrics"
	"tokscope/ui/format"
)

// Outcome is the word for how a request ended; draw.Outcome is the sign. Files have
// the name of the state instead.
func Outcome(s metrics.State) string {
	return format.Either(s == metrics.Cancelled, "stopped", s.String())
}

// Ending writes why a load or a sweep ended by itself, "" for none. An unknown
// code is written as it is.
func Ending(e metrics.Ending) string {
	switch e.Code {
	case metrics.EndingCap:
		t := &e.Tokens
		next := format.Either(t.Requests > 1, format.Count(t.Requests)+" requests", "request")
		if t.Used+t.Reserved == 0 { // nothing was sent
			return fmt.Sprintf("the cap of %s tokens is too low: the first %s alone can take %s",
				format.Whole(t.Max), next, format.Whole(t.Next))
		}
		return fmt.Sprintf(
			"the cap of %s tokens is reached: %s are used, %s reserved for what runs, and the next %s can take %s",
			format.Whole(t.Max), format.Whole(t.Used), format.Whole(t.Reserved), next, format.Whole(t.Next))
	case metrics.EndingFailures:
		kind := metrics.FaultCount{Kind: e.Kind, N: e.Most}
		return fmt.Sprintf("the load was stopped because the last %s requests all failed: %s; the last one: %s",
			format.Count(e.Requests), format.Either(e.Most == e.Requests, FaultName(e.Kind, 0), severalTimes(&kind)),
			lastFault(&e))
	case metrics.EndingClosing:
		return "stopped: the program was closing"
	case metrics.EndingInterrupted:
		return "interrupted" + format.If(e.Step != (metrics.LoadStep{}),
			"; the step of "+Step(e.Step)+" was under way and is left out")
	case metrics.EndingStepFailed:
		return "every request failed at " + Step(e.Step)
	case metrics.EndingMissed:
		return e.SLO + " is missed at " + Step(e.Step)
	case metrics.EndingError:
		return lastFault(&e)
	}
	return string(e.Code)
}

// lastFault writes the last failure, as the fault says it.
func lastFault(e *metrics.Ending) string {
	if e.Last == nil {
		return format.Unknown
	}
	return e.Last.Error()
}

// Step writes a step of a sweep: "8 users", "0.5 requests/s", "4,000 prompt
// tokens".
func Step(s metrics.LoadStep) string {
	if s.Depth > 0 {
		return format.Plural(s.Depth, "prompt token", "prompt tokens")
	}
	if s.Rate > 0 {
		return format.Either(s.Rate == 1, "1 request/s", format.Exact(s.Rate)+" requests/s")
	}
	return format.Plural(s.Users, "user", "users")
}
