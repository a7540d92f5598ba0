package screen

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/metrics/racestat"
	"tokscope/metrics/slo"
	"tokscope/themes"
	"tokscope/ui/dialog"
	"tokscope/ui/html"
	"tokscope/ui/keys"
	"tokscope/ui/report"
)

// Host is the root as a screen sees it. Its methods act at once; a screen calls
// them on the interface's goroutine only.
type Host interface {
	// Say shows a line for a few seconds. Complain shows an error.
	Say(text string) tea.Cmd
	Complain(err error) tea.Cmd
	// Open opens d over the screen. answered gets the act that closed it,
	// dialog.Closed included; nil ignores it.
	Open(d dialog.Dialog, answered func(dialog.Act) tea.Cmd)
	// Covered reports whether a dialog gets the keys.
	Covered() bool
	// Save calls to, which writes results, and shows the path. A text that is
	// not "" goes to the clipboard and into a file beside the results, whose name
	// ends with ext.
	Save(to func(context.Context) (path string, err error), text, ext string) tea.Cmd
	// Page saves what get returns, which may read the disk, as a page under a name with that
	// word, and shows the path. of gets that without texts, of the same type. Both are called
	// on another goroutine.
	Page(name string, get func(context.Context) (any, error), of func(shown any) *html.Page) tea.Cmd
	// Has reports whether a screen of that name exists. Show shows it.
	Has(Name) bool
	Show(Name) tea.Cmd
	// Back shows the screen that the person came from. Came is its name and BackWord
	// the footer's word for it, "" on the first one.
	Back() tea.Cmd
	Came() Name
	BackWord() string
	// ShowStream shows s on the screen that shows streams.
	ShowStream(s Source) tea.Cmd
	// Busy is the Busy of the other screens, "" when none is busy. Of several
	// it is that of the last in the registry. HoldOthers holds them all and
	// returns the sentence of the last.
	Busy() string
	HoldOthers() string
	// Alone calls do once no other screen sends: it holds them all and stops what cannot
	// be held, and a request of Live, without a question, and says how that goes on. While it waits it says
	// begins, and another screen or another call ends it.
	Alone(begins string, do func() tea.Cmd) tea.Cmd
	// Runs reports whether the screen of that name is busy.
	Runs(Name) bool
	// Changed requests a new frame. Keys and clicks do so themselves.
	Changed()
}

// Paged is the command that saves a measurement as a page, where has says that there is one.
// now gives it; read, where it is not nil, what the disk has of it, and of the page of what may
// be shown. These two are called on another goroutine.
func Paged[T any](h Host, name string, has func() bool, now func() T, read func(context.Context, T) (T, error),
	of func(T) *html.Page) keys.Binding {
	return keys.Binding{Do: keys.Intent("page of the " + name), Word: keys.When(has, "page"),
		Help: "one HTML file to hand on, with charts, without texts, names, hosts and ids",
		Act: func() tea.Cmd {
			v := now()
			return h.Page(name, func(ctx context.Context) (any, error) {
				if read == nil {
					return v, nil
				}
				return read(ctx, v)
			}, func(shown any) *html.Page { return of(shown.(T)) })
		}}
}

// Edited carries out the act that closed the editor, whose lengths were kept but for err: it
// runs what was edited where that is asked for.
func Edited(h Host, a dialog.Act, err error, run func() tea.Cmd) tea.Cmd {
	switch _, runs := a.(dialog.RunPrompt); {
	case err != nil && runs:
		return h.Complain(err)
	case err != nil:
		return h.Say("lengths unchanged: " + err.Error())
	case runs:
		return run()
	}
	return nil
}

// Look holds the choices that apply to all screens, and the properties of the
// terminal. All screens share one Look.
type Look struct {
	// W and H are the size of the terminal.
	W, H          int
	Glyphs        *themes.Glyphs
	ReducedMotion bool
	// Mouse reports whether the mouse is captured.
	Mouse bool
	// Pace is the human pace for comparisons.
	Pace metrics.Pace
	// Units is the unit of speed, one of live.Units.
	Units string
	// Lens is the key of the workload lens, "" for none. Task is the task of
	// its agent.
	Lens string
	Task slo.AgentTask
	// Definitions shows the meaning of every figure over the text.
	Definitions bool
	// Pinned is the run that all others are compared with, live or replayed; nil
	// without one.
	Pinned *metrics.Run
}

// NewLook returns the choices of o, with defaults for the rest.
func NewLook(o Options, gl *themes.Glyphs) *Look {
	l := &Look{Glyphs: gl, Pace: metrics.Paces[0], Units: o.Units, Task: slo.DefaultAgentTask}
	if p, ok := metrics.PaceByName(o.Pace); ok {
		l.Pace = p
	}
	return l
}

// Options configures the screens. Its zero value works.
type Options struct {
	// Work is what the first single request sends; its zero value is the first preset.
	Work metrics.Workload
	// FirstMinute shows Live to a newcomer when the program opens: three runs
	// with captions. It is for the embedded endpoint.
	FirstMinute bool
	// LoadWork is what every user of a load sends; its zero value is prompts.Load.
	LoadWork metrics.Workload
	// Race is the race that begins at once on the Race screen. Without a prompt
	// none begins.
	Race racestat.Plan
	// Pace is the name of the reading pace, one of metrics.Paces; "" is the first.
	Pace string
	// Units is the unit of speed, one of live.Units; "" is the first.
	Units string
	// Lesson is the number of the tour's first lesson; 0 resumes the person's
	// last one.
	Lesson int
	// By is this program on this machine, for what is copied.
	By report.Origin
}

// Deps are the dependencies of a screen.
type Deps struct {
	Host    Host
	Look    *Look
	Options Options
	// Backend is the measuring side, of which For gives a screen the part that it needs.
	Backend any
	// Editor is the prompt editor that the screens share, so that a text is
	// never lost.
	Editor *dialog.Editor
}

// Maker makes a screen. It returns nil when the backend cannot drive it.
type Maker func(Deps) Screen

// For returns the maker of a screen that a B drives.
func For[B any](make func(Deps, B) Screen) Maker {
	return func(d Deps) Screen {
		if b, ok := d.Backend.(B); ok {
			return make(d, b)
		}
		return nil
	}
}
