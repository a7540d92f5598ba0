package race

import (
	"context"

	"tokscope/metrics"
	"tokscope/metrics/racestat"
)

// Backend is the measuring side as the Race screen uses it. The screen exists only
// for a backend that implements it. All methods but RaceWait and RacePropose may be called from the
// UI's goroutine at any time and return at once.
type Backend interface {
	// Endpoint is the endpoint in use.
	Endpoint() metrics.Endpoint
	// RaceContest are the contestants as they were typed, without a target before any.
	RaceContest() racestat.Contest
	// RaceSet makes c the contestants of the next race, and ends the one before.
	RaceSet(c racestat.Contest) error
	// RaceStart starts a race and replaces a running one. round may be nil.
	RaceStart(p racestat.Plan, round func(racestat.View)) error
	// RaceHold lets no further request begin, or lets them begin again.
	RaceHold(on bool)
	// RaceStop ends the race; what is known stays.
	RaceStop()
	// RaceWait returns once the race has ended. The end of ctx stops it.
	RaceWait(ctx context.Context)
	// RaceView is the race now, or its final state.
	RaceView() racestat.View
	// RaceVersion changes whenever RaceView or RaceStream would differ by more
	// than the clock.
	RaceVersion() uint64
	// RaceStream is the request of a lane in the present or last round.
	RaceStream(lane int) (metrics.Stream, bool)
	// RaceHeat is all requests of a whole round, by lane: of the newest, or of the one
	// nearest to the medians. number is 0 before any. It changes with each round.
	RaceHeat(nearest bool) (number int, streams []metrics.Stream)
	// RacePropose says what to race where nobody has said it, and why. It may ask the
	// endpoint in use for its models until ctx ends: it runs off the UI's goroutine.
	RacePropose(ctx context.Context) (racestat.Contest, racestat.Proposal)
	// RaceSave writes the race beside the session's recording and returns the
	// path.
	RaceSave(ctx context.Context) (path string, err error)
}
