package live

import (
	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/ui/draw"
	"tokscope/ui/keys"
	"tokscope/ui/report"
	"tokscope/ui/screen"
)

// source is where the stream of a Screen comes from: the session's own requests
// (own.go), a stream that another screen lends (lane.go), a recording (replay.go). A
// new one is a file with its maker, and a line in ui/screen/registry. Methods without
// a use in a source are those of quiet.
type source interface {
	// name is the name of its screen.
	name() screen.Name
	// session is what the panels show beside the stream.
	session() session
	// recorded means that the stream has a clock of its own.
	recorded() bool
	// look takes a look at what is shown next. version changes whenever stream
	// would differ by more than the clock; changed reports that something else on
	// the screen does. sampled follows when the view has it, figures whether these
	// were taken too.
	look() (version uint64, changed bool)
	stream() metrics.Stream
	sampled(figures bool)
	// dress fills in what the next frame has beside stream and figures.
	dress(v *View)
	// animating reports whether the picture changes without a message.
	animating() bool
	// status adds its marks before those of the stream, and says what is sent.
	status(st *screen.Status)

	// keys are its own keys. They stand before those of all sources, and replace
	// those of the same key.
	keys() []keys.Binding
	commands() []keys.Binding
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

	// The rest is as in screen.Screen and screen.Viewer. view reports whether the
	// source shows what others lend.
	view(from screen.Source) bool
	enter() error
	leave()
	update(tea.Msg) tea.Cmd
	busy() string
	stop()
	hold() (said string, sends bool)
	aside() string
	summary() *report.Doc
}

// quiet has the methods of a source that does nothing of its own.
type quiet struct{}

func (quiet) recorded() bool           { return false }
func (quiet) sampled(bool)             {}
func (quiet) dress(*View)              {}
func (quiet) commands() []keys.Binding { return nil }
func (quiet) outWord() string          { return "" }
func (quiet) out() tea.Cmd             { return nil }
func (quiet) view(screen.Source) bool  { return false }
func (quiet) leave()                   {}
func (quiet) update(tea.Msg) tea.Cmd   { return nil }
func (quiet) busy() string             { return "" }
func (quiet) stop()                    {}
func (quiet) hold() (string, bool)     { return "", false }
func (quiet) aside() string            { return "" }
func (quiet) summary() *report.Doc     { return nil }
