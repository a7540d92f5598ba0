package ui

import (
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/themes"
	"tokscope/ui/dialog"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/keys"
	"tokscope/ui/prompts"
	"tokscope/ui/screen"
)

// Model is the root of the interface: it routes messages and lays out the
// frame. It belongs to Bubble Tea's goroutine; only Notify may be called by
// others.
type Model struct {
	back Backend
	opt  Options
	look *screen.Look // shared by all screens

	// The screens and their keys.
	screens  screens
	bindings [][]keys.Binding // of each screen

	// What lies over the screen.
	stack  stack
	toast  toast
	choice choice
	alone  int // calls of Alone so far: only the last one waits

	// How it is drawn.
	surface surface
	status  screen.Status
	footer  footerRow
	dirty   bool

	begun   bool // the opening screen has been started
	clock   clock
	pointer pointer
	asking  asking
	// askGround asks the terminal for its background; nil: there is no terminal.
	askGround    func()
	groundWithin time.Duration   // the first frame waits for the answer
	resumed      chan<- struct{} // closed when a suspended program runs again

	wake     chan struct{}
	closed   chan struct{}
	close    sync.Once
	patience time.Duration // with a terminal that takes no output, after the end
}

// New returns the interface over b, not yet running. It makes all screens
// that b can drive, at least one, and shows the first.
func New(all []screen.Maker, b Backend, o Options) *Model {
	glyphs := format.Either(o.ASCII, themes.ASCIIGlyphs, themes.UnicodeGlyphs)()
	m := &Model{back: b, opt: o, look: screen.NewLook(o.Screens, glyphs),
		surface: surface{grid: draw.New(0, 0), dark: true},
		wake:    make(chan struct{}, 1), closed: make(chan struct{}), patience: stuckAfter, groundWithin: groundWithin}
	m.look.Mouse, m.look.ReducedMotion = o.Mouse, o.ReducedMotion
	m.choice.m = m
	m.screens.make(all, screen.Deps{
		Host: host{m}, Look: m.look, Options: o.Screens, Backend: b, Editor: dialog.NewEditor(prompts.Default()),
	})
	m.bindings = bindingsOf(m)
	m.applyTheme(o.Theme)
	m.sample(true)
	return m
}

// Summary returns the lines that stay in the scrollback after Run, those of
// each screen with a blank line between, no wider than the terminal.
func (m *Model) Summary() string {
	var parts []string
	for _, s := range m.screens.all {
		if d := s.Summary(); d != nil && !d.Empty() {
			parts = append(parts, d.Text(m.look.W))
		}
	}
	return strings.Join(parts, "\n")
}

func (m *Model) Init() tea.Cmd {
	m.askTerminal()
	return m.listen()
}

// begin shows the opening screen and starts it, once. It comes with the first size,
// so that the first frame is the opening screen's, and before the first key: what a
// person presses never meets a screen that is about to be replaced.
func (m *Model) begin() tea.Cmd {
	if m.begun {
		return nil
	}
	m.begun = true
	if !m.opt.Start && m.opt.First == "" {
		return nil
	}
	var cmd tea.Cmd
	if n := m.opt.First; n != "" {
		if cmd = m.show(m.screens.find(n)); m.screens.shown().Name() != n {
			return cmd
		}
	}
	m.dirty = true
	return tea.Batch(cmd, m.screens.shown().Update(screen.Start{}))
}

// Update routes the message, redraws the frame if anything changed, and keeps the
// clock running while something moves.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	cmd := m.route(msg)
	if m.dirty {
		m.dirty = false
		m.draw()
	}
	if tick := m.tick(); tick != nil {
		return tea.Batch(cmd, tick)
	}
	return cmd
}

// route passes a message to the part that handles it. All other messages go to the
// screens; the result of a command says itself what is to be done.
func (m *Model) route(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case frameMsg:
		m.clock.ticking = false
		m.clock.beats++
		m.sample(false)
		m.dirty = m.dirty || m.moving()
	case tea.KeyPressMsg:
		return tea.Batch(m.begin(), m.onKey(msg))
	case tea.PasteMsg:
		return tea.Batch(m.begin(), m.onPaste(msg.Content))
	case tea.MouseMsg:
		return m.onMouse(msg)
	case tea.WindowSizeMsg:
		m.resize(msg.Width, msg.Height)
		return m.begin()
	case tea.BackgroundColorMsg:
		m.surface.dark = msg.IsDark()
		m.applyTheme(m.opt.Theme)
		return m.asking.answered(true, false)
	case tea.KeyboardEnhancementsMsg:
		return m.asking.answered(false, true)
	case tea.ResumeMsg:
		m.resume()
	case screen.Reply:
		return msg()
	default:
		return m.screens.broadcast(msg)
	}
	return nil
}

// sample refreshes the shown screen and the asides of the others.
func (m *Model) sample(force bool) {
	now := m.back.Now()
	m.dirty = m.screens.shown().Sample(now, force) || m.dirty
	m.dirty = m.screens.look(now, force) || m.dirty
}

// Notify wakes the interface after a request started, ended or failed. Any
// goroutine may call it at any time, also before the interface runs and after
// it ended. It never blocks, and simultaneous calls count as one.
func (m *Model) Notify() {
	select {
	case m.wake <- struct{}{}:
	default:
	}
}

// listen waits for the next Notify, which says that the backend has something new
// although no frame was due. One listener is alive at a time: its reply starts the next.
func (m *Model) listen() tea.Cmd {
	wake, closed := m.wake, m.closed
	return func() tea.Msg {
		select {
		case <-wake:
			return screen.Reply(func() tea.Cmd {
				m.sample(true)
				return m.listen()
			})
		case <-closed:
			return nil
		}
	}
}
