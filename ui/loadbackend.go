package ui

import (
	"context"

	"tokscope/metrics"
)

// LoadBackend is what the Load screen asks of the measuring side. A Backend
// that implements it has a Load screen; one that does not has none. Every
// method may be called from the UI's goroutine at any time and returns at once.
type LoadBackend interface {
	// LoadStart starts a load of so many users who send w again and again. When
	// the load is large enough to be asked about, nothing starts and
	// needsConsent is the question, with its estimate: call LoadConsent and
	// LoadStart again after a yes. A load that runs already is replaced.
	LoadStart(w metrics.Workload, users int) (needsConsent string, err error)
	// SetLengths says what the requests of loads that start from now on draw:
	// the lengths of their prompts and the bounds of their answers. What does not
	// vary is as the workload says.
	SetLengths(input, output metrics.Lengths)
	// LoadConsent is the yes to the last question.
	LoadConsent()
	// LoadResize changes the number of users: growing starts users, shrinking
	// lets the requests end that run. Growing beyond what was agreed to raises
	// a question instead: LoadView().Asks.
	LoadResize(n int)
	// LoadCut cancels the requests of users who leave.
	LoadCut()
	// LoadHold keeps new requests from beginning, or lets them begin again.
	LoadHold(bool)
	// LoadStop begins no new request and lets those end that run.
	LoadStop()
	// LoadView is the load now, or as it ended; the zero view before any.
	LoadView() metrics.View
	// LoadVersion changes whenever LoadView would differ by more than the clock.
	LoadVersion() uint64
	// LoadStream is the running or last request of a user.
	LoadStream(user int) (metrics.Stream, bool)
	// LoadSave writes the load's figures beside the session's recording and
	// returns the path.
	LoadSave(ctx context.Context) (path string, err error)
	// SetSLOs changes the objectives of goodput.
	SetSLOs([]metrics.Objective)
}
