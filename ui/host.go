package ui

import (
	"cmp"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/ui/dialog"
	"tokscope/ui/screen"
)

// host implements screen.Host on the root.
type host struct{ m *Model }

var _ screen.Host = host{}

func (h host) Say(text string) tea.Cmd                                 { return h.m.say(text) }
func (h host) Complain(err error) tea.Cmd                              { return h.m.complain(err) }
func (h host) Open(d dialog.Dialog, answered func(dialog.Act) tea.Cmd) { h.m.open(d, answered) }
func (h host) Covered() bool                                           { return h.m.stack.top() != nil }

func (h host) Has(n screen.Name) bool     { return h.m.screens.find(n) >= 0 }
func (h host) Show(n screen.Name) tea.Cmd { return h.m.show(h.m.screens.find(n)) }

func (h host) Back() tea.Cmd { return h.m.show(h.m.screens.came()) }

func (h host) Came() screen.Name {
	if i := h.m.screens.came(); i >= 0 {
		return h.m.screens.all[i].Name()
	}
	return ""
}

func (h host) BackWord() string {
	if i := h.m.screens.came(); i >= 0 {
		return strings.ToLower(h.m.screens.all[i].Tab().Label)
	}
	return ""
}

func (h host) ShowStream(s screen.Source) tea.Cmd {
	for i, x := range h.m.screens.all {
		if x.View(s) {
			return h.m.show(i)
		}
	}
	return nil
}

func (h host) Busy() string { return h.m.screens.busy(func(screen.Screen) {}).what }

func (h host) HoldOthers() (last string) {
	h.m.screens.busy(func(s screen.Screen) {
		said, _ := s.Hold()
		last = cmp.Or(said, last)
	})
	return last
}

// settleFor is how long an endpoint may still work on a cut request: the longest step of
// an engine during a prefill, with a reserve.
const settleFor = time.Second

func (h host) Alone(begins string, do func() tea.Cmd) tea.Cmd {
	m, last, waits := h.m, "", false
	m.screens.busy(func(s screen.Screen) {
		what := s.Busy()
		said, sends := s.Hold()
		if said == "" || sends && s.Name() == screen.Live { // it may take minutes, and is sent again by a key
			said, sends = what+" was stopped", true
			s.Stop()
		}
		last, waits = said, waits || sends
	})
	m.alone++
	switch {
	case !waits && last == "":
		return do()
	case !waits:
		return tea.Batch(m.say(last), do())
	}
	id, at := m.alone, m.screens.at
	return tea.Batch(m.say(last+"; "+begins), tea.Tick(settleFor, func(time.Time) tea.Msg {
		return screen.Reply(func() tea.Cmd {
			if id != m.alone || at != m.screens.at {
				return nil
			}
			m.dirty = true
			return h.Alone(begins, do)
		})
	}))
}

func (h host) Runs(n screen.Name) bool {
	i := h.m.screens.find(n)
	return i >= 0 && h.m.screens.all[i].Busy() != ""
}

func (h host) Changed() { h.m.dirty = true }
