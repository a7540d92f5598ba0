package comparison

import (
	"tokscope/metrics/history"
	"tokscope/metrics/pick"
)

// State says what is known of one figure of two samples.
type State uint8

// The states.
const (
	// TooFew: no result of so few values could be told from chance.
	TooFew State = iota
	// Single: the source has a median and no single values, so there is no
	// interval and nothing to test.
	Single
	// Noise: the difference is not more than chance, after Holm's correction over
	// all figures compared.
	Noise
	// Lower and Higher: B differs from A by more than chance, after the same
	// correction.
	Lower
	Higher
)

// String returns the state's name in JSON.
func (s State) String() string {
	return [...]string{"too_few", "no_values", "noise", "lower", "higher"}[s]
}

// Row compares one figure of two samples. Medians are in the unit of the
// figure.
type Row struct {
	Figure history.Figure `json:"figure"`
	State  State          `json:"state"`
	// A and B are medians, NaN without values, of which NA and NB are the numbers.
	A     float64 `json:"median_a" form:"null=nan"`
	B     float64 `json:"median_b" form:"null=nan"`
	NA    int     `json:"n_a"`
	NB    int     `json:"n_b"`
	Needs int     `json:"needs_n,omitempty"` // of TooFew: values that each sample must have
	// Ratio is that of B to A by Hodges and Lehmann, exp of the median of all
	// differences of logarithms: the ratio of the medians where both have one shape.
	// Of Single it is that of the medians. NaN without NA, NB > 0, and of Zero.
	Ratio float64 `json:"ratio" form:"null=nan"`
	// Low to High is its 95 % interval; Low is 0 or High infinite with very few
	// values, of Single and of Zero.
	Low  float64 `json:"ratio_low" form:"null=zero"`
	High float64 `json:"ratio_high" form:"null=nan"`
	// Zero reports that a value is 0, as of a server that reports whole milliseconds:
	// 0 has no logarithm. Then Shift is by how much B is larger, by Hodges and
	// Lehmann in the unit of the figure, with its 95 % interval, of which an end is
	// infinite where Low and High are not bounded. Else Shift is NaN.
	Zero      bool
	Shift     float64 `json:"difference,omitempty" form:"null=nan"`
	ShiftLow  float64 `json:"difference_low,omitempty" form:"null=nan"`
	ShiftHigh float64 `json:"difference_high,omitempty" form:"null=nan"`
	// P is the p-value of Mann and Whitney, corrected by Holm over Result.Tested
	// figures; 1 of TooFew and Single.
	P float64
	// Explains is by how many ms this part of the wait explains the change of
	// TTFT: the difference of medians. NaN where the figure is no part of the wait
	// (see Part), or without NA, NB > 0.
	Explains float64 `json:"explains_ms,omitempty" form:"null=nan"`
	// Lag1 is the autocorrelation of neighboring requests, the larger one of A and
	// B by its amount; NaN below 8 values. Doubtful reports that it is so large
	// that the interval may be too narrow and P too small: the tests take requests
	// as independent.
	Lag1     float64 `json:"lag1" form:"null=nan"`
	Doubtful bool    `json:"interval_doubtful"`
	// ValuesA and ValuesB are the values, ascending.
	ValuesA, ValuesB []float64
}

// Both reports whether both samples have values.
func (r *Row) Both() bool { return r.NA > 0 && r.NB > 0 }

// Different reports whether B differs from A by more than chance.
func (r *Row) Different() bool { return r.State >= Lower }

// Failures compares the shares of requests that did not end well.
type Failures struct {
	State   State `json:"state"`
	FailedA int   `json:"failed_a"`
	NA      int   `json:"n_a"`
	FailedB int   `json:"failed_b"`
	NB      int   `json:"n_b"`
	// P is the p-value of Fisher's exact test, corrected by Holm with those of
	// the figures; NaN where nothing was tested.
	P float64 `json:"p" form:"null=nan"`
}

// Result is the comparison of two samples.
type Result struct {
	// Rows are the figures that at least one sample has, in the order of a request.
	// Speed is left out where both have TPOT: it is 1/TPOT.
	Rows     []Row
	Failures Failures
	// Tested is how many p-values Holm's correction covers: of all pairs that are
	// compared together.
	Tested int `json:"tested"`
	// SuspectA and SuspectB are how many requests were left out of the figures
	// because the measurement spoiled them. Failures count them.
	SuspectA int `json:"suspect_a"`
	SuspectB int `json:"suspect_b"`

	speedA, speedB []float64 // ascending; see Rows
}

// Different reports whether B differs in any figure or in failures.
func (res *Result) Different() bool {
	return pick.First(res.Rows, (*Row).Different) != nil || res.Failures.Different()
}

// Row returns the row of a figure, nil without one.
func (res *Result) Row(f history.Figure) *Row {
	return pick.First(res.Rows, func(r *Row) bool { return r.Figure == f })
}

// Different reports whether B fails more or less often by more than chance.
func (f *Failures) Different() bool { return f.State >= Lower }
