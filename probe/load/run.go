package load

import (
	"context"
	"time"

	"tokscope/metrics"
	"tokscope/probe/endpoint"
)

// Bounds of a load.
const (
	// MaxUsers is the hard cap of users.
	MaxUsers = 1024
	// DefaultWindow and DefaultMinWindow: see Config.
	DefaultWindow    = 20 * time.Second
	DefaultMinWindow = 3 * time.Second
	// FreeUsers and FreeTokens need no consent.
	FreeUsers  = 4
	FreeTokens = 100_000
)

// Load is a running or ended load.
type Load struct{}

// Start begins a load.
func Start(ctx context.Context, c Config) *Load { return &Load{} }

// Resize makes n users.
func (l *Load) Resize(n int) {}

// SetRate changes the rate of an open loop.
func (l *Load) SetRate(rate float64) {}

// Cut cancels the requests of users that are leaving.
func (l *Load) Cut() {}

// Hold keeps new requests from beginning, or lets them begin again.
func (l *Load) Hold(on bool) {}

// Consent lifts the guard of Config.Guarded.
func (l *Load) Consent() {}

// Stop cancels everything.
func (l *Load) Stop() {}

// Wait returns once everything has ended.
func (l *Load) Wait() {}

// Done is closed once everything has ended.
func (l *Load) Done() <-chan struct{} { return nil }

// View is an immutable view of the load.
func (l *Load) View() metrics.LoadView { return metrics.LoadView{} }

// Version changes whenever View would differ.
func (l *Load) Version() uint64 { return 0 }

// Stream is the running or last request of a user.
func (l *Load) Stream(user int) (metrics.Stream, bool) { return metrics.Stream{}, false }

// SetSLOs changes the objectives; points that were taken are judged anew.
func (l *Load) SetSLOs(slos []metrics.SLO) {}

// Measure sets users, waits until the window is steady and at least min long,
// at most max in all, and returns the point.
func (l *Load) Measure(ctx context.Context, users int, min, max time.Duration) metrics.LoadPoint {
	return metrics.LoadPoint{}
}

// Step is one step of a sweep.
type Step struct {
	Users    int     // of a closed loop
	Rate     float64 // of an open one: takes the place of Users
	Requests int     // measured requests after which the step may end; 0: any
	Min, Max time.Duration
}

// MeasureStep is Measure for any step.
func (l *Load) MeasureStep(ctx context.Context, s Step) metrics.LoadPoint { return metrics.LoadPoint{} }

// Forecast is what a load is expected to use.
type Forecast struct {
	Users    int
	For      time.Duration
	Requests float64
	Prompt   float64 // tokens
	Output   float64 // tokens
	Cost     metrics.Value
	Currency string
	How      string // on what assumption
}

// Tokens is the sum of prompt and output.
func (f Forecast) Tokens() float64 { return f.Prompt + f.Output }

// Estimate says what users would use in d.
func Estimate(c Config, users int, d time.Duration) Forecast { return Forecast{} }

// NeedsConsent reports whether a person must agree first, and the question.
func NeedsConsent(t endpoint.Target, f Forecast) (question string, needed bool) { return "", false }
