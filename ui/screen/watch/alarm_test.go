package watch

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics/testkit"
	"tokscope/metrics/watchstat"
	"tokscope/themes"
	"tokscope/ui/screen"
)

// silent is a host that keeps what is shown as the success of a key.
type silent struct {
	screen.Host
	said []string
}

func (h *silent) Say(text string) tea.Cmd {
	h.said = append(h.said, text)
	return nil
}

// TestAlarmIsNoSuccess checks that an alarm is the sentence of its target, in the color of
// one, and no toast, which has that of success; and that a suspicion has another color
// than what is usual.
func TestAlarmIsNoSuccess(t *testing.T) {
	for name, want := range map[string]themes.Role{"usual": themes.Dim, "suspected": themes.Warn, "changed": themes.Bad,
		"failing while learning": themes.Warn} {
		v := sceneOf(name)
		testkit.Is(t, stateRole(&v.Board.Targets[0]), want, name, "role")
	}
	for event, says := range map[watchstat.Event]bool{watchstat.Began: false, watchstat.Worse: false,
		watchstat.Suspects: false, watchstat.Learned: false, watchstat.Ended: true} {
		h := &silent{}
		s := &Screen{host: h, view: *sceneOf("changed")}
		b := s.view.Board
		b.Targets[0].View.Change.Ended = began.Add(time.Hour)
		s.view.Selected = 1
		s.changed(&watchstat.Update{Board: b, Probe: true, Event: event})
		testkit.Is(t, len(h.said) > 0, says, event, "said", h.said)
		alarm := event == watchstat.Began || event == watchstat.Worse
		testkit.That(t, alarm == (s.view.Selected == 0), "%v: selected is %d", event, s.view.Selected)
	}
}

// TestSlightRiseIsNoAlarm checks that a rise by some µs beside a change of the wait has no
// color of an alarm, and one that a person notices has.
func TestSlightRiseIsNoAlarm(t *testing.T) {
	v := sceneOf("changed")
	target := &v.Board.Targets[0]
	connect := &target.View.Rows[watchstat.Connect]
	connect.Changed, connect.Base.V = true, 0.108
	for now, want := range map[float64]themes.Role{0.162: themes.Dim, 9: themes.Bad} {
		connect.Now.V = now
		testkit.Is(t, rowRole(target, watchstat.Connect, themes.Dim), want, "connect of", now, "ms: role")
	}
	testkit.Is(t, rowRole(target, target.View.Change.Head, themes.Dim), themes.Bad, "what changed has role")
}
