package metrics

import (
	"fmt"
	"math"
	"time"
)

// Half is what one half of a window says.
type Half struct {
	Tokens   float64 // received
	InFlight float64 // mean number of requests under way, or due and not sent
	// Answered requests were sent within the window and have ended well in this
	// half; TTFT is their mean and TTFTSpread their standard deviation, ms.
	Answered         int
	TTFT, TTFTSpread float64
}

// standardError is that of the mean TTFT.
func (h *Half) standardError() float64 { return h.TTFTSpread / math.Sqrt(float64(h.Answered)) }

// Window is what Steady judges: a stretch at a constant number of users (or a
// constant rate).
type Window struct {
	Users   int
	Long    time.Duration // since the warm-up ended
	MinLong time.Duration
	// Cold is how many users have neither had a first chunk nor ended a request
	// since the number of users changed; Extra how many still have to leave.
	Cold, Extra int
	// Measured is how many requests were sent and have ended well within the window.
	Measured int
	// Open: the requests come by a schedule; their number may not pile up.
	Open   bool
	Halves [2]Half
}

const (
	// SteadyTolerance is how far the throughput of the two halves may lie
	// apart, of their mean. Requests begin and end within a window, so some
	// difference is the rule: it falls with their number, hence the allowance.
	SteadyTolerance = 0.05
	// steadyNoise: two halves of n requests each that come and go at random
	// differ by about 1/√n; requests of one load are far more regular, so a
	// quarter of that is allowed.
	steadyNoise = 0.25
	// ttftTolerance is the same for the mean TTFT of the two halves, on top of
	// twice the standard error of their difference and ttftFloor. Throughput
	// alone does not show a queue: users that drift into step with each other
	// have the same throughput all the while, and their TTFT doubles.
	ttftTolerance = 0.10
	ttftFloor     = 2.0 // ms: as much as a timer
	// MinSteady: so many requests must have been measured whatever the number of users.
	MinSteady = 3
	// minSteadyOpen is the same for a schedule of arrivals, which is less regular.
	minSteadyOpen = 20
)

// Steady reports whether a window shows the state of the endpoint, not the way
// there, and if not, why:
//
//   - every user has had a first chunk (or ended a request) since the number of
//     users last changed, and those that had to leave are gone;
//   - the window is as long as asked for;
//   - requests sent and ended within it: one a user, MinSteady at least;
//   - the throughput of its halves differs by at most SteadyTolerance of their
//     mean, plus 1/(4·√requests);
//   - the mean TTFT of its halves differs by at most a tenth, plus twice the
//     standard error of that difference, plus 2 ms;
//   - with a schedule of arrivals: requests under way do not grow from half to
//     half by more than a fifth and one request.
//
// A load whose answers change (a cache that fills, a neighbour) fails it until
// the change is small against the window.
func Steady(w Window) (ok bool, why string) {
	need := max(w.Users, MinSteady)
	if w.Open {
		need = minSteadyOpen
	}
	switch {
	case w.Users < 1 && !w.Open:
		return false, "no user"
	case w.Extra > 0:
		return false, fmt.Sprintf("%s still to leave", count(w.Extra, "user"))
	case w.Cold > 0:
		return false, fmt.Sprintf("%s of %d without a first chunk yet", count(w.Cold, "user"), w.Users)
	case w.Long < w.MinLong:
		return false, fmt.Sprintf("the window is %.1f s long, needs %.1f", w.Long.Seconds(), w.MinLong.Seconds())
	case w.Measured < need:
		return false, fmt.Sprintf("%d of %s measured", w.Measured, count(need, "request"))
	}
	a, b := w.Halves[0], w.Halves[1]
	mean := (a.Tokens + b.Tokens) / 2
	if !(mean > 0) || math.IsInf(mean, 0) {
		return false, "no tokens in the window"
	}
	if d, most := (b.Tokens-a.Tokens)/mean, SteadyTolerance+steadyNoise/math.Sqrt(float64(w.Measured)); math.Abs(d) > most {
		return false, fmt.Sprintf("throughput still moves: %+.0f %% from half to half of the window", 100*d)
	}
	if d := b.TTFT - a.TTFT; a.Answered > 0 && b.Answered > 0 && math.Abs(d) > ttftFloor+ttftTolerance*(a.TTFT+b.TTFT)/2+2*math.Hypot(a.standardError(), b.standardError()) {
		return false, fmt.Sprintf("TTFT still moves: %+.0f ms from half to half of the window", d)
	}
	if w.Open && b.InFlight > 1.2*a.InFlight+1 {
		return false, fmt.Sprintf("requests pile up: %.0f under way, %.0f before", b.InFlight, a.InFlight)
	}
	return true, ""
}

// count writes "1 user", "3 users".
func count(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}
