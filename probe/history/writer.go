package history

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/history"
	"tokscope/metrics/loadstat"
	"tokscope/probe/transport"
)

// Bounds of a Writer.
const (
	// mostWaiting is the number of entries that may wait for the disk, some 8 MB.
	// Further ones are counted, not written.
	mostWaiting = 8192
	// gather is the time over which entries are gathered for one write. A kill -9
	// loses at most that much.
	gather = 50 * time.Millisecond
	// maintainEvery is the time between two searches for changes in a program that
	// goes on.
	maintainEvery = time.Minute
	// pruneWithin bounds the wait for a pruning at the end of the program.
	pruneWithin = 10 * time.Second
)

// Source says what the entries of a Writer come from.
type Source struct {
	Version string // of tokscope
	Session string // path of the session file; "" without one
}

// Writer writes entries on a goroutine of its own, so that adding one never waits
// for the disk, for another process or for a search. It is safe for concurrent use.
// The owner must close it. A nil Writer writes nothing.
type Writer struct {
	store *Store
	from  Source
	key   func() []byte // of digests; read when it is first needed

	wake    chan struct{}
	quit    chan struct{}
	stopped chan struct{}
	start   sync.Once

	mu      sync.Mutex
	waiting []*waitingEntry // pointers: a thousand requests may end in a moment, and growing copies all
	lost    int             // entries without room
	err     error           // of the last write, nil when it went well
	closed  bool
	until   time.Time                         // of the last search, once it is closed
	series  map[history.Series]history.Series // the last with a protocol, by the same without
}

// waitingEntry is an entry with what its digest is made from: the prompt may be
// long, and the key has to be read.
type waitingEntry struct {
	history.Entry
	work metrics.Workload
}

// NewWriter returns a Writer into s. It creates nothing before the first entry.
func NewWriter(s *Store, from Source) *Writer {
	return &Writer{
		store: s, from: from, key: sync.OnceValue(s.readSalt), wake: make(chan struct{}, 1),
		quit: make(chan struct{}), stopped: make(chan struct{}),
		series: map[history.Series]history.Series{},
	}
}

// Store returns the store, nil for a nil Writer.
func (w *Writer) Store() *Store {
	if w == nil {
		return nil
	}
	return w.store
}

// NewGroup returns a name for the requests of one invocation.
func NewGroup() string { return rand.Text() }

// Runs returns what adds ended requests of that kind, as one group.
func (w *Writer) Runs(kind history.Kind) func(v *metrics.Stream, f *metrics.Figures) {
	group := NewGroup()
	return func(v *metrics.Stream, f *metrics.Figures) { w.Run(kind, group, v, f) }
}

// Run adds an ended request.
func (w *Writer) Run(kind history.Kind, group string, v *metrics.Stream, f *metrics.Figures) {
	if w == nil || !v.State.Ended() {
		return
	}
	e := entryOf(w.store.Machine, v, f)
	e.Kind = kind
	w.add(e, &v.Work, group)
}

// Point adds a point of a load on e, whose window began at that moment.
func (w *Writer) Point(group string, e *metrics.Endpoint, work *metrics.Workload, p *loadstat.Point, at time.Time) {
	if w == nil {
		return
	}
	if entry, ok := pointOf(w.store.Machine, e, work, p, at); ok {
		w.add(entry, work, group)
	}
}

// add queues e. It never waits.
func (w *Writer) add(e history.Entry, work *metrics.Workload, group string) {
	e.Group, e.Version = group, w.from.Version
	if e.Session = w.from.Session; e.Session == "" {
		e.Request = 0
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed || len(w.waiting) >= mostWaiting {
		w.lost++
		return
	}
	w.waiting = append(w.waiting, &waitingEntry{e, *work})
	w.start.Do(func() { go w.write() })
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// write writes what waits until the Writer is closed.
func (w *Writer) write() {
	defer close(w.stopped)
	// A search takes a processor for a while: streams come first.
	if undo, err := transport.Background(); err == nil {
		defer undo()
	}
	var maintained time.Time
	for closing := false; !closing; {
		select {
		case <-w.wake:
			select {
			case <-time.After(gather):
			case <-w.quit:
				closing = true
			}
		case <-w.quit:
			closing = true
		}
		if !w.flush() {
			continue
		}
		if now := time.Now(); closing || now.Sub(maintained) >= maintainEvery {
			w.failed(w.store.Maintain(w.ending))
			maintained = now
		}
	}
}

// ending reports whether searches end.
func (w *Writer) ending() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.closed && time.Now().After(w.until)
}

func (w *Writer) failed(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.err = err
}

// flush appends what waits, and reports whether that went well. Else the entries go
// on waiting: a full disk may have room again.
func (w *Writer) flush() bool {
	w.mu.Lock()
	batch := w.waiting
	w.waiting = nil
	w.mu.Unlock()
	if len(batch) == 0 {
		return true
	}
	entries := make([]history.Entry, len(batch))
	for i := range batch {
		e := &batch[i].Entry
		e.Series.Prompt = digest(w.key, &batch[i].work)
		w.complete(e)
		entries[i] = *e
	}
	err := w.store.Append(entries...)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.err = err
	if err != nil {
		w.waiting = append(batch, w.waiting...)
		if more := len(w.waiting) - mostWaiting; more > 0 {
			w.waiting, w.lost = w.waiting[:mostWaiting], w.lost+more
		}
	}
	return err == nil
}

// complete gives a request that failed before its model was found, before a connection,
// or before an answer that names its tier, the model, protocol, proxy and tier of the
// last one like it: a failure belongs to the series that it is missing in.
func (w *Writer) complete(e *history.Entry) {
	s, bare := &e.Series, bareSeries(e.Series)
	if s.Proto != "" && (s.Tier != "" || e.State == metrics.Done) {
		w.series[bare] = *s
		bare.Model = ""
		w.series[bare] = *s
		return
	}
	like, ok := w.series[bare]
	if !ok {
		like, ok = w.store.like(bare)
	}
	if !ok {
		return
	}
	if s.Proto == "" {
		s.Proto, s.Proxy = like.Proto, like.Proxy
	}
	s.Model, s.Tier = cmp.Or(s.Model, like.Model), like.Tier
}

// bareSeries is s without what only an answer tells.
func bareSeries(s history.Series) history.Series {
	s.Proto, s.Proxy, s.Tier = "", "", ""
	return s
}

// like returns the series measured last that bare is without what only an answer tells,
// and without a model where bare has none.
func (s *Store) like(bare history.Series) (found history.Series, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refresh() != nil {
		return found, false
	}
	last := int64(0)
	for n, series := range s.table.series.list {
		rows := s.series[n].rows
		known := bareSeries(series)
		if bare.Model == "" {
			known.Model = ""
		}
		if known != bare || series.Proto == "" || len(rows) == 0 {
			continue
		}
		if at := s.table.at(rows[len(rows)-1]); !ok || at > last {
			found, last, ok = series, at, true
		}
	}
	return found, ok
}

// Close writes what waits and what is due, for at most that long; only a pruning, which
// is due once in some 30,000 entries, may take up to pruneWithin. The error says how many
// entries the history lacks and why.
func (w *Writer) Close(within time.Duration) error {
	if w == nil {
		return nil
	}
	w.mu.Lock()
	first := !w.closed
	if w.closed = true; first {
		w.until = time.Now().Add(within / 2)
	}
	w.mu.Unlock()
	if first {
		close(w.quit)
	}
	w.start.Do(func() { close(w.stopped) }) // nothing was added
	t := time.NewTimer(within)
	defer t.Stop()
	select {
	case <-w.stopped:
	case <-t.C:
		if w.store.rewriting.Load() { // cut short it would begin anew each time
			select {
			case <-w.stopped:
			case <-time.After(pruneWithin):
			}
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	missing := len(w.waiting) + w.lost
	switch {
	case missing == 0:
		return w.err
	case w.err == nil:
		w.err = errors.New("the disk is too slow")
	}
	return fmt.Errorf("the history lacks %d of the measured requests: %w", missing, w.err)
}
