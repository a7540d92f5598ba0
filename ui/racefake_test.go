package ui

import (
	"context"
	"sync"

	"tokscope/metrics"
	"tokscope/metrics/racestat"
	"tokscope/ui/uitest"
)

// raceFake is a race that the test sets.
type raceFake struct {
	of   *uitest.Backend
	root *rootFake

	race    sync.Mutex // of all below
	view    racestat.View
	streams map[int]metrics.Stream
	contest racestat.Contest
	version uint64
	plans   []racestat.Plan
	ended   chan struct{}
	heat    []metrics.Stream
	// Proposal is what RacePropose proposes; without targets the endpoint against itself.
	Proposal racestat.Contest
}

func newRaceFake(of *uitest.Backend, root *rootFake) *raceFake {
	return &raceFake{of: of, root: root, view: racestat.View{Began: metrics.NoStamp, Bounds: racestat.DefaultBounds,
		Band: racestat.Band, Level: racestat.Level, Failing: -1}}
}

// SetRace makes v the race, and its lanes' streams those.
func (b *raceFake) SetRace(v racestat.View, streams map[int]metrics.Stream) {
	b.changeRace(func() {
		b.view, b.streams = v, streams
		if !v.Running && b.ended != nil {
			close(b.ended)
			b.ended = nil
		}
	})
}

// changeRace runs f on the race and increments its version.
func (b *raceFake) changeRace(f func()) {
	b.race.Lock()
	defer b.race.Unlock()
	f()
	b.version++
}

// RacePlans are the races that were started.
func (b *raceFake) RacePlans() []racestat.Plan { return uitest.Locked(&b.race, &b.plans) }

// RaceContest implements the backend of the Race screen, as all of the following do.
func (b *raceFake) RaceContest() racestat.Contest { return uitest.Locked(&b.race, &b.contest) }

// RaceSet names the contestants, and ends the race before.
func (b *raceFake) RaceSet(c racestat.Contest) (err error) {
	b.RaceStop()
	b.changeRace(func() {
		b.contest = c
		b.view.Began, b.view.Ended, b.view.Rounds, b.view.Verdicts = metrics.NoStamp, racestat.NotEnded, nil, nil
		b.view.Lanes, b.view.Vary, err = c.Lanes()
		for i := range b.view.Lanes {
			b.view.Lanes[i].Here = true
		}
		b.view.Phases = make([]racestat.Phase, len(b.view.Lanes))
	})
	return err
}

// RaceStart begins a race without a round.
func (b *raceFake) RaceStart(p racestat.Plan, _ func(racestat.View)) error {
	b.changeRace(func() {
		b.plans = append(b.plans, p)
		b.view.Began, b.view.Running, b.view.Work, b.view.Bounds = b.of.Now(), true, p.Work, p.Bounds
		b.ended = make(chan struct{})
	})
	return nil
}

// RaceHold holds the race.
func (b *raceFake) RaceHold(on bool) { b.changeRace(func() { b.view.Holding = on }) }

// RaceStop ends the race.
func (b *raceFake) RaceStop() {
	if v := b.RaceView(); v.Running {
		v.Running, v.Holding, v.Ended = false, false, racestat.EndStopped
		b.SetRace(v, uitest.Locked(&b.race, &b.streams))
	}
}

// RaceWait waits for the end of the race, or of ctx.
func (b *raceFake) RaceWait(ctx context.Context) {
	if ended := uitest.Locked(&b.race, &b.ended); ended != nil {
		select {
		case <-ended:
		case <-ctx.Done():
		}
	}
}

// RaceView is the race.
func (b *raceFake) RaceView() racestat.View { return uitest.Locked(&b.race, &b.view) }

// RaceVersion changes with the race.
func (b *raceFake) RaceVersion() uint64 { return uitest.Locked(&b.race, &b.version) }

// RaceStream is the request of a lane.
func (b *raceFake) RaceStream(lane int) (metrics.Stream, bool) {
	s, ok := uitest.Locked(&b.race, &b.streams)[lane]
	return s, ok
}

// SetHeat makes streams the newest whole round, and the one nearest to the medians.
func (b *raceFake) SetHeat(streams ...metrics.Stream) { b.changeRace(func() { b.heat = streams }) }

// RaceHeat is the round of SetHeat.
func (b *raceFake) RaceHeat(bool) (int, []metrics.Stream) {
	heat := uitest.Locked(&b.race, &b.heat)
	return min(len(heat), 2), heat
}

// RacePropose is Proposal.
func (b *raceFake) RacePropose(context.Context) (racestat.Contest, racestat.Proposal) {
	if p := uitest.Locked(&b.race, &b.Proposal); p.Targets != nil {
		return p, racestat.LastOther
	}
	name := b.of.Endpoint().Name
	return racestat.Contest{Targets: []string{name, name + "+cold"}}, racestat.SameCold
}

// RaceSave returns Path.
func (b *raceFake) RaceSave(context.Context) (string, error) { return b.root.Path, b.root.SaveErr }
