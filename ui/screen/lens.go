package screen

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics/slo"
	"tokscope/ui/dialog"
	"tokscope/ui/keys"
	"tokscope/ui/say"
)

// LensKey is the key of the next workload lens; none follows the last one. room
// reports how the screen shows the chosen one: as a box, whose title says what it is
// about, as a line, or not at all for lack of room.
func LensKey(h Host, l *Look, room func() (box, line bool), rank int, now func() int) keys.Binding {
	next := func() tea.Cmd {
		all := slo.Lenses()
		i := slices.IndexFunc(all, func(x slo.Lens) bool { return x.Key == l.Lens })
		if i+1 == len(all) {
			l.Lens = ""
			return h.Say("lens off")
		}
		l.Lens = all[i+1].Key
		switch box, line := room(); {
		case box:
			return nil
		case line:
			return h.Say("lens: " + l.Lens + ", " + say.LensAbout(l.Lens))
		}
		return h.Say("lens: " + l.Lens + ", in a larger window")
	}
	return keys.Binding{Do: keys.NextLens, Keys: []string{"w"}, Rank: rank, RankNow: now,
		Word: keys.Always("lens"), Act: next, Help: "workload lens: chat, voice, agent, batch"}
}

// TaskKey is the key of the task of the lens's agent, while agent reports that it is
// shown.
func TaskKey(h Host, l *Look, agent func() bool, rank int) keys.Binding {
	pick := func() {
		h.Open(dialog.NewTask(l.Task), dialog.Chose(func(t slo.AgentTask) tea.Cmd {
			l.Task = t
			return nil
		}))
	}
	return keys.Binding{Do: keys.AgentTask, Keys: []string{"b"}, Rank: rank,
		Word: keys.When(agent, "task"), Act: keys.Do(pick), Help: "the agent's task: steps, tokens a step"}
}
