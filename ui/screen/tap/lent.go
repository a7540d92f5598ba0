package tap

import (
	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/ui/format"
	"tokscope/ui/say"
	"tokscope/ui/screen"
)

// lent is the selected turn, lent to the screen that shows streams, with the session's other
// turns beside it. Its clock is that of the session, by which it is also saved.
type lent struct {
	Backend
	s *Screen
}

func (s *Screen) open() tea.Cmd {
	if s.view.turn() == nil {
		return nil
	}
	s.view.Follow = false
	return s.host.ShowStream(&lent{s.back, s})
}

func (l *lent) Place() screen.Place {
	v := &l.s.view
	t := v.turn()
	short := say.TapTurn(&v.Session, t)
	return screen.Place{From: "the tap", Unit: "turn", Of: Name, Short: short,
		Stream: short + " of " + say.TapClient(&v.About), Past: !v.Live || t.Stream().State.Ended(),
		Note: format.If(t.Stream().TextRemoved, say.TapNoText), Work: t.Stream().Work}
}

func (l *lent) Version() uint64 { return l.Look() }

func (l *lent) Stream() (metrics.Stream, bool) {
	if l.Look() != l.s.view.Version {
		l.s.refresh()
	}
	st := *l.s.view.turn().Stream()
	if !st.State.Ended() {
		st.Now = max(st.Now, l.Now())
	}
	return st, true
}

// Sample implements screen.Source. Stream has taken the newest.
func (l *lent) Sample() {}

// Next implements screen.Source. It moves the selection on the Tap screen.
func (l *lent) Next(by int) bool {
	was := l.s.view.Selected
	l.s.choose(by)
	return l.s.view.Selected != was
}

// What Live shows beside a turn: the session's turns that have ended.

func (l *lent) RunsLeftOut() int           { return 0 }
func (l *lent) Observer() metrics.Observer { return metrics.Observer{} }
func (l *lent) Endpoint() metrics.Endpoint { return l.s.view.turn().Stream().Endpoint }

func (l *lent) Runs() (runs []metrics.Run) {
	for i := range l.s.view.Session.Turns {
		if r := l.s.view.Session.Turns[i].Run; r.Stream.State.Ended() {
			runs = append(runs, *r)
		}
	}
	return runs
}
