package history

import (
	"context"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/history"
	"tokscope/metrics/pick"
	"tokscope/themes"
)

// View is the input of the picture.
type View struct {
	Glyphs *themes.Glyphs
	// Loaded reports that the store has answered once. Err says why it could not;
	// the last answers then stay.
	Loaded  bool
	Err     string
	Version uint64 // counts the answers
	answer         // the last one

	// Selected is the chosen run of all that match, and Top the first visible one.
	Selected, Top int
	Figure        history.Figure
	Linear        bool
	Cursor        time.Time // of the selected run, zero when it is of another series
	Busy          string    // what other screens ran when the store answered: "the load"
}

// several says in what the series differ, so that what is always the same has no
// column.
type several struct {
	endpoints, models, workloads, machines bool
	// Widths of the names, so that columns do not move while one scrolls.
	endpointW, modelW, workloadW int
}

// Span is how far back the chart goes.
type Span uint8

// The spans, short to long. Auto is the one that fits the data.
const (
	Auto Span = iota
	TenMinutes
	Hour
	Day
	Week
	Month
	All
	spans
)

// Duration returns the span's length, 0 for All and Auto.
func (s Span) Duration() time.Duration {
	return [spans]time.Duration{0, 10 * time.Minute, time.Hour,
		24 * time.Hour, 7 * 24 * time.Hour, 30 * 24 * time.Hour, 0}[s]
}

// row returns the entry with that index of all that match, nil where it is not
// loaded.
func (v *View) row(i int) *history.Entry {
	if i -= v.offset; i < 0 || i >= len(v.rows.Entries) {
		return nil
	}
	return &v.rows.Entries[i]
}

// changes are those in the chart of a figure: its own, and the one that the sentence is
// about.
func (v *View) changes(f history.Figure) (all []history.Change) {
	for i := range v.shown.Changes {
		if v.shown.Changes[i].Figure == f || i == v.at {
			all = append(all, v.shown.Changes[i])
		}
	}
	return all
}

// figures are those that v goes through, in this order.
var figures = []history.Figure{history.TTFT, history.TPOT, history.Total, history.Longest,
	history.Speed, history.Prefill, history.Queue, history.TCP, history.TLS, history.Throughput}

func (v *View) has(f history.Figure) bool {
	return v.shown != nil &&
		(pick.First(v.shown.Slots, func(s *history.Slot) bool { return s.Figures[f].N > 0 }) != nil ||
			v.shown.Baseline != nil && v.shown.Baseline.Figures[f].N > 0)
}

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
