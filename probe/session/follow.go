package session

import (
	"errors"
	"io"
	"os"
	"sync"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/turn"
	"tokscope/probe/endpoint"
)

// Follower reads the session file of a tap, while that runs or after it. It is safe for
// concurrent use. The caller must Close it.
type Follower struct {
	mu      sync.Mutex
	file    *os.File
	in      *reader
	running map[int]*Stream
	runs    map[int]*metrics.Run
	session turn.Session
	last    metrics.Stamp // known of any turn
	offset  metrics.Stamp // from the wall clock to that of the file, as of the newest request
	version uint64
}

// Follow opens the session file of a tap. The error is for a person.
func Follow(path string) (*Follower, error) {
	file, err := openFile(path)
	if err != nil {
		return nil, err
	}
	f := newFollower()
	f.file = file
	in, head := io.Reader(file), make([]byte, 1)
	if _, err = file.ReadAt(head, 0); err == nil && head[0] != '{' {
		in, err = Unpacked(file) // which reads no further than its first end
	}
	if err == nil {
		f.in = newReader(in)
		f.in.changed = map[int]bool{}
		err = f.in.more(false)
	}
	if err == nil {
		err = f.in.rec.check()
	}
	switch {
	case errors.Is(err, errNoTap):
		err = endpoint.Refuse(path+" is not the session of a tap", "show it with tokscope replay "+path)
	case err != nil:
		err = unreadable(path, err, SessionSchema)
	default:
		f.take()
		return f, nil
	}
	_ = file.Close()
	return nil, err
}

func newFollower() *Follower {
	return &Follower{running: map[int]*Stream{}, runs: map[int]*metrics.Run{}, last: metrics.NoStamp}
}

// View returns the turns of the file of a tap, as they were at its end. The requests lose what is
// in it.
func (rec *Recording) View() turn.View {
	f := newFollower()
	f.in = &reader{rec: rec}
	f.session.Counts = rec.Others
	for _, q := range rec.Requests {
		if q.Turn != nil {
			f.turn(q)
		}
	}
	return f.View(false)
}

// Path returns the path of the file.
func (f *Follower) Path() string { return f.file.Name() }

// Close closes the file.
func (f *Follower) Close() error { return f.file.Close() }

// Look reads what has come, and returns a number that changes with it. A damaged line is left out.
func (f *Follower) Look() uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	for n := -1; n < f.in.n && f.in.more(false) != nil; {
		n = f.in.n
	}
	f.take()
	return f.version
}

// take gives the session the turns with new lines.
func (f *Follower) take() {
	if len(f.in.changed) == 0 {
		return
	}
	f.version++
	for id := range f.in.changed {
		if q := f.in.byID[id]; q != nil && q.Turn != nil {
			f.turn(q)
		}
	}
	clear(f.in.changed)
	f.session.Counts = f.in.rec.Others
}

// turn gives the session q as it is now. Of one that has ended only the run stays.
func (f *Follower) turn(q *Recorded) {
	s := f.running[q.ID]
	if f.runs[q.ID] == nil {
		s = newStream(q)
		f.running[q.ID] = s
	}
	if s != nil {
		s.grow()
		v := s.Final()
		f.runs[q.ID] = &metrics.Run{Stream: v, Figures: metrics.Measure(&v, metrics.Options{})}
		f.last = max(f.last, s.Last())
		if q.Start.Known() && !q.Wall.IsZero() {
			f.offset = q.Start - metrics.Stamp(q.Wall.UnixNano())
		}
	}
	if q.End != nil {
		delete(f.running, q.ID)
		q.Events, q.Joined, q.Attempts = nil, nil, nil
	}
	t := *q.Turn
	t.Run = f.runs[q.ID]
	f.session.Add(t)
	q.Turn.Blocks = nil // the session has them
}

// Recording returns what the file says of the tap. Its requests have lost what View has.
func (f *Follower) Recording() *Recording { return f.in.rec }

// Ended reports whether the tap has written that it ended.
func (f *Follower) Ended() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.in.rec.Ended.Known()
}

// Now returns the moment on the clock of the file: of a tap that runs that of the wall clock,
// else the last that the file knows.
func (f *Follower) Now(live bool) metrics.Stamp {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now(live)
}

func (f *Follower) now(live bool) metrics.Stamp {
	now := max(f.last, f.in.rec.Ended)
	if live && f.offset != 0 {
		now = max(now, metrics.Stamp(time.Now().UnixNano())+f.offset)
	}
	return now
}

// View returns the turns so far. live: the tap runs, so that what has not ended goes on.
func (f *Follower) View(live bool) turn.View {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.now(live)
	if live {
		for id := range f.running {
			run := *f.runs[id]
			run.Stream.Now = now
			t := *f.in.byID[id].Turn
			t.Run = &run
			f.session.Add(t)
		}
	}
	return f.session.View(now, live)
}
