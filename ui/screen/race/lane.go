package race

import (
	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/ui/format"
	"tokscope/ui/say"
	"tokscope/ui/screen"
)

// labelMost is the largest width of a label in the header of Live.
const labelMost = 24

// source is the request of a lane, lent to the screen that shows streams.
type source struct {
	s    *Screen
	lane int
}

func (l *source) Place() screen.Place {
	short := "lane " + say.RaceLetter(l.lane)
	r, name := &l.s.view.Race, short
	if l.lane < len(r.Lanes) {
		name += " of the race, " + l.s.view.label(l.lane, labelMost)
	}
	return screen.Place{Stream: name, Short: short, From: "the race", Of: screen.Race,
		Unit: format.If(r.Running, "lane"), Work: r.Work}
}

func (l *source) Version() uint64 { return l.s.back.RaceVersion() }

// Stream implements screen.Source. Of a lane that waits for its turn it is the
// request of the round before, as Live has shown it.
func (l *source) Stream() (metrics.Stream, bool) { return l.s.back.RaceStream(l.lane) }

func (l *source) Sample() { l.s.view.Race = l.s.back.RaceView() }

// Next implements screen.Source. It also moves the selection on the Race screen.
func (l *source) Next(by int) bool {
	l.Sample()
	n := len(l.s.view.Race.Lanes)
	for step := 1; step < n; step++ { // past lanes that have sent nothing yet
		lane := ((l.lane+by*step)%n + n) % n
		if _, ok := l.s.back.RaceStream(lane); ok {
			l.lane, l.s.view.Reference = lane, lane
			return true
		}
	}
	return false
}

// openLane shows the request of the chosen lane on Live.
func (s *Screen) openLane() tea.Cmd {
	lane := s.view.Reference
	if lane >= len(s.view.Race.Lanes) {
		return nil
	}
	if _, ok := s.back.RaceStream(lane); !ok {
		return s.host.Say("lane " + say.RaceLetter(lane) + " has sent no request in this round yet")
	}
	return s.host.ShowStream(&source{s, lane})
}
