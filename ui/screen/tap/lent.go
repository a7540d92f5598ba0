package tap

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/metrics/pick"
	"tokscope/metrics/turn"
	"tokscope/ui/format"
	"tokscope/ui/say"
	"tokscope/ui/screen"
)

// lent is a turn, lent to the screen that shows streams, with the session's other turns
// beside it.
type lent struct {
	s  *Screen
	id int // its Stream.ID
}

// open shows the selected turn on Live.
func (s *Screen) open() tea.Cmd {
	if s.view.turn() == nil {
		return nil
	}
	return s.host.ShowStream(&lent{s, s.view.Selected})
}

func (l *lent) turn() *turn.Turn {
	return pick.First(l.s.view.Session.Turns, func(t *turn.Turn) bool { return t.Stream().ID == l.id })
}

func (l *lent) Place() screen.Place {
	v := &l.s.view
	p := screen.Place{From: "the tap", Unit: "turn", Of: Name, Past: true}
	if t := l.turn(); t != nil {
		p.Short = say.TapTurn(&v.Session, t)
		p.Stream = p.Short + " of " + say.TapClient(&v.About)
		p.Past = !v.Live || t.Stream().State.Ended()
		p.Note = format.If(t.Stream().TextRemoved, say.TapNoText)
		p.Work = t.Stream().Work
	}
	return p
}

func (l *lent) Version() uint64 { return l.s.back.Look() }

func (l *lent) Stream() (metrics.Stream, bool) {
	if l.Version() != l.s.view.Version {
		l.s.refresh()
	}
	t := l.turn()
	if t == nil {
		return metrics.Stream{}, false
	}
	st := *t.Stream()
	if !st.State.Ended() {
		st.Now = max(st.Now, l.s.back.Now())
	}
	return st, true
}

// Sample implements screen.Source. Stream has taken the newest.
func (l *lent) Sample() {}

// Next implements screen.Source. It also moves the selection on the Tap screen.
func (l *lent) Next(by int) bool {
	l.s.view.Selected = l.id
	l.s.choose(by)
	was := l.id
	l.id = l.s.view.Selected
	return l.id != was
}

// What Live shows beside a turn: the session's turns that have ended.

func (l *lent) Now() metrics.Stamp                       { return l.s.back.Now() }
func (l *lent) RunsLeftOut() int                         { return 0 }
func (l *lent) Observer() metrics.Observer               { return metrics.Observer{} }
func (l *lent) Save(ctx context.Context) (string, error) { return l.s.back.Save(ctx) }

func (l *lent) Endpoint() metrics.Endpoint {
	st, _ := l.Stream()
	return st.Endpoint
}

func (l *lent) Runs() (runs []metrics.Run) {
	for i := range l.s.view.Session.Turns {
		if r := l.s.view.Session.Turns[i].Run; r.Stream.State.Ended() {
			runs = append(runs, *r)
		}
	}
	return runs
}
