package ui

import (
	tea "charm.land/bubbletea/v2"

	"tokscope/ui/draw"
	"tokscope/ui/keys"
)

// tabs are the screens in the header, from the right to the left. A screen has
// its number where that key leads to it: on Load digits are users.
func (m *Model) tabs(r draw.Rect, put func(s string, on bool, do keys.Intent)) {
	if m.load.back == nil && m.explain.back == nil || r.W < tabsFrom {
		return
	}
	tab := func(number, name string, on bool, do keys.Intent) {
		if m.load.on {
			number = ""
		}
		if on {
			do = keys.None
		}
		put(" "+number+name+" ", on, do)
	}
	if m.explain.back != nil {
		tab("4 ", "Explain", m.explain.on, keys.ToExplain)
	}
	if m.load.back != nil {
		tab("2 ", "Load", m.load.on, keys.ToLoad)
	}
	tab("1 ", "Live", !m.load.on && !m.explain.on, keys.ToLive)
}

// onward is what tab does on Load: to the Explain screen, to Live where there
// is none.
func (m *Model) onward() tea.Cmd {
	if m.explain.back == nil {
		m.toLive()
		return nil
	}
	return m.toExplain()
}
