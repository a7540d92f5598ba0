package uitest

import (
	"tokscope/metrics"
	"tokscope/metrics/loadstat"
)

// loadReplay is a recorded load that the test sets: its view at each moment to
// which the keys go.
type loadReplay struct {
	at      loadstat.Replay
	moments []loadstat.View
	now     int
}

// SetLoadReplay opens a replay of a load, paused at the first of moments, beside
// these requests.
func (b *ReplayBackend) SetLoadReplay(at loadstat.Replay, moments []loadstat.View, requests ...metrics.Run) {
	b.SetReplay(at.File, requests...)
	at.Paused, at.Speed = true, 1
	b.state.Loads, b.load = 1, &loadReplay{at: at, moments: moments}
}

// LoadReplay implements the backend of a replay of a load, as all of the following
// do.
func (b *ReplayBackend) LoadReplay() (v loadstat.View, r loadstat.Replay, ok bool) {
	if !b.open || b.load == nil {
		return v, r, false
	}
	r = b.load.at
	r.Speed, r.Paused = b.state.Speed, b.state.Paused
	if r.Ended = b.load.now == len(b.load.moments)-1; !r.Ended {
		r.Stopped, r.Totals = "", false
	}
	return b.load.moments[b.load.now], r, true
}

// LoadReplayToggle pauses or goes on.
func (b *ReplayBackend) LoadReplayToggle() { b.ReplayToggle() }

// LoadReplayStep goes to the next moment.
func (b *ReplayBackend) LoadReplayStep() { b.LoadReplayPoint(1) }

// LoadReplayPoint goes to the next moment or the one before.
func (b *ReplayBackend) LoadReplayPoint(by int) {
	b.changes++
	b.state.Paused = true
	b.load.now = min(max(b.load.now+by, 0), len(b.load.moments)-1)
}

// LoadReplayEdge goes to the first or the last moment.
func (b *ReplayBackend) LoadReplayEdge(by int) { b.LoadReplayPoint(by * len(b.load.moments)) }

// LoadReplayOpen shows the request of that number.
func (b *ReplayBackend) LoadReplayOpen(id int) bool {
	for i := range b.requests {
		if b.requests[i].Stream.ID == id {
			b.show(i)
			return true
		}
	}
	return false
}
