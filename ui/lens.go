package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/ui/screen/explain"
	"tokscope/ui/screen/live"
)

// nextLens looks through the next workload lens; after the last one through none.
func (m *Model) nextLens() tea.Cmd {
	all := metrics.Lenses()
	i := slices.IndexFunc(all, func(l metrics.Lens) bool { return l.Key == m.view.Lens })
	if i+1 == len(all) {
		m.view.Lens = ""
		return m.say("lens off")
	}
	l := &all[i+1]
	m.view.Lens = l.Key
	box, line := live.LensAt(m.w, m.h)
	if m.explain.on {
		as := m.lensOfExplain()
		box, line = as > explain.LensLine, as == explain.LensLine
	}
	switch {
	case box: // its title says it
		return nil
	case line:
		return m.say("lens: " + l.Key + ", " + l.About)
	}
	return m.say("lens: " + l.Key + ", in a larger window")
}

// lensOfExplain hands the lens to the Explain screen, and says how it shows it:
// a use that was chosen is looked at on every screen.
func (m *Model) lensOfExplain() explain.LensAs {
	e := &m.explain
	e.view.Lens, e.view.Task = m.view.Lens, m.view.Task
	return e.screen.LensAs(m.w, m.h, &e.view)
}
