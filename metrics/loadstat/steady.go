package loadstat

import (
	"math"
	"time"
)

// Half holds the figures of one half of a window.
type Half struct {
	Tokens   float64 // received
	InFlight float64 // mean number of requests under way, or due and not sent
	// Answered requests were sent within the window and ended well in this
	// half; TTFT is their mean and TTFTSpread their standard deviation, ms.
	Answered         int
	TTFT, TTFTSpread float64
}

// standardError returns the standard error of the mean TTFT.
func (h *Half) standardError() float64 { return h.TTFTSpread / math.Sqrt(float64(h.Answered)) }

// Window is the input of Steady: an interval at a constant number of users
// (or a constant rate).
type Window struct {
	Users   int
	Long    time.Duration // since the warm-up ended
	MinLong time.Duration
	// Cold is the number of users without a first chunk or an ended request
	// since the number of users changed. Extra is the number that still have to
	// leave.
	Cold, Extra int
	// Before is the number of running requests of the work before a change.
	Before int
	// Measured is the number of requests sent and ended well within the window.
	Measured int
	// Open: the requests follow a schedule, so they must not accumulate.
	Open   bool
	Halves [2]Half
}

const (
	// SteadyTolerance is the largest accepted difference in throughput of the
	// two halves, as a share of their mean. Requests that begin and end within
	// a window cause some difference, hence steadyNoise; it falls with their
	// number.
	SteadyTolerance = 0.05
	// steadyNoise: two halves of n requests each that begin and end at random
	// differ by about 1/√n. Requests of one load are far more regular, so a
	// quarter of that is allowed.
	steadyNoise = 0.25
	// ttftTolerance is the same for the mean TTFT of the two halves, on top of
	// twice the standard error of their difference and ttftFloor. Throughput
	// alone does not show a queue. Users that drift into step keep the same
	// throughput while their TTFT doubles.
	ttftTolerance = 0.10
	ttftFloor     = 2.0 // ms: as much as a timer
	// MinSteady is the least number of measured requests, whatever the number
	// of users.
	MinSteady = 3
	// minSteadyOpen is the same for a schedule of arrivals, which is less regular.
	minSteadyOpen = 20
)

// UnsteadyCode names a reason why a window is not steady. The codes are part
// of the JSON output; ui/format has the sentences. "" is steady.
type UnsteadyCode string

// The codes, each with what it puts into N and Of.
const (
	UnsteadyNoUser     UnsteadyCode = "no_user"           // no user
	UnsteadyLeaving    UnsteadyCode = "users_leaving"     // N users still have to leave
	UnsteadyBefore     UnsteadyCode = "work_before_runs"  // N requests of the work before a change still run
	UnsteadyCold       UnsteadyCode = "no_first_chunk"    // N of Of users have no first chunk yet
	UnsteadyNoneEnded  UnsteadyCode = "none_ended"        // no request sent at the rate of an open loop has ended yet
	UnsteadyShort      UnsteadyCode = "window_short"      // N seconds long, Of are needed
	UnsteadyFew        UnsteadyCode = "few_requests"      // N requests measured, Of are needed
	UnsteadyNoTokens   UnsteadyCode = "no_tokens"         // no token in the window
	UnsteadyThroughput UnsteadyCode = "throughput_drifts" // N: change from half to half, as a share of their mean
	UnsteadyTTFT       UnsteadyCode = "ttft_drifts"       // N: change from half to half, ms
	UnsteadyQueue      UnsteadyCode = "requests_pile_up"  // N requests under way, Of before (means)
	UnsteadyHold       UnsteadyCode = "on_hold"           // no new requests begin
	UnsteadyRamp       UnsteadyCode = "ramp"              // the load changes all the time
	UnsteadyShards     UnsteadyCode = "shards_missing"    // N of Of shards measured nothing
)

// Unsteady is the reason why a window is not steady, with its numbers. The
// zero value is a steady window.
type Unsteady struct {
	Code UnsteadyCode `json:"reason"`
	N    float64      `json:"n" form:"null=inf"`
	Of   float64      `json:"of" form:"null=inf"`
}

// Steady returns the zero Unsteady for a window that shows the settled state
// of the endpoint, else the first reason why it does not:
//
//   - every user has had a first chunk (or ended a request) since the number of
//     users or the work last changed, those that had to leave have left, and no
//     request of the work before runs; of an open loop a request that was sent at
//     the present rate, with the present work, has ended;
//   - the window is as long as asked for;
//   - requests sent and ended within it: one per user, MinSteady at least;
//   - the throughput of its halves differs by at most SteadyTolerance of their
//     mean, plus 1/(4·√requests);
//   - the mean TTFT of its halves differs by at most a tenth, plus twice the
//     standard error of that difference, plus 2 ms;
//   - with a schedule of arrivals: requests under way do not grow between the
//     halves by more than a fifth and one request.
//
// A load with changing answers (a cache that fills, a neighbor) fails it
// until the change is small against the window.
func Steady(w Window) Unsteady {
	need := max(w.Users, MinSteady)
	if w.Open {
		need = minSteadyOpen
	}
	switch {
	case w.Users < 1 && !w.Open:
		return Unsteady{Code: UnsteadyNoUser}
	case w.Extra > 0:
		return Unsteady{UnsteadyLeaving, float64(w.Extra), 0}
	case w.Before > 0:
		return Unsteady{UnsteadyBefore, float64(w.Before), 0}
	case w.Cold > 0 && w.Open:
		return Unsteady{Code: UnsteadyNoneEnded}
	case w.Cold > 0:
		return Unsteady{UnsteadyCold, float64(w.Cold), float64(w.Users)}
	case w.Long < w.MinLong:
		return Unsteady{UnsteadyShort, w.Long.Seconds(), w.MinLong.Seconds()}
	case w.Measured < need:
		return Unsteady{UnsteadyFew, float64(w.Measured), float64(need)}
	}
	a, b := w.Halves[0], w.Halves[1]
	mean := (a.Tokens + b.Tokens) / 2
	if !(mean > 0) || math.IsInf(mean, 0) {
		return Unsteady{Code: UnsteadyNoTokens}
	}
	if d, most := (b.Tokens-a.Tokens)/mean, SteadyTolerance+
		steadyNoise/math.Sqrt(float64(w.Measured)); math.Abs(d) > most {
		return Unsteady{Code: UnsteadyThroughput, N: d}
	}
	if d := b.TTFT - a.TTFT; a.Answered > 0 && b.Answered > 0 && math.Abs(d) > ttftFloor+
		ttftTolerance*(a.TTFT+b.TTFT)/2+2*math.Hypot(a.standardError(), b.standardError()) {
		return Unsteady{Code: UnsteadyTTFT, N: d}
	}
	if w.Open && b.InFlight > 1.2*a.InFlight+1 {
		return Unsteady{UnsteadyQueue, b.InFlight, a.InFlight}
	}
	return Unsteady{}
}
