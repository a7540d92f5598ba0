package uitest

import (
	"context"
	"sync"

	"tokscope/metrics"
	"tokscope/metrics/racestat"
)

// RaceBackend is a backend with a race that the test sets. It has the other screens as
// well.
type RaceBackend struct {
	*ExplainBackend

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

// SetRace makes v the race, and its lanes' streams those.
func (b *RaceBackend) SetRace(v racestat.View, streams map[int]metrics.Stream) {
	b.changeRace(func() {
		b.view, b.streams = v, streams
		if !v.Running && b.ended != nil {
			close(b.ended)
			b.ended = nil
		}
	})
}

// changeRace runs f on the race and increments its version.
func (b *RaceBackend) changeRace(f func()) {
	b.race.Lock()
	defer b.race.Unlock()
	f()
	b.version++
}

// RacePlans are the races that were started.
func (b *RaceBackend) RacePlans() []racestat.Plan { return locked(&b.race, &b.plans) }

// RaceContest implements the backend of the Race screen, as all of the following do.
func (b *RaceBackend) RaceContest() racestat.Contest { return locked(&b.race, &b.contest) }

// RaceSet names the contestants.
func (b *RaceBackend) RaceSet(c racestat.Contest) (err error) {
	b.changeRace(func() {
		b.contest = c
		b.view.Lanes, b.view.Vary, err = c.Lanes()
		for i := range b.view.Lanes {
			b.view.Lanes[i].Here = true
		}
		b.view.Phases = make([]racestat.Phase, len(b.view.Lanes))
	})
	return err
}

// RaceStart begins a race without a round.
func (b *RaceBackend) RaceStart(p racestat.Plan, _ func(racestat.View)) error {
	b.changeRace(func() {
		b.plans = append(b.plans, p)
		b.view.Began, b.view.Running, b.view.Work, b.view.Bounds = b.Now(), true, p.Work, p.Bounds
		b.ended = make(chan struct{})
	})
	return nil
}

// RaceHold holds the race.
func (b *RaceBackend) RaceHold(on bool) { b.changeRace(func() { b.view.Holding = on }) }

// RaceStop ends the race.
func (b *RaceBackend) RaceStop() {
	if v := b.RaceView(); v.Running {
		v.Running, v.Holding, v.Ended = false, false, racestat.EndStopped
		b.SetRace(v, locked(&b.race, &b.streams))
	}
}

// RaceWait waits for the end of the race, or of ctx.
func (b *RaceBackend) RaceWait(ctx context.Context) {
	if ended := locked(&b.race, &b.ended); ended != nil {
		select {
		case <-ended:
		case <-ctx.Done():
		}
	}
}

// RaceView is the race.
func (b *RaceBackend) RaceView() racestat.View { return locked(&b.race, &b.view) }

// RaceVersion changes with the race.
func (b *RaceBackend) RaceVersion() uint64 { return locked(&b.race, &b.version) }

// RaceStream is the request of a lane.
func (b *RaceBackend) RaceStream(lane int) (metrics.Stream, bool) {
	s, ok := locked(&b.race, &b.streams)[lane]
	return s, ok
}

// SetHeat makes streams the newest whole round, and the one nearest to the medians.
func (b *RaceBackend) SetHeat(streams ...metrics.Stream) { b.changeRace(func() { b.heat = streams }) }

// RaceHeat is the round of SetHeat.
func (b *RaceBackend) RaceHeat(bool) (int, []metrics.Stream) {
	heat := locked(&b.race, &b.heat)
	return min(len(heat), 2), heat
}

// RacePropose is Proposal.
func (b *RaceBackend) RacePropose(context.Context) (racestat.Contest, racestat.Proposal) {
	if p := locked(&b.race, &b.Proposal); p.Targets != nil {
		return p, racestat.LastOther
	}
	name := b.Endpoint().Name
	return racestat.Contest{Targets: []string{name, name + "+cold"}}, racestat.SameCold
}

// RaceSave returns Path.
func (b *RaceBackend) RaceSave(context.Context) (string, error) { return b.Path, b.SaveErr }
