package uitest

import (
	"fmt"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/request"
	"tokscope/probe/record"
	"tokscope/probe/replay"
	"tokscope/probe/sse"
)

// RecordedLoad is a recorded load that the test sets.
type RecordedLoad struct {
	View  loadstat.View
	About loadstat.Replay // its Index and Count are those of the list
	Ended *request.Log    // nil: no request is recorded
}

// ReplayBackend is a backend with a replay that the test sets. It has the other
// screens as well. The player of the program plays it, on the backend's clock.
type ReplayBackend struct {
	*RaceBackend
	player  *replay.Player // nil: none is open
	missing metrics.ReplayMissing
	changes uint64
	loads   []RecordedLoad
	load    int // the chosen one of them

	// Lacks is what the recording lacks of requests of a load, by Row.ID.
	Lacks map[int]metrics.ReplayMissing
}

// NewReplay returns a backend without an open replay.
func NewReplay() *ReplayBackend { return &ReplayBackend{RaceBackend: NewRace()} }

// SetReplay opens a replay of these requests, at the beginning of the first. They
// keep their numbers.
func (b *ReplayBackend) SetReplay(file string, requests ...metrics.Run) {
	rec := &replay.Recording{Recording: &record.Recording{}, Name: file}
	for i := range requests {
		rec.Requests = append(rec.Requests, recorded(&requests[i]))
	}
	n := -1
	number := func() int { n++; return requests[n].Stream.ID }
	b.player = must(replay.NewPlayer(b.Now, number, 0, rec))
	b.changes++
}

// recorded is a run as a session file has it: an event for each chunk.
func recorded(run *metrics.Run) *record.Recorded {
	s, text := &run.Stream, 0
	end := record.RequestOf(s, &run.Figures)
	end.Stamps = s.Stamps.String() // the backend counts no stamps by their source
	q := &record.Recorded{ID: s.ID, Start: s.Marks.Start, Wall: s.Wall, Endpoint: s.Endpoint, Workload: s.Work,
		Detailed: true, Attempts: []record.Attempt{{Sent: s.Marks.Sent}}, End: &end}
	for i := range s.Chunks {
		c := &s.Chunks[i]
		data := fmt.Appendf(nil, `{"choices":[{"delta":{"content":%q}}]}`, s.Text[text:c.TextEnd])
		text = int(c.TextEnd)
		q.Events = append(q.Events, sse.Event{Data: data, At: c.At, User: c.User, Read: c.Read, Bytes: c.Bytes,
			Kernel: c.Kernel})
	}
	return q
}

// Missing sets what the recording lacks.
func (b *ReplayBackend) Missing(m metrics.ReplayMissing) { b.missing = m }

// ReplayState implements the backend of a replay, as all of the following do.
func (b *ReplayBackend) ReplayState() (r metrics.Replay, open bool) {
	if b.player == nil {
		return r, false
	}
	r = b.player.State()
	r.Missing, r.Loads = b.missing, len(b.loads)
	return r, true
}

// ReplayStream is the shown request up to the replay's moment.
func (b *ReplayBackend) ReplayStream() metrics.Stream {
	if b.player == nil {
		return metrics.Stream{Marks: metrics.NewMarks(), Usage: metrics.NoUsage(), LiveTokens: -1}
	}
	return b.player.Snapshot()
}

// ReplayWhole is the shown request to its end.
func (b *ReplayBackend) ReplayWhole() (metrics.Run, bool) {
	if b.player == nil {
		return metrics.Run{}, false
	}
	return b.player.Whole(), true
}

// ReplayRuns are the requests that had ended.
func (b *ReplayBackend) ReplayRuns() []metrics.Run {
	if b.player == nil {
		return nil
	}
	return b.player.Runs()
}

// ReplayVersion changes with every command.
func (b *ReplayBackend) ReplayVersion() uint64 {
	if b.player == nil {
		return b.changes << 32
	}
	return b.changes<<32 + b.player.Version()
}

// ReplayToggle pauses or goes on.
func (b *ReplayBackend) ReplayToggle() { b.player.Toggle() }

// ReplayStep goes to the next chunk.
func (b *ReplayBackend) ReplayStep() { b.player.Step() }

// ReplayFaster changes the speed by a step.
func (b *ReplayBackend) ReplayFaster(by int) {
	if by < 0 {
		b.player.Slower()
	} else {
		b.player.Faster()
	}
}

// ReplayEdge goes to the beginning or the end of the shown request.
func (b *ReplayBackend) ReplayEdge(by int) {
	if by < 0 {
		b.player.Home()
	} else {
		b.player.End()
	}
}

// ReplayStall goes to the next stall or the one before.
func (b *ReplayBackend) ReplayStall(by int) (chunk int, ok bool) { return b.player.Stall(by) }

// ReplayNext shows another request.
func (b *ReplayBackend) ReplayNext(by int) bool { return b.player.Next(by) }

// CloseReplay closes the replay.
func (b *ReplayBackend) CloseReplay() {
	b.changes++
	b.player = nil
}

// SetLoads gives the open replay these loads, and chooses the first.
func (b *ReplayBackend) SetLoads(loads ...RecordedLoad) {
	b.loads, b.load = loads, 0
	b.changes++
}

// LoadReplay implements the backend of a recorded load, as all of the following do.
func (b *ReplayBackend) LoadReplay() (v loadstat.View, r loadstat.Replay, ok bool) {
	if b.player == nil || len(b.loads) == 0 {
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
