package live

import (
	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/ui/draw"
	"tokscope/ui/keys"
	"tokscope/ui/screen"
)

// source is where the stream of a Screen comes from: the session's own requests
// (own.go), a stream that another screen lends (lane.go), a recording (replay.go). A
// source is a screen: it embeds a Screen, which has the methods without a use in it, and
// calls those that are the source's. A new one is a file with its maker, and a line in
// ui/screen/registry.
type source interface {
	screen.Screen
	// session is what the panels show beside the stream.
	session() session
	// recorded means that the stream has a clock of its own.
	recorded() bool
	// peek takes a look at what is shown next. version changes whenever stream
	// would differ by more than the clock; changed reports that something else on
	// the screen does. sampled follows when the view has it, figures whether these
	// were taken too.
	peek() (version uint64, changed bool)
	stream() metrics.Stream
	sampled(figures bool)
	// dress fills in what the next frame has beside stream and figures.
	dress(v *View)
	// status adds its marks before those of the stream, and says what is sent.
	status(st *screen.Status)

	// keys are its own keys. They stand before those of all sources, and replace
	// those of the same key.
	keys() []keys.Binding
	// click acts on a target of its own. ours is false for all others.
	click(t draw.Target) (cmd tea.Cmd, ours bool)
	// out does what esc does where no level of the view is left to leave; outWord is
	// its word, "" for nothing.
	outWord() string
	out() tea.Cmd
	// running means that more of the stream may come by itself: it can be frozen.
	running() bool
	// ended is the number of the ended run that can be copied, pinned and shown
	// under other definitions; ok is false without one. run is that run, with its
	// name.
	ended() (id int, ok bool)
	run() (run metrics.Run, name string)
}

func (*Screen) recorded() bool  { return false }
func (*Screen) sampled(bool)    {}
func (*Screen) dress(*View)     {}
func (*Screen) outWord() string { return "" }
func (*Screen) out() tea.Cmd    { return nil }
