package tap

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/metrics/pick"
	"tokscope/metrics/request"
	"tokscope/metrics/turn"
	"tokscope/themes"
	"tokscope/ui/dialog"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/keys"
	"tokscope/ui/report"
	"tokscope/ui/sanitize"
	"tokscope/ui/say"
	"tokscope/ui/screen"
	"tokscope/ui/screen/listing"
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
	back Backend

	pic     picture
	view    View
	figures metrics.Stamp // when the session was looked at, on the clock of the root
}

// View is what is drawn.
type View struct {
	About   turn.Tapped
	Session turn.View
	Live    bool
	Version uint64 // of Session
	Facts   []report.Fact
	// Selected is the Stream.ID of the selected turn. Follow selects each new one.
	Selected int
	Follow   bool
	// Own begins each lane at its own left end.
	Own    bool
	Filter string // of the rows, "" for none
	Look   *screen.Look

	filter request.Filter
	rows   []int // indices of Session.Turns
}

// New returns the maker of the screen of a session.
func New(b Backend) screen.Maker {
	return func(d screen.Deps) screen.Screen {
		s := &Screen{Base: screen.Base{ID: Name, Place: screen.Tab{Label: "Tap", Key: "6"}}, host: d.Host,
			back: b, view: View{About: b.About(), Follow: true, Look: d.Look}, pic: newPicture()}
		s.Table = s.bindings()
		s.refresh()
		return s
	}
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

func (s *Screen) refresh() {
	v := &s.view
	v.Version, v.Live = s.back.Look(), s.back.Live()
	v.Session = s.back.View()
	v.take()
}

// take follows a new Session, or another filter.
func (v *View) take() {
	v.rows = v.order()
	v.Facts = append(v.Facts[:0], report.Fact{Name: "session", Text: say.TapSession(&v.Session.Totals)})
	v.Facts = append(v.Facts, report.Tap(&v.Session, v.About).Facts("cache")...) // that is said of the selected turn
	if n := len(v.rows); n > 0 && (v.Follow || v.row() < 0) {
		if v.Selected = v.newest().Stream().ID; v.row() < 0 {
			v.Selected = v.at(n - 1).Stream().ID
		}
	}
}

// order returns the turns that match the filter, by their index: subagents below the turn beside
// which they began, or as the filter sorts.
func (v *View) order() (rows []int) {
	turns, at := v.Session.Turns, map[int]int{}
	for i := range turns {
		at[turns[i].Stream().ID], rows = i, append(rows, i)
	}
	place := func(i int) [3]int {
		if c := v.of(&turns[i]); c.Of != 0 {
			return [...]int{at[c.Beside], c.Number, i}
		}
		return [...]int{i, 0, i}
	}
	slices.SortFunc(rows, func(i, j int) int {
		a, b := place(i), place(j)
		return slices.Compare(a[:], b[:])
	})
	if v.Filter == "" {
		return rows
	}
	slices.Reverse(rows) // a selection begins with the last one
	all := pick.Each(rows, func(i *int) request.Row {
		t := &turns[*i]
		return request.RowOf(t.Number, 0, t.Stream(), &t.Run.Figures)
	})
	var match request.Selection
	list := request.ViewOf(0, all)
	match.Select(&list, &v.filter)
	return pick.Each(match.Rows, func(i *int) int { return rows[*i] })
}

// at returns the turn of a row, and of the conversation of a turn.
func (v *View) at(row int) *turn.Turn              { return &v.Session.Turns[v.rows[row]] }
func (v *View) of(t *turn.Turn) *turn.Conversation { return &v.Session.Conversations[t.Conversation-1] }

// row returns the row of the selected turn, -1 for none.
func (v *View) row() int {
	return slices.IndexFunc(v.rows, func(i int) bool { return v.Session.Turns[i].Stream().ID == v.Selected })
}

// choose selects the turn of a row. The newest one is followed.
func (v *View) choose(row int) {
	t := v.at(row)
	v.Selected, v.Follow = t.Stream().ID, t == v.newest()
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

// bad returns the last turn that failed or lost its cache, nil without one.
func (v *View) bad() (last *turn.Turn) {
	for _, t := range pick.All(v.Session.Turns) {
		if say.TapBad(t) {
			last = t
		}
	}
	return last
}

// now says what a turn does now: nothing behind a tap that has ended.
func (v *View) now(t *turn.Turn) (text string, silent bool) {
	if !v.Live {
		return "", false
	}
	return say.TapNow(&v.About, t)
}

func (s *Screen) Animating() bool { return s.view.Live }

// Slow implements screen.Screen: without an answer that comes only seconds change.
func (s *Screen) Slow() bool {
	comes := func(t turn.Turn) bool { return !t.Stream().State.Ended() }
	return !s.view.Live || !slices.ContainsFunc(s.view.Session.Turns, comes)
}

func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	if p, ok := msg.(screen.Pointer); ok {
		s.choose(p.Wheel + p.Drag)
	}
	return nil
}

func (s *Screen) Draw(g *draw.Grid, r draw.Rect) { s.pic.Draw(g, r, &s.view) }

func (s *Screen) Click(t draw.Target, _ tea.Mouse) (tea.Cmd, bool) {
	switch t := t.(type) {
	case onRow:
		if int(t) == s.view.row() {
			return s.open(), false
		}
		s.view.choose(int(t))
	case onScope:
		return s.open(), false
	}
	return nil, false
}

func (s *Screen) Status(st *screen.Status) {
	v := &s.view
	st.Runs(v.Look.Glyphs, v.Live)
	st.Parts = append(st.Parts, screen.Part{Text: sanitize.Line(say.TapClient(&v.About), 32), Role: themes.Strong})
	n, to := format.Plural(len(v.Session.Turns), "turn", "turns"), string(v.Look.Glyphs.Right)+" "+say.TapTo(&v.About)
	st.Work = [3]string{to + "  " + n + ", " + format.Duration(v.Session.Totals.Clock), to + "  " + n, n}
	if !v.Live {
		st.Marks = append(st.Marks, screen.Part{Text: " ended ", Role: themes.Badge})
	}
}

func (s *Screen) Summary() *report.Doc { return report.Tap(&s.view.Session, s.view.About) }

// choose selects the turn by rows on.
func (s *Screen) choose(by int) {
	if n := len(s.view.rows); n > 0 && by != 0 {
		s.view.choose(min(max(s.view.row()+by, 0), n-1))
	}
}

// find selects the next turn, or for by < 0 the one before, that failed or lost its cache.
func (s *Screen) find(by int) func() tea.Cmd {
	return func() tea.Cmd {
		v := &s.view
		for i := v.row() + by; i >= 0 && i < len(v.rows); i += by {
			if say.TapBad(v.at(i)) {
				v.choose(i)
				return nil
			}
		}
		return s.host.Say(say.TapNoBad(by > 0))
	}
}

// ask opens the line of the filter. What is typed is tried at once.
func (s *Screen) ask() {
	before := s.view.Filter
	some := []string{"sort:-ttft", "sort:-gap", "sort:-total", "status:failed"}
	s.host.Open(dialog.NewRequestFilter("turn", before, some),
		listing.Typed(s.use, func() tea.Cmd { return s.use(before) }))
}

func (s *Screen) use(filter string) tea.Cmd {
	f, err := request.ParseFilter(filter)
	if err != nil {
		return s.host.Complain(err)
	}
	s.view.Filter, s.view.filter = filter, f
	s.view.take()
	s.host.Changed()
	return nil
}

// leave goes back one level: from the filter, then to the screen before.
func (s *Screen) leave() tea.Cmd {
	if s.view.Filter != "" {
		return s.use("")
	}
	return s.host.Back()
}

func (s *Screen) bindings() []keys.Binding {
	v := &s.view
	some := func() bool { return len(v.Session.Turns) > 0 }
	move := func(by int) func() tea.Cmd { return keys.Do(func() { s.choose(by) }) }
	page := func(by int) func() tea.Cmd { return keys.Do(func() { s.choose(by * max(s.pic.rows-1, 1)) }) }
	return []keys.Binding{
		{Do: keys.Up, Keys: []string{"up"}, Act: move(-1), Help: "the turn above"},
		{Do: keys.Down, Keys: []string{"down"}, Foot: "↑↓", Rank: 10, Word: keys.When(some, "turn"),
			Act: move(1), Help: "the turn below"},
		{Do: "open turn", Keys: []string{"enter"}, Rank: 9, Word: keys.When(some, "open"), Act: s.open,
			Help: "the turn on Live; esc comes back"},
		{Do: "next failure", Keys: []string{"n"}, Rank: 11, Act: s.find(1),
			Word: keys.When(func() bool { return v.bad() != nil }, "next failure"),
			Help: "the next turn that failed or lost its cache"},
		{Do: "previous failure", Keys: []string{"N"}, Act: s.find(-1), Help: "the one before"},
		{Do: "filter", Keys: []string{"/"}, Rank: 16, Word: keys.When(some, "filter"), Act: keys.Do(s.ask),
			Help: "filter: ttft>500 status:failed sort:-ttft"},
		{Do: "view", Keys: []string{"v"}, Rank: 12,
			Word: func() string { return format.If(some(), format.Either(v.Own, "one clock", "side by side")) },
			Act:  keys.Do(func() { v.Own = !v.Own }), Help: "turns on one clock, or each from its own start"},
		{Do: keys.PageUp, Keys: []string{"pgup"}, Act: page(-1), Help: "a page of turns up"},
		{Do: keys.PageDown, Keys: []string{"pgdown"}, Act: page(1), Help: "a page of turns down"},
		{Do: keys.Home, Keys: []string{"home"}, Act: move(-1 << 20), Help: "the first turn"},
		{Do: keys.End, Keys: []string{"end"}, Rank: 14, Word: keys.When(func() bool { return !v.Follow }, "newest"),
			Act: keys.Do(func() { v.Follow = true; v.take() }), Help: "the newest turn, and follow it again"},
		{Do: keys.Save, Keys: []string{"s"}, Rank: 43, Word: keys.When(some, "save"),
			Act: func() tea.Cmd { return s.host.Save(s.back.Save, "", "") }, Help: "save the session's turns as JSON"},
		{Do: keys.Close, Keys: []string{"esc"}, Rank: 25, Act: s.leave,
			RankNow: keys.When(func() bool { return v.Filter != "" }, 8),
			Word:    func() string { return format.Either(v.Filter != "", "all turns", s.host.BackWord()) },
			Help:    "without the filter; then the screen before"},
	}
}
