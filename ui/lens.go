package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
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
	switch box, line := live.LensAt(m.w, m.h); {
	case box: // its title says it
		return nil
	case line:
		return m.say("lens: " + l.Key + ", " + l.About)
	}
	return m.say("lens: " + l.Key + ", in a larger window")
}
