package load

import (
	"errors"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/request"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/keys"
	"tokscope/ui/sanitize"
	"tokscope/ui/screen"
)

// ReplayBackend is the measuring side as the replay of a load uses it. by is a
// direction, 1 or -1.
type ReplayBackend interface {
	// LoadReplay is the recorded load as it was at the replay's moment, and where
	// the replay stands; ok is false when none is open, or it holds no load.
	LoadReplay() (v loadstat.View, r loadstat.Replay, ok bool)
	// ReplayVersion changes with every command.
	ReplayVersion() uint64
	// LoadReplayToggle pauses or goes on; at the end it plays the load again.
	LoadReplayToggle()
	// LoadReplayStep pauses at the next event of a request, point or change.
	LoadReplayStep()
	// LoadReplayPoint pauses at the next point or change, or at the one before.
	LoadReplayPoint(by int)
	// LoadReplayEdge goes to the end of the load, or to its beginning.
	LoadReplayEdge(by int)
	// LoadReplayNext shows the next load of the recordings, or the one before. It
	// reports whether there is one.
	LoadReplayNext(by int) bool
	// LoadReplayOpen makes a request of the load the one that Live shows. It
	// reports whether there is one of that number.
	LoadReplayOpen(id int) bool
	// LoadReplayRequests are the recorded requests of the load that had ended at
	// the replay's moment. It is called while their list is shown.
	LoadReplayRequests() request.View
	// LoadReplayRequest is one of them, by Row.ID, and what the recording lacks of
	// it.
	LoadReplayRequest(id int) (v metrics.Stream, missing metrics.ReplayMissing, ok bool)
	// ReplayFaster changes the speed by a step.
	ReplayFaster(by int)
	// CloseReplay closes the replay.
	CloseReplay()
}

// Replay is the Load screen on a recorded load, which nothing changes. It shares
// the tab of Load.
type Replay struct {
	enlarger
	list  lister
	host  screen.Host
	look  *screen.Look
	from  ReplayBackend
	table []keys.Binding

	pic     *picture
	view    View
	at      loadstat.Replay
	on      bool // a replay with a load is open
	open    bool // the load was an open loop at the moment shown last
	version uint64
}

// onReplay is the mark in the header that pauses or goes on.
type onReplay struct{}

// NewReplay returns the screen, nil when the backend cannot drive one.
func NewReplay(d screen.Deps) screen.Screen {
	b, ok := d.Backend.(ReplayBackend)
	if !ok {
		return nil
	}
	s := &Replay{host: d.Host, look: d.Look, from: b,
		view: View{Want: 1, Glyphs: d.Look.Glyphs, ReducedMotion: d.Look.ReducedMotion}}
	s.enlarger.view = &s.view
	s.list = s.newLister()
	s.anew()
	s.view.Load.Began, s.view.Replay = metrics.NoStamp, &s.at
	s.table = s.bindings()
	return s
}

// Name implements screen.Screen.
func (s *Replay) Name() screen.Name { return screen.LoadReplay }

// Tab implements screen.Screen.
func (s *Replay) Tab() screen.Tab { return tab }

// Bindings implements screen.Screen.
func (s *Replay) Bindings() []keys.Binding { return s.table }

// Enter implements screen.Screen.
func (s *Replay) Enter(bool) (tea.Cmd, error) {
	s.anew() // what it keeps may be of another recording
	if s.refresh(); !s.on {
		return nil, errors.New("no recording of a load is open: `tokscope replay FILE` opens one")
	}
	return nil, nil
}

// Leave implements screen.Screen. The replay waits.
func (s *Replay) Leave() bool {
	if s.on && !s.at.Paused {
		s.from.LoadReplayToggle()
	}
	return false
}

// Busy implements screen.Screen. A replay sends nothing.
func (s *Replay) Busy() string { return "" }

// Stop implements screen.Screen.
func (s *Replay) Stop() {}

// Update implements screen.Screen.
func (s *Replay) Update(msg tea.Msg) tea.Cmd {
	if p, ok := msg.(screen.Pointer); ok && !p.Held {
		s.list.move(p.Wheel + p.Drag)
	}
	return nil
}

// Sample implements screen.Screen.
func (s *Replay) Sample(_ metrics.Stamp, force bool) bool {
	version := s.from.ReplayVersion()
	if version == s.version && s.at.Paused && !force {
		return false
	}
	before := s.at
	s.version = version
	s.view.Load, s.at, s.on = s.from.LoadReplay()
	switch v := &s.view.Load; {
	case v.Users > 0:
		s.view.Want = v.Users
	case v.Live.Users > 0:
		s.view.Want = v.Live.Users
	}
	s.view.Want = min(max(s.view.Want, 1), MaxUsers)
	s.follow()
	if s.at.File != before.File || s.at.Load != before.Load || s.at.Index != before.Index {
		s.list.list.Reset()
	}
	s.list.sample(force || s.at.Paused)
	s.list.sampleLengths(force || s.at.Paused)
	return force || s.at != before
}

// anew makes a new picture. It keeps the list with its filter.
func (s *Replay) anew() {
	s.pic = newPicture()
	s.pic.requests = s.list.list
}

// follow brings the slider into use that the load has at this moment, with its
// chart where the other one's was shown.
func (s *Replay) follow() {
	v := &s.view
	d := v.Load.Drive
	if d.Open() {
		v.WantRate, v.Poisson = d.Rate, d.Poisson
	}
	if was := s.open; s.open == d.Open() {
		return
	} else if s.open, v.Open = d.Open(), d.Open(); was {
		if v.Kind == Rates {
			v.Kind = Curve
		}
	} else if v.Kind == Curve {
		v.Kind = Rates
	}
}

func (s *Replay) refresh() { s.Sample(0, true) }

// Draw implements screen.Screen.
func (s *Replay) Draw(g *draw.Grid, r draw.Rect) { s.pic.Draw(g, r, &s.view) }

// Click implements screen.Screen. It selects a lane and opens the selected one.
func (s *Replay) Click(t draw.Target, at tea.Mouse) (tea.Cmd, bool) {
	if cmd, ours := s.list.list.Click(t); ours {
		return cmd, false
	}
	switch t := t.(type) {
	case onReplay:
		s.act(s.from.LoadReplayToggle)()
	case onLane:
		user, ok := s.pic.lanes.laneAt(t, at.X)
		if !ok {
			return nil, false
		}
		if now, some := s.pic.lanes.Selected(&s.view); some && now == user && s.pic.lanes.Chosen() {
			return s.openLane(), false
		}
		s.focus = LanesPanel
		s.pic.lanes.Select(user)
	case target:
		if t == onChart {
			s.focus = ChartPanel
			s.nextView()
		}
	}
	return nil, false
}

// Sizes of the header.
const (
	placeFrom = 100 // width from which its mark has the place
	fileMost  = 48  // width of a file's name
)

// Status implements screen.Screen.
func (s *Replay) Status(st *screen.Status) {
	if !s.on {
		return
	}
	word, role := "replay ", themes.Badge
	if s.at.Paused {
		word, role = "paused ", themes.Alert
	}
	text := " " + word + format.ReplaySpeed(s.at.Speed) + " "
	if s.look.W >= placeFrom {
		if s.at.Paused {
			text = " replay" + text
		}
		text += " " + format.LoadReplayPlace(&s.at) + " "
	}
	st.Marks = append(st.Marks, screen.Part{Text: text, Role: role, Target: onReplay{}})
	l := &s.view.Load
	st.Sign, st.Role = s.look.Glyphs.Ring, themes.Dim
	st.Endpoint(l.Endpoint, "")
	st.Badge(l.Endpoint)
	st.Work = format.LoadReplayOf(sanitize.Line(s.at.File, fileMost), &s.at)
	st.Observer = l.Observer
}

// Aside implements screen.Screen. It is that of the replay on Live: both are one.
func (s *Replay) Aside() string {
	if _, _, ok := s.from.LoadReplay(); ok {
		return "replay paused"
	}
	return ""
}

// Summary implements screen.Screen.
func (s *Replay) Summary() []string { return nil }

// Animating implements screen.Screen.
func (s *Replay) Animating() bool { return s.on && !s.at.Paused }

// act carries out a command of the replay and shows the result at once.
func (s *Replay) act(f func()) func() {
	return func() {
		f()
		s.refresh()
	}
}

// openLane shows the selected request of the list on Live, or the selected lane's
// in the replay there.
func (s *Replay) openLane() tea.Cmd {
	if s.list.shown() {
		return s.list.list.Open()
	}
	user, ok := s.pic.lanes.Selected(&s.view)
	if !ok || !s.has(screen.Replay) {
		return nil
	}
	for i := range s.view.Load.Lanes {
		if l := &s.view.Load.Lanes[i]; l.User == user && s.from.LoadReplayOpen(l.Stream) {
			return s.host.Show(screen.Replay)
		}
	}
	return nil
}

// goBack removes the filter of the list, leaves the maximized panel, else closes
// the replay and shows Live.
func (s *Replay) goBack() tea.Cmd {
	if s.list.leave() {
		return nil
	}
	if s.maximized() {
		s.view.Max = NoPanel
		return nil
	}
	s.from.CloseReplay()
	s.on = false
	return s.host.Show(screen.Live)
}

func (s *Replay) has(n screen.Name) bool { return s.host.Has(n) }

func (s *Replay) hasLanes() bool { return len(s.view.Load.Lanes) > 0 }

// several reports whether the recordings hold more than one load.
func (s *Replay) several() bool { return s.at.Count > 1 }

// rowRank is the rank of that key now, 0 for the usual one.
func (s *Replay) rowRank() int {
	switch {
	case s.list.shown():
		return 6
	case s.several():
		return 13
	}
	return 0
}

// rowWord is what up and down choose, "" where there is nothing to choose.
func (s *Replay) rowWord() string {
	switch {
	case s.list.shown():
		return "request"
	case s.several():
		return "load"
	case s.hasLanes():
		return "lane"
	}
	return ""
}

// row selects another request of the list, shows another load, or selects another
// lane where the recordings hold only one load.
func (s *Replay) row(by int) func() tea.Cmd {
	return func() tea.Cmd {
		switch {
		case s.list.shown() || !s.several():
			s.list.move(by)
		case !s.from.LoadReplayNext(by):
			return s.host.Say(draw.Either(by > 0, "this is the last load of the recording",
				"this is the first load of the recording"))
		default:
			s.anew()
			s.refresh()
		}
		return nil
	}
}

// to returns the action that shows another screen.
func (s *Replay) to(n screen.Name) func() tea.Cmd {
	return func() tea.Cmd { return s.host.Show(n) }
}

// bindings are the keys of the replay of a load.
func (s *Replay) bindings() []keys.Binding {
	return []keys.Binding{
		{Do: "pause", Keys: []string{"space"}, Show: "space", Rank: 10,
			RankNow: keys.RankIf(s.list.shown, 11), Act: keys.Do(s.act(s.from.LoadReplayToggle)),
			Word: func() string {
				switch {
				case s.at.Ended:
					return "again"
				case s.at.Paused:
					return "go on"
				}
				return "pause"
			}, Help: "pause the replay or go on; at its end play the load again"},
		{Do: "one step", Keys: []string{"."}, Show: ".", Rank: 16, RankNow: keys.RankIf(s.list.shown, 21),
			Word: keys.Always("one event"), Act: keys.Do(s.act(s.from.LoadReplayStep)),
			Help: "pause at the next event of a request, window or change"},
		{Do: "slower", Keys: []string{"-"}, Show: "-", Foot: "-+",
			FootASCII: "-+", Rank: 14, RankNow: keys.RankIf(s.list.shown, 19),
			Word: keys.Always("speed"), Act: keys.Do(s.act(func() { s.from.ReplayFaster(-1) })),
			Help: "slow the replay down, to a hundredth"},
		{Do: "faster", Keys: []string{"+"}, Show: "+",
			Act: keys.Do(s.act(func() { s.from.ReplayFaster(1) })), Help: "speed the replay up, to a hundredfold"},
		{Do: "cursor back", Keys: []string{"left"}, Show: "←", ASCII: "left", Foot: "←/→",
			FootASCII: "left/right", Rank: 11, RankNow: keys.RankIf(s.list.shown, 18),
			Word: keys.Always("window"), Act: keys.Do(s.act(func() { s.from.LoadReplayPoint(-1) })),
			Help: "pause at the end of the window before, or at the change before"},
		{Do: "cursor on", Keys: []string{"right"}, Show: "→", ASCII: "right",
			Act:  keys.Do(s.act(func() { s.from.LoadReplayPoint(1) })),
			Help: "pause at the end of the next window, or at the next change of the objectives"},
		{Do: keys.Home, Keys: []string{"home"}, Show: "Home", Foot: "home end", FootASCII: "home end", Rank: 26,
			Word: keys.Always("ends"), Act: keys.Do(s.act(func() { s.from.LoadReplayEdge(-1) })),
			Help: "to the beginning of the load"},
		{Do: keys.End, Keys: []string{"end"}, Show: "End",
			Act: keys.Do(s.act(func() { s.from.LoadReplayEdge(1) })), Help: "to the end of the load"},
		{Do: "next chart", Keys: []string{"v"}, Show: "v", Rank: 20,
			Word: keys.Either(s.maximized, "panel", "chart"), Act: keys.Do(s.act(s.nextView)),
			Help: "the next chart: speed over users, frontier; while a panel fills the screen, the next panel"},
		{Do: keys.Maximize, Keys: []string{"Z"}, Show: "Z", Rank: 30, RankNow: keys.RankIf(s.maximized, 22),
			Word: keys.Either(s.maximized, "restore", "maximize"), Act: keys.Do(s.act(s.toggleMax)),
			Help: "let the panel in focus fill the screen, or restore all; a click on a panel focuses it"},
		{Do: "scale", Keys: []string{"l"}, Show: "l", Rank: 42,
			Word: keys.Either(func() bool { return s.view.Log }, "linear", "log"),
			Act:  keys.Do(func() { s.view.Log = !s.view.Log }), Help: "linear or logarithmic axes"},
		{Do: "open lane", Keys: []string{"enter"}, Show: "enter", Rank: 23,
			RankNow: keys.RankIf(s.list.shown, 5),
			Word:    keys.When(func() bool { return s.hasLanes() && !s.list.shown() || s.list.openable() }, "open"),
			Act:     s.openLane,
			Help:    "show the request of the selected lane in the replay on Live, or the selected request of the list"},
		{Do: "filter", Keys: []string{"/"}, Show: "/", Rank: 25, RankNow: keys.RankIf(s.list.shown, 7),
			Word: keys.Either(s.list.shown, "filter", "list"), Act: keys.Do(s.list.ask),
			Help: "list the recorded requests that have ended, filter and sort them: ttft>500 status:5xx sort:-ttft"},
		{Do: keys.Up, Keys: []string{"up"}, Show: "↑", ASCII: "up", Act: s.row(-1),
			Help: "the load before; with a single load select the lane above; in the list the request above"},
		{Do: keys.Down, Keys: []string{"down"}, Show: "↓", ASCII: "down", Foot: "↑↓", FootASCII: "up/down", Rank: 24,
			RankNow: s.rowRank, Word: s.rowWord, Act: s.row(1),
			Help: "the next load; with a single load select the lane below; in the list the request below"},
		{Do: keys.PrevLane, Keys: []string{"N"}, Show: "N",
			Act: keys.Do(func() { s.list.step(-1) }), Help: "select the previous lane or request"},
		{Do: keys.NextLane, Keys: []string{"n"}, Show: "n",
			Act: keys.Do(func() { s.list.step(1) }), Help: "select the next lane or request"},
		{Do: keys.PageUp, Keys: []string{"pgup"}, Show: "PgUp",
			Act: keys.Do(func() { s.list.page(-1) }), Help: "a page of lanes or requests up"},
		{Do: keys.PageDown, Keys: []string{"pgdown"}, Show: "PgDn",
			Act: keys.Do(func() { s.list.page(1) }), Help: "a page of lanes or requests down"},
		{Do: keys.Close, Keys: []string{"esc"}, Show: "esc", Rank: 12,
			Word: func() string {
				switch {
				case s.list.shown() && s.list.list.Filter() != "":
					return "show all"
				case s.maximized():
					return "back"
				}
				return "live"
			}, Act: s.goBack,
			Help: "remove the filter of the list, leave the maximized panel; else close the replay and show Live"},
		{Do: keys.ToLive, Keys: []string{"tab", "1", "shift+tab"}, Show: "tab", Rank: 15,
			Word: keys.When(func() bool { return s.has(screen.Replay) }, "requests"), Act: s.to(screen.Replay),
			Help: "to the requests of the recording, in the replay on Live, at the same moment"},
		{Do: keys.ToLoad, Keys: []string{"2"}, Show: "2",
			Act: s.to(screen.Load), Help: "to the Load screen; the replay waits"},
	}
}
