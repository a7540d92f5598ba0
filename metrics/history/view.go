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
	From   time.Time     `json:"from"`
	Width  time.Duration `json:"seconds" form:"s"`
	N      int           `json:"requests"` // failed ones too
	Failed int           `json:"failed"`
	// Figures are those of requests that ended well and are not suspect. In JSON they
	// stand by name, and one without values is absent.
	Figures [NumFigures]Quantiles `json:"figures"`
}

// Baseline is a range of a series that a person has named as usual.
type Baseline struct {
	Name    string                `json:"name"`
	Series  Series                `json:"series"`
	From    time.Time             `json:"from"`
	To      time.Time             `json:"to"`  // exclusive
	Set     time.Time             `json:"set"` // when it was named
	N       int                   `json:"requests"`
	Figures [NumFigures]Quantiles `json:"figures"`
}

// Change is a change point of one figure of a series: the median before and
// after it, since the change point before and until the next.
type Change struct {
	Figure Figure    `json:"figure"`
	At     time.Time `json:"at"`
	Before float64   `json:"before"` // median of the slots since the change point before
	After  float64   `json:"after"`  // until the next
	// Ratio is how many times larger values became: the Hodges-Lehmann ratio of the
	// slots' medians, which After/Before is close to.
	Ratio   float64 `json:"ratio"`
	Low     float64 `json:"ratio_low"`
	High    float64 `json:"ratio_high"` // of the 95 % interval
	NBefore int     `json:"slots_before"`
	NAfter  int     `json:"slots_after"`
}

// Large reports whether values became larger or smaller by that factor at least; 0 is any.
func (c *Change) Large(by float64) bool { return c.Ratio >= by || c.Ratio <= 1/by }

// SeriesView is one series with what is known of it. Terms of a filter on single
// entries leave it whole: a distribution of slow requests alone would mislead.
type SeriesView struct {
	Series  Series    `json:"series"`
	First   time.Time `json:"first"`
	Last    time.Time `json:"last"`
	N       int       `json:"requests"` // in the time asked for; those that a person stopped are left out
	Failed  int       `json:"failed"`
	Slots   []Slot    `json:"slots"`   // of that time, ascending, empty ones left out; read only
	Changes []Change  `json:"changes"` // ascending
	// Figures are over all requests in the time asked for that ended well and are
	// not suspect; only with Query.Quantiles.
	Figures  [NumFigures]Quantiles
	Baseline *Baseline `json:"baseline,omitempty"`
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
	Entries  []Entry   // the part that was asked for
	Matching int       `json:"matching"`                // entries that match
	All      int       `json:"all"`                     // entries that the store holds
	Since    time.Time `json:"since,omitzero"`          // when the first of all was measured
	Damaged  int       `json:"damaged_lines,omitempty"` // that were not read
	Newer    int       `json:"newer_lines,omitempty"`   // in the format of a later version
	LeftOut  int       `json:"left_out,omitempty"`      // entries that were pruned
	// Series are those of the matching entries, the one measured last first.
	Series []SeriesView `json:"series"`
}
