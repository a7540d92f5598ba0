package app

import (
	"errors"

	"tokscope/probe/explain/runner"
	"tokscope/probe/sim"
)

// The Explain screen always runs on the embedded endpoint, independently of
// the target. It is not recorded, and its requests do not become runs.

// Explain is the backend of the Explain screen: an engine laid open, with users.
type Explain struct {
	*runner.Runner
	live *Live
	load *Load
	race *Race
}

// newExplain returns the backend with its engine closed. Opening it stops what
// live and load have under way.
func newExplain(b *base, live *Live, load *Load, race *Race) *Explain {
	server := b.o.Server
	if server == nil {
		server = func() (*sim.Server, error) { return nil, errors.New("this session has no embedded endpoint") }
	}
	return &Explain{live: live, load: load, race: race,
		Runner: runner.New(runner.Options{Server: server, Dir: b.o.StateDir, Catalogue: b.o.Catalogue, Notify: b.notify})}
}

// ExplainOpen starts the users of the knobs, after stopping a stream, a
// load and a race. It starts the embedded endpoint if needed.
func (s *Explain) ExplainOpen() error {
	s.live.Stop()
	s.load.endLoad()
	s.race.RaceStop()
	return s.Runner.ExplainOpen()
}
