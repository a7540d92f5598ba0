package explain

import (
	"tokscope/metrics"
	"tokscope/themes"
)

// View is everything the screen shows at one moment. Draw only reads it.
type View struct {
	Explain metrics.ExplainView
	// Knob is the selected one.
	Knob metrics.Knob
	// Cursor is the number of the step that is looked at; 0: the newest, and
	// each that comes after it.
	Cursor uint64
	// Panel is the one shown where there is no room for all.
	Panel Panel
	// Lens is the key of the workload lens, "" for none; Task is the agent's.
	Lens string
	Task metrics.AgentTask
	// Zoom is how much closer (above 0) or farther the timeline is than the
	// scale that fits, in steps of 1, 2, 5.
	Zoom int
	// Keys are named where the tour says how to go on; "" names none.
	Keys Keys
	// ReducedMotion draws no flashes, and the timeline as often as figures change.
	ReducedMotion bool
	// Glyphs is the set to draw with; nil is the Unicode one.
	Glyphs *themes.Glyphs
}

// Keys are the names of keys that the screen itself shows.
type Keys struct {
	Stage, Next, Back, Leave string // of the tour
	Panel                    string // shows the next panel
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

// String names the panel as the footer and Lesson.Focus do.
func (p Panel) String() string {
	return [...]string{"auto", "step", "roofline", "kv", "batch", "client", "whatif", "seesaw", "lens", "text"}[p%Panels]
}

// focus is the panel of the present lesson. It is Auto without a tour, or
// when that panel is always shown.
func (v *View) focus() Panel {
	t := &v.Explain.Tour
	if !t.On {
		return Auto
	}
	for p := Step; p < Panels; p++ {
		if p.String() == t.Lesson.Focus {
			return p
		}
	}
	return Auto
}

// has reports whether p has content.
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

// step is the one that is looked at: at the cursor, else the newest; nil when
// there is none. A cursor on a step that is no longer kept means the oldest.
func (v *View) step() *metrics.EngineStep {
	steps := v.Explain.Steps
	if len(steps) == 0 {
		return nil
	}
	return &steps[v.at()]
}

// at is the index of the step at the cursor. At least one step must exist.
func (v *View) at() int {
	steps := v.Explain.Steps
	if v.Cursor == 0 || v.Cursor >= steps[len(steps)-1].Number {
		return len(steps) - 1
	}
	return v.index(v.Cursor)
}

// index is the index of step n: step numbers have no gaps. A step older than
// all is the oldest.
func (v *View) index(n uint64) int {
	steps := v.Explain.Steps
	if len(steps) == 0 || n < steps[0].Number {
		return 0
	}
	return int(min(n-steps[0].Number, uint64(len(steps)-1)))
}

// back is how many steps the cursor is behind the newest.
func (v *View) back() int {
	if len(v.Explain.Steps) == 0 {
		return 0
	}
	return len(v.Explain.Steps) - 1 - v.at()
}
