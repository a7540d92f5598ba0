package sim

import (
	"sync"

	"tokscope/probe/sim/engine"
)

// meters counts what /metrics tells about one engine.
type meters struct {
	mu       sync.Mutex
	produced uint64
}

func (m *meters) tokens(y engine.Emission) {
	m.mu.Lock()
	m.produced += uint64(y.N)
	m.mu.Unlock()
}
