package ui

import (
	"cmp"
	"slices"
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
			{Do: "ask", Keys: []string{"a"}, Show: "a", Rank: 10, Word: keys.Always("ask"), Help: "ask a question that nobody else asks",
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

func TestScreenFlows(t *testing.T) {
	flows(t, `
== A screen more is a line more: it has a tab, keys, help, footer, clicks, dialogs, a summary.
on empty
answer >  3 Empty 
shift+tab > is:log enter // it is the last tab
tab > is:log leave | at:live
3 > is:log enter | o nothing | box here | a ask | q quit
? > ask a question that nobody else asks
esc a > is it?
n > then not | is:log 
a y > is:log answer
click:"box here" > is:log click
click:"1 Live" > is:log leave | at:live
click:"3 Empty" > is:log enter
4 3 > is:log leave, enter | summary://empty was here/ | !summary:///
q > is:quit true

== No line of the summary is broken by the terminal, within a word.
on empty 80x24
set:long-summary > is:summary-fits true | summary:figure 49.2

== The header has no sign in the place of a state that a screen does not have.
on empty
set:plain 3 > head: tokscope                                                      : commands

== A screen that refuses is not shown; the previous one stays, with the reason.
on empty
set:refuses 3 > nothing to show here | at:live

== What runs behind the others is shown, and what a stop would lose is held.
on empty
3 > is:log enter
o > alone
1 > is:log leave
set:works wait:1s set:notified drain > head:7 at work, x stops
tab space > is:log hold | the work is on hold; the load begins in a moment | told: | is:dialog false
3 1 set:works wait:1s set:notified drain > 7 at work, x stops | hint:x stop the work
4 > is:log enter, leave, hold | the work is on hold | 7 at work // what Explain needs is held, without a question
x > is:log stop | the work was stopped | !7 at work
1 set:works wait:1s set:notified drain click:"7 at work" > is:log enter | !7 at work

== Every screen hears of another endpoint, also a hidden one.
on empty
e down enter drain enter > is:log endpoint changes
`)
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
		if !r.m.moving() {
			t.Error("what moves is not drawn")
		}
		if log := r.m.screens.shown().(*empty).log; !slices.Equal(log, []string{"start"}) {
			t.Errorf("it was told %q", log)
		}
	})
}
