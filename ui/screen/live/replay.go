package live

import (
	"errors"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/format"
	"tokscope/ui/keys"
	"tokscope/ui/report"
	"tokscope/ui/sanitize"
	"tokscope/ui/say"
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

// recording is a ReplayBackend as a session: that of the shown moment.
type recording struct{ ReplayBackend }

func (b recording) Runs() []metrics.Run { return b.ReplayRuns() }

// RunsLeftOut implements session. A replay has all that the file has.
func (b recording) RunsLeftOut() int { return 0 }

func (b recording) Endpoint() metrics.Endpoint { return b.ReplayStream().Endpoint }

// Observer implements session. The lag of today says nothing about the recording.
func (b recording) Observer() metrics.Observer { return metrics.Observer{} }

// replay is the source of a recording: one of its requests, played by a clock of
// its own.
type replay struct {
	*Screen
	back ReplayBackend
	at   metrics.Replay
	on   bool // a replay is open
}

// pauses pauses or goes on: a key, and the mark in the header.
const pauses keys.Intent = "pause"

// NewReplay returns the Live screen on a recording.
func NewReplay(d screen.Deps, b ReplayBackend) screen.Screen {
	p := &replay{Screen: newScreen(d), back: b}
	return p.show(p, screen.Replay)
}

// toReplay are the commands of Live about replays of b.
func toReplay(s *Screen, b Backend) []keys.Binding {
	from, ok := b.(ReplayBackend)
	if !ok {
		return nil
	}
	open := func() bool { _, on := from.ReplayState(); return on }
	return []keys.Binding{{Do: "to the replay", Word: keys.When(open, "replay"),
		Act: s.to(screen.Replay), Help: "to the recording that is open; it waits where you left it"}}
}

func (p *replay) session() session       { return recording{p.back} }
func (p *replay) recorded() bool         { return true }
func (p *replay) stream() metrics.Stream { return p.back.ReplayStream() }

// running implements source. A recording is paused, not frozen.
func (p *replay) running() bool { return false }

func (p *replay) Enter() (tea.Cmd, error) {
	if p.at, p.on = p.back.ReplayState(); !p.on {
		return nil, errors.New("no recording is open: `tokscope replay FILE` opens one")
	}
	p.pic.End()
	return nil, nil
}

// Leave lets the replay wait.
func (p *replay) Leave() {
	if p.on && !p.at.Paused {
		p.back.ReplayToggle()
	}
	p.Screen.Leave()
}

func (p *replay) peek() (version uint64, changed bool) {
	before := p.at
	p.at, p.on = p.back.ReplayState()
	p.view.File = sanitize.Line(p.at.File, screen.FileMost)
	return p.back.ReplayVersion(), p.at != before
}

// placeFrom is the width of a header from which its mark has the place.
const placeFrom = 100

func (p *replay) status(st *screen.Status) {
	word, role := "replay ", themes.Badge
	if p.at.Paused {
		word, role = "paused ", themes.Headline
	}
	text := " " + word + say.ReplaySpeed(p.at.Speed) + " "
	if p.look.W >= placeFrom {
		text = format.If(p.at.Paused, " replay") + text + " " + say.ReplayPlace(&p.at) + " "
	}
	st.Marks = append(st.Marks, screen.Part{Text: text, Role: role, Target: pauses})
	st.Work = say.ReplayOf(p.view.File, &p.at)
}

func (p *replay) dress(v *View) {
	v.Place, v.Request = say.ReplayPlace(&p.at), say.ReplayRequest(&p.at)
	v.Message = say.ReplayMissing(p.at.Missing)
	switch {
	case v.Message != "":
	case p.at.Newer:
		v.Message = say.ReplayNewer
	case v.Stream.Tool != nil:
		v.Message = say.ToolFile(v.Stream.Tool)
	case v.Stream.TextRemoved:
		v.Message = say.ReplayNoText
	}
}

func (p *replay) Aside() string {
	if _, on := p.back.ReplayState(); on {
		return "replay paused"
	}
	return ""
}

func (p *replay) Summary() *report.Doc {
	if _, on := p.back.ReplayState(); !on {
		return nil
	}
	var form report.Form
	form.Lens, form.Task = p.look.Lens, p.look.Task
	return report.Runs(p.back.ReplayRuns(), form)
}

func (p *replay) Animating() bool { return p.on && !p.at.Paused && !p.view.Frozen }

func (p *replay) outWord() string { return p.host.BackWord() }

// out closes the replay and shows the screen before; the load of the recording needs it.
func (p *replay) out() tea.Cmd {
	if p.host.Came() != screen.LoadReplay {
		p.back.CloseReplay()
		p.on = false
	}
	return p.host.Back()
}

func (p *replay) ended() (id int, ok bool) {
	st := &p.view.Stream
	return st.ID, st.State.Ended()
}

func (p *replay) run() (run metrics.Run, name string) {
	return p.measured(&p.view.Stream), say.ReplayRequest(&p.at)
}

// act carries out a command of the replay and shows the result at once.
func (p *replay) act(f func()) func() {
	return func() {
		p.view.Frozen = false
		f()
		p.refresh()
	}
}

// stall goes to a stall and puts the cursor on its chunk.
func (p *replay) stall(by int) func() tea.Cmd {
	return func() tea.Cmd {
		chunk, ok := p.back.ReplayStall(by)
		if !ok {
			return p.host.Say(say.NoMark(by > 0))
		}
		p.act(func() {})()
		p.pic.setCursor(chunk)
		return nil
	}
}

// row shows another request of the recording, or scrolls the text where it has
// only one.
func (p *replay) row(by int) func() tea.Cmd {
	return func() tea.Cmd {
		switch {
		case p.at.Count < 2:
			p.pic.Move(by)
		case !p.back.ReplayNext(by):
			return p.host.Say(format.Either(by > 0, "this is the last request of the recording",
				"this is the first request of the recording"))
		default:
			p.refresh()
		}
		return nil
	}
}

// hasLoad reports whether the recording holds a load.
func (p *replay) hasLoad() bool { return p.host.Has(screen.LoadReplay) && p.at.Loads > 0 }

// openDefinitions shows the request under the definitions of other tools: to its
// end, for all of them need it.
func (p *replay) openDefinitions() tea.Cmd {
	run, ok := p.back.ReplayWhole()
	if !ok {
		return nil
	}
	toEnd := format.If(!p.view.Stream.State.Ended(), " to its end")
	return p.showDefinitions(say.ReplayRequest(&p.at)+toEnd, &run)
}

func (p *replay) keys() []keys.Binding {
	paused := func() bool { return p.at.Paused }
	faster := func(by int) func() tea.Cmd {
		return keys.Do(p.act(func() { p.back.ReplayFaster(by) }))
	}
	edge := func(by int) func() tea.Cmd {
		return keys.Do(p.act(func() { p.back.ReplayEdge(by) }))
	}
	return []keys.Binding{
		{Do: pauses, Keys: []string{"space"}, Rank: 7,
			Word: keys.First(keys.When(func() bool { return p.at.Ended }, "again"), keys.Either(paused, "go on", "pause")),
			Act:  keys.Do(p.act(p.back.ReplayToggle)), Help: "pause or go on; at the end play it again"},
		{Do: "one step", Keys: []string{"."}, Rank: 8, Word: keys.Always("one event"), Act: keys.Do(p.act(p.back.ReplayStep)),
			Help: "pause at the next event"},
		{Do: "slower", Keys: []string{"-"}, Foot: "-+", Rank: 10,
			Word: keys.Always("speed"), Act: faster(-1), Help: "slow the replay down, to a hundredth"},
		{Do: "faster", Keys: []string{"+"}, Act: faster(1), Help: "speed the replay up, to a hundredfold"},
		{Do: "next stall", Keys: []string{"n"}, Foot: "nN", Rank: 11,
			Word: keys.Always("pause"), Act: p.stall(1), Help: "go to the next pause of the answer"},
		{Do: "previous stall", Keys: []string{"N"}, Act: p.stall(-1), Help: "the one before"},
		{Do: keys.Home, Keys: []string{"home"}, Foot: "home end", Rank: 26,
			Word: keys.Always("ends"), Act: edge(-1), Help: "to the beginning of the request"},
		{Do: keys.End, Keys: []string{"end"}, Act: edge(1), Help: "to the end of the request"},
		{Do: keys.Up, Keys: []string{"up"}, Act: p.row(-1), Help: "the request before, or scroll the text up"},
		{Do: keys.Down, Keys: []string{"down"}, Foot: "↑↓", Rank: 16,
			Word: keys.When(func() bool { return p.at.Count > 1 }, "request"),
			Act:  p.row(1), Help: "the next request, or scroll the text down"},
		{Do: keys.ToLive, Keys: []string{"1"}, Act: p.to(screen.Live), Help: "to Live; the replay waits"},
		{Do: keys.ToLoad, Keys: []string{"tab", "2"}, Rank: 15, Word: keys.When(p.hasLoad, "load"),
			Act:  func() tea.Cmd { return p.host.Show(format.Either(p.hasLoad(), screen.LoadReplay, screen.Load)) },
			Help: "to the load of the recording, or to Load"},
		{Do: "definition lab", Keys: []string{"D"}, Rank: 34,
			Word: keys.When(paused, "lab"), Act: p.openDefinitions,
			Help: "this request as other tools define it"},
	}
}
