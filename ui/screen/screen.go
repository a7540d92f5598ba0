package screen

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/ui/draw"
	"tokscope/ui/keys"
	"tokscope/ui/report"
)

// Name identifies a screen. It heads the screen's keys in the help, and other
// screens use it to show this one.
type Name string

// Names of screens that other screens open by a key. A screen without such a
// key needs no line here.
const (
	Live    Name = "live"
	Load    Name = "load"
	Race    Name = "race"
	Explain Name = "explain"
	Replay  Name = "a replay on Live"
	History Name = "history"
	// Lent shows the stream that another screen lends.
	Lent Name = "a lane on Live"
	// LoadReplay shows a recorded load.
	LoadReplay Name = "a replay on Load"
)

// FiguresEvery is the time between two changes of a number. A number that changes
// faster cannot be read.
const FiguresEvery = metrics.Stamp(time.Second / 4)

// Tab is a screen's place in the header. Screens with the same tab share it: a
// click shows the first of them. The zero Tab keeps a screen out of the header.
type Tab struct {
	// Label is the word in the header, in lower case the footer's word for the key
	// tab. Key, a digit, shows the screen from all others that do not use it.
	Label, Key string
	// Short replaces Label in a narrow header; "" keeps it.
	Short string
}

// Screen is one full-screen view. The root owns size, theme, dialogs and the
// clock; a Screen owns everything else. The root calls all methods on the
// interface's goroutine.
//
// A binding holds its handler, so that a key is one line; therefore no method
// maps intents to handlers. Stop ends what Busy names, so
// that a screen can take over the endpoint without knowing the others. Status
// is a record, not a text: the header drops parts by rank and makes them
// clickable.
type Screen interface {
	// Name is unique among the screens.
	Name() Name
	// Tab is its place in the header.
	Tab() Tab
	// Enter starts the screen. After an error the screen before stays.
	Enter() (tea.Cmd, error)
	// Leave is called before another screen is shown, and at the end of the
	// program. Requests continue, except those that only this screen needs.
	Leave()
	// Busy names what Stop would end, such as "the load"; "" is nothing.
	Busy() string
	// Stop ends what Busy names. Hold lets it send nothing more until the person goes on
	// there, and returns that in a sentence; "" is nothing to hold. Requests under way go
	// on: sends reports whether there are some.
	Stop()
	Hold() (said string, sends bool)
	// Update takes EndpointChanges, and messages of its own. All screens get every
	// message that the root does not know, and ignore those of others. The shown
	// screen also gets Start and Pointer. After any other message it calls
	// Host.Changed when its picture changed.
	Update(tea.Msg) tea.Cmd
	// Sample refreshes the screen's data. force refreshes figures that
	// otherwise change a few times a second. It reports whether the picture
	// changed.
	Sample(now metrics.Stamp, force bool) (dirty bool)
	// Draw draws the screen into r of g, and registers its click targets.
	Draw(g *draw.Grid, r draw.Rect)
	// Bindings are its keys, in the order of the help. The slice is the same
	// each time.
	Bindings() []keys.Binding
	// Click acts on a target of the last Draw or Status. held reports that the
	// target follows the mouse while its button is down: see Pointer.
	Click(t draw.Target, at tea.Mouse) (cmd tea.Cmd, held bool)
	// Status fills in its part of the header and the footer.
	Status(*Status)
	// Aside is the screen's text in the header of other screens; "" is nothing.
	// The root calls it at most a few times a second, while another screen is
	// shown.
	Aside() string
	// Summary is what stays in the scrollback at the end; nil is nothing.
	Summary() *report.Doc
	// Animating reports whether the picture changes without a message. Slow reports
	// whether nothing but seconds does, so that a few frames a second are enough.
	Animating() bool
	Slow() bool
	// Commands are what no key carries out, such as the lessons of the tour; the command
	// palette lists them. They are bindings without keys. Act is set; Do names the
	// command, and Help says what it does.
	Commands() []keys.Binding
	// Choose takes an endpoint or a model that a person has chosen, where what runs goes
	// on with it. taken is false when the root is to choose it for all screens: then what
	// runs stops.
	Choose(metrics.Endpoint) (cmd tea.Cmd, taken bool)
	// View sets the source that is shown from the next Enter on. It reports false where
	// the screen shows only its own.
	View(Source) bool
}

// Reply is what the interface's goroutine does with the result of a command. The
// root calls it, whichever screen is shown by then.
type Reply func() tea.Cmd

// Start starts the shown screen when the program opens: with a request, or
// with the tour.
type Start struct{}

// EndpointChanges goes to all screens before another endpoint is chosen.
type EndpointChanges struct{}

// WorkChanges goes to all screens when a pasted request says what they send.
type WorkChanges struct{ Work metrics.Workload }

// Pointer holds the mouse events since the last frame. Wheel and Drag are
// rows, down positive for the wheel and up positive for a drag. X and Y are
// the mouse's position. Held is true while a clicked target follows the
// mouse.
type Pointer struct {
	Wheel, Drag int
	X, Y        int
	Held        bool
}

// Place names a stream, and the screen that lends it.
type Place struct {
	Stream string // "user 3 of the load"
	Short  string // the words that Stream begins with: "user 3"
	From   string // "the load"
	Unit   string // what the next one is: "user"; "" while there is none
	Of     Name   // the screen that lends it
	// Past means that the stream has ended and stays what it is. Note then says what is
	// missing of it, in harmless text.
	Past bool
	Note string
	// Work is what its requests send, Input and Output the lengths of prompts and
	// answers where these vary.
	Work          metrics.Workload
	Input, Output metrics.Lengths
}

// Source is the stream of one of many users, or of a lane of a race. The screen
// that owns it lends it to the one that shows streams.
type Source interface {
	// Place names it, in harmless text.
	Place() Place
	// Version changes whenever Stream would differ by more than the clock.
	Version() uint64
	// Stream is its running or last request; ok is false when the user has left.
	Stream() (s metrics.Stream, ok bool)
	// Sample refreshes what Place says of the users and of what they send.
	Sample()
	// Next moves by users on. It reports whether it found one to show.
	Next(by int) bool
}

// Base has the defaults of a Screen: it sends nothing, so that nothing is
// stopped, its picture changes by its keys alone, and it leaves no summary. A
// screen embeds it and has methods of its own for what differs; Draw is always one
// of them.
type Base struct {
	ID    Name           // of Name
	Place Tab            // of Tab; its zero value keeps the screen out of the header
	Table []keys.Binding // of Bindings
	Shown bool           // set by a screen that asks for it in its Enter; Leave clears it
}

func (b *Base) Name() Name               { return b.ID }
func (b *Base) Tab() Tab                 { return b.Place }
func (b *Base) Bindings() []keys.Binding { return b.Table }

func (*Base) Enter() (tea.Cmd, error) { return nil, nil }

func (b *Base) Leave() { b.Shown = false }

func (*Base) Busy() string                                          { return "" }
func (*Base) Stop()                                                 {}
func (*Base) Hold() (said string, sends bool)                       { return "", false }
func (*Base) Update(tea.Msg) tea.Cmd                                { return nil }
func (*Base) Sample(metrics.Stamp, bool) (dirty bool)               { return false }
func (*Base) Click(draw.Target, tea.Mouse) (cmd tea.Cmd, held bool) { return nil, false }
func (*Base) Status(*Status)                                        {}
func (*Base) Aside() string                                         { return "" }
func (*Base) Summary() *report.Doc                                  { return nil }
func (*Base) Animating() bool                                       { return false }
func (*Base) Slow() bool                                            { return false }
func (*Base) Commands() []keys.Binding                              { return nil }
func (*Base) Choose(metrics.Endpoint) (cmd tea.Cmd, taken bool)     { return nil, false }
func (*Base) View(Source) bool                                      { return false }
