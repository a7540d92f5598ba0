package live

import (
	"tokscope/metrics"
	"tokscope/themes"
)

// View is everything the screen shows at one moment. It is read, never
// changed, and nothing of it is kept beyond the next Draw except text that was
// already laid out.
type View struct {
	Stream  metrics.Stream
	Figures metrics.Figures // of Stream; may be up to a quarter of a second older
	Runs    []metrics.Run   // ended requests of the session, oldest first
	// Now is the moment that is drawn; clocks and fades are counted up to it. A
	// frozen view keeps the moment at which it was frozen.
	Now      metrics.Stamp
	Observer metrics.Observer
	Endpoint metrics.Endpoint
	// Frozen says that the stream goes on behind the picture.
	Frozen bool
	// ReducedMotion leaves out fades and the cursor's blinking.
	ReducedMotion bool
	// Pace is the human pace compared with; its zero value is 238 words a minute.
	Pace metrics.Pace
	// Glyphs is the set to draw with; nil is the Unicode one.
	Glyphs *themes.Glyphs
	// ShowDefinitions lays the meaning of every figure over the text.
	ShowDefinitions bool
	// Units is one of Units; "" is the first.
	Units string
	// Lens is the key of the workload lens that is shown, one of
	// metrics.Lenses; "" for none. Task is its agent's.
	Lens string
	Task metrics.AgentTask
}

// Units are the units of speed: tokens a second, words a minute, milliseconds
// a token.
var Units = []string{"tok/s", "wpm", "ms/token"}
