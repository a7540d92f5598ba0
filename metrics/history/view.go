package history

import "time"

// Quantiles are nested quantiles of one figure in a slot.
type Quantiles struct {
	N   int     `json:"n"`
	Min float64 `json:"min"` // as the others, valid if N > 0
	P10 float64 `json:"p10"`
	P25 float64 `json:"p25"`
	P50 float64 `json:"p50"`
	P75 float64 `json:"p75"`
	P90 float64 `json:"p90"`
	Max float64 `json:"max"`
}

// Slot is one span of time of a series. Its figures are those of requests that
// ended well and are not suspect.
type Slot struct {
	From      time.Time
	Width     time.Duration
	N, Failed int // requests; failed ones are in N
	Figures   [NumFigures]Quantiles
}

// Baseline is a range of a series that a person has named as usual.
type Baseline struct {
	Name     string
	Series   Series
	From, To time.Time // To is exclusive
	Set      time.Time // when it was named
	N        int
	Figures  [NumFigures]Quantiles
}

// Change is a change point of one figure of a series: the median before and
// after it, since the change point before and until the next.
type Change struct {
	Figure        Figure
	At            time.Time
	Before, After float64
	// Ratio is how many times larger values became, with its 95 % interval: the
	// Hodges-Lehmann ratio of the slots' medians, which After/Before is close to.
	Ratio, Low, High float64
	NBefore, NAfter  int
}

// SeriesView is one series with what is known of it. Terms of a filter on single
// entries leave it whole: a distribution of slow requests alone would mislead.
type SeriesView struct {
	Series      Series
	First, Last time.Time
	N, Failed   int      // requests in the time asked for; those that a person stopped are left out
	Slots       []Slot   // of that time, ascending, empty ones left out; read only
	Changes     []Change // ascending
	// Figures are over all requests in the time asked for that ended well and are
	// not suspect; only with Query.Quantiles.
	Figures  [NumFigures]Quantiles
	Baseline *Baseline
}

// Query asks for entries. The zero Query asks for all, newest first.
type Query struct {
	// Filter is a line of words and terms, as a person types it.
	Filter string
	// Series, when not nil, asks for one series.
	Series *Series
	From   time.Time // inclusive; zero for none
	To     time.Time // exclusive; zero for none
	Sort   string    // a field's name, "-" before it for descending; "" is "-at"
	// Quantiles asks for SeriesView.Figures as well.
	Quantiles bool
	// Offset and Limit choose a part of the answer; Limit 0 has no bound.
	Offset, Limit int
}

// Imported says what a file held.
type Imported struct {
	Entries int // in the file
	New     int // that the history did not have
	Damaged int // lines that could not be read
	Running int // requests of a session file that had not ended
}

// View is the answer to a Query at one moment.
type View struct {
	Entries []Entry // the part that was asked for
	// Matching is how many entries match, All how many the store holds, and
	// Since when its first was measured.
	Matching, All int
	Since         time.Time
	// Series are those of the matching entries, the one measured last first.
	Series []SeriesView
	// Damaged lines were not read; LeftOut entries were pruned; Newer lines are in
	// the format of a later version.
	Damaged, LeftOut, Newer int
}
