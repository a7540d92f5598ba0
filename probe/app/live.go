package app

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync/atomic"

	"tokscope/metrics"
	"tokscope/probe/client"
	"tokscope/probe/result"
	"tokscope/probe/transport"
)

// maxRuns and maxRunBytes bound the ended runs in memory: their number, and the
// size of their chunks and texts. Older ones remain in the recording. The newest
// is always kept.
const (
	maxRuns     = 200
	maxRunBytes = 64 << 20
)

// newest returns the last runs within the bounds.
func newest(runs []metrics.Run, most int) []metrics.Run {
	size := 0
	for i := len(runs) - 1; i >= 0; i-- {
		size += runs[i].Size()
		if i < len(runs)-1 && (size > most || len(runs)-i > maxRuns) {
			return runs[i+1:]
		}
	}
	return runs
}

// Live is the backend of the Live screen: one stream at a time, and the runs so
// far.
type Live struct {
	*base
	current *client.Stream // nil before any
	runs    []metrics.Run  // replaced, never changed: readers hold it without the lock
	left    int            // older runs that were dropped
	asked   *atomic.Bool   // the history, about current
	others  *client.Engine // of other users; nil before any
	closed  bool           // no other user comes any more, and nothing is asked
	// ended adds a run to the history.
	ended func(*metrics.Stream, *metrics.Figures)
}

// Begin cancels the running request and starts one with w.
func (s *Live) Begin(w metrics.Workload) {
	s.mu.Lock()
	if s.current != nil {
		s.current.Cancel()
	}
	if w.Nonce == "" { // the first one as well: an earlier run of this program may have sent it
		w.Nonce = client.Nonce(rand.Uint32())
	}
	st := s.o.Engine.Start(context.Background(), s.target, w)
	asked := &atomic.Bool{}
	s.current, s.asked = st, asked
	s.version++
	notify := s.o.Notify
	s.wg.Add(1)
	s.mu.Unlock()
	go func() {
		defer s.wg.Done()
		<-st.Done()
		run := st.Run(metrics.Pace{})
		s.ended(&run.Stream, &run.Figures)
		s.keep(run)
		notify()
		if asked.CompareAndSwap(false, true) {
			s.askUsual(st)
		} else if v := st.Snapshot(); v.Usual != nil {
			s.noteUsual(&v)
		}
	}()
	notify()
}

// askUsual asks the history what is usual for st, once the connection is known or st has
// ended. It reads the disk: never on the goroutine of the screen.
func (s *Live) askUsual(st *client.Stream) {
	if s.o.Stored == nil {
		return
	}
	if undo, err := transport.Background(); err == nil {
		defer undo()
	}
	v := st.Snapshot()
	u := s.o.Stored.Usual(&v)
	v.Usual = &u
	st.SetUsual(&u)
	s.noteUsual(&v)
	s.notify()
}

// noteUsual gives the kept run of v, if there is one, its Usual.
func (s *Live) noteUsual(v *metrics.Stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.IndexFunc(s.runs, func(r metrics.Run) bool { return r.Stream.ID == v.ID }); i >= 0 {
		s.runs = slices.Clone(s.runs)
		s.runs[i].Stream.Usual = v.Usual
	}
	s.version++
}

// keep adds an ended run, and drops the oldest beyond the bounds.
func (s *Live) keep(run metrics.Run) {
	s.mu.Lock()
	defer s.mu.Unlock()
	// A new slice each time: the interface reads the old one without a lock.
	kept := newest(append(s.runs[:len(s.runs):len(s.runs)], run), maxRunBytes)
	s.left += len(s.runs) + 1 - len(kept)
	s.runs = append(make([]metrics.Run, 0, len(kept)), kept...)
	s.version++
}

// Stop ends the running request.
func (s *Live) Stop() {
	if st := s.stream(); st != nil {
		st.Cancel()
	}
}

// stream returns the current or last stream, nil before any.
func (s *Live) stream() *client.Stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current
}

// Curl returns the current or last request as a command for a shell, without
// its key; "" before any was sent.
func (s *Live) Curl() string {
	if st := s.stream(); st != nil {
		return st.Curl()
	}
	return ""
}

// Version changes whenever Snapshot or Runs would differ.
func (s *Live) Version() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.version + s.o.Engine.Version()
}

// Snapshot returns the current or last stream.
func (s *Live) Snapshot() metrics.Stream {
	s.mu.Lock()
	st, asked := s.current, s.asked
	s.mu.Unlock()
	if st != nil {
		v := st.Snapshot()
		if v.Marks.Sent.Known() && asked.CompareAndSwap(false, true) {
			s.mu.Lock()
			if !s.closed {
				s.wg.Go(func() { s.askUsual(st) })
			}
			s.mu.Unlock()
		}
		return v
	}
	return metrics.NoStream(s.Now())
}

// Runs returns the ended requests, oldest first; read only.
func (s *Live) Runs() []metrics.Run {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.runs
}

// RunsLeftOut returns how many older runs Runs no longer has.
func (s *Live) RunsLeftOut() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.left
}

// Observer returns the program's own lag over the last seconds.
func (s *Live) Observer() metrics.Observer { return s.o.Engine.Observer() }

// Save writes the ended runs as one JSON document beside the recording, with a
// summary for each group of equal conditions.
func (s *Live) Save(ctx context.Context) (string, error) {
	runs := s.Runs()
	if len(runs) == 0 {
		return "", errors.New("nothing to save yet: no request has ended")
	}
	doc := result.SessionDocumentOf(s.o.Version, runs, s.o.Sentences)
	return s.write(".json", doc.Write)
}
