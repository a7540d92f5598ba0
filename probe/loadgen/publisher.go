package loadgen

import (
	"sync/atomic"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
)

// publisher keeps the last view of a load for screens. A view is immutable: a
// reader takes it without a lock and copies only the struct.
//
// last and version may be used from any goroutine. The rest belongs to the
// load, under the load's mutex.
type publisher struct {
	view    atomic.Pointer[loadstat.View]
	version atomic.Uint64 // of view, from 1 on
	looks   int
	figures chan struct{} // closed and replaced after each look at the figures
	endedAt metrics.Stamp // end of the last request, NoStamp before
}

// last returns the last view, nil before the first.
func (p *publisher) last() *loadstat.View { return p.view.Load() }

// publish makes v the last view. The caller must not change it afterwards.
func (p *publisher) publish(v *loadstat.View) {
	p.view.Store(v)
	p.version.Add(1)
}
