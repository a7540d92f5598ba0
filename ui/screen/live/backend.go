package live

import (
	"context"

	"tokscope/metrics"
)

// Backend is the measuring side as the Live screen uses it. The screen exists
// only for a backend that implements it. All methods may be called from the
// UI's goroutine at any time. Methods without a context return at once.
type Backend interface {
	session
	// Begin cancels the running request and starts one with w on the chosen
	// endpoint. Snapshot shows it from then on.
	Begin(w metrics.Workload)
	// Stop ends the running request. What arrived is kept.
	Stop()
	// OtherUser sends a request of another user with a prompt of about that many
	// tokens, beside the running one. It does so on the embedded endpoint alone,
	// and reports whether it did.
	OtherUser(promptTokens int) bool
	// Version changes whenever Snapshot would differ by more than the clock.
	Version() uint64
	// Snapshot is the current or last stream; the zero Stream before any.
	Snapshot() metrics.Stream
	// Curl is the current or last request as a command for a shell, with its key
	// as a variable; "" before any was sent.
	Curl() string
	// SessionPath is the recording's file, "" when none is written.
	SessionPath() string
}

// session is what the panels show beside the stream, and where results are saved.
type session interface {
	// Now reads the clock of all stamps.
	Now() metrics.Stamp
	// Runs are the ended requests of this session, oldest first. The slice is
	// shared and read-only.
	Runs() []metrics.Run
	// RunsLeftOut counts the older runs that Runs no longer has.
	RunsLeftOut() int
	// Observer is the program's own lag over the last seconds.
	Observer() metrics.Observer
	// Endpoint is the endpoint in use.
	Endpoint() metrics.Endpoint
	// Save writes the session's results beside its recording and returns the path.
	Save(ctx context.Context) (path string, err error)
}
