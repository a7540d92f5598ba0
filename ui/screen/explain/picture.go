package explain

import "tokscope/metrics"

// figures are the numbers of the screen: they change figuresEvery at most, so
// that they can be read, and at once when a person did something.
type figures struct {
	known   bool
	version uint64
	at      metrics.Stamp
	cursor  uint64
	zoom    int
	tour    int // lesson and stage
	marks   int
	paused  bool
	view    metrics.ExplainView
	step    *metrics.EngineStep // the one that is looked at
	back    int                 // steps behind the newest
	most    int                 // tokens at the top of the timeline's scale
	groups  [numGroups]bool     // those that had a share in any step that is kept
}

// machine is what the step that is looked at ran on: before the last turn of a
// knob that may be another than the present one.
func (n *figures) machine() *metrics.Machine {
	if n.step != nil && n.step.Machine != nil {
		return n.step.Machine
	}
	return &n.view.Machine
}
