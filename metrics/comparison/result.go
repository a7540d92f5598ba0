package comparison

import "tokscope/metrics/history"

// State says what is known of one figure of two samples.
type State uint8

// The states.
const (
	// TooFew: no result of so few values could be told from chance.
	TooFew State = iota
	// Noise: the difference is not more than chance, after Holm's correction over
	// all figures compared.
	Noise
	// Lower and Higher: B differs from A by more than chance, after the same
	// correction.
	Lower
	Higher
)

// String returns the state's name in JSON.
func (s State) String() string { return [...]string{"too_few", "noise", "lower", "higher"}[s] }

// Row compares one figure of two samples. Medians are in the unit of the
// figure.
type Row struct {
	Figure    history.Figure
	State     State
	A, B      float64 // medians; valid with NA, NB > 0
	NA, NB    int     // values
	Needs     int     // of TooFew: values that each sample must have
	Ratio     float64 // B to A, by Hodges and Lehmann on logarithms; valid with NA, NB > 0
	Low, High float64 // its 95 % interval; Low is 0 or High infinite with very few values
	// P is the p-value of Mann and Whitney, corrected by Holm over Result.Tested
	// figures; 1 of TooFew.
	P float64
	// Explains is by how many ms this part of the wait explains the change of
	// TTFT: the difference of medians. Valid for parts of the wait only
	// (see Part), with NA, NB > 0.
	Explains float64
	// ValuesA and ValuesB are the values, ascending.
	ValuesA, ValuesB []float64
}

// Both reports whether both samples have values.
func (r *Row) Both() bool { return r.NA > 0 && r.NB > 0 }

// Different reports whether B differs from A by more than chance.
func (r *Row) Different() bool { return r.State >= Lower }

// Part reports whether f is a part of the wait before the first token: of the
// server, or of the connection before it.
func Part(f history.Figure) bool {
	switch f {
	case history.DNS, history.TCP, history.TLS, history.Upload, history.Queue, history.Prefill:
		return true
	}
	return false
}

// Failures compares the shares of requests that did not end well.
type Failures struct {
	State       State
	FailedA, NA int
	FailedB, NB int
	// P is the p-value of Fisher's exact test, corrected by Holm with those of
	// the figures; 1 of TooFew.
	P float64
}

// Result is the comparison of two samples.
type Result struct {
	// Rows are the figures that at least one sample has, in the order of a request.
	// Speed is left out where both have TPOT: it is 1/TPOT.
	Rows     []Row
	Failures Failures
	// Tested is how many p-values Holm's correction covers.
	Tested int
	// SuspectA and SuspectB are how many requests were left out of the figures
	// because the measurement spoiled them. Failures count them.
	SuspectA, SuspectB int

	speedA, speedB []float64 // ascending; see Rows
}

// Row returns the row of a figure, nil without one.
func (r *Result) Row(f history.Figure) *Row {
	for i := range r.Rows {
		if r.Rows[i].Figure == f {
			return &r.Rows[i]
		}
	}
	return nil
}

// Different reports whether B fails more or less often by more than chance.
func (f *Failures) Different() bool { return f.State >= Lower }
