package load

import (
	"fmt"

	"tokscope/metrics"
	"tokscope/ui/format"
	"tokscope/ui/screen"
)

// lane is the stream of one user, lent to the screen that shows streams.
type lane struct {
	s    *Screen
	user int
}

func (l *lane) Place() screen.Place {
	short := fmt.Sprintf("user %d", l.user)
	v := &l.s.view.Load
	return screen.Place{Stream: short + " of the load", Short: short, From: "the load", Of: screen.Load,
		Unit: format.Either(v.Running, "user", ""), Work: v.Work, Input: v.Input, Output: v.Output}
}

func (l *lane) Version() uint64                { return l.s.back.LoadVersion() }
func (l *lane) Stream() (metrics.Stream, bool) { return l.s.back.LoadStream(l.user) }
func (l *lane) Sample()                        { l.s.view.Load = l.s.back.LoadView() }

// Next implements screen.Source. It also moves the selection on the Load
// screen.
func (l *lane) Next(by int) bool {
	s := l.s
	l.Sample()
	s.pic.lanes.cursor = l.user
	s.pic.lanes.Step(by)
	user, ok := s.pic.lanes.Selected()
	if !ok {
		return false
	}
	if _, ok = s.back.LoadStream(user); ok {
		l.user = user
	}
	return ok
}
