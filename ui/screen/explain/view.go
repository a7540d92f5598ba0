package explain

import (
	"slices"

	"tokscope/metrics"
	"tokscope/metrics/serving"
	"tokscope/ui/keys"
	"tokscope/ui/screen"
)

// View is the input of one frame. Draw only reads it.
type View struct {
	Explain serving.View
	// Knob is the selected knob.
	Knob serving.Knob
	// Cursor is the number of the chosen step; 0 follows the newest.
	Cursor uint64
	// Panel is the chosen panel where not all fit.
	Panel Panel
	// Max reports that the chosen panel fills the screen.
	Max bool
	// Zoom is the distance of the timeline from the fitting scale, in steps of
	// 1, 2, 5; above 0 is closer.
	Zoom int
	// Table has the keys that the screen itself names; one that it lacks is omitted.
	Table []keys.Binding
	// Look is what all screens share. Reduced motion draws no flashes, and the timeline as
	// often as figures change; nil glyphs are the Unicode ones.
	Look screen.Look
}

// Panel is one of the parts below the timeline.
type Panel uint8

const (
	// Auto is the panel of the tour's lesson, else the batch.
	Auto Panel = iota
	Step
	Roofline
	KV
	Batch
	Client
	WhatIf
	Seesaw // the curve of a lesson, where it has one
	Lens   // the workload lenses, in a lesson about them
	Text   // of a lesson, where it does not fit its own panel
	// Panels is the number of panels.
	Panels
)

// panelNames names the panels as Lesson.Focus does.
var panelNames = [Panels]string{"auto", "step", "roofline", "kv", "batch", "client", "whatif", "seesaw", "lens", "text"}

// String names the panel as the footer and Lesson.Focus do.
func (p Panel) String() string { return panelNames[p%Panels] }

// focus is the panel of the present lesson. It is Auto without a tour, or
// when that panel is always shown.
func (v *View) focus() Panel {
	return Panel(max(slices.Index(panelNames[:], v.Explain.Tour.Lesson.Focus), 0))
}

func (v *View) has(p Panel) bool {
	t := &v.Explain.Tour
	switch p {
	case Seesaw:
		return t.On && len(t.Curve) > 0
	case Lens:
		return t.On && t.Lesson.Focus == Lens.String()
	case Text:
		return t.On && t.Ready && len(t.Lesson.Text) > 0
	}
	return true
}

// seenFrom is how long a step lasts, in wall seconds, from which it is looked at while
// it is under way.
const seenFrom = 0.25

// underWay is the step under way where it is the newest that can be looked at: time
// stands still or goes so slowly that the step before is long over. Else it is nil.
func (v *View) underWay() *serving.EngineStep {
	e := &v.Explain
	if d := e.Doing; d != nil && (e.Paused || d.End-d.Start >= seenFrom*e.Pace()) {
		return d
	}
	return nil
}

// step is the step at the cursor, else the newest; nil without steps. If the
// step at the cursor is no longer kept, it is the oldest one.
func (v *View) step() *serving.EngineStep {
	if d := v.underWay(); d != nil && v.Cursor == 0 {
		return d
	}
	if steps := v.Explain.Steps; len(steps) > 0 {
		return &steps[v.at()]
	}
	return nil
}

// at is the index of the step at the cursor, of one that is no longer kept the oldest, else of
// the newest; -1 without steps.
func (v *View) at() int {
	steps := v.Explain.Steps
	if len(steps) == 0 || v.Cursor == 0 {
		return len(steps) - 1
	}
	first := steps[0].Number
	return int(min(max(v.Cursor, first)-first, uint64(len(steps)-1))) // numbers have no gaps
}

// back is how many steps the cursor is behind the newest.
func (v *View) back() int {
	n := len(v.Explain.Steps) - 1 - v.at()
	if v.Cursor != 0 && v.underWay() != nil {
		n++
	}
	return n
}

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
