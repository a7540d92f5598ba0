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
func waitSettled() tea.Cmd {
	return tea.Tick(settleFor, func(time.Time) tea.Msg { return settledMsg{} })
}

// onSettled begins the load that waited, if the person still looks at it.
func (m *Model) onSettled() tea.Cmd {
	if !m.load.on || m.load.view.Load.Running || m.load.then != nil {
		return nil
	}
	return m.start()
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
func (s *Model) toLoad() tea.Cmd {
	l := &s.load
	if l.back == nil {
		return nil
	}
	left := s.explain.on
	s.leaveExplain()
	s.view.Frozen = false
	l.on, l.lane = true, 0
	s.loadEditor()
	s.sample(true)
	if l.been {
		return nil
	}
	l.been = true
	if len(l.view.Load.SLOs) == 0 {
		l.back.SetSLOs(defaultObjectives())
	}
	switch {
	case s.back.Endpoint().Kind != metrics.EndpointEmbedded || l.view.Load.Running:
	case left:
		return waitSettled()
	default:
		return s.start()
	}
	s.sample(true)
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
func (s *Model) sampleLoad(now bool) {
	l := &s.load
	version := l.back.LoadVersion()
	if version == l.seen && !now {
		return
	}
	l.seen, s.dirty = version, true
	l.view.Load = l.back.LoadView()
	s.view.Endpoint, s.view.Observer = s.back.Endpoint(), l.view.Load.Observer
	if q := l.view.Load.Asks; q != "" && q != l.asked && l.then == nil && s.top() == nil {
		s.question(q, func() tea.Cmd {
			l.back.LoadConsent()
			l.back.LoadResize(l.view.Want)
			return nil
		})
	}
}

// question asks before something is done.
func (s *Model) question(text string, proceed func() tea.Cmd) {
	s.load.asked, s.load.then = text, proceed
	s.open(dialog.NewConfirm("before that", text))
}

// answered takes the answer.
func (s *Model) answered(yes bool) tea.Cmd {
	proceed := s.load.then
	s.load.then = nil
	s.leave()
	if !yes || proceed == nil {
		if s := &s.load.view; s.Load.Running {
			s.Want = max(s.Load.Target, 1)
		}
		return nil
	}
	s.load.asked = ""
	cmd := proceed()
	s.sample(true)
	return cmd
}

// resizeLoad moves the slider to n users.
func (s *Model) resizeLoad(n int) {
	l := &s.load
	n = min(max(n, 1), load.MaxUsers)
	l.view.Typed, l.asked, s.dirty = "", "", true
	if n == l.view.Want && (!l.view.Load.Running || l.view.Load.Target == n) {
		return
	}
	l.view.Want = n
	if l.view.Load.Running {
		l.back.LoadResize(n)
		s.sample(true)
	}
}

// holdLoad is what the space bar does: begin, hold, go on.
func (s *Model) holdLoad() tea.Cmd {
	l := &s.load
	if !l.view.Load.Running {
		return s.start()
	}
	l.back.LoadHold(!l.view.Load.Holding)
	s.sample(true)
	return nil
}

// stopLoad lets what runs end; while users leave it cuts their requests.
func (s *Model) stopLoad() tea.Cmd {
	l := &s.load
	if s.leaving() {
		l.back.LoadCut()
		s.sample(true)
		return s.say("the requests of those who leave were cut")
	}
	l.back.LoadStop()
	s.sample(true)
	if v := &l.view.Load; !v.Running || v.InFlight == 0 {
		return s.say("stopped: no request was under way")
	}
	return s.say("stopping: what runs ends; x again cuts it")
}

// leaving reports whether users of the load are on their way out.
func (s *Model) leaving() bool {
	v := &s.load.view.Load
	return v.Running && v.Users > v.Target
}

// quitLoad stops a load at once: its endpoint is about to change.
func (m *Model) quitLoad() {
	if s := &m.load; s.back != nil && s.back.LoadView().Running {
		s.back.LoadStop()
		s.back.LoadCut()
	}
}

// typeUsers adds a digit to the number that is being typed.
func (s *Model) typeUsers(digit string) tea.Cmd {
	v := &s.load.view
	if v.Typed == "" && digit == "0" {
		return nil
	}
	if len(v.Typed) < len(strconv.Itoa(load.MaxUsers)) {
		v.Typed += digit
	}
	s.dirty = true
	s.load.typing++
	id := s.load.typing
	return tea.Tick(typedFor, func(time.Time) tea.Msg { return typedMsg{id} })
}

// takeTyped makes the typed number count.
func (s *Model) takeTyped() tea.Cmd {
	n, err := strconv.Atoi(s.load.view.Typed)
	if err != nil {
		s.load.view.Typed = ""
		return nil
	}
	s.resizeLoad(n)
	if n > load.MaxUsers {
		return s.say(fmt.Sprintf("%d users is the most here", load.MaxUsers))
	}
	return nil
}

func (s *Model) onTyped(msg typedMsg) tea.Cmd {
	if msg.id != s.load.typing || s.load.view.Typed == "" {
		return nil
	}
	return s.takeTyped()
}

// openLane shows the selected user's stream in Live.
func (s *Model) openLane() tea.Cmd {
	l := &s.load
	if l.view.Typed != "" {
		return s.takeTyped()
	}
	user, ok := l.screen.Selected(&l.view)
	if !ok {
		return nil
	}
	if _, ok := l.back.LoadStream(user); !ok {
		return s.say(fmt.Sprintf("user %d has sent nothing yet", user))
	}
	l.on, l.lane = false, user
	l.screen.Select(user)
	s.screen.End()
	s.sample(true)
	return nil
}

// closeLane goes back from a lane to the load.
func (l *Model) closeLane() tea.Cmd {
	l.load.lane = 0
	return l.toLoad()
}

// nextLane shows the user by places further.
func (m *Model) nextLane(by int) {
	s := &m.load
	s.view.Load = s.back.LoadView()
	s.screen.Select(s.lane)
	s.screen.Move(&s.view, by)
	if user, ok := s.screen.Selected(&s.view); ok {
		if _, ok := s.back.LoadStream(user); ok {
			s.lane = user
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
