package app

import (
	"errors"

	"tokscope/metrics/serving"
	"tokscope/probe/explain/lessons"
	"tokscope/probe/explain/runner"
	"tokscope/probe/sim"
)

// The Explain screen always runs on the embedded endpoint, independently of
// the target. It is not recorded, and its requests do not become runs.
// Package probe/explain/runner measures it.

// Explain is the backend of the Explain screen: an engine laid open, with users.
type Explain struct {
	*base
	live   *Live
	load   *Load
	race   *Race
	runner *runner.Runner
}

// newExplain returns the backend with its engine closed. Opening it stops what
// live and load have under way.
func newExplain(b *base, live *Live, load *Load, race *Race) *Explain {
	server := b.o.Server
	if server == nil {
		server = func() (*sim.Server, error) { return nil, errors.New("this session has no embedded endpoint") }
	}
	return &Explain{base: b, live: live, load: load, race: race,
		runner: runner.New(runner.Options{Server: server, Dir: b.o.StateDir, Catalogue: b.o.Catalogue, Notify: b.notify})}
}

// ExplainOpen starts the users of the knobs, after stopping a stream, a
// load and a race. It starts the embedded endpoint if needed.
func (s *Explain) ExplainOpen() error {
	s.live.Stop()
	s.load.endLoad()
	s.race.RaceStop()
	return s.runner.Open()
}

// ExplainClose ends the users' requests. The knobs are kept.
func (s *Explain) ExplainClose() { s.runner.Close() }

// ExplainView is the engine now.
func (s *Explain) ExplainView() serving.View { return s.runner.View() }

// ExplainVersion changes whenever ExplainView would differ by more than the clock.
func (s *Explain) ExplainVersion() uint64 { return s.runner.Version() }

// ExplainChoices are the positions of a knob.
func (s *Explain) ExplainChoices(k serving.Knob) []serving.KnobChoice {
	return s.runner.Choices(k)
}

// ExplainTurn sets the knobs from the next step on.
func (s *Explain) ExplainTurn(k serving.Knobs) error { return s.runner.Turn(k) }

// ExplainPause stops and continues the engine's time.
func (s *Explain) ExplainPause(on bool) { s.runner.Pause(on) }

// ExplainStep lets exactly one more step happen.
func (s *Explain) ExplainStep() { s.runner.Step() }

// ExplainWatch chooses whose request is shown.
func (s *Explain) ExplainWatch(user int) { s.runner.Watch(user) }

// TourLessons returns the titles, in order.
func (s *Explain) TourLessons() []string { return lessons.Titles() }

// TourGo begins lesson n; 0 leaves the tour.
func (s *Explain) TourGo(n int) { s.runner.TourGo(n) }

// TourStage shows stage i of the lesson.
func (s *Explain) TourStage(i int) { s.runner.TourStage(i) }

// TourAt is the lesson that was shown last, 1 before any.
func (s *Explain) TourAt() int { return s.runner.TourAt() }
