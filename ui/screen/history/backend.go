package history

import (
	"context"

	"tokscope/metrics"
	"tokscope/metrics/history"
)

// Backend is the store as the History screen uses it. The screen exists only for
// a backend that implements it. Methods with a context may read the disk and are
// called by commands only, several at a time.
type Backend interface {
	// Endpoint is the one that the other screens use.
	Endpoint() metrics.Endpoint
	// HistoryVersion changes whenever an answer would differ. It may read the
	// disk, but no file.
	HistoryVersion(ctx context.Context) uint64
	// HistoryView answers q. Its errors say what to do next.
	HistoryView(ctx context.Context, q history.Query) (history.View, error)
	// HistoryBaseline makes the range of b the baseline of its series, and returns
	// it with what was taken.
	HistoryBaseline(ctx context.Context, b history.Baseline) (history.Baseline, error)
	// HistorySave writes what q finds beside the recording and returns the path.
	HistorySave(ctx context.Context, q history.Query) (path string, err error)
}

// Replayer opens recorded requests in Live. A backend that is one has the key
// enter.
type Replayer interface {
	// OpenReplay makes the request with that number of the session file at path
	// the stream of Live. It may take a second.
	OpenReplay(ctx context.Context, path string, request int) error
}
