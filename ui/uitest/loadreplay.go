package uitest

import (
	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/request"
)

// loadReplay is a recorded load that the test sets: its view at each moment to
// which the keys go.
type loadReplay struct {
	at      loadstat.Replay
	moments []loadstat.View
	now     int
	others  [][]loadstat.View // of further loads
	ended   []*request.Log    // the list at each moment; nil: nothing is listed
	index   int
}

// SetLoadReplay opens a replay of a load, paused at the first of moments, beside
// these requests.
func (b *ReplayBackend) SetLoadReplay(at loadstat.Replay, moments []loadstat.View, requests ...metrics.Run) {
	b.SetReplay(at.File, requests...)
	at.Paused, at.Speed = true, 1
	b.state.Loads, b.load = 1, &loadReplay{at: at, moments: moments}
}

// ListLoadReplay sets the list of requests at each moment.
func (b *ReplayBackend) ListLoadReplay(ended ...*request.Log) { b.load.ended = ended }

// LoadReplayRequests are the requests that had ended.
func (b *ReplayBackend) LoadReplayRequests() request.View {
	if l := b.load; l != nil && l.now < len(l.ended) {
		return l.ended[l.now].View()
	}
	return request.View{}
}

// LoadReplayRequest is one of them. It lacks what Lacks says.
func (b *ReplayBackend) LoadReplayRequest(id int) (metrics.Stream, metrics.ReplayMissing, bool) {
	if l := b.load; l != nil && l.now < len(l.ended) {
		if p := l.ended[l.now].Packed(id); p != nil {
			return p.Stream(), b.Lacks[id], true
		}
	}
	return metrics.Stream{}, metrics.ReplayWhole, false
}

// FurtherLoad adds a load after the one that SetLoadReplay opened.
func (b *ReplayBackend) FurtherLoad(moments []loadstat.View) {
	l := b.load
	if l.others == nil {
		l.others = [][]loadstat.View{l.moments}
	}
	l.others = append(l.others, moments)
	b.state.Loads = len(l.others)
}

// LoadReplayNext shows another load from its beginning.
func (b *ReplayBackend) LoadReplayNext(by int) bool {
	l := b.load
	to := l.index + by
	if to < 0 || to >= len(l.others) {
		return false
	}
	b.changes++
	l.index, l.moments, l.now = to, l.others[to], 0
	return true
}

// LoadReplay implements the backend of a replay of a load, as all of the following
// do.
func (b *ReplayBackend) LoadReplay() (v loadstat.View, r loadstat.Replay, ok bool) {
	if !b.open || b.load == nil {
		return v, r, false
	}
	r = b.load.at
	r.Index, r.Count = b.load.index+1, max(len(b.load.others), 1)
	r.Speed, r.Paused = b.state.Speed, b.state.Paused
	ended := b.load.now == len(b.load.moments)-1
	if r.Ended = ended && r.Index == r.Count; !ended {
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
