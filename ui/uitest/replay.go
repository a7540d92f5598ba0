package uitest

import (
	"slices"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/request"
)

// RecordedLoad is a recorded load that the test sets.
type RecordedLoad struct {
	View  loadstat.View
	About loadstat.Replay // its Index and Count are those of the list
	Ended *request.Log    // nil: no request is recorded
}

// ReplayBackend is a backend with a replay that the test sets. It has the other
// screens as well. Its clock moves only by commands.
type ReplayBackend struct {
	*RaceBackend
	requests []metrics.Run
	at       metrics.Stamp
	state    metrics.Replay
	open     bool
	changes  uint64
	loads    []RecordedLoad
	load     int // the chosen one of them

	// Lacks is what the recording lacks of requests of a load, by Row.ID.
	Lacks map[int]metrics.ReplayMissing
}

// NewReplay returns a backend without an open replay.
func NewReplay() *ReplayBackend { return &ReplayBackend{RaceBackend: NewRace()} }

// SetReplay opens a replay of these requests, at the beginning of the first.
func (b *ReplayBackend) SetReplay(file string, requests ...metrics.Run) {
	b.requests, b.open = requests, true
	b.state = metrics.Replay{File: file, Speed: 1, Count: len(requests)}
	b.show(0)
}

// show shows request i, paused at its beginning.
func (b *ReplayBackend) show(i int) {
	b.state.Index, b.state.ID, b.state.Paused = i+1, b.requests[i].Stream.ID, true
	b.at = b.shown().Stream.Marks.Start
	b.changes++
}

func (b *ReplayBackend) shown() *metrics.Run { return &b.requests[b.state.Index-1] }

// Missing sets what the recording lacks.
func (b *ReplayBackend) Missing(m metrics.ReplayMissing) { b.state.Missing = m }

// ReplayState implements the backend of a replay, as all of the following do.
func (b *ReplayBackend) ReplayState() (metrics.Replay, bool) {
	if !b.open {
		return metrics.Replay{}, false
	}
	m, r := &b.shown().Stream.Marks, b.state
	r.At, r.Length, r.Ended = time.Duration(max(b.at-m.Sent, 0)), time.Duration(m.End-m.Sent), b.at >= m.End &&
		r.Index == r.Count
	return r, true
}

// ReplayStream is the shown request up to the replay's moment.
func (b *ReplayBackend) ReplayStream() metrics.Stream {
	if !b.open {
		return metrics.Stream{Marks: metrics.NewMarks(), Usage: metrics.NoUsage(), LiveTokens: -1}
	}
	s := b.shown().Stream
	if b.at >= s.Marks.End {
		return s
	}
	n := 0
	for n < len(s.Chunks) && s.Chunks[n].At <= b.at {
		n++
	}
	s.Now, s.State, s.Finish, s.Usage, s.Observer = b.at, metrics.Connecting, "", metrics.NoUsage(), metrics.Observer{}
	s.Chunks, s.Events, s.TokensFrom = s.Chunks[:n:n], n, metrics.TokensUnknown
	s.Marks.FinishReason, s.Marks.DoneMarker, s.Marks.End = metrics.NoStamp, metrics.NoStamp, metrics.NoStamp
	if n > 0 {
		s.State, s.LastData = metrics.Decoding, s.Chunks[n-1].At
		s.Text = s.Text[:s.Chunks[n-1].TextEnd]
		return s
	}
	if s.Text = nil; s.Marks.Sent <= b.at {
		s.State = metrics.Waiting
	}
	return s
}

// ReplayWhole is the shown request to its end.
func (b *ReplayBackend) ReplayWhole() (metrics.Run, bool) {
	if !b.open {
		return metrics.Run{}, false
	}
	return *b.shown(), true
}

// ReplayRuns are the requests that had ended.
func (b *ReplayBackend) ReplayRuns() (ended []metrics.Run) {
	for _, r := range b.requests {
		if r.Stream.Marks.End <= b.at {
			ended = append(ended, r)
		}
	}
	return ended
}

// ReplayVersion changes with every command.
func (b *ReplayBackend) ReplayVersion() uint64 { return b.changes }

// ReplayToggle pauses or goes on.
func (b *ReplayBackend) ReplayToggle() {
	b.changes++
	b.state.Paused = !b.state.Paused
}

// ReplayStep goes to the next chunk.
func (b *ReplayBackend) ReplayStep() {
	b.changes++
	b.state.Paused = true
	s := &b.shown().Stream
	i := slices.IndexFunc(s.Chunks, func(c metrics.Chunk) bool { return c.At > b.at })
	if b.at = s.Marks.End; i >= 0 {
		b.at = s.Chunks[i].At
	}
}

// ReplayFaster doubles the speed, or halves it.
func (b *ReplayBackend) ReplayFaster(by int) {
	b.changes++
	if b.state.Speed *= 2; by < 0 {
		b.state.Speed /= 4
	}
}

// ReplayEdge goes to the beginning or the end of the shown request.
func (b *ReplayBackend) ReplayEdge(by int) {
	b.changes++
	if b.at = b.shown().Stream.Marks.Start; by > 0 {
		b.at, b.state.Paused = b.shown().Stream.Marks.End, true
	}
}

// ReplayStall goes to the next stall or the one before.
func (b *ReplayBackend) ReplayStall(by int) (chunk int, ok bool) {
	r := b.shown()
	for _, s := range r.Figures.Stalls {
		at := r.Stream.Chunks[s.Chunk].At
		if by > 0 && at > b.at && !ok || by < 0 && at < b.at {
			chunk, ok = s.Chunk, true
		}
	}
	if ok {
		b.changes++
		b.at, b.state.Paused = r.Stream.Chunks[chunk].At, true
	}
	return chunk, ok
}

// ReplayNext shows another request.
func (b *ReplayBackend) ReplayNext(by int) bool {
	i := b.state.Index - 1 + by
	if i < 0 || i >= len(b.requests) {
		return false
	}
	b.show(i)
	return true
}

// CloseReplay closes the replay.
func (b *ReplayBackend) CloseReplay() {
	b.changes++
	b.open = false
}

// SetLoads gives the open replay these loads, and chooses the first.
func (b *ReplayBackend) SetLoads(loads ...RecordedLoad) {
	b.loads, b.load, b.state.Loads = loads, 0, len(loads)
	b.changes++
}

// LoadReplay implements the backend of a recorded load, as all of the following do.
func (b *ReplayBackend) LoadReplay() (v loadstat.View, r loadstat.Replay, ok bool) {
	if !b.open || len(b.loads) == 0 {
		return v, r, false
	}
	r = b.loads[b.load].About
	r.Index, r.Count = b.load+1, len(b.loads)
	return b.loads[b.load].View, r, true
}

// LoadReplayNext chooses another load.
func (b *ReplayBackend) LoadReplayNext(by int) bool {
	to := b.load + by
	if to < 0 || to >= len(b.loads) {
		return false
	}
	b.changes++
	b.load = to
	return true
}

// LoadReplayRequests are its requests that have ended.
func (b *ReplayBackend) LoadReplayRequests() request.View {
	if b.load < len(b.loads) && b.loads[b.load].Ended != nil {
		return b.loads[b.load].Ended.View()
	}
	return request.View{}
}

// LoadReplayRequest is one of them. It lacks what Lacks says.
func (b *ReplayBackend) LoadReplayRequest(id int) (metrics.Stream, metrics.ReplayMissing, bool) {
	if b.load < len(b.loads) && b.loads[b.load].Ended != nil {
		if p := b.loads[b.load].Ended.Packed(id); p != nil {
			return p.Stream(), b.Lacks[id], true
		}
	}
	return metrics.Stream{}, metrics.ReplayWhole, false
}
