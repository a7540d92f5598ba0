package ui

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/themes"
	"tokscope/ui/dialog"
	"tokscope/ui/draw"
	"tokscope/ui/keys"
	"tokscope/ui/report"
	"tokscope/ui/screen"
	"tokscope/ui/screen/registry"
)

// empty is a screen unknown to the program, on screen.Base, that notes what it is told.
type empty struct {
	screen.Base
	host    screen.Host
	log     []string
	refuses error
	busy    string
	aside   string
	moves   bool
	plain   bool   // leaves its status empty
	long    string // its summary in place of the usual one
}

// onBox is the click target of its box.
type onBox int

// answerMsg is the result of its own command.
type answerMsg struct{}

func (s *empty) note(text string) { s.log = append(s.log, text) }

func (s *empty) Enter(cut bool) (tea.Cmd, error) {
	if cut {
		s.note("enter after a cut")
	} else {
		s.note("enter")
	}
	return nil, s.refuses
}
func (s *empty) Leave() bool  { s.note("leave"); return false }
func (s *empty) Busy() string { return s.busy }
func (s *empty) Stop()        { s.note("stop"); s.busy = "" }
func (s *empty) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case answerMsg:
		s.note("answer")
		s.host.Changed()
	case screen.Pointer:
		if msg.Held {
			s.note("drag")
		} else {
			s.note("wheel")
		}
	case screen.EndpointChanges:
		s.note("endpoint changes")
	case screen.Start:
		s.note("start")
	}
	return nil
}
func (s *empty) Draw(g *draw.Grid, r draw.Rect) {
	box := draw.Rect{X: r.X + 2, Y: r.Y + 2, W: 8, H: 1}
	g.Fill(r, ' ', themes.Text)
	g.Text(box.X, box.Y, "box here", themes.Text, box.W)
	g.Target(box, onBox(7))
}
func (s *empty) Click(t draw.Target, _ tea.Mouse) (tea.Cmd, bool) {
	if t == onBox(7) {
		s.note("click")
		return nil, true
	}
	return nil, false
}
func (s *empty) Status(st *screen.Status) {
	if s.plain {
		return
	}
	st.Sign, st.Role = 'o', themes.Dim
	st.Parts = append(st.Parts, screen.Part{Text: "nothing", Role: themes.Strong})
}
func (s *empty) Aside() string { return s.aside }
func (s *empty) Summary() *report.Doc {
	d := &report.Doc{}
	d.Note(cmp.Or(s.long, "empty was here"))
	return d
}
func (s *empty) Animating() bool { return s.moves }

// playEmpty plays with the registry and one screen more.
func playEmpty(t *testing.T, f func(*harness, *empty)) {
	t.Helper()
	s := &empty{Base: screen.Base{ID: "empty", Place: screen.Tab{Label: "Empty", Key: "3"}}}
	more := func(d screen.Deps) screen.Screen {
		s.host = d.Host
		s.Table = []keys.Binding{
			{Do: "ask", Keys: []string{"a"}, Show: "a", Rank: 10, Word: keys.Always("ask"), Help: "ask a question that nobody else asks",
				Act: keys.Do(func() {
					d.Host.Open(dialog.NewConfirm("empty", "is it?"), func(a dialog.Act) tea.Cmd {
						if _, yes := a.(dialog.Confirmed); yes {
							return func() tea.Msg { return answerMsg{} }
						}
						return d.Host.Say("then not")
					})
				})},
			{Do: "alone", Keys: []string{"o"}, Show: "o", Help: "stop the others", Act: func() tea.Cmd { return d.Host.Say("stopped: " + d.Host.StopOthers()) }},
		}
		return s
	}
	all := append(registry.All(), more)
	playScreens(t, all, "explain", 120, 40, colours, func(r *harness) { f(r, s) })
}

func (s *empty) wants(t *testing.T, want ...string) {
	t.Helper()
	if !slices.Equal(s.log, want) {
		t.Fatalf("the screen was told %q, want %q", s.log, want)
	}
	s.log = nil
}

// TestAScreenMoreIsALineMore checks that a screen unknown to the root has a
// tab, keys, help, footer, clicks and dialogs, and leaves its summary.
func TestAScreenMoreIsALineMore(t *testing.T) {
	playEmpty(t, func(r *harness, s *empty) {
		r.sees(" 3 Empty ")
		r.press("shift+tab") // it is the last tab
		s.wants(t, "enter")
		r.press("tab")
		s.wants(t, "leave")
		r.do("> at:live")
		r.press("3")
		s.wants(t, "enter")
		r.sees("o nothing", "box here", "a ask", "q quit")
		r.do("? > ask a question that nobody else asks")
		r.do("esc a > is it?")
		r.do("n > then not")
		s.wants(t)
		r.press("a", "y")
		s.wants(t, "answer")
		r.click("box here")
		s.wants(t, "click")
		r.click("1 Live")
		s.wants(t, "leave")
		r.do("> at:live")
		r.click("3 Empty")
		s.wants(t, "enter")
		r.do("4 3")
		s.wants(t, "leave", "enter after a cut")
		if text := r.m.Summary(); !strings.HasSuffix(text, "empty was here\n") || strings.Contains(text, "\n\n\n") ||
			!strings.HasPrefix(text, "empty") && !strings.Contains(text, "\n\nempty") {
			t.Errorf("the summary is %q", text)
		}
		r.press("q")
		if !r.quit {
			t.Error("q does not quit")
		}
	})
}

// TestSummaryFitsTheTerminal checks that no line of the summary is broken by the
// terminal, within a word.
func TestSummaryFitsTheTerminal(t *testing.T) {
	playEmpty(t, func(r *harness, s *empty) {
		s.long = "load   " + strings.Repeat("figure 49.2 ", 12) + "\n"
		r.send(tea.WindowSizeMsg{Width: 80, Height: 24})
		for line := range strings.Lines(r.m.Summary()) {
			if len(line) > 81 {
				t.Errorf("%d columns: %q", len(line)-1, line)
			}
		}
	})
}

// TestAScreenWithoutAStatus checks that the header has no sign in the place of
// a state that a screen does not have.
func TestAScreenWithoutAStatus(t *testing.T) {
	playEmpty(t, func(r *harness, s *empty) {
		s.plain = true
		r.press("3")
		head, _, _ := strings.Cut(r.screen(), "\n")
		if words := strings.Fields(head); words[1] != ":" {
			t.Errorf("the header is %q", head)
		}
	})
}

// TestAScreenThatRefuses checks that the previous screen stays, with the
// reason.
func TestAScreenThatRefuses(t *testing.T) {
	playEmpty(t, func(r *harness, s *empty) {
		s.refuses = errors.New("nothing to show here")
		r.do("3 > nothing to show here | at:live")
	})
}

// TestWhatRunsOnBehindTheOthers checks that Aside shows background work, and
// Busy what a stop would lose. A screen that needs the endpoint alone stops
// the others without naming them.
func TestWhatRunsOnBehindTheOthers(t *testing.T) {
	playEmpty(t, func(r *harness, s *empty) {
		r.press("3")
		s.wants(t, "enter")
		r.do("o > stopped:")
		r.press("1")
		s.wants(t, "leave")
		s.aside, s.busy = "7 at work", "the work"
		r.wait(time.Second)
		r.m.Notify()
		r.do("drain >  7 at work ")
		r.press("tab") // the load stops a request that would add a user
		s.wants(t, "stop")
		r.sees("the work was stopped")
		r.press("esc")
		s.busy = "the work"
		r.do("4 > Explain stops the work, to have this machine alone.")
		r.do("enter > the work was stopped | !7 at work") // it has stopped, as far as the root can see
		r.do("1 > 7 at work")
		r.click("7 at work")
		s.wants(t, "stop", "enter") // Explain stopped it
		r.seesNot("7 at work")
	})
}

// TestAHeldTarget checks that a clicked target follows the mouse until the
// button is released, and that the wheel still scrolls.
func TestAHeldTarget(t *testing.T) {
	playEmpty(t, func(r *harness, s *empty) {
		r.press("3")
		s.log = nil
		x, y := r.locate("box here")
		r.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
		r.send(tea.MouseMotionMsg{X: x + 3, Y: y, Button: tea.MouseLeft})
		s.wants(t, "click", "drag")
		r.wait(100 * time.Millisecond)
		r.send(tea.MouseReleaseMsg{X: x + 3, Y: y, Button: tea.MouseLeft})
		r.send(tea.MouseMotionMsg{X: x + 9, Y: y})
		r.send(tea.MouseWheelMsg{X: x, Y: y, Button: tea.MouseWheelDown})
		s.wants(t, "wheel")
	})
}

// TestEveryScreenHearsOfAnotherEndpoint also checks hidden screens.
func TestEveryScreenHearsOfAnotherEndpoint(t *testing.T) {
	playEmpty(t, func(r *harness, s *empty) {
		r.do("e down enter drain enter")
		s.wants(t, "endpoint changes")
	})
}

// TestOneScreenHasNoTabs checks the header of a single screen.
func TestOneScreenHasNoTabs(t *testing.T) {
	one := func(d screen.Deps) screen.Screen {
		return &empty{Base: screen.Base{ID: "empty", Place: screen.Tab{Label: "Empty", Key: "3"}}, host: d.Host, moves: true}
	}
	playScreens(t, []screen.Maker{one}, "live", 120, 40, Options{Start: true}, func(r *harness) {
		r.do("> !Empty | box here")
		if !r.m.moving() {
			t.Error("what moves is not drawn")
		}
		if log := r.m.screens.shown().(*empty).log; !slices.Equal(log, []string{"start"}) {
			t.Errorf("it was told %q", log)
		}
	})
}
