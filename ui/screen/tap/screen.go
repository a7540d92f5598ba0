package tap

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/metrics/pick"
	"tokscope/metrics/turn"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/keys"
	"tokscope/ui/report"
	"tokscope/ui/sanitize"
	"tokscope/ui/say"
	"tokscope/ui/screen"
)

// Backend is the session of a tap, one that runs or a recorded one. Its methods are called by
// one goroutine at a time, and return at once.
type Backend interface {
	About() turn.Tapped
	// Look takes what has come since the last call. version changes with what View returns,
	// but for the clock.
	Look() (version uint64)
	View() turn.View
	// Now is the clock of the session's stamps; of one that has ended its end.
	Now() metrics.Stamp
	// Live reports whether the tap still runs.
	Live() bool
	// Save writes the session as a document and returns its path.
	Save(ctx context.Context) (path string, err error)
}

// Name is that of the screen.
const Name screen.Name = "tap"

// Screen is the screen of a tap.
type Screen struct {
	screen.Base
	host screen.Host
	look *screen.Look
	back Backend

	pic     picture
	view    View
	figures metrics.Stamp // when the session was looked at, on the clock of the root
}

// View is what is drawn.
type View struct {
	About   turn.Tapped
	Session turn.View
	Now     metrics.Stamp
	Live    bool
	Version uint64 // of Session
	Facts   []report.Fact
	// Selected is the Stream.ID of the selected turn. Follow selects each new one.
	Selected int
	Follow   bool
	// Own begins each lane at its own left end.
	Own  bool
	Look *screen.Look

	rows []int // indices of Session.Turns, subagents below the turn beside which they began
}

// New returns the maker of the screen of a session.
func New(b Backend) screen.Maker {
	return func(d screen.Deps) screen.Screen {
		s := &Screen{Base: screen.Base{ID: Name, Place: screen.Tab{Label: "Tap", Key: "6"}}, host: d.Host, look: d.Look,
			back: b, view: View{About: b.About(), Follow: true, Look: d.Look}, pic: newPicture()}
		s.Table = s.bindings()
		s.refresh()
		return s
	}
}

func (s *Screen) Enter() (tea.Cmd, error) {
	s.refresh()
	return nil, nil
}

// Sample implements screen.Screen. What changes by the clock alone is looked at as often as
// figures change.
func (s *Screen) Sample(now metrics.Stamp, force bool) bool {
	same := s.back.Look() == s.view.Version
	if same && !force && (!s.view.Live || now-s.figures < screen.FiguresEvery) {
		return false
	}
	s.figures = now
	s.refresh()
	return true
}

// refresh takes the session as it is now.
func (s *Screen) refresh() {
	v := &s.view
	v.Version, v.Live = s.back.Look(), s.back.Live()
	v.Session, v.Now = s.back.View(), s.back.Now()
	v.take()
}

// take follows a new Session.
func (v *View) take() {
	v.rows = order(&v.Session)
	v.Facts = append(v.Facts[:0], report.Fact{Name: "session", Text: say.TapSession(&v.Session.Totals)})
	v.Facts = append(v.Facts, report.Tap(&v.Session, v.About).Facts("cache")...) // that is said of the selected turn
	if n := len(v.Session.Turns); n > 0 && (v.Follow || v.turn() == nil) {
		v.Selected = v.Session.Turns[n-1].Stream().ID
	}
}

// order returns the turns in the order of the rows, by their index.
func order(v *turn.View) (rows []int) {
	at, beside := map[int]int{}, map[int][]*turn.Conversation{}
	for i := range v.Turns {
		at[v.Turns[i].Stream().ID] = i
	}
	for i := range v.Conversations {
		if c := &v.Conversations[i]; c.Of != 0 {
			beside[c.Beside] = append(beside[c.Beside], c)
		}
	}
	for i := range v.Turns {
		if t := &v.Turns[i]; v.Conversations[t.Conversation-1].Of == 0 {
			rows = append(rows, i)
			for _, c := range beside[t.Stream().ID] {
				for _, id := range c.Turns {
					rows = append(rows, at[id])
				}
			}
		}
	}
	return rows
}

// row returns the row of a turn by its Stream.ID, -1 for none.
func (v *View) row(id int) int {
	return slices.IndexFunc(v.rows, func(i int) bool { return v.Session.Turns[i].Stream().ID == id })
}

// turn returns the selected turn, nil without one.
func (v *View) turn() *turn.Turn {
	return pick.First(v.Session.Turns, func(t *turn.Turn) bool { return t.Stream().ID == v.Selected })
}

// newest returns the turn that began last, nil without one.
func (v *View) newest() *turn.Turn {
	if n := len(v.Session.Turns); n > 0 {
		return &v.Session.Turns[n-1]
	}
	return nil
}

// running reports whether an answer comes.
func (v *View) running() bool {
	return v.Live && slices.ContainsFunc(v.Session.Turns, func(t turn.Turn) bool { return !t.Stream().State.Ended() })
}

func (s *Screen) Animating() bool { return s.view.Live }

// Slow implements screen.Screen: without an answer that comes only seconds change.
func (s *Screen) Slow() bool { return !s.view.running() }

func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	if p, ok := msg.(screen.Pointer); ok {
		s.choose(p.Wheel + p.Drag)
	}
	return nil
}

func (s *Screen) Draw(g *draw.Grid, r draw.Rect) { s.pic.Draw(g, r, &s.view) }

func (s *Screen) Click(t draw.Target, _ tea.Mouse) (tea.Cmd, bool) {
	switch t := t.(type) {
	case onTurn:
		if int(t) == s.view.Selected {
			return s.open(), false
		}
		s.view.Selected, s.view.Follow = int(t), false
	case onScope:
		return s.open(), false
	}
	return nil, false
}

func (s *Screen) Status(st *screen.Status) {
	v := &s.view
	st.Runs(s.look.Glyphs, v.Live)
	st.Parts = append(st.Parts, screen.Part{Text: sanitize.Line(say.TapClient(&v.About), 32), Role: themes.Strong})
	n, to := format.Plural(len(v.Session.Turns), "turn", "turns"), string(s.look.Glyphs.Right)+" "+say.TapTo(&v.About)
	st.Work = [3]string{to + "  " + n + ", " + format.Duration(v.Session.Totals.Clock), to + "  " + n, n}
	if !v.Live {
		st.Marks = append(st.Marks, screen.Part{Text: " ended ", Role: themes.Badge})
	}
}

func (s *Screen) Summary() *report.Doc { return report.Tap(&s.view.Session, s.view.About) }

// choose selects the turn by rows on. The newest one is followed.
func (s *Screen) choose(by int) {
	v := &s.view
	if n := len(v.rows); n > 0 && by != 0 {
		t := &v.Session.Turns[v.rows[min(max(v.row(v.Selected)+by, 0), n-1)]]
		v.Selected = t.Stream().ID
		v.Follow = t == v.newest()
	}
}

// end follows the newest turn.
func (s *Screen) end() {
	s.view.Follow = true
	s.view.take()
}

// find selects the next turn, or for by < 0 the one before, that failed or lost its cache.
func (s *Screen) find(by int) func() tea.Cmd {
	return func() tea.Cmd {
		v := &s.view
		for i := v.row(v.Selected) + by; i >= 0 && i < len(v.rows); i += by {
			if t := &v.Session.Turns[v.rows[i]]; say.TapBad(t) {
				v.Selected, v.Follow = t.Stream().ID, t == v.newest()
				return nil
			}
		}
		return s.host.Say(say.TapNoBad(by > 0))
	}
}

func (s *Screen) save() tea.Cmd { return s.host.Save(s.back.Save, "", "") }

// bindings are the keys of the screen.
func (s *Screen) bindings() []keys.Binding {
	v := &s.view
	some := func() bool { return len(v.rows) > 0 }
	move := func(by func() int) func() tea.Cmd { return keys.Do(func() { s.choose(by()) }) }
	rows := func() int { return max(s.pic.rows-1, 1) }
	return []keys.Binding{
		{Do: keys.Up, Keys: []string{"up"}, Act: move(func() int { return -1 }), Help: "the turn above"},
		{Do: keys.Down, Keys: []string{"down"}, Foot: "↑↓", Rank: 10, Word: keys.When(some, "turn"),
			Act: move(func() int { return 1 }), Help: "the turn below"},
		{Do: "open turn", Keys: []string{"enter"}, Rank: 9, Word: keys.When(some, "open"), Act: s.open,
			Help: "the turn on Live; esc comes back"},
		{Do: "next failure", Keys: []string{"n"}, Rank: 11, Act: s.find(1),
			Word: keys.When(func() bool {
				return slices.ContainsFunc(v.Session.Turns, func(t turn.Turn) bool { return say.TapBad(&t) })
			},
				"next failure"), Help: "the next turn that failed or lost its cache"},
		{Do: "previous failure", Keys: []string{"N"}, Act: s.find(-1), Help: "the one before"},
		{Do: "view", Keys: []string{"v"}, Rank: 12,
			Word: func() string { return format.If(some(), format.Either(v.Own, "one clock", "side by side")) },
			Act:  keys.Do(func() { v.Own = !v.Own }), Help: "turns on one clock, or each from its own start"},
		{Do: keys.PageUp, Keys: []string{"pgup"}, Act: move(func() int { return -rows() }), Help: "a page of turns up"},
		{Do: keys.PageDown, Keys: []string{"pgdown"}, Act: move(rows), Help: "a page of turns down"},
		{Do: keys.Home, Keys: []string{"home"}, Act: move(func() int { return -len(v.rows) }), Help: "the first turn"},
		{Do: keys.End, Keys: []string{"end"}, Rank: 14, Word: keys.When(func() bool { return !v.Follow }, "newest"),
			Act: keys.Do(s.end), Help: "the newest turn, and follow it again"},
		{Do: keys.Save, Keys: []string{"s"}, Rank: 43, Word: keys.When(some, "save"), Act: s.save,
			Help: "save the session's turns as JSON"},
	}
}
