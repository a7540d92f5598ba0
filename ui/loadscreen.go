package ui

import (
	"fmt"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/ui/dialog"
	"tokscope/ui/prompts"
	"tokscope/ui/screen/load"
)

// loading is the Load screen's part of the root: what it shows, and what a
// person has set there. It is at rest, and no key leads to it, when the
// backend is no LoadBackend.
type loading struct {
	back   LoadBackend // nil: there is no Load screen
	on     bool        // it is shown
	been   bool        // it was shown before
	lane   int         // the user whose stream Live shows; 0: the session's own
	screen *load.Screen
	view   load.View
	work   metrics.Workload
	input  metrics.Lengths // of its prompts, where they vary
	output metrics.Lengths // of its answers, likewise
	seen   uint64
	typing int            // number of the digit that was typed last
	drag   bool           // the slider follows the mouse
	then   func() tea.Cmd // what a yes to the open question does
	asked  string         // the question that was answered by no
}

// typedFor is how long digits wait for the next one.
const typedFor = 900 * time.Millisecond

// settleFor is how long an endpoint gets to forget a request that was cut: the
// longest step of an engine in the middle of a prefill, with room.
const settleFor = time.Second

// settledMsg says that this time is over.
type settledMsg struct{}

// settle lets that time pass.
func settle() tea.Cmd {
	return tea.Tick(settleFor, func(time.Time) tea.Msg { return settledMsg{} })
}

// onSettled begins the load that waited, if the person still looks at it.
func (m *Model) onSettled() tea.Cmd {
	if !m.load.on || m.load.view.Load.Running || m.load.then != nil {
		return nil
	}
	return m.startLoad()
}

// typedMsg says that no digit came after the one of that number.
type typedMsg struct{ id int }

// defaultObjectives are those of a load until a person sets others: a first
// token within half a second, and 50 tok/s for each after it.
func defaultObjectives() []metrics.Objective {
	return []metrics.Objective{{Name: "ttft", Limit: 500}, {Name: "tpot", Limit: 20}}
}

// newLoading prepares the Load screen if b can drive one.
func (m *Model) newLoading(b Backend) {
	m.load = loading{screen: load.New(), work: m.opt.LoadWork,
		view: load.View{Want: 1, Glyphs: m.glyphs, ReducedMotion: m.opt.ReducedMotion}}
	m.load.back, _ = b.(LoadBackend)
	if m.load.work.Prompt == "" {
		m.load.work = prompts.Load()
	}
	m.load.view.Load.Began = metrics.NoStamp
}

// toLoad shows the Load screen. On the embedded endpoint a first user begins
// at once; on any other only a key begins.
func (m *Model) toLoad() tea.Cmd {
	l := &m.load
	if l.back == nil {
		return nil
	}
	left := m.explain.on
	m.leaveExplain()
	m.view.Frozen = false
	l.on, l.lane = true, 0
	m.loadEditor()
	m.sample(true)
	if l.been {
		return nil
	}
	l.been = true
	if len(l.view.Load.SLOs) == 0 {
		l.back.SetSLOs(defaultObjectives())
	}
	switch {
	case m.back.Endpoint().Kind != metrics.EndpointEmbedded || l.view.Load.Running:
	case left:
		return settle()
	default:
		return m.startLoad()
	}
	m.sample(true)
	return nil
}

// toLive shows the Live screen again; a load goes on.
func (m *Model) toLive() {
	m.leaveExplain()
	if m.load.view.Typed != "" {
		m.load.view.Typed = ""
		return
	}
	m.load.on, m.load.drag = false, false
	m.loadEditor()
	m.sample(true)
}

// sampleLoad takes a look at the load.
func (m *Model) sampleLoad(now bool) {
	l := &m.load
	version := l.back.LoadVersion()
	if version == l.seen && !now {
		return
	}
	l.seen, m.dirty = version, true
	l.view.Load = l.back.LoadView()
	m.view.Endpoint, m.view.Observer = m.back.Endpoint(), l.view.Load.Observer
	if q := l.view.Load.Asks; q != "" && q != l.asked && l.then == nil && m.top() == nil {
		m.question(q, func() tea.Cmd {
			l.back.LoadConsent()
			l.back.LoadResize(l.view.Want)
			return nil
		})
	}
}

// question asks before something is done.
func (m *Model) question(text string, then func() tea.Cmd) {
	m.load.asked, m.load.then = text, then
	m.open(dialog.NewConfirm("before that", text))
}

// answered takes the answer.
func (m *Model) answered(yes bool) tea.Cmd {
	then := m.load.then
	m.load.then = nil
	m.leave()
	if !yes || then == nil {
		if v := &m.load.view; v.Load.Running {
			v.Want = max(v.Load.Target, 1)
		}
		return nil
	}
	m.load.asked = ""
	cmd := then()
	m.sample(true)
	return cmd
}

// startLoad begins a load with the users the slider stands at.
func (m *Model) startLoad() tea.Cmd {
	l := &m.load
	if m.running() {
		// A request of Live would be one user more than is said; its server may
		// still work on it for a moment after it was cut.
		m.back.Stop()
		m.phase = metrics.Cancelled
		return tea.Batch(settle(), m.say("the request of Live was stopped; the load begins in a moment"))
	}
	l.back.SetLengths(l.input, l.output)
	need, err := l.back.LoadStart(l.work, l.view.Want)
	if err != nil {
		m.sample(true)
		return m.complain(err)
	}
	if need != "" {
		m.question(need, func() tea.Cmd {
			l.back.LoadConsent()
			return m.startLoad()
		})
		return nil
	}
	m.sample(true)
	return nil
}

// resizeLoad moves the slider to n users.
func (m *Model) resizeLoad(n int) {
	l := &m.load
	n = min(max(n, 1), load.MaxUsers)
	l.view.Typed, l.asked, m.dirty = "", "", true
	if n == l.view.Want && (!l.view.Load.Running || l.view.Load.Target == n) {
		return
	}
	l.view.Want = n
	if l.view.Load.Running {
		l.back.LoadResize(n)
		m.sample(true)
	}
}

// holdLoad is what the space bar does: begin, hold, go on.
func (m *Model) holdLoad() tea.Cmd {
	l := &m.load
	if !l.view.Load.Running {
		return m.startLoad()
	}
	l.back.LoadHold(!l.view.Load.Holding)
	m.sample(true)
	return nil
}

// stopLoad lets what runs end; while users leave it cuts their requests.
func (m *Model) stopLoad() tea.Cmd {
	l := &m.load
	if m.leaving() {
		l.back.LoadCut()
		m.sample(true)
		return m.say("the requests of those who leave were cut")
	}
	l.back.LoadStop()
	m.sample(true)
	if v := &l.view.Load; !v.Running || v.InFlight == 0 {
		return m.say("stopped: no request was under way")
	}
	return m.say("stopping: what runs ends; x again cuts it")
}

// leaving reports whether users of the load are on their way out.
func (m *Model) leaving() bool {
	v := &m.load.view.Load
	return v.Running && v.Users > v.Target
}

// quitLoad stops a load at once: its endpoint is about to change.
func (m *Model) quitLoad() {
	if l := &m.load; l.back != nil && l.back.LoadView().Running {
		l.back.LoadStop()
		l.back.LoadCut()
	}
}

// typeUsers adds a digit to the number that is being typed.
func (m *Model) typeUsers(digit string) tea.Cmd {
	v := &m.load.view
	if v.Typed == "" && digit == "0" {
		return nil
	}
	if len(v.Typed) < len(strconv.Itoa(load.MaxUsers)) {
		v.Typed += digit
	}
	m.dirty = true
	m.load.typing++
	id := m.load.typing
	return tea.Tick(typedFor, func(time.Time) tea.Msg { return typedMsg{id} })
}

// takeTyped makes the typed number count.
func (m *Model) takeTyped() tea.Cmd {
	n, err := strconv.Atoi(m.load.view.Typed)
	if err != nil {
		m.load.view.Typed = ""
		return nil
	}
	m.resizeLoad(n)
	if n > load.MaxUsers {
		return m.say(fmt.Sprintf("%d users is the most here", load.MaxUsers))
	}
	return nil
}

func (m *Model) onTyped(msg typedMsg) tea.Cmd {
	if msg.id != m.load.typing || m.load.view.Typed == "" {
		return nil
	}
	return m.takeTyped()
}

// openLane shows the selected user's stream in Live.
func (m *Model) openLane() tea.Cmd {
	l := &m.load
	if l.view.Typed != "" {
		return m.takeTyped()
	}
	user, ok := l.screen.Selected(&l.view)
	if !ok {
		return nil
	}
	if _, ok := l.back.LoadStream(user); !ok {
		return m.say(fmt.Sprintf("user %d has sent nothing yet", user))
	}
	l.on, l.lane = false, user
	l.screen.Select(user)
	m.screen.End()
	m.sample(true)
	return nil
}

// closeLane goes back from a lane to the load.
func (m *Model) closeLane() tea.Cmd {
	m.load.lane = 0
	return m.toLoad()
}

// nextLane shows the user by places further.
func (m *Model) nextLane(by int) {
	l := &m.load
	l.view.Load = l.back.LoadView()
	l.screen.Select(l.lane)
	l.screen.Move(&l.view, by)
	if user, ok := l.screen.Selected(&l.view); ok {
		if _, ok := l.back.LoadStream(user); ok {
			l.lane = user
			m.screen.End()
			m.sample(true)
		}
	}
}

// setObjectives takes over those of the dialog.
func (m *Model) setObjectives(slos []metrics.Objective) {
	m.load.back.SetSLOs(slos)
	m.sample(true)
}
