package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/metrics/pick"
	"tokscope/ui/keys"
	"tokscope/ui/screen"
)

// screens holds all screens and which of them is shown.
type screens struct {
	all  []screen.Screen
	at   int
	way  []int // from the first screen to the shown one, as a person came
	tabs []tab // in the order of all

	asides []string      // what each shows in the header of others
	stops  stoppable     // what keys.Stop stops
	looked metrics.Stamp // when they were sampled
}

// stoppable is the last hidden screen that is busy, -1 for none, and its Busy.
type stoppable struct {
	at   int
	what string
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
	s.asides, s.way = make([]string, len(s.all)), []int{0}
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

func (s *screens) broadcast(msg tea.Msg) tea.Cmd {
	return tea.Batch(pick.Each(s.all, func(x *screen.Screen) tea.Cmd { return (*x).Update(msg) })...)
}

// look refreshes what is known of the hidden screens, at most once in
// screen.FiguresEvery unless force is set. It reports whether that changed.
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
	last := s.busy(func(screen.Screen) {})
	changed, s.stops = changed || last != s.stops, last
	return changed
}

// busy calls f with every busy screen except the shown one, and returns the last.
func (s *screens) busy(f func(screen.Screen)) stoppable {
	last := stoppable{at: -1}
	for i, x := range s.all {
		if i == s.at {
			continue
		}
		if what := x.Busy(); what != "" {
			last = stoppable{i, what}
			f(x)
		}
	}
	return last
}

// stopWord is the footer's word for the key that stops what runs on a hidden screen,
// "" for none and while the shown screen uses that key itself.
func (s *screens) stopWord() string {
	if own := keys.Of(s.shown().Bindings(), keys.Stop); s.stops.at < 0 || own != nil && own.Works() {
		return ""
	}
	return "stop " + s.stops.what
}

// stopHidden stops what the header names.
func (m *Model) stopHidden() tea.Cmd {
	last := m.screens.busy(func(screen.Screen) {})
	if last.at < 0 {
		return nil
	}
	m.screens.all[last.at].Stop()
	m.sample(true)
	return m.say(last.what + " was stopped")
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

// came is the screen that back leads to, -1 from the first one.
func (s *screens) came() int {
	if n := len(s.way); n > 1 {
		return s.way[n-2]
	}
	return -1
}

// goTo makes screen i the shown one. Whoever meets a screen again is back at it.
func (s *screens) goTo(i int) {
	if met := slices.Index(s.way, i); met >= 0 {
		s.way = s.way[:met]
	}
	s.at, s.way = i, append(s.way, i)
}

// show shows screen i. It does nothing for -1 and for the shown screen. When the
// screen refuses, the shown screen stays and a toast gives the reason.
func (m *Model) show(i int) tea.Cmd {
	s := &m.screens
	if i < 0 || i == s.at {
		return nil
	}
	before, way := s.at, slices.Clone(s.way)
	s.shown().Leave()
	m.pointer.Held = false
	m.dirty = true
	s.goTo(i)
	cmd, err := s.shown().Enter()
	if err != nil {
		s.at, s.way = before, way
		again, _ := s.shown().Enter()
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

func (s *screens) several() bool { return len(s.tabs) > 1 }
