package live

import (
	"tokscope/metrics"
	"tokscope/metrics/verdict"
	"tokscope/ui/draw"
	"tokscope/ui/screen"
)

// View is the input of one frame. It is read, never changed. Nothing of it is
// kept beyond the next Draw except text that is already laid out.
type View struct {
	Stream  metrics.Stream
	Figures metrics.Figures // of Stream; may be up to a quarter of a second older
	// Findings are what the figures show, as old as they are. Each change is a
	// new slice.
	Findings []verdict.Finding
	Runs     []metrics.Run // ended requests of the session, oldest first
	// RunsLeftOut counts the older ones that Runs no longer has.
	RunsLeftOut int
	// File is the session file whose requests are shown, sanitized; "" for the
	// session's own requests. Place is where their replay stands.
	File, Place string
	// Request names the shown request as the header does, where that is a recorded
	// one or one that another screen lends; "" for the session's own, which are
	// streams.
	Request string
	// Now is the time of the frame, for clocks and fades. A frozen view keeps
	// the time at which it was frozen.
	Now      metrics.Stamp
	Observer metrics.Observer
	// Limits are the rate limits of the endpoint, as old as the figures.
	Limits   metrics.LimitForecasts
	Endpoint metrics.Endpoint
	// Other names what the ended Stream differs in from what would be sent next,
	// "" where it does not. Its figures are then dim.
	Other string
	// Message is a sentence of auto or of the first minute, "" for none. Warn
	// reports that auto stands still.
	Message string
	Warn    bool
	// Frozen reports that the stream continues behind the picture.
	Frozen bool
	// Max is the panel that fills the screen, NoPanel for none.
	Max Panel
	// Curl is a failed request as a command for a shell, with its key as a
	// variable; "" leaves it out.
	Curl string
	// Look is as the person chose it for all screens; its zero value works.
	screen.Look
}

// Units are the units of speed: tokens a second, words a minute, milliseconds
// a token.
var Units = []string{"tok/s", "wpm", "ms/token"}

// DrawView paints v into r as a screen that has just been opened does: without a
// cursor, at the end of its text. Any size works.
func DrawView(g *draw.Grid, r draw.Rect, v *View) { newPicture().Draw(g, r, v) }
