package uitest

import (
	"fmt"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/pick"
	"tokscope/probe/result"
	"tokscope/probe/session"
	"tokscope/probe/sse"
)

// RecordedLoad is a load of a recording, its number and its requests.
type RecordedLoad struct {
	ID       int
	View     loadstat.View
	Requests []metrics.Run
	NoEnd    bool   // the program ended before the load
	Stopped  string // why it ended by itself
}

// ReplayBackend is a replay that the test sets. The player of the program plays it, on the
// backend's clock.
type ReplayBackend struct {
	*session.Player
	numbers   []int // of the requests that are opened next
	recording session.Recording
}

// SetReplay opens a replay of these requests, at the beginning of the first. They
// keep their numbers.
func (b *ReplayBackend) SetReplay(file string, requests ...metrics.Run) {
	b.recording = session.Recording{Name: file}
	b.add(0, requests)
	b.open()
}

// SetLoads gives the open replay these loads, and chooses the first.
func (b *ReplayBackend) SetLoads(loads ...RecordedLoad) {
	for i := range loads {
		l, v := &loads[i], &loads[i].View
		q := &session.RecordedLoad{ID: l.ID, At: v.Began, Last: v.Now, SLO: result.SLOWords(v.SLOs)}
		q.Head.Users = v.Drive.Users
		q.Points = pick.Each(v.Path, func(p *loadstat.Point) result.SweepPoint { return result.SweepPoint{Point: p} })
		if !l.NoEnd {
			q.End = &session.LoadEnd{View: v, Stopped: l.Stopped}
		}
		b.recording.Loads = append(b.recording.Loads, q)
		b.add(l.ID, l.Requests)
	}
	b.open()
}

// Lack opens the replay again, without events of that request of a load: all of them,
// or some. load is 0 for a request outside of any.
func (b *ReplayBackend) Lack(load, id int, all bool) {
	for _, q := range b.recording.Requests {
		if q.Load == load && q.ID == id {
			q.Detailed, q.LeftOut.Events = !all, 1
			if all {
				q.Events = nil
			}
		}
	}
	b.open()
}

func (b *ReplayBackend) add(load int, requests []metrics.Run) {
	for i := range requests {
		q := recorded(&requests[i])
		q.Load = load
		b.recording.Requests = append(b.recording.Requests, q)
	}
}

// open plays the recording from its beginning, and pauses. In the program a request has
// another number than in its file, one of a load another than one elsewhere.
func (b *ReplayBackend) open() {
	for _, q := range b.recording.Requests {
		b.numbers = append(b.numbers, 100+q.ID+1000*q.Load)
	}
	if err := b.Play(metrics.ReplayPlan{Speed: 1}, &b.recording); err != nil {
		panic(err)
	}
	b.ReplayToggle()
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
		data := fmt.Appendf(nil, `{"choices":[{"delta":{%q:%q}}]}`, c.Kind, s.Text[text:c.TextEnd])
		text = int(c.TextEnd)
		q.Events = append(q.Events, sse.Event{Data: data, At: c.At, User: c.User, Read: c.Read, Bytes: c.Bytes,
			Kernel: c.Kernel})
	}
	return q
}
