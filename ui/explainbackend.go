package ui

import "tokscope/metrics"

// ExplainBackend is what the Explain screen asks of the measuring side. A
// Backend that implements it has an Explain screen; one that does not has none.
// Every method may be called from the UI's goroutine at any time and returns at
// once; what takes longer is shown by ExplainView when it is there.
type ExplainBackend interface {
	// ExplainOpen lets the users of the knobs stream through the embedded
	// endpoint's engine; a load and a stream of the other screens are stopped
	// first. Where it runs already nothing happens.
	ExplainOpen() error
	// ExplainClose ends the users' requests. The knobs are kept.
	ExplainClose()
	// ExplainView is the engine now.
	ExplainView() metrics.ExplainView
	// ExplainVersion changes whenever ExplainView would differ by more than the clock.
	ExplainVersion() uint64
	// ExplainChoices are the positions of a knob around the present ones.
	ExplainChoices(metrics.Knob) []metrics.KnobChoice
	// ExplainTurn sets the knobs from the next step on, and marks it. The error
	// says why they cannot be taken; then nothing changes.
	ExplainTurn(metrics.Knobs) error
	// ExplainPause stops and continues the engine's time.
	ExplainPause(bool)
	// ExplainStep lets exactly one more step happen; it pauses first.
	ExplainStep()
	// ExplainWatch chooses the user whose request is under the eyes.
	ExplainWatch(user int)

	// TourLessons are the titles, in order.
	TourLessons() []string
	// TourGo begins lesson n (from 1) with its first stage: its knobs are set.
	// 0 leaves the tour; the knobs stay.
	TourGo(n int)
	// TourStage shows stage i of the lesson.
	TourStage(i int)
	// TourAt is the lesson that was shown last, in this or an earlier session; 1 before any.
	TourAt() int
}
