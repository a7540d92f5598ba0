package ui

import (
	"context"

	"tokscope/metrics"
)

// Backend is all the interface asks of the measuring side. Every method may be
// called from the UI's goroutine at any time; those without a context return
// at once.
type Backend interface {
	// Begin cancels what runs and starts a request with w on the chosen endpoint.
	Begin(w metrics.Workload)
	// Stop ends the running request; what arrived is kept.
	Stop()
	// Version changes whenever Snapshot would differ by more than the clock.
	Version() uint64
	// Snapshot is the current or last stream; the zero Stream before any.
	Snapshot() metrics.Stream
	// Now is the clock the stamps are in.
	Now() metrics.Stamp
	// Runs are the ended requests of this session, oldest first. The slice is
	// shared: read only.
	Runs() []metrics.Run
	// Observer is the program's own lateness over the last seconds.
	Observer() metrics.Observer
	// Endpoint is the one in use.
	Endpoint() metrics.Endpoint
	// Endpoints lists what can be chosen: embedded, profiles, providers, and
	// servers found on loopback. It may look for them for up to 2 s.
	Endpoints(ctx context.Context) []metrics.Endpoint
	// Models asks e for its models.
	Models(ctx context.Context, e metrics.Endpoint) ([]string, error)
	// Select makes e (with e.Model) the endpoint of the next request.
	Select(e metrics.Endpoint) error
	// Save writes the session's results beside its recording and returns the path.
	Save(ctx context.Context) (path string, err error)
	// SessionPath is the recording's file, "" when none is written.
	SessionPath() string
}
