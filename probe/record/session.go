package record

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"tokscope/metrics"
	"tokscope/probe/client"
)

// SessionSchema names the format of a session file.
const SessionSchema = "tokscope/session/v1"

// flushAfter is how long a line may wait in memory before it is written: what
// a kill -9 can lose. Longer saves nothing worth it.
const flushAfter = 100 * time.Millisecond

// maxDetailed is up to how many concurrent requests every event is recorded.
// Above it only the beginning and the end of each request are: 64 streams of
// 100 events a second would write 2 MB/s.
const maxDetailed = 16

// File is the append-only recording of one run of the program: a Sink.
// Errors of the disk do not stop a measurement: the first one is kept for Err.
type File struct {
	path string

	mu       sync.Mutex
	f        *os.File
	w        *bufio.Writer
	l        line
	err      error
	dirty    *time.Timer
	armed    bool
	detailed map[int]bool // requests recorded without their events
	closed   bool
	loads    int // begun so far
	sealed   sync.WaitGroup
}

// Create makes a new session file in dir (made if needed, readable by its
// owner alone) and writes its head. The name holds the moment and the process,
// so that two programs never share a file.
func Create(dir, version string, o time.Time) (*File, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder for recordings: %w", err)
	}
	name := fmt.Sprintf("session-%s-%d.ndjson", o.UTC().Format("20060102-150405.000"), os.Getpid())
	path := filepath.Join(dir, name)
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("create the recording: %w", err)
	}
	s := &File{path: path, f: f, w: bufio.NewWriterSize(f, 64<<10), detailed: map[int]bool{}}
	s.l.begin("session")
	s.l.str("schema", SessionSchema)
	s.l.str("version", version)
	s.l.str("started", o.UTC().Format(time.RFC3339Nano))
	s.l.str("system", runtime.GOOS+"/"+runtime.GOARCH)
	s.write()
	s.flush()
	return s, s.err
}

// Path returns the file's path.
func (s *File) Path() string { return s.path }

// Err is the first error of the disk, nil while all went well.
func (s *File) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// Begin implements probe.Sink.
func (s *File) Begin(v metrics.Stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	light := v.Work.Concurrency > maxDetailed
	if light {
		s.detailed[v.ID] = true
	}
	s.l.begin("request")
	s.l.int("id", int64(v.ID))
	s.l.stamp("start_ns", v.Marks.Start)
	s.l.str("wall", v.Wall.UTC().Format(time.RFC3339Nano))
	s.l.bool("events_recorded", !light)
	s.l.any("endpoint", endpointOf(v.Endpoint))
	s.l.any("workload", workloadOf(v.Work))
	s.write()
	s.flush()
}

// Event implements probe.Sink.
func (s *File) Event(f *client.Folded) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.detailed[f.ID] {
		return
	}
	ev := f.Event
	kind := "event"
	if ev.Comment {
		kind = "comment"
	}
	s.l.begin(kind)
	s.l.int("id", int64(f.ID))
	s.l.stamp("at_ns", ev.At)
	s.l.stamp("user_ns", ev.User)
	s.l.int("read", int64(ev.Read))
	s.l.int("bytes", int64(ev.Bytes))
	s.l.str("stamp", stampWord(ev.Kernel))
	if len(ev.Name) > 0 {
		s.l.bytes("name", ev.Name)
	}
	if ev.Field != "" {
		s.l.str("field", ev.Field)
	}
	s.l.bytes("data", ev.Data)
	s.write()
}

// stampWord returns the word for the source of one stamp.
func stampWord(kernel bool) string {
	if kernel {
		return metrics.SourceKernel.String()
	}
	return metrics.SourceUser.String()
}

// Flush implements probe.Sink: what was written reaches the disk within flushAfter.
func (s *File) Flush() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.armed || s.closed || s.w.Buffered() == 0 {
		return
	}
	s.armed = true
	s.sealed.Add(1)
	s.dirty = time.AfterFunc(flushAfter, func() {
		defer s.sealed.Done()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.armed = false
		s.flush()
	})
}

// End implements probe.Sink.
func (s *File) End(v metrics.Stream) {
	f := metrics.Measure(&v, metrics.Options{})
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.detailed, v.ID)
	s.l.begin("end")
	s.l.int("id", int64(v.ID))
	s.l.any("request", RequestOf(&v, &f))
	s.write()
	s.flush()
}

// Close writes what is left and closes the file. It returns the first error of
// the session.
func (s *File) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return s.err
	}
	s.closed = true
	if s.armed && s.dirty.Stop() {
		s.armed = false
		s.sealed.Done()
	}
	s.flush()
	if err := s.f.Close(); err != nil && s.err == nil {
		s.err = err
	}
	s.mu.Unlock()
	s.sealed.Wait()
	return s.Err()
}

// write moves the finished line into the buffer: s.mu is held.
func (b *File) write() {
	b.l.end()
	if b.err == nil && (!b.closed) {
		if _, err := b.w.Write(b.l.b); err != nil {
			b.err = fmt.Errorf("write the recording: %w", err)
		}
	}
	b.l.b = b.l.b[:0]
}

// flush hands the buffer to the system: s.mu is held.
func (s *File) flush() {
	if err := s.w.Flush(); err != nil && s.err == nil {
		s.err = fmt.Errorf("write the recording: %w", err)
	}
}

var _ io.Closer = (*File)(nil)
