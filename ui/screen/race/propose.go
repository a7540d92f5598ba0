package race

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics/racestat"
	"tokscope/ui/screen"
)

// proposeWithin bounds the question for what to race.
const proposeWithin = 2 * time.Second

// propose names contestants where nobody has, and before a race again where another endpoint
// is in use since: at once what needs no asking, then what the backend finds.
func (s *Screen) propose() tea.Cmd {
	e := s.back.Endpoint()
	at := e.API + " " + e.URL + "#" + e.Model
	named := len(s.back.RaceContest().Targets) > 0 && s.view.Proposed == racestat.NotProposed
	if named || s.proposedAt == at || s.back.RaceView().Began.Known() {
		return nil
	}
	s.proposedAt = at
	asked, stop := context.WithCancel(context.Background())
	stop()
	if s.take(s.back.RacePropose(asked)); s.view.Proposed == racestat.DemoMachines {
		return nil
	}
	shown := s.back.RaceContest().String()
	return func() tea.Msg {
		ctx, stop := context.WithTimeout(context.Background(), proposeWithin)
		defer stop()
		c, why := s.back.RacePropose(ctx)
		return screen.Reply(func() tea.Cmd {
			if s.back.RaceContest().String() == shown && !s.back.RaceView().Began.Known() {
				s.take(c, why)
				s.refresh()
				s.host.Changed()
			}
			return nil
		})
	}
}

// take makes a proposal the contestants. One that cannot race is none.
func (s *Screen) take(c racestat.Contest, why racestat.Proposal) {
	if s.back.RaceSet(c) == nil {
		s.view.Proposed = why
	}
}
