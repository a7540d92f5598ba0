package watch

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/metrics/watchstat"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/keys"
	"tokscope/ui/report"
	"tokscope/ui/sanitize"
	"tokscope/ui/say"
	"tokscope/ui/screen"
)

// Backend is the running watch. All methods may be called at any time and return at
// once.
type Backend interface {
	Board() watchstat.Board
	// Version changes with the board.
	Version() uint64
	// Events are the updates at which something changed. It is closed at the end of
	// the watch.
	Events() <-chan watchstat.Update
	// Warnings are sentences about what fails beside the measurement. It is closed at
	// the end of the watch.
	Warnings() <-chan string
}

// Name is that of the screen.
const Name screen.Name = "watch"

// Screen is the screen of a watch.
type Screen struct {
	screen.Base // without a tab: the command has one screen
	host        screen.Host
	look        *screen.Look
	back        Backend

	pic     picture
	view    View
	version uint64
}

// View is what is drawn.
type View struct {
	Board    watchstat.Board
	Selected int // of the targets
	Figure   watchstat.Figure
	Linear   bool
	Now      time.Time
	Version  uint64 // changes with the chart's data
	Glyphs   *themes.Glyphs
}

// figures are those that the chart can show.
var figures = []watchstat.Figure{watchstat.TTFT, watchstat.TPOT, watchstat.Total, watchstat.Stall, watchstat.Connect}

// New returns the screen.
func New(d screen.Deps, b Backend) screen.Screen {
	s := &Screen{Base: screen.Base{ID: Name}, host: d.Host, look: d.Look, back: b,
		view: View{Figure: watchstat.TTFT, Glyphs: d.Look.Glyphs}}
	s.Table = s.bindings()
	return s
}

func (s *Screen) Enter() (tea.Cmd, error) {
	s.Sample(0, true)
	return tea.Batch(s.listen, s.listenWarnings), nil
}

// listen waits for the next change, or the end of the watch.
func (s *Screen) listen() tea.Msg {
	u, ok := <-s.back.Events()
	return screen.Reply(func() tea.Cmd {
		s.Sample(0, true)
		s.host.Changed()
		if !ok {
			return nil
		}
		return s.changed(&u)
	})
}

// changed tells of an update. A change selects its target, whose sentence is the alarm.
func (s *Screen) changed(u *watchstat.Update) tea.Cmd {
	t := &u.Board.Targets[u.Target]
	text := sanitize.Line(t.Label+": "+say.WatchEvent(u.Event, t, t.View.Last.At), 200)
	switch u.Event {
	case watchstat.Began, watchstat.Worse: // the sentence says it
		s.view.Selected = u.Target
		return tea.Batch(s.listen, tea.Raw(sanitize.Notice(text)))
	case watchstat.Ended:
		return tea.Batch(s.listen, s.host.Say(text), tea.Raw(sanitize.Notice(text)))
	}
	return s.listen
}

func (s *Screen) listenWarnings() tea.Msg {
	text, ok := <-s.back.Warnings()
	if !ok {
		return nil
	}
	return screen.Reply(func() tea.Cmd { return tea.Batch(s.listenWarnings, s.host.Say(sanitize.Line(text, 200))) })
}

func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	if _, ok := msg.(screen.Start); ok {
		return tea.Batch(s.listen, s.listenWarnings) // the first screen is not entered
	}
	return nil
}

func (s *Screen) Sample(_ metrics.Stamp, force bool) bool {
	version := s.back.Version()
	if version == s.version && !force {
		return false
	}
	s.version = version
	v := &s.view
	v.Board, v.Now, v.Version = s.back.Board(), time.Now(), version
	v.Selected = min(v.Selected, max(len(v.Board.Targets)-1, 0))
	return true
}

func (s *Screen) Draw(g *draw.Grid, r draw.Rect) { s.pic.Draw(g, r, &s.view) }

func (s *Screen) Click(t draw.Target, _ tea.Mouse) (tea.Cmd, bool) {
	switch t := t.(type) {
	case onTarget:
		s.view.Selected = int(t)
	case onChart:
		s.nextFigure()
	}
	return nil, false
}

func (s *Screen) Status(st *screen.Status) {
	b := &s.view.Board
	n := b.Changed()
	if st.Runs(s.look.Glyphs, n > 0 || b.Ended == watchstat.NotEnded); n > 0 {
		st.Role = themes.Bad
	}
	targets := format.Plural(len(b.Targets), "target", "targets") + " every " + format.Limit(float64(b.Every)/1e6)
	st.Parts = append(st.Parts, screen.Part{Text: "watch", Role: themes.Strong},
		screen.Part{Text: targets, Role: themes.Text})
}

func (s *Screen) Summary() *report.Doc {
	b := s.back.Board()
	return report.WatchResult(&b, time.Now())
}

func (s *Screen) nextFigure() {
	s.view.Figure = figures[(slices.Index(figures, s.view.Figure)+1)%len(figures)]
}

func (s *Screen) choose(by int) {
	if n := len(s.view.Board.Targets); n > 0 {
		s.view.Selected = (s.view.Selected + by + n) % n
	}
}

func (s *Screen) bindings() []keys.Binding {
	several := func() bool { return len(s.view.Board.Targets) > 1 }
	return []keys.Binding{
		{Do: keys.Up, Keys: []string{"up"},
			Act: keys.Do(func() { s.choose(-1) }), Help: "the target before"},
		{Do: keys.Down, Keys: []string{"down"}, Foot: "↑↓", Rank: 10,
			Word: keys.When(several, "target"), Act: keys.Do(func() { s.choose(1) }), Help: "the next target"},
		{Do: "next figure", Keys: []string{"v"}, Rank: 11,
			Word: keys.Always("figure"), Act: keys.Do(s.nextFigure), Help: "the next figure in the chart"},
		{Do: "log or linear", Keys: []string{"l"}, Rank: 12,
			Word: keys.Either(func() bool { return s.view.Linear }, "log", "linear"),
			Act:  keys.Do(func() { s.view.Linear = !s.view.Linear }), Help: "logarithmic or linear axis"},
	}
}
