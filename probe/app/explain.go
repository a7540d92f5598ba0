package app

import (
	"errors"

	"tokscope/probe/explain/runner"
	"tokscope/probe/sim"
)

// The Explain screen always runs on the embedded endpoint, independently of
// the target. It is not recorded, and its requests do not become runs.

// Explain is the backend of the Explain screen: an engine laid open, with users.
type Explain struct{ *runner.Runner }

// newExplain returns the backend with its engine closed.
func newExplain(b *base) *Explain {
	server := b.o.Server
	if server == nil {
		server = func() (*sim.Server, error) { return nil, errors.New("this session has no embedded endpoint") }
	}
	return &Explain{runner.New(runner.Options{
		Server: server, Dir: b.o.StateDir, Catalogue: b.o.Catalogue, Notify: b.notify,
	})}
}
