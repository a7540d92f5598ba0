package loadstat

import (
	"time"

	"tokscope/metrics"
)

// ForecastBasis names the assumption behind a forecast.
type ForecastBasis uint8

const (
	// BasisSpeed: every user gets Forecast.Assumed tok/s.
	BasisSpeed ForecastBasis = iota
	// BasisSchedule: every request of the schedule is answered.
	BasisSchedule
	// BasisCount: the load sends Forecast.Count requests.
	BasisCount
	// BasisCap: the load ends at its cap of tokens.
	BasisCap
)

// Forecast is the expected use of a load.
type Forecast struct {
	Users    int
	For      time.Duration // 0: until it is stopped; the figures are then per minute
	Requests float64
	Prompt   float64 // tokens
	Output   float64 // tokens
	Cost     metrics.Value
	Currency string // of Cost; "" when it has no name
	Basis    ForecastBasis
	Assumed  float64 // tok/s per user
	Count    int     // requests that the load may send; 0: unbounded
}

// Tokens returns the sum of prompt and output.
func (f *Forecast) Tokens() float64 { return f.Prompt + f.Output }

// Question asks a person for consent to a load. The zero value is no
// question. It can be compared with ==.
type Question struct {
	Endpoint string   // its name; "" without a question
	From     string   // name of the endpoint that a running load leaves for it; "" for none
	Forecast Forecast // of the load, or of what is left of it
	// Used is the number of tokens used so far and Free the number that needs
	// no consent; 0 for a question about the number of users.
	Used, Free float64
	// Brief: what is left needs no consent by itself, so the question is about
	// Used only.
	Brief bool
}
