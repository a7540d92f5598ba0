package live

import (
	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/format"
	"tokscope/ui/keys"
	"tokscope/ui/sanitize"
	"tokscope/ui/screen"
)

// lane is the source that another screen lends: one of many users, a lane of a
// race, an ended run or request of a list.
type lane struct {
	*Screen
	live  Backend       // of the session
	from  screen.Source // nil before the first view
	place screen.Place  // of it
	// own is what is shown beside a stream that has a clock of its own: of a recorded load, or
	// of a source that has these methods. nil: what the session has.
	own session
	// mark is pressed by a click on the mark in the header.
	mark *keys.Binding
}

// NewLane returns the screen.
func NewLane(d screen.Deps, b Backend) screen.Screen {
	l := &lane{Screen: newScreen(d), live: b}
	l.mark = &keys.Binding{Act: l.out}
	return l.show(l, screen.Lent)
}

// View implements screen.Screen: it takes over a source.
func (l *lane) View(from screen.Source) bool {
	l.from = from
	l.lent()
	return true
}

// lent takes over what the place of a new source says. A recorded request is
// shown beside those of its recording, by their clock, and that of a tap beside its own.
func (l *lane) lent() {
	l.place = l.from.Place()
	l.own, _ = l.from.(session)
	v := &l.view
	v.File, v.Place, v.Request, v.Message = "", l.place.Stream, l.place.Short, l.place.Note
	if rec, ok := l.live.(ReplayBackend); ok && l.place.Of == screen.LoadReplay {
		l.own = recording{rec}
		if at, on := rec.ReplayState(); on {
			v.File = sanitize.Line(at.File, screen.FileMost)
		}
	}
}

func (l *lane) recorded() bool { return l.own != nil }
func (l *lane) running() bool  { return !l.place.Past }

func (l *lane) session() session {
	if l.own != nil {
		return l.own
	}
	return l.live
}

func (l *lane) Enter() (tea.Cmd, error) {
	l.pic.End()
	return nil, nil
}

func (l *lane) peek() (version uint64, changed bool) { return l.from.Version(), false }

// stream is that of the source. When the user has left, it is the last one seen.
func (l *lane) stream() metrics.Stream {
	if st, ok := l.from.Stream(); ok {
		return st
	}
	return l.view.Stream
}

// sampled shows the endpoint of the stream: a lane of a race has one of its own.
func (l *lane) sampled(figures bool) {
	if figures {
		l.from.Sample()
	}
	if v := &l.view; v.Stream.Endpoint.Name != "" {
		v.Endpoint = v.Stream.Endpoint
	}
}

// Animating implements screen.Screen. The stream of a user restarts by itself.
func (l *lane) Animating() bool { return !l.view.Frozen && (l.running() || l.Screen.Animating()) }

// status hides what goes on beside what other screens lend. Above the stream of a user
// stands what was sent.
func (l *lane) status(st *screen.Status) {
	l.place = l.from.Place()
	st.Alone = l.place.Of != screen.Live
	st.Marks = append(st.Marks, screen.Part{Text: " " + l.place.Stream + " ", Role: themes.Badge, Target: l.mark})
	st.Work = screen.WorkWords(&l.place.Work, l.place.Input, l.place.Output, l.look.Glyphs)
}

func (l *lane) outWord() string { return "back" + format.If(l.place.From != "", " to "+l.place.From) }

func (l *lane) out() tea.Cmd { return l.host.Show(l.place.Of) }

func (l *lane) ended() (id int, ok bool) { return l.view.Stream.ID, l.place.Past }

func (l *lane) run() (run metrics.Run, name string) {
	return l.measured(&l.view.Stream), l.place.Stream
}

// next shows the user by places on.
func (l *lane) next(by int) func() {
	return func() {
		if l.from.Next(by) {
			l.lent()
			l.pic.End()
			l.refresh()
		}
	}
}

func (l *lane) keys() []keys.Binding {
	return []keys.Binding{
		{Do: keys.NextLane, Keys: []string{"n"}, Foot: "n/N", Rank: 11,
			Word: func() string { return l.place.Unit }, Act: keys.Do(l.next(1)), Help: "the next user, lane, run or request"},
		{Do: keys.PrevLane, Keys: []string{"N"}, Act: keys.Do(l.next(-1)), Help: "the one before"},
	}
}
