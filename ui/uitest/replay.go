package uitest

import (
	"fmt"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/request"
	"tokscope/probe/result"
	"tokscope/probe/session"

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
	*session.Player
	numbers []int // of the requests that are opened next
	missing metrics.ReplayMissing
	changes uint64
	loads   []RecordedLoad
	load    int // the chosen one of them

	// Lacks is what the recording lacks of requests of a load, by Row.ID.
	Lacks map[int]metrics.ReplayMissing
}

// SetReplay opens a replay of these requests, at the beginning of the first. They
// keep their numbers.
func (b *ReplayBackend) SetReplay(file string, requests ...metrics.Run) {
	rec := &session.Recording{Name: file}
	for i := range requests {
		rec.Requests = append(rec.Requests, recorded(&requests[i]))
		b.numbers = append(b.numbers, requests[i].Stream.ID)
	}
	if err := b.Play(metrics.ReplayPlan{Speed: 1}, rec); err != nil {
		panic(err)
	}
	b.ReplayToggle() // paused
}

// recorded is a run as a session file has it: an event for each chunk.
func recorded(run *metrics.Run) *session.Recorded {
	s, text := &run.Stream, 0
	end := result.RequestOf(s, &run.Figures)
	end.Stamps = s.Stamps.String() // the backend counts no stamps by their source
	q := &session.Recorded{ID: s.ID, Start: s.Marks.Start, Wall: s.Wall, Endpoint: s.Endpoint, Workload: s.Work,
		Detailed: true, Attempts: []session.Attempt{{Sent: s.Marks.Sent}}, End: &end}
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

// ReplayState has what the test set.
func (b *ReplayBackend) ReplayState() (r metrics.Replay, open bool) {
	if r, open = b.Player.ReplayState(); open {
		r.Missing, r.Loads = b.missing, len(b.loads)
	}
	return r, open
}

// ReplayVersion changes with every command.
func (b *ReplayBackend) ReplayVersion() uint64 { return b.changes<<32 + b.Player.ReplayVersion() }

// SetLoads gives the open replay these loads, and chooses the first.
func (b *ReplayBackend) SetLoads(loads ...RecordedLoad) {
	b.loads, b.load = loads, 0
	b.changes++
}

// LoadReplay implements the backend of a recorded load, as all of the following do.
func (b *ReplayBackend) LoadReplay() (v loadstat.View, r loadstat.Replay, ok bool) {
	if _, open := b.ReplayState(); !open || len(b.loads) == 0 {
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
func (b *ReplayBackend) LoadReplayRequests() request.View { return ended(b.replayed()) }

// LoadReplayRequest is one of them. It lacks what Lacks says.
func (b *ReplayBackend) LoadReplayRequest(id int) (metrics.Stream, metrics.ReplayMissing, bool) {
	s, ok := endedOne(b.replayed(), id)
	return s, b.Lacks[id], ok
}

func (b *ReplayBackend) replayed() *request.Log {
	if b.load < len(b.loads) {
		return b.loads[b.load].Ended
	}
	return nil
}
