package ui

import (
	"cmp"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics/testkit"
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

func (s *empty) Enter() (tea.Cmd, error) {
	s.note("enter")
	return nil, s.refuses
}
func (s *empty) Leave()       { s.note("leave") }
func (s *empty) Busy() string { return s.busy }
func (s *empty) Stop()        { s.note("stop"); s.busy, s.aside = "", "" }
func (s *empty) Hold() (said string, sends bool) {
	s.note("hold")
	return s.busy + " is on hold", true
}
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

// withEmpty are the screens of the registry and s.
func withEmpty(s *empty) []screen.Maker {
	s.Base = screen.Base{ID: "empty", Place: screen.Tab{Label: "Empty", Key: "3"}}
	return append(registry.All(), func(d screen.Deps) screen.Screen {
		s.host = d.Host
		s.Table = []keys.Binding{
			{Do: "ask", Keys: []string{"a"}, Show: "a", Rank: 10, Word: keys.Always("ask"),
				Help: "ask a question that nobody else asks",
				Act: keys.Do(func() {
					d.Host.Open(dialog.NewConfirm("empty", "is it?"), func(a dialog.Act) tea.Cmd {
						if _, yes := a.(dialog.Confirmed); yes {
							return func() tea.Msg { return answerMsg{} }
						}
						return d.Host.Say("then not")
					})
				})},
			{Do: "alone", Keys: []string{"o"}, Show: "o", Help: "go on alone", Act: func() tea.Cmd {
				return d.Host.Alone("soon", func() tea.Cmd { return d.Host.Say("alone") })
			}},
		}
		return s
	})
}

// TestAHeldTarget checks that a clicked target follows the mouse until the
// button is released, and that the wheel still scrolls.
func TestAHeldTarget(t *testing.T) {
	play(t, "empty", 120, 40, colours, func(r *harness) {
		r.do("3 > is:log enter")
		x, y := r.locate("box here")
		r.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
		r.send(tea.MouseMotionMsg{X: x + 3, Y: y, Button: tea.MouseLeft})
		r.do("> is:log click, drag")
		r.wait(100 * time.Millisecond)
		r.send(tea.MouseReleaseMsg{X: x + 3, Y: y, Button: tea.MouseLeft})
		r.send(tea.MouseMotionMsg{X: x + 9, Y: y})
		r.send(tea.MouseWheelMsg{X: x, Y: y, Button: tea.MouseWheelDown})
		r.do("> is:log wheel")
	})
}

// TestOneScreenHasNoTabs checks the header of a single screen.
func TestOneScreenHasNoTabs(t *testing.T) {
	one := func(d screen.Deps) screen.Screen {
		return &empty{Base: screen.Base{ID: "empty", Place: screen.Tab{Label: "Empty", Key: "3"}}, host: d.Host, moves: true}
	}
	playScreens(t, []screen.Maker{one}, "live", 120, 40, Options{Start: true}, func(r *harness) {
		r.do("> !Empty | box here")
		testkit.That(t, r.m.moving(), "what moves is not drawn")
		testkit.Same(t, r.m.screens.shown().(*empty).log, []string{"start"}, "it was told")
	})
}
