package explain

import (
	"tokscope/metrics"
	"tokscope/metrics/serving"
)

// Backend is the measuring side as the Explain screen uses it. The screen
// exists only for a backend that implements it. All methods may be called
// from the UI's goroutine at any time and return at once. ExplainView shows
// the result of slower work once it is ready.
type Backend interface {
	// Now reads the clock of all stamps.
	Now() metrics.Stamp
	// Endpoint is the endpoint that the other screens measure.
	Endpoint() metrics.Endpoint

	// ExplainOpen streams the knobs' users through the embedded endpoint's
	// engine. It does nothing if they already stream.
	ExplainOpen() error
	// ExplainClose ends the users' requests. The knobs stay.
	ExplainClose()
	// ExplainView is the engine now.
	ExplainView() serving.View
	// ExplainVersion changes whenever ExplainView would differ by more than the clock.
	ExplainVersion() uint64
	// ExplainChoices returns the positions of a knob around the present one.
	ExplainChoices(serving.Knob) []serving.KnobChoice
	// ExplainTurn sets the knobs from the next step on, and marks the change.
	// The error says why they cannot be set; then nothing changes.
	ExplainTurn(serving.Knobs) error
	// ExplainPause stops and continues the engine's time.
	ExplainPause(bool)
	// ExplainStep runs exactly one more step. It pauses first.
	ExplainStep()
	// ExplainWatch chooses the user whose request is watched.
	ExplainWatch(user int)

	// TourLessons are the titles, in order.
	TourLessons() []string
	// TourGo begins lesson n (from 1) with its first stage and sets its knobs.
	// 0 leaves the tour; the knobs stay.
	TourGo(n int)
	// TourStage shows stage i of the lesson.
	TourStage(i int)
	// TourAt is the last lesson shown, in this or an earlier session; 1 before
	// any.
	TourAt() int
}
