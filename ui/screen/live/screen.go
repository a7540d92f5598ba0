package live

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/metrics/definition"
	"tokscope/ui/dialog"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/keys"
	"tokscope/ui/prompts"
	"tokscope/ui/report"
	"tokscope/ui/screen"
)

// Screen is the Live screen: the session's own requests, one at a time.
type Screen struct {
	viewer
	work     metrics.Workload
	editor   *dialog.Editor
	table    []keys.Binding
	commands []keys.Binding // without keys
	asked    asked
	auto     auto
	list     *lister
	shows    bool // Start begins the first minute
	by       report.Origin
	curlOf   int // the stream of view.Curl
}

// asked is a started request that the backend does not show yet.
type asked struct {
	on      bool
	version uint64
	since   metrics.Stamp
}

// askedPatience is how long the clock waits for the backend to show a started
// request. A later Notify still wakes it.
const askedPatience = metrics.Stamp(2e9)

// New returns the Live screen, nil when the backend cannot drive one.
func New(d screen.Deps) screen.Screen {
	b, ok := d.Backend.(Backend)
	if !ok {
		return nil
	}
	s := &Screen{viewer: newViewer(d, b), work: d.Options.Work,
		editor: d.Editor, shows: d.Options.FirstMinute, by: d.Options.By}
	if s.work.Prompt == "" {
		c, n := s.work.Connection, s.work.MaxTokens
		s.work = prompts.Default()
		s.work.Connection = c
		if n > 0 {
			s.work.MaxTokens = n
		}
	}
	if !slices.Contains(Units, s.look.Units) {
		s.look.Units = Units[0]
	}
	s.auto.s = s
	s.list = newLister(s)
	s.refresh = func() { s.Sample(s.back.Now(), true) }
	s.table, s.commands = s.bindings(), s.replayCommands(b)
	return s
}

// Name implements screen.Screen.
func (s *Screen) Name() screen.Name { return screen.Live }

// tab is the tab of the screen and of a lane.
var tab = screen.Tab{Label: "Live", Key: "1"}

// Tab implements screen.Screen.
func (s *Screen) Tab() screen.Tab { return tab }

// Bindings implements screen.Screen.
func (s *Screen) Bindings() []keys.Binding { return s.table }

// Enter implements screen.Screen. All screens share the editor: it gets this
// screen's workload.
func (s *Screen) Enter(bool) (tea.Cmd, error) {
	s.editor.Load(s.work)
	return nil, nil
}

// Leave implements screen.Screen. The request continues.
func (s *Screen) Leave() bool {
	s.view.Frozen = false
	return false
}

// Busy implements screen.Screen.
func (s *Screen) Busy() string {
	if s.auto.active() {
		return "auto on Live"
	}
	if st := s.back.Snapshot().State; st == metrics.Idle || st.Ended() {
		return ""
	}
	return "the request on Live"
}

// Stop implements screen.Screen.
func (s *Screen) Stop() {
	s.auto.end()
	s.back.Stop()
}

// Update implements screen.Screen.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.Start:
		if s.shows {
			s.auto.beginShow()
			return s.auto.look()
		}
		return s.begin()
	case lookAround:
		s.auto.ticking = false
		return s.auto.look()
	case screen.EndpointChanges:
		s.auto.end()
	case screen.Pointer:
		if s.list.shown() && !msg.Held {
			s.list.move(msg.Wheel + msg.Drag)
		} else {
			s.pointer(msg)
		}
	}
	return nil
}

// Sample implements screen.Screen.
func (s *Screen) Sample(now metrics.Stamp, force bool) bool {
	dirty, _ := s.sample(now, force, s.back.Version(), s.back.Snapshot)
	s.view.RunsLeftOut = s.back.RunsLeftOut()
	s.list.sample()
	switch st := &s.view.Stream; {
	case !failedEarly(st):
		s.view.Curl = ""
	case s.view.Curl == "" || s.curlOf != st.ID:
		s.view.Curl, s.curlOf = s.back.Curl(), st.ID
	}
	return dirty
}

// Click implements screen.Screen.
func (s *Screen) Click(t draw.Target, at tea.Mouse) (tea.Cmd, bool) {
	switch t {
	case onWork:
		s.openEditor()
		return nil, false
	case onAuto{}:
		return s.auto.toggle(), false
	}
	if cmd, ours := s.list.list.Click(t); ours {
		return cmd, false
	}
	return s.click(t, at)
}

// Status implements screen.Screen.
func (s *Screen) Status(st *screen.Status) {
	if m := s.auto.mark(s.look.W); m.Text != "" {
		st.Marks = append(st.Marks, m)
	}
	s.status(st)
	st.Work, st.WorkTarget = screen.WorkWords(&s.work, metrics.Lengths{}, metrics.Lengths{}, s.look.Glyphs), onWork
}

// Aside implements screen.Screen.
func (s *Screen) Aside() string {
	switch n := s.auto.runs; {
	case !s.auto.active():
		return ""
	case n == 0:
		return "auto runs on Live"
	default:
		return "auto, " + format.Plural(n, "run", "runs")
	}
}

// Draw implements screen.Screen.
func (s *Screen) Draw(g *draw.Grid, r draw.Rect) {
	s.view.Other = s.other()
	s.view.Message, s.view.Warn = s.auto.message()
	s.viewer.Draw(g, r)
}

// Summary implements screen.Screen.
func (s *Screen) Summary() []string {
	return []string{report.Runs(s.back.Runs(),
		report.Form{Lens: s.look.Lens, Task: s.look.Task, Path: s.back.SessionPath(), By: s.by})}
}

// Animating implements screen.Screen.
func (s *Screen) Animating() bool {
	if a := &s.asked; a.on {
		if s.back.Version() == a.version && s.back.Now()-a.since <= askedPatience {
			return true
		}
		a.on = false
	}
	return s.animating()
}

// begin sends a request and shows it, even over a frozen picture. Between the
// runs of auto it is the next of them.
func (s *Screen) begin() tea.Cmd { return s.beside(s.beginNow) }

// beside calls do, after a yes where a race runs: a request beside it would slow
// its lanes.
func (s *Screen) beside(do func() tea.Cmd) tea.Cmd {
	return screen.Stopping(s.host, s.host.Runs(screen.Race),
		"A request now would slow the lanes of the race. Stop the race and send it?", do)
}

// beginNow is begin without a question.
func (s *Screen) beginNow() tea.Cmd {
	s.view.Frozen = false
	s.pic.End()
	if s.auto.active() && !s.running() {
		s.auto.next(s.back.Now())
		return s.auto.look()
	}
	s.auto.show.stop()
	s.send()
	s.refresh()
	return nil
}

// send sends the request.
func (s *Screen) send() {
	s.asked = asked{true, s.back.Version(), s.back.Now()}
	s.back.Begin(s.work)
}

func (s *Screen) again() tea.Cmd { return s.begin() }

// stop ends the running request, and auto.
func (s *Screen) stop() {
	s.auto.end()
	s.auto.stopped = s.back.Snapshot().ID
	s.back.Stop()
	s.refresh()
}

// goBack goes back one level: from the filter of the list, a maximized panel, the
// definitions, the cursor, or a frozen picture.
func (s *Screen) goBack() {
	switch {
	case s.list.leave():
	case s.maximized():
		s.view.Max = NoPanel
	case s.look.Definitions:
		s.look.Definitions = false
	case s.pic.scope.cursor >= 0:
		s.pic.ClearCursor()
	case s.view.Frozen:
		s.toggleFreeze()
	}
}

// nested reports whether goBack has a level to leave.
func (s *Screen) nested() bool {
	return s.inside() || s.view.Frozen
}

// workChanged ends the first minute: its captions tell of its own requests.
func (s *Screen) workChanged() {
	if s.auto.show.stage != showOff {
		s.auto.end()
	}
}

// hasRun reports whether a request of the session has ended.
func (s *Screen) hasRun() bool { return len(s.view.Runs) > 0 }

func (s *Screen) openEditor() {
	s.editor.Load(s.work)
	s.host.Open(s.editor, s.edited)
}

// edited keeps the edited workload, and runs it if requested.
func (s *Screen) edited(a dialog.Act) tea.Cmd {
	_, _, _, err := s.editor.Keep(&s.work)
	s.workChanged()
	switch _, run := a.(dialog.RunPrompt); {
	case err != nil && run:
		return s.host.Complain(err)
	case err != nil:
		return s.host.Say("lengths unchanged: " + err.Error())
	case run:
		return s.begin()
	}
	return nil
}

// openDefinitions shows the finished run that is shown under the definitions of
// other tools.
func (s *Screen) openDefinitions() tea.Cmd {
	if !s.hasRun() {
		return nil
	}
	run := &s.view.Runs[len(s.view.Runs)-1]
	return showDefinitions(s.host, "run "+format.Count(run.Stream.ID), run)
}

// showDefinitions opens the definition lab on a run of that name.
func showDefinitions(h screen.Host, name string, run *metrics.Run) tea.Cmd {
	trace, why := definition.Of(&run.Stream, &run.Figures)
	if why != 0 {
		return h.Say("no definitions: " + format.Why(why))
	}
	h.Open(dialog.NewDefinitions(name+" as other tools define it", trace), nil)
	return nil
}

func (s *Screen) pickLength() {
	s.host.Open(dialog.NewLength(s.work.MaxTokens), func(a dialog.Act) tea.Cmd {
		if l, ok := a.(dialog.UseLength); ok {
			return s.setLength(l.MaxTokens)
		}
		return nil
	})
}

func (s *Screen) shorter() tea.Cmd { return s.setLength(prompts.Step(s.work.MaxTokens, -1)) }
func (s *Screen) longer() tea.Cmd  { return s.setLength(prompts.Step(s.work.MaxTokens, 1)) }

func (s *Screen) setLength(n int) tea.Cmd {
	s.work.MaxTokens = n
	s.workChanged()
	if n == 0 {
		return s.host.Say("next run: the server decides when to stop")
	}
	return s.host.Say(fmt.Sprintf("next run: up to %d tokens", n))
}

func (s *Screen) nextConnection() tea.Cmd {
	s.work.Connection = (s.work.Connection + 1) % (metrics.ReuseWarm + 1)
	s.workChanged()
	return s.host.Say("next: " + connectionWords[s.work.Connection])
}

// connectionWords describe the choices of connection.
var connectionWords = [...]string{
	metrics.ReuseAuto: "auto (reuses an idle connection, if any)",
	metrics.ReuseCold: "cold (opens a new connection)",
	metrics.ReuseWarm: "warm (reuses the connection)",
}

func (s *Screen) save() tea.Cmd { return s.host.Save(s.back.Save, "", "") }

// copyRequest copies the shown request as a command for a shell.
func (s *Screen) copyRequest() tea.Cmd {
	text := s.back.Curl()
	if text == "" || !s.hasRun() {
		return s.host.Say("nothing to copy: no request has ended")
	}
	return s.host.Save(s.back.Save, text, ".sh")
}

// copyRun copies the summary of the last ended run. Terminals do not report
// whether they accepted it (tmux, by default, does not accept it). The same
// text is therefore written to a file beside the results.
func (s *Screen) copyRun() tea.Cmd {
	if !s.hasRun() {
		return nil
	}
	run := s.view.Runs[len(s.view.Runs)-1]
	v := View{Stream: run.Stream, Figures: run.Figures, Now: run.Stream.Marks.End,
		Runs: s.view.Runs, Lens: s.look.Lens, Task: s.look.Task}
	return s.host.Save(s.back.Save, report.Markdown(run, conclude(&v), s.by), ".md")
}
