package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/metrics/pick"
	"tokscope/ui/dialog"
	"tokscope/ui/screen"
)

// screens holds all screens and which of them is shown.
type screens struct {
	all  []screen.Screen
	at   int
	tabs []tab // in the order of all

	asides []string      // what each shows in the header of others
	looked metrics.Stamp // when the asides were sampled
}

// tab is a tab of the header with the first of its screens.
type tab struct {
	screen.Tab
	first int
	word  string // in the footer
}

// make fills s with the screens that the backend of d can drive.
func (s *screens) make(all []screen.Maker, d screen.Deps) {
	for _, f := range all {
		if x := f(d); x != nil {
			s.all = append(s.all, x)
			t := x.Tab()
			if t != (screen.Tab{}) && !slices.ContainsFunc(s.tabs, func(y tab) bool { return y.Tab == t }) {
				s.tabs = append(s.tabs, tab{t, len(s.all) - 1, strings.ToLower(t.Label)})
			}
		}
	}
	s.asides = make([]string, len(s.all))
}

func (s *screens) shown() screen.Screen { return s.all[s.at] }

// find returns the index of the screen with that name, or -1.
func (s *screens) find(n screen.Name) int {
	return slices.IndexFunc(s.all, func(x screen.Screen) bool { return x.Name() == n })
}

// tabKey returns the index of the screen whose tab has that key, or -1. It
// skips the tab of the shown screen.
func (s *screens) tabKey(key string) int {
	if t := pick.First(s.tabs, func(t *tab) bool { return t.Key == key && t.Tab != s.shown().Tab() }); t != nil {
		return t.first
	}
	return -1
}

// broadcast gives msg to all screens.
func (s *screens) broadcast(msg tea.Msg) tea.Cmd {
	return tea.Batch(pick.Each(s.all, func(x *screen.Screen) tea.Cmd { return (*x).Update(msg) })...)
}

// look refreshes the asides of the screens, at most once in screen.FiguresEvery unless force
// is set. It reports whether one of a hidden screen changed.
func (s *screens) look(now metrics.Stamp, force bool) (changed bool) {
	if !force && now-s.looked < screen.FiguresEvery {
		return false
	}
	s.looked = now
	for i, x := range s.all {
		if text := x.Aside(); text != s.asides[i] {
			s.asides[i], changed = text, changed || i != s.at
		}
	}
	return changed
}

// busy calls f with every busy screen except the shown one. It returns the
// Busy of the last of them, or "" when none is busy.
func (s *screens) busy(f func(screen.Screen)) (what string) {
	for i, x := range s.all {
		if i == s.at {
			continue
		}
		if lost := x.Busy(); lost != "" {
			what = lost
			f(x)
		}
	}
	return what
}

// show shows screen i, after a yes where the screen asks for one. It does
// nothing for -1 and for the shown screen.
func (m *Model) show(i int) tea.Cmd {
	if i < 0 || i == m.screens.at {
		return nil
	}
	if a, ok := m.screens.all[i].(screen.Asker); ok {
		if text := m.screens.asks(i, a); text != "" {
			m.open(dialog.NewScreenConfirm("confirm", text), func(a dialog.Act) tea.Cmd {
				switch a.(type) {
				case dialog.Confirmed:
					return m.enter(i)
				case dialog.Passed:
					return m.show(m.screens.past(i))
				}
				return nil
			})
			return nil
		}
	}
	return m.enter(i)
}

// past returns the screen whose tab comes after that of screen i, on the way from
// the shown screen: the other way round where i is the tab before it.
func (s *screens) past(i int) int {
	if next := s.beside(i, 1); next < 0 || s.all[next].Tab() != s.shown().Tab() {
		return next
	}
	return s.beside(i, -1)
}

// beside returns the first screen of the tab by places after that of screen i, in
// the circle of all tabs; the first tab follows a screen without one. It is -1
// without tabs.
func (s *screens) beside(i, by int) int {
	n := len(s.tabs)
	if n == 0 {
		return -1
	}
	at := slices.IndexFunc(s.tabs, func(t tab) bool { return t.Tab == s.all[i].Tab() })
	if at < 0 {
		return s.tabs[0].first
	}
	return s.tabs[(at+by+n)%n].first
}

// nextWord is the footer's word of the next tab; "" is none.
func (s *screens) nextWord() string {
	next := s.beside(s.at, 1)
	t, _ := pick.Value(s.tabs, func(t *tab) bool { return t.first == next })
	return t.word
}

// tabKeys are the keys of the tabs, in their order.
func (s *screens) tabKeys() []string { return pick.Each(s.tabs, func(t *tab) string { return t.Key }) }

// asks returns the question of screen i about what the others do; "" is none.
func (s *screens) asks(i int, a screen.Asker) string {
	text := ""
	for j, x := range s.all {
		if busy := x.Busy(); j != i && busy != "" && text == "" {
			text = a.Asks(x.Name(), busy)
		}
	}
	return text
}

// enter shows screen i. When the screen refuses, the shown screen stays and a
// toast gives the reason.
func (m *Model) enter(i int) tea.Cmd {
	s := &m.screens
	before := s.at
	cut := s.shown().Leave()
	m.pointer.held = false
	s.at, m.dirty = i, true
	cmd, err := s.shown().Enter(cut)
	if err != nil {
		s.at = before
		again, _ := s.shown().Enter(false)
		cmd = tea.Batch(again, m.complain(err))
	}
	m.status.Alone = false
	m.sample(true)
	return cmd
}

// leads reports whether screen i is the one that a click on its tab shows.
func (s *screens) leads(i int) bool {
	return slices.ContainsFunc(s.tabs, func(t tab) bool { return t.first == i })
}

// several reports whether there are two tabs or more.
func (s *screens) several() bool { return len(s.tabs) > 1 }
