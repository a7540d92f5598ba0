package comparison

import "tokscope/metrics/history"

// State says what is known of one figure of two samples.
type State uint8

// The states.
const (
	// TooFew: one of the samples has too few values for an interval.
	TooFew State = iota
	// Noise: the interval of the ratio holds 1.
	Noise
	// Lower and Higher: B differs from A by more than chance, after Holm's
	// correction over all figures compared.
	Lower
	Higher
)

// Row compares one figure of two samples. Medians are in the unit of the
// figure.
type Row struct {
	Figure    history.Figure
	State     State
	A, B      float64 // medians; valid with NA, NB > 0
	NA, NB    int     // values
	Needs     int     // of TooFew: values that each sample must have
	Ratio     float64 // B to A, by Hodges and Lehmann on logarithms
	Low, High float64 // its 95 % interval; valid unless TooFew
	// Explains is by how many ms this part of the wait explains the change of
	// TTFT: the difference of medians. Valid for parts of the wait only.
	Explains float64
}

// Failures compares the shares of requests that did not end well.
type Failures struct {
	State       State
	FailedA, NA int
	FailedB, NB int
}

// Result is the comparison of two samples.
type Result struct {
	Rows     []Row // figures that at least one sample has, in the order of a request
	Failures Failures
}
