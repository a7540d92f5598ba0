package screen

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics/slo"
	"tokscope/ui/dialog"
	"tokscope/ui/say"
)

// NextLens chooses the next workload lens; none follows the last one. It
// returns what the lens is about, "" for none.
func (l *Look) NextLens() (about string) {
	all := slo.Lenses()
	i := slices.IndexFunc(all, func(x slo.Lens) bool { return x.Key == l.Lens })
	if i+1 == len(all) {
		l.Lens = ""
		return ""
	}
	l.Lens = all[i+1].Key
	return say.LensAbout(l.Lens)
}

// SayLens shows the name of the chosen lens and what it is about. It says
// less where the lens is a box, whose title says it. line reports that the
// lens has room as a line; without box and line it has no room.
func SayLens(h Host, l *Look, about string, box, line bool) tea.Cmd {
	switch {
	case about == "":
		return h.Say("lens off")
	case box: // its title says it
		return nil
	case line:
		return h.Say("lens: " + l.Lens + ", " + about)
	}
	return h.Say("lens: " + l.Lens + ", in a larger window")
}

// PickTask opens the picker for the task of the lens's agent.
func PickTask(h Host, l *Look) {
	h.Open(dialog.NewTask(l.Task), dialog.Chose(func(t slo.AgentTask) tea.Cmd {
		l.Task = t
		return nil
	}))
}
