package live

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/metrics/verdict"
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

// Backend is the measuring side as the Live screen uses it. The screen exists
// only for a backend that implements it. All methods may be called from the
// UI's goroutine at any time. Methods without a context return at once.
type Backend interface {
	session
	// Begin cancels the running request and starts one with w on the chosen
	// endpoint. Snapshot shows it from then on.
	Begin(w metrics.Workload)
	// Stop ends the running request. What arrived is kept.
	Stop()
	// OtherUser sends a request of another user with a prompt of about that many
	// tokens, beside the running one. It does so on the embedded endpoint alone,
	// and reports whether it did.
	OtherUser(promptTokens int) bool
	// Version changes whenever Snapshot would differ by more than the clock.
	Version() uint64
	// Snapshot is the current or last stream; the zero Stream before any.
	Snapshot() metrics.Stream
	// Curl is the current or last request as a command for a shell, with its key
	// as a variable; "" before any was sent.
	Curl() string
	// SessionPath is the recording's file, "" when none is written.
	SessionPath() string
}

// session is what the panels show beside the stream, and where results are saved.
type session interface {
	// Now reads the clock of all stamps.
	Now() metrics.Stamp
	// Runs are the ended requests of this session, oldest first. The slice is
	// shared and read-only.
	Runs() []metrics.Run
	// RunsLeftOut counts the older runs that Runs no longer has.
	RunsLeftOut() int
	// Observer is the program's own lag over the last seconds.
	Observer() metrics.Observer
	// Endpoint is the endpoint in use.
	Endpoint() metrics.Endpoint
	// Save writes the session's results beside its recording and returns the path.
	Save(ctx context.Context) (path string, err error)
}

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
