package history

import (
	"time"

	"tokscope/metrics/comparison"
	"tokscope/metrics/history"
	"tokscope/themes"
	"tokscope/ui/say"
)

// View is the input of the picture.
type View struct {
	Glyphs *themes.Glyphs
	// Loaded reports that the store has answered once. Err says why it could not;
	// the last answers then stay.
	Loaded bool
	Err    string
	// Version counts the answers; Now is the moment of the last one.
	Version uint64
	Now     time.Time

	All, Matching int
	Since         time.Time // of the first entry
	// Damaged lines of the store could not be read, Newer ones are of a later
	// version.
	Damaged, Newer int

	Filter string // as it was typed
	Order  history.Order

	// Rows are the entries from First on. Selected is the chosen one of all that
	// match, and Top the first visible one.
	Rows          []history.Entry
	First         int
	Selected, Top int
	Sparks        map[history.Series][]float64 // the chosen figure, oldest first, as shares; NaN is a gap
	Several       several
	Shown         *history.SeriesView // of the chart, nil before any
	Figure        history.Figure
	Linear        bool
	Span          Span
	From, To      time.Time // of the chart
	Cursor        time.Time // of the selected run, zero when it is of another series
	Change        int       // of Shown.Changes that the phases are about, -1 for none
	Finding       say.HistoryFinding
	Result        *comparison.Result
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
	if i -= v.First; i < 0 || i >= len(v.Rows) {
		return nil
	}
	return &v.Rows[i]
}

// figures are those that v goes through, in this order.
var figures = []history.Figure{history.TTFT, history.TPOT, history.Total, history.Longest,
	history.Speed, history.Prefill, history.Queue, history.TCP, history.TLS, history.Throughput}

// has reports whether the shown series has values of a figure.
func (v *View) has(f history.Figure) bool {
	if v.Shown == nil {
		return false
	}
	for i := range v.Shown.Slots {
		if v.Shown.Slots[i].Figures[f].N > 0 {
			return true
		}
	}
	return v.Shown.Baseline != nil && v.Shown.Baseline.Figures[f].N > 0
}
