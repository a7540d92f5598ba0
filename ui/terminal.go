package ui

import (
	"bytes"
	"io"
	"os"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"tokscope/ui/draw"
	"tokscope/ui/screen"
)

// terminal writes frames. Bubble Tea's renderer keeps the modes of the terminal:
// the alternate screen, mouse, keyboard, cursor. It is given an empty frame: it
// would parse the whole frame to find the cells that changed, which the grid
// knows. It looks for a new frame at a fixed rate, which is most of what an idle
// program costs, so it looks seldom.
//
// The renderer writes through the terminal as well. After that the terminal
// shows anything, so the next frame is written whole.
type terminal struct {
	out     io.Writer
	changed func() // asks for a frame; any goroutine

	mu    sync.Mutex // guards the rest, and one write at a time
	state openness
	patch draw.Patch
	lost  bool  // what is shown is not known
	drawn int   // of the surface: the frame that is shown
	caret caret // where the cursor stands
	buf   []byte

	// Of Bubble Tea's goroutine.
	synced bool      // the terminal shows all of a synchronized update at once
	wrote  time.Time // the last frame
	holds  bool      // the first frame waits for the terminal's background
	due    bool      // a frame that came too early is written later
}

// openness says whether the terminal shows the alternate screen.
type openness uint8

const (
	unopened openness = iota // not yet: the first frame enters it
	open
	closed // Bubble Tea left it, and enters it again after a rest
)

// resizedFor is how long a terminal may take to give its cells another size after
// it said so. tmux moves them then, so the frame is written whole again.
const resizedFor = 150 * time.Millisecond

// groundWithin is how long the first frame waits for the terminal to say its
// background. A terminal on this machine answers within a few ms; after a later answer
// the frame is drawn again.
const groundWithin = 20 * time.Millisecond

// flushEvery is the least time between two frames. More are not seen.
const flushEvery = time.Second / flushesPerSecond

// Sequences of a frame.
const (
	beginSync, endSync     = ansi.SetModeSynchronizedOutput, ansi.ResetModeSynchronizedOutput
	hideCursor, showCursor = ansi.ResetModeTextCursorEnable, ansi.SetModeTextCursorEnable
	enterAlt, leaveAlt     = ansi.SetModeAltScreenSaveCursor, ansi.ResetModeAltScreenSaveCursor
	eraseAll               = "\x1b[2J"
)

// Write implements io.Writer for Bubble Tea's own output. On the alternate screen
// it leaves out what would blank it: a frame covers everything anyway.
func (t *terminal) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(b)
	if bytes.Contains(b, []byte(leaveAlt)) {
		t.state = closed
	} else if t.state == open {
		b = bytes.ReplaceAll(b, []byte(enterAlt), nil)
		b = bytes.ReplaceAll(b, []byte(eraseAll), nil)
	} else if bytes.Contains(b, []byte(enterAlt)) {
		t.state = open
	}
	if t.lost = true; t.state == open {
		t.changed()
	}
	if _, err := t.out.Write(b); err != nil {
		return 0, err
	}
	return n, nil
}

// forget makes the next frame whole.
func (t *terminal) forget() {
	t.mu.Lock()
	t.lost = true
	t.mu.Unlock()
}

// close leaves the alternate screen, if Bubble Tea has not: it was killed before
// its renderer had begun.
func (t *terminal) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.state == open {
		_, _ = t.out.Write([]byte(showCursor + leaveAlt))
	}
	t.state = closed
}

// teaOutput returns t as Bubble Tea's output. Of a file it is a file too, as
// Bubble Tea looks for the size of a terminal.
func (t *terminal) teaOutput() io.Writer {
	if f, ok := t.out.(*os.File); ok {
		return terminalFile{f, t}
	}
	return t
}

// terminalFile is a terminal that is a file.
type terminalFile struct {
	*os.File
	t *terminal
}

func (f terminalFile) Write(b []byte) (int, error) { return f.t.Write(b) }

// askGround asks the terminal for its background, at once: what Bubble Tea is asked to
// write waits for its renderer, which looks seldom. Bubble Tea reads the answer.
func (t *terminal) askGround() {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, _ = t.out.Write([]byte(ansi.RequestBackgroundColor))
}

// hold lets the first frame wait so long, or until release.
func (t *terminal) hold(within time.Duration) tea.Cmd {
	t.holds = true
	return tea.Tick(within, func(time.Time) tea.Msg { return screen.Reply(t.release) })
}

// release lets the first frame be written.
func (t *terminal) release() tea.Cmd {
	t.holds = false
	return nil
}

// show writes what changed between the frame that the terminal shows and that
// of s. A frame that comes too early is written later. now is the
// time of tea.Tick's own timer.
func (t *terminal) show(s *surface, now time.Time) tea.Cmd {
	if t.due || t.holds {
		return nil
	}
	if wait := flushEvery - now.Sub(t.wrote); wait > 0 {
		t.due = true
		return tea.Tick(wait, func(time.Time) tea.Msg { return screen.Reply(t.flush) })
	}
	if t.write(s) {
		t.wrote = now
	}
	return nil
}

// flush lets the frame that came too early be written.
func (t *terminal) flush() tea.Cmd {
	t.due = false
	return nil
}

// write writes what changed, at once, and reports whether anything did. An error
// of the terminal is Bubble Tea's to notice: it reads from it.
func (t *terminal) write(s *surface) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if w, _ := s.grid.Size(); t.state == closed || w == 0 || t.drawn == s.drawn && !t.lost {
		return false
	}
	t.drawn = s.drawn
	if t.lost {
		t.patch.Forget()
	}
	begin, end := "", ""
	switch {
	case t.state == unopened:
		t.state = open
		begin = enterAlt + hideCursor
	case t.synced:
		begin, end = beginSync, endSync
	case s.caret.shown:
		begin, end = hideCursor, showCursor
	}
	b := append(t.buf[:0], begin...)
	b = t.patch.Append(b, s.grid, s.palette)
	if len(b) == len(begin) && (!s.caret.shown || t.caret == s.caret) {
		t.lost = false
		return false
	}
	if s.caret.shown {
		t.caret = s.caret
		b = draw.AppendMove(b, s.caret.x, s.caret.y)
	}
	b = append(b, end...)
	t.buf, t.lost = b, false
	_, _ = t.out.Write(b)
	return true
}

// onTerminal is the Model as Bubble Tea runs it.
type onTerminal struct {
	m *Model
	t *terminal
}

func (o onTerminal) Init() tea.Cmd {
	if o.m.askGround == nil {
		return o.m.Init()
	}
	return tea.Batch(o.m.Init(), o.t.hold(o.m.groundWithin))
}

func (o onTerminal) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case tea.ModeReportMsg:
		// A terminal that supports the mode reports it as reset.
		if msg.Mode == ansi.ModeSynchronizedOutput {
			o.t.synced = msg.Value == ansi.ModeReset
		}
	default:
		if _, answered := msg.(tea.BackgroundColorMsg); answered {
			o.t.release()
		}
		cmd = o.m.Update(msg)
		if _, ok := msg.(tea.WindowSizeMsg); ok {
			o.t.forget()
			cmd = tea.Batch(cmd, tea.Tick(resizedFor, func(time.Time) tea.Msg {
				return screen.Reply(func() tea.Cmd { o.t.forget(); return nil })
			}))
		}
	}
	if flush := o.t.show(&o.m.surface, time.Now()); flush != nil {
		return o, tea.Batch(cmd, flush)
	}
	return o, cmd
}

// View implements tea.Model: the modes of the terminal, and no text. The cursor
// stays in its corner for Bubble Tea, because write moves it.
func (o onTerminal) View() tea.View {
	v := tea.View{AltScreen: true, Content: " "} // of "" Bubble Tea makes a frame without rows
	if o.m.look.Mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	if o.m.surface.caret.shown {
		v.Cursor = cornered
	}
	return v
}

// cornered is the cursor that Bubble Tea is given.
var cornered = &tea.Cursor{Shape: tea.CursorBlock}
