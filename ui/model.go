package ui

import (
	"sync"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/dialog"
	"tokscope/ui/draw"
	"tokscope/ui/keys"
	"tokscope/ui/prompts"
	"tokscope/ui/screen/live"
)

// Model is the root of the interface: it routes messages and lays out the
// frame. It belongs to Bubble Tea's goroutine; only Notify may be called by
// others.
type Model struct {
	back Backend
	opt  Options

	// What is shown.
	screen  *live.Screen
	view    live.View
	meter   metrics.Meter
	phase   metrics.State // of the backend's stream now, even while view is frozen
	seen    seen
	work    metrics.Workload
	load    loading    // the Load screen
	explain explaining // the Explain screen

	// What lies over it: the last has the keys.
	dialogs []dialog.Dialog
	editor  *dialog.Editor
	toast   toast
	search  choice

	// How it is shown.
	grid     *draw.Grid
	glyphs   *themes.Glyphs
	palette  *themes.Palette
	dark     bool // the terminal's background, as far as it told
	grounded bool // the palette paints its own ground
	mouse    bool
	w, h     int
	places   []place // what a click means, of the last frame
	hints    []keys.Hint
	frame    tea.View
	cursor   *tea.Cursor // the last that was given to Bubble Tea
	dirty    bool

	clock   clock
	pointer pointer
	asking  asking
	resumed chan<- struct{} // closed when a suspended program runs again

	wake   chan struct{}
	closed chan struct{}
	close  sync.Once
}

// New returns the interface over b, not yet running.
func New(b Backend, o Options) *Model {
	m := &Model{back: b, opt: o, screen: live.New(), grid: draw.New(0, 0), glyphs: themes.UnicodeGlyphs(),
		dark: true, mouse: o.Mouse, work: o.Work, wake: make(chan struct{}, 1), closed: make(chan struct{})}
	if o.ASCII {
		m.glyphs = themes.ASCIIGlyphs()
	}
	if m.work.Prompt == "" {
		c, n := m.work.Connection, m.work.MaxTokens
		m.work = prompts.Default()
		m.work.Connection = c
		if n > 0 {
			m.work.MaxTokens = n
		}
	}
	m.editor = dialog.NewEditor(m.work)
	m.view = live.View{Glyphs: m.glyphs, ReducedMotion: o.ReducedMotion, Units: live.Units[0], Pace: metrics.Paces[0], Task: metrics.DefaultAgentTask}
	if p, ok := metrics.PaceByName(o.Pace); ok {
		m.view.Pace = p
	}
	for _, u := range live.Units {
		if u == o.Units {
			m.view.Units = u
		}
	}
	m.newLoading(b)
	m.newExplaining(b)
	m.frame.AltScreen = true
	m.applyTheme(o.Theme)
	m.applyMouse()
	m.sample(true)
	return m
}

// startMsg starts the opening screen, once the first frame can be drawn.
type startMsg struct{}

// Init implements tea.Model.
func (m *Model) Init() tea.Cmd {
	cmds := []tea.Cmd{m.listen(), m.askTerminal()}
	if m.opt.Start || m.opt.First {
		cmds = append(cmds, func() tea.Msg { return startMsg{} })
	}
	return tea.Batch(cmds...)
}

// startLoad begins a load with the users the slider stands at.
func (s *Model) start() tea.Cmd {
	l := &s.load
	if s.running() {
		// A request of Live would be one user more than is said; its server may
		// still work on it for a moment after it was cut.
		s.back.Stop()
		s.phase = metrics.Cancelled
		return tea.Batch(waitSettled(), s.say("the request of Live was stopped; the load begins in a moment"))
	}
	l.back.SetLengths(l.input, l.output)
	need, err := l.back.LoadStart(l.work, l.view.Want)
	if err != nil {
		s.sample(true)
		return s.complain(err)
	}
	if need != "" {
		s.question(need, func() tea.Cmd {
			l.back.LoadConsent()
			return s.start()
		})
		return nil
	}
	s.sample(true)
	return nil
}

// Update implements tea.Model. It routes the message, redraws the frame if
// anything changed, and keeps the clock running while something moves.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd := m.route(msg)
	if m.dirty {
		m.dirty = false
		m.draw()
	}
	if tick := m.tick(); tick != nil {
		return m, tea.Batch(cmd, tick)
	}
	return m, cmd
}

// View implements tea.Model: it returns the frame that Update drew.
func (m *Model) View() tea.View { return m.frame }

// route hands a message to the part that knows it.
func (m *Model) route(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case frameMsg:
		m.onFrame()
	case changedMsg:
		m.sample(true)
		return m.listen()
	case startMsg:
		if m.opt.First {
			return m.beginTour()
		}
		return m.begin(m.work)
	case tea.KeyPressMsg:
		return m.onKey(msg)
	case tea.PasteMsg:
		return m.onPaste(msg.Content)
	case tea.MouseMsg:
		return m.onMouse(msg)
	case pointerMsg:
		return m.onPointer()
	case tea.WindowSizeMsg:
		m.resize(msg.Width, msg.Height)
	case tea.BackgroundColorMsg:
		m.dark = msg.IsDark()
		m.applyTheme(m.opt.Theme)
		return m.told(true, false)
	case tea.KeyboardEnhancementsMsg:
		return m.told(false, true)
	case tea.ResumeMsg:
		return m.resume()
	case leaveMsg:
		return m.quit()
	case answersMsg:
		return tea.Quit
	case settledMsg:
		return m.onSettled()
	case typedMsg:
		return m.onTyped(msg)
	case toastGone:
		m.clearToast(msg)
	case endpointsMsg, modelsMsg, savedMsg, selectedMsg:
		return m.onAnswer(msg)
	}
	return nil
}

// sample takes a look at the backend. The stream is taken as often as this is
// called; figures and observer change figuresPerSecond times a second, and at
// once when the state changes or now asks for it. A frozen view keeps what it
// has, except for the runs that ended behind it.
func (m *Model) sample(now bool) {
	switch {
	case m.explain.on:
		m.sampleExplain(now)
		return
	case m.load.on:
		m.sampleLoad(now)
		return
	}
	v, version := &m.view, m.version()
	changed := version != m.seen.version
	m.seen.version = version
	if !changed && !now && m.phase.Ended() {
		v.Now = m.back.Now() // fades go on
		return
	}
	s := m.snapshot()
	before := m.phase
	m.phase = s.State
	if m.phase != before || now {
		m.dirty = true
	}
	if v.Frozen {
		v.Runs = m.back.Runs()
		return
	}
	fresh := now || m.phase != before || s.ID != v.Stream.ID
	v.Stream, v.Now = s, m.back.Now()
	if changed {
		m.dirty = true
	}
	if fresh || v.Now-m.seen.figures >= figuresEvery {
		m.seen.figures = v.Now
		v.Figures = m.meter.Measure(&v.Stream, metrics.Options{Pace: v.Pace})
		v.Runs, v.Observer, v.Endpoint = m.back.Runs(), m.back.Observer(), m.back.Endpoint()
		if m.load.been { // the header says whether a load goes on
			m.load.view.Load = m.load.back.LoadView()
		}
	}
}
