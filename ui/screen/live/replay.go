package live

import (
	"errors"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/keys"
	"tokscope/ui/report"
	"tokscope/ui/sanitize"
	"tokscope/ui/screen"
)

// ReplayBackend is the measuring side as a replay uses it: recorded requests,
// played by a clock of their own. by is a direction, 1 or -1.
type ReplayBackend interface {
	Backend
	// ReplayState is where the replay stands; ok is false when none is open.
	ReplayState() (r metrics.Replay, ok bool)
	// ReplayStream is the shown request as it was at the replay's moment.
	ReplayStream() metrics.Stream
	// ReplayWhole is the shown request to its end; ok is false when none is open.
	ReplayWhole() (run metrics.Run, ok bool)
	// ReplayRuns are the recorded requests that had ended at that moment.
	ReplayRuns() []metrics.Run
	// ReplayVersion changes whenever ReplayStream would differ by more than the
	// clock.
	ReplayVersion() uint64
	// ReplayToggle pauses or goes on.
	ReplayToggle()
	// ReplayStep pauses at the next event.
	ReplayStep()
	// ReplayFaster changes the speed by a step.
	ReplayFaster(by int)
	// ReplayEdge goes to the end of the shown request, or to its beginning.
	ReplayEdge(by int)
	// ReplayStall pauses at the next stall, or at the one before, and returns its
	// chunk. ok is false without one.
	ReplayStall(by int) (chunk int, ok bool)
	// ReplayNext shows the next request, or the one before. It reports whether
	// there is one.
	ReplayNext(by int) bool
	// CloseReplay closes the replay.
	CloseReplay()
}

// recorded is a ReplayBackend as the viewer sees it: the recorded request is the
// only one.
type recorded struct{ ReplayBackend }

// Version implements Backend.
func (b recorded) Version() uint64 { return b.ReplayVersion() }

// Snapshot implements Backend.
func (b recorded) Snapshot() metrics.Stream { return b.ReplayStream() }

// Runs implements Backend.
func (b recorded) Runs() []metrics.Run { return b.ReplayRuns() }

// RunsLeftOut implements Backend. A replay has all that the file has.
func (b recorded) RunsLeftOut() int { return 0 }

// Endpoint implements Backend.
func (b recorded) Endpoint() metrics.Endpoint { return b.ReplayStream().Endpoint }

// Observer implements Backend. The lag of today says nothing about the recording.
func (b recorded) Observer() metrics.Observer { return metrics.Observer{} }

// Replay is the Live screen on a recorded request. It shares the tab of Live.
type Replay struct {
	viewer
	from  ReplayBackend
	at    metrics.Replay
	on    bool // a replay is open
	table []keys.Binding
}

// onReplay is the mark in the header that pauses or goes on.
type onReplay struct{}

// NewReplay returns the screen, nil when the backend cannot drive one.
func NewReplay(d screen.Deps) screen.Screen {
	b, ok := d.Backend.(ReplayBackend)
	if !ok {
		return nil
	}
	s := &Replay{viewer: newViewer(d, recorded{b}), from: b}
	s.replays = true
	s.refresh = func() { s.Sample(s.back.Now(), true) }
	s.table = s.bindings()
	return s
}

// Name implements screen.Screen.
func (s *Replay) Name() screen.Name { return screen.Replay }

// Tab implements screen.Screen.
func (s *Replay) Tab() screen.Tab { return tab }

// Bindings implements screen.Screen.
func (s *Replay) Bindings() []keys.Binding { return s.table }

// Enter implements screen.Screen.
func (s *Replay) Enter(bool) (tea.Cmd, error) {
	if s.at, s.on = s.from.ReplayState(); !s.on {
		return nil, errors.New("no recording is open: `tokscope replay FILE` opens one")
	}
	s.pic.End()
	return nil, nil
}

// Leave implements screen.Screen. The replay waits.
func (s *Replay) Leave() bool {
	s.view.Frozen = false
	if s.on && !s.at.Paused {
		s.from.ReplayToggle()
	}
	return false
}

// Busy implements screen.Screen. A replay sends nothing.
func (s *Replay) Busy() string { return "" }

// Stop implements screen.Screen.
func (s *Replay) Stop() {}

// Update implements screen.Screen.
func (s *Replay) Update(msg tea.Msg) tea.Cmd {
	if p, ok := msg.(screen.Pointer); ok {
		s.pointer(p)
	}
	return nil
}

// Sample implements screen.Screen.
func (s *Replay) Sample(now metrics.Stamp, force bool) bool {
	before := s.at
	s.at, s.on = s.from.ReplayState()
	version := s.from.ReplayVersion()
	dirty, _ := s.sample(now, force || version != s.version, version, s.back.Snapshot)
	return dirty || s.at != before
}

// Click implements screen.Screen.
func (s *Replay) Click(t draw.Target, at tea.Mouse) (tea.Cmd, bool) {
	if t == (onReplay{}) {
		s.toggle()
		return nil, false
	}
	return s.click(t, at)
}

// placeFrom is the width of a header from which its mark has the place.
const placeFrom = 100

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
		text = " replay" + text + " " + format.ReplayPlace(&s.at) + " "
		if !s.at.Paused {
			text = text[len(" replay"):]
		}
	}
	st.Marks = append(st.Marks, screen.Part{Text: text, Role: role, Target: onReplay{}})
	s.status(st)
	st.Observer = s.view.Stream.Observer
	st.Work = format.ReplayOf(sanitize.Line(s.at.File, fileMost), &s.at)
}

// fileMost is the largest width of a file's name in the header.
const fileMost = 48

// Draw implements screen.Screen.
func (s *Replay) Draw(g *draw.Grid, r draw.Rect) {
	s.view.File, s.view.Place = sanitize.Line(s.at.File, fileMost), format.ReplayPlace(&s.at)
	s.view.Request = format.ReplayRequest(&s.at)
	s.view.Message = format.ReplayMissing(s.at.Missing)
	switch {
	case s.view.Message != "":
	case s.at.Newer:
		s.view.Message = format.ReplayNewer
	case s.view.Stream.TextRemoved:
		s.view.Message = format.ReplayNoText
	}
	s.viewer.Draw(g, r)
}

// Aside implements screen.Screen.
func (s *Replay) Aside() string {
	if _, on := s.from.ReplayState(); on {
		return "replay paused"
	}
	return ""
}

// Summary implements screen.Screen.
func (s *Replay) Summary() []string {
	if _, on := s.from.ReplayState(); !on {
		return nil
	}
	return []string{report.Runs(s.from.ReplayRuns(), report.Form{Lens: s.look.Lens, Task: s.look.Task})}
}

// Animating implements screen.Screen.
func (s *Replay) Animating() bool { return s.on && !s.at.Paused && !s.view.Frozen }

// act carries out a command of the replay and shows the result at once.
func (s *Replay) act(f func()) func() {
	return func() {
		s.view.Frozen = false
		f()
		s.refresh()
	}
}

func (s *Replay) toggle() { s.act(s.from.ReplayToggle)() }

// stall goes to a stall and puts the cursor on its chunk.
func (s *Replay) stall(by int) func() tea.Cmd {
	return func() tea.Cmd {
		chunk, ok := s.from.ReplayStall(by)
		if !ok {
			return s.host.Say(draw.Either(by > 0, "no stall after this moment", "no stall before this moment"))
		}
		s.act(func() {})()
		s.pic.setCursor(chunk)
		return nil
	}
}

// row shows another request of the recording, or scrolls the text where it has
// only one.
func (s *Replay) row(by int) func() tea.Cmd {
	return func() tea.Cmd {
		switch {
		case s.at.Count < 2:
			s.pic.Scroll(by)
		case !s.from.ReplayNext(by):
			return s.host.Say(draw.Either(by > 0, "this is the last request of the recording",
				"this is the first request of the recording"))
		default:
			s.refresh()
		}
		return nil
	}
}

// goBack goes back one level; from the last one to Live, without the replay.
func (s *Replay) goBack() tea.Cmd {
	switch {
	case s.maximized():
		s.view.Max = NoPanel
	case s.look.Definitions:
		s.look.Definitions = false
	case s.pic.scope.cursor >= 0:
		s.pic.ClearCursor()
	case s.view.Frozen:
		s.toggleFreeze()
	default:
		s.from.CloseReplay()
		s.on = false
		return s.host.Show(screen.Live)
	}
	return nil
}

// hasLoad reports whether the recording holds a load.
func (s *Replay) hasLoad() bool { return s.host.Has(screen.LoadReplay) && s.at.Loads > 0 }

// toLoad shows the load of the recording, else the Load screen.
func (s *Replay) toLoad() tea.Cmd {
	if s.hasLoad() {
		return s.host.Show(screen.LoadReplay)
	}
	return s.host.Show(screen.Load)
}

// copyRun copies the summary of the shown request. It names no machine: another one
// may have measured it.
func (s *Replay) copyRun() tea.Cmd {
	v := &s.view
	run := metrics.Run{Stream: v.Stream, Figures: metrics.Measure(&v.Stream, metrics.Options{Pace: s.look.Pace})}
	return s.host.Save(s.back.Save, report.Markdown(run, conclude(v), report.Origin{}), ".md")
}

// openDefinitions shows the request under the definitions of other tools: to its
// end, for all of them need it.
func (s *Replay) openDefinitions() tea.Cmd {
	run, ok := s.from.ReplayWhole()
	if !ok {
		return nil
	}
	title := format.ReplayRequest(&s.at)
	if !s.view.Stream.State.Ended() {
		title += " to its end"
	}
	return showDefinitions(s.host, title, &run)
}

// bindings are the keys of a replay.
func (s *Replay) bindings() []keys.Binding {
	whole := func() bool { return s.view.Stream.State.Ended() }
	return []keys.Binding{
		{Do: "pause", Keys: []string{"space"}, Show: "space", Rank: 7, Act: keys.Do(s.toggle),
			Word: func() string {
				switch {
				case s.at.Ended:
					return "again"
				case s.at.Paused:
					return "go on"
				}
				return "pause"
			}, Help: "pause the replay or go on; at its end play the request again"},
		{Do: "one step", Keys: []string{"."}, Show: ".", Rank: 8,
			Word: keys.Always("one event"), Act: keys.Do(s.act(s.from.ReplayStep)),
			Help: "pause at the next event; events of one read come together"},
		{Do: "slower", Keys: []string{"-"}, Show: "-", Foot: "-+", FootASCII: "-+", Rank: 10,
			Word: keys.Always("speed"), Act: keys.Do(s.act(func() { s.from.ReplayFaster(-1) })),
			Help: "slow the replay down, to a hundredth"},
		{Do: "faster", Keys: []string{"+"}, Show: "+",
			Act: keys.Do(s.act(func() { s.from.ReplayFaster(1) })), Help: "speed the replay up, to a hundredfold"},
		{Do: "next stall", Keys: []string{"n"}, Show: "n", Foot: "nN", FootASCII: "nN", Rank: 11,
			Word: keys.Always("stall"), Act: s.stall(1), Help: "pause at the next stall"},
		{Do: "previous stall", Keys: []string{"N"}, Show: "N", Act: s.stall(-1), Help: "pause at the stall before"},
		{Do: "cursor back", Keys: []string{"left"}, Show: "←", ASCII: "left", Foot: "←→", FootASCII: "left/right", Rank: 25,
			Word: keys.When(s.hasChunks, "cursor"), Act: keys.Do(s.cursorLeft),
			Help: "the chunk before; a click on scope or text does the same"},
		{Do: "cursor on", Keys: []string{"right"}, Show: "→", ASCII: "right",
			Act: keys.Do(s.cursorRight), Help: "the next chunk; beyond the newest: no cursor"},
		{Do: "cursor a page back", Keys: []string{"shift+left"}, Show: "shift+←",
			ASCII: "shift+left", Act: keys.Do(s.cursorFarLeft), Help: "ten chunks back"},
		{Do: "cursor a page forward", Keys: []string{"shift+right"}, Show: "shift+→",
			ASCII: "shift+right", Act: keys.Do(s.cursorFarRight), Help: "ten chunks forward"},
		{Do: keys.Home, Keys: []string{"home"}, Show: "Home", Foot: "home end", FootASCII: "home end", Rank: 26,
			Word: keys.Always("ends"), Act: keys.Do(s.act(func() { s.from.ReplayEdge(-1) })),
			Help: "to the beginning of the request"},
		{Do: keys.End, Keys: []string{"end"}, Show: "End",
			Act: keys.Do(s.act(func() { s.from.ReplayEdge(1) })), Help: "to the end of the request"},
		{Do: keys.Up, Keys: []string{"up"}, Show: "↑", ASCII: "up", Act: s.row(-1),
			Help: "the request before; with a single request scroll the text"},
		{Do: keys.Down, Keys: []string{"down"}, Show: "↓", ASCII: "down", Foot: "↑↓", FootASCII: "up/down", Rank: 16,
			Word: keys.When(func() bool { return s.at.Count > 1 }, "request"),
			Act:  s.row(1), Help: "the next request; with a single request scroll the text"},
		{Do: keys.Close, Keys: []string{"esc"}, Show: "esc", Rank: 9,
			Word: keys.Either(s.inside, "back", "live"), Act: s.goBack, Help: "back one level; from the last one to Live"},
		{Do: keys.ToLive, Keys: []string{"1"}, Show: "1", Act: s.to(screen.Live), Help: "to Live; the replay waits"},
		{Do: keys.ToLoad, Keys: []string{"tab", "2"}, Show: "tab", Rank: 12,
			Word: keys.When(s.hasLoad, "load"), Act: s.toLoad,
			Help: "to the load of the recording, at the same moment; without one to the Load screen"},
		{Do: "pin", Keys: []string{"="}, Show: "=", Rank: 27,
			Word: func() string {
				switch {
				case s.look.Pinned != nil:
					return "unpin"
				case whole():
					return "pin"
				}
				return ""
			}, Act: keys.Do(s.togglePin), Help: "pin the run as the reference, also for live runs, or unpin it"},
		{Do: "zoom", Keys: []string{"z"}, Show: "z", Rank: 24,
			Word: keys.Always("zoom"), Act: keys.Do(s.nextZoom), Help: "zoom: follow, whole run, wait, around the cursor"},
		{Do: keys.Maximize, Keys: []string{"Z"}, Show: "Z", Rank: 39, RankNow: keys.RankIf(s.maximized, 14),
			Word: keys.Either(s.maximized, "restore", "maximize"), Act: keys.Do(s.toggleMax),
			Help: "let the panel in focus fill the screen, or restore all; a click on a panel focuses it"},
		{Do: keys.NextPanel, Keys: []string{"v"}, Show: "v", Rank: 36, RankNow: keys.RankIf(s.maximized, 15),
			Word: keys.Either(s.maximized, "panel", "figures"), Act: keys.Do(s.nextMax),
			Help: "every figure in one panel; then the next panel that fills the screen"},
		{Do: "scale", Keys: []string{"l"}, Show: "l", Rank: 37,
			Word: keys.Either(func() bool { return s.pic.scope.linear }, "log", "linear"),
			Act:  keys.Do(s.toggleLinear), Help: "gaps logarithmic, or linear around the median"},
		{Do: "definitions", Keys: []string{"d"}, Show: "d", Rank: 31,
			Word: keys.Either(func() bool { return s.look.Definitions }, "figures", "definitions"),
			Act:  keys.Do(s.toggleDefinitions), Help: "show the definition of each figure"},
		{Do: "definition lab", Keys: []string{"D"}, Show: "D", Rank: 34,
			Word: keys.When(func() bool { return s.at.Paused }, "lab"), Act: s.openDefinitions,
			Help: "this request, to its end, under the definitions of other tools"},
		{Do: keys.NextLens, Keys: []string{"w"}, Show: "w", Rank: 35, Word: keys.Always("lens"),
			Act: s.nextLens, Help: "the next workload lens: chat, voice, agent, batch, off"},
		{Do: keys.AgentTask, Keys: []string{"b"}, Show: "b", Rank: 43,
			Word: keys.When(s.agent, "task"), Act: keys.Do(s.pickTask),
			Help: "set the task of the agent lens: steps, and tokens a step"},
		{Do: "pace", Keys: []string{"r"}, Show: "r", Rank: 50,
			Word: keys.Always("pace"), Act: s.nextPace, Help: "the next human pace"},
		{Do: "copy", Keys: []string{"y"}, Show: "y", Rank: 33,
			Word: keys.When(whole, "copy"), Act: s.copyRun,
			Help: "copy a summary of this request for a ticket, and write it to a file"},
		{Do: keys.PageUp, Keys: []string{"pgup"}, Show: "PgUp", Act: keys.Do(s.pageUp), Help: "scroll the text a page up"},
		{Do: keys.PageDown, Keys: []string{"pgdown"}, Show: "PgDn",
			Act: keys.Do(s.pageDown), Help: "scroll the text a page down"},
	}
}

// Commands implements screen.Commander: the way back to a replay that waits.
func (s *Screen) Commands() []keys.Binding { return s.commands }

// replayCommands are the commands of Live about replays of b.
func (s *Screen) replayCommands(b Backend) []keys.Binding {
	from, ok := b.(ReplayBackend)
	if !ok {
		return nil
	}
	open := func() bool { _, on := from.ReplayState(); return on }
	return []keys.Binding{{Do: "to the replay", Word: keys.When(open, "replay"),
		Act: s.to(screen.Replay), Help: "to the recording that is open; it waits where you left it"}}
}
