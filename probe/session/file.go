package session

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/turn"
	"tokscope/probe/client"
	"tokscope/probe/files"
	"tokscope/probe/path"
	"tokscope/probe/result"
	"tokscope/probe/sse"
	"tokscope/probe/transport"
)

// SessionSchema names the format of a session file.
const SessionSchema = "tokscope/session/v1"

// Rates and bounds of a session file.
const (
	// writePause is the longest wait of a line in memory before it is written.
	// With the engine's own delay, a kill -9 loses at most 100 ms.
	writePause = 50 * time.Millisecond
	// fileRoom is the number of bytes of events and reads that may wait for the
	// disk. fileReserve is the number of further bytes for other lines. That is
	// some 25,000 events, and the ends of some 1000 requests.
	fileRoom, fileReserve = 8 << 20, 8 << 20
	// closeWithin bounds the wait for the disk at the end of the program.
	closeWithin = 5 * time.Second
	// maxDetailed is the number of concurrent requests up to which every event
	// is recorded. Above it only the beginning and the end of each request are:
	// 64 streams of 100 events a second would write 4 MB/s.
	maxDetailed = 16
)

// slowDisk and limitReached are the reasons for dropped lines in a session
// file, incompleteCode is the code of their note.
const (
	slowDisk       = "the recording is incomplete: the disk was too slow"
	limitReached   = "the recording is incomplete: its file has reached its limit"
	incompleteCode = "recording_incomplete"
)

// recordingName names a session file in errors.
const recordingName = "the recording"

// File is the append-only recording of one run of the program: a
// client.Recorder. Only Create and Close wait for the disk. Errors of the
// disk do not stop a measurement: the first one is kept for Err.
type File struct {
	Sentences result.Sentences // of its requests and loads; set before the first one begins

	path  string
	raw   bool
	share *sharer // of a file without texts; nil: they are kept
	f     *os.File

	mu       sync.Mutex
	journal  journal
	request  result.Request // scratch of End
	ended    metrics.Stream // likewise
	begun    map[int]bool   // running requests whose first line is recorded
	detailed map[int]*told  // those with recorded events
	parts    map[int]*Load  // of running requests of a load
	loads    []*Load        // by number, from 1
	closed   bool
	limit    limit
}

// Options of a session file.
type Options struct {
	Version string // of the program
	Started time.Time
	Raw     bool  // record the bytes of the bodies
	Limit   int64 // of the file, in bytes; 0: none
	// Tap says what a tap stands between, whose requests these are; nil: they are
	// tokscope's own. Without Texts no line of it has a text, not even a path with one.
	Tap   *turn.Tapped
	Texts bool
}

// Create creates a new session file in dir and writes its head. It creates
// dir if needed, readable only by its owner. The name contains the time and
// the process, so that two programs never share a file.
func Create(dir string, o Options) (*File, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder for recordings: %w", err)
	}
	name := fmt.Sprintf("session-%s-%d.ndjson", o.Started.UTC().Format("20060102-150405.000"), os.Getpid())
	path := filepath.Join(dir, name)
	f, err := files.Create(path)
	if err != nil {
		return nil, fmt.Errorf("create the recording: %w", err)
	}
	var l line
	texts := TextsKept
	if o.Tap != nil && !o.Texts {
		texts = TextsFixed
	}
	l.head(o.Version, o.Started, runtime.GOOS+"/"+runtime.GOARCH, o.Raw, texts)
	if o.Tap != nil {
		l.any("tap", o.Tap)
	}
	l.end()
	if _, err := f.Write(l.b); err != nil {
		_, _ = f.Close(), os.Remove(path)
		return nil, fmt.Errorf("write the recording: %w", err)
	}
	s := newFile(f, recordingName, o.Raw, fileRoom, fileReserve)
	s.path = path
	s.limit.bytes = o.Limit
	if texts == TextsFixed {
		s.share, s.journal.say = &sharer{tap: true}, nil
	}
	return s, nil
}

// newFile records into out, which is called what in errors.
func newFile(out io.Writer, what string, raw bool, room, reserve int) *File {
	s := &File{raw: raw, begun: map[int]bool{}, detailed: map[int]*told{}, parts: map[int]*Load{}}
	s.f, _ = out.(*os.File)
	s.journal = journal{out: newBacklog(out, what, writePause, room, reserve), gaps: map[int]*omission{}}
	s.journal.say, s.limit.cut = &s.Sentences, map[int]bool{}
	return s
}

// Path returns the file's path.
func (s *File) Path() string { return s.path }

// Await returns when everything recorded so far is written, at the latest after
// limit.
func (s *File) Await(limit time.Duration) {
	t := time.NewTimer(limit)
	defer t.Stop()
	s.journal.out.flush(t.C)
}

func (s *File) Begin(v metrics.Stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.limit.requests(s.journal.written) {
		s.limit.unrecorded++
		return
	}
	details := s.limit.details(s.journal.written)
	if !details {
		s.limit.bare++
	}
	s.begin(&v, details && s.wantsEvents(&v))
}

// begin records that v begins, with its events or without.
func (s *File) begin(v *metrics.Stream, details bool) {
	j := &s.journal
	if details {
		s.detailed[v.ID] = &told{usage: metrics.NoUsage(), in: metrics.InReasoningContent}
	}
	j.of("request", v.ID)
	if v.Load > 0 {
		j.int("load", int64(v.Load))
	}
	j.stamp("start_ns", v.Marks.Start)
	j.str("wall", v.Wall.UTC().Format(time.RFC3339Nano))
	j.bool("events_recorded", details)
	j.any("endpoint", s.shown(v.Endpoint))
	j.any("workload", s.shown(v.Work))
	if s.begun[v.ID] = j.firm(); !s.begun[v.ID] { // without its begin the rest is not recorded
		delete(s.detailed, v.ID)
		s.forgetPart(v.ID)
	}
}

func (s *File) Detail(id int) client.Detail {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.detailed[id] == nil:
		return client.DetailEnds
	case s.raw:
		return client.DetailBytes
	}
	return client.DetailEvents
}

// firm records a line of request id, of a moment, whose further fields more writes;
// nothing where the request's begin is not recorded.
func (s *File) firm(kind string, id int, at metrics.Stamp, more func(*journal)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.begun[id] {
		return
	}
	j := &s.journal
	j.of(kind, id)
	j.stamp("at_ns", at)
	more(j)
	j.firm()
}

func (s *File) Sent(id int, at metrics.Stamp) { s.firm("sent", id, at, func(*journal) {}) }

func (s *File) Head(id int, h *client.Head) {
	if s.share != nil {
		h = &client.Head{At: h.At, Status: h.Status, Proto: word("protocol", h.Proto), Headers: sharedHeaders}
	}
	s.firm("head", id, h.At, func(j *journal) {
		j.int("status", int64(h.Status))
		j.str("protocol", h.Proto)
		j.any("headers", h.Headers)
		if len(h.Withheld) > 0 {
			j.any("headers_left_out", h.Withheld)
		}
	})
}

func (s *File) Event(f *client.Folded) {
	s.mu.Lock()
	defer s.mu.Unlock()
	told := s.detailed[f.ID]
	if told == nil {
		return
	}
	j, ev := &s.journal, f.Event
	if s.share != nil {
		var chunks []JoinedChunk
		var also sharedParts
		for i := range f.Chunks {
			chunks = append(chunks, s.share.chunk(&f.Chunks[i], f.Texts[i]))
		}
		comment := ev.Comment || string(ev.Name) == "ping"
		if !comment {
			also = told.parts(f.Finish, f.Usage)
		}
		s.bareEvent(f.ID, ev, comment, chunks, also)
		s.addDetail(f.ID, LeftOut{Events: 1})
		return
	}
	kind := "event"
	if ev.Comment {
		kind = "comment"
	}
	j.of(kind, f.ID)
	j.arrival(ev.At, ev.User, ev.Read, ev.Bytes, ev.Kernel)
	if len(ev.Name) > 0 {
		j.bytes("name", ev.Name)
	}
	if ev.Field != "" {
		j.str("field", ev.Field)
	}
	j.bytes("data", ev.Data)
	if f.Joined {
		j.any("chunks", joinedOf(f))
	}
	s.addDetail(f.ID, LeftOut{Events: 1})
}

func (s *File) Read(id int, r *transport.Read) {
	s.mu.Lock()
	defer s.mu.Unlock()
	bytes := r.Bytes
	if told := s.detailed[id]; s.share != nil && told != nil {
		bytes, told.bytes = s.share.size(bytes, max(told.bytes, 1)), 0
	}
	s.journal.of("read", id)
	s.journal.arrival(r.At, r.User, r.Number, bytes, r.Kernel)
	s.addDetail(id, LeftOut{Reads: 1})
}

func (s *File) Body(id int, data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	j := &s.journal
	j.of("body", id)
	j.key("data")
	j.b = append(j.b, '"')
	j.b = base64.StdEncoding.AppendEncode(j.b, data)
	j.b = append(j.b, '"')
	s.addDetail(id, LeftOut{Body: len(data)})
}

func (s *File) PathEvent(id int, sent metrics.Stamp, e *path.Event) {
	s.firm("path", id, e.At, func(j *journal) {
		j.str("what", string(e.Kind))
		switch {
		case e.Gap != nil:
			j.any("gap", s.shown(result.PathGapOf(e.Gap)))
		case e.Connect != nil:
			j.any("connect", s.shown(result.PathConnectOf(e.Connect, sent)))
		default:
			j.any("counts", s.shown(result.PathCounts(e.Path, sent)))
		}
	})
}

// addDetail ends a line of request id that may be dropped: s.mu is held.
func (s *File) addDetail(id int, count LeftOut) {
	s.journal.end()
	if !s.limit.details(s.journal.written) {
		if !s.limit.cut[id] {
			s.limit.cut[id] = true
			s.limit.bare++
		}
		s.journal.omit(id, count)
		return
	}
	if part := s.parts[id]; part != nil {
		part.bytes += len(s.journal.b)
	}
	s.journal.detail(id, count)
}

// arrival adds the arrival of an event or a read.
func (l *line) arrival(at, user metrics.Stamp, read, bytes int32, kernel bool) {
	l.stamp("at_ns", at)
	l.stamp("user_ns", user)
	l.int("read", int64(read))
	l.int("bytes", int64(bytes))
	l.str("stamp", stampWord(kernel))
}

// stampWord returns the word for the source of one stamp.
func stampWord(kernel bool) string {
	if kernel {
		return metrics.SourceKernel.String()
	}
	return metrics.SourceUser.String()
}

func (s *File) Lost(id int) (metrics.Note, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if begun, ours := s.begun[id]; ours && !begun && s.journal.out.fault() == nil {
		return metrics.Note{Code: incompleteCode, Text: slowDisk + ": nothing of this request is recorded"}, true
	}
	why := slowDisk
	if s.limit.cut[id] {
		why = limitReached
	}
	return s.journal.note(id, incompleteCode, why)
}

func (s *File) End(v metrics.Stream, f *metrics.Figures) {
	s.mu.Lock()
	defer s.mu.Unlock()
	begun := s.begun[v.ID]
	delete(s.begun, v.ID)
	delete(s.limit.cut, v.ID)
	if !begun {
		return
	}
	told := s.detailed[v.ID]
	s.forgetPart(v.ID)
	j := &s.journal
	if s.share != nil && told != nil && told.chunks < len(v.Chunks) { // the end of the response had some more
		c, chunks := &v.Chunks[told.chunks], []JoinedChunk(nil)
		for i := told.chunks; i < len(v.Chunks); i++ {
			chunks = append(chunks, s.share.chunk(&v.Chunks[i], v.ChunkText(i)))
		}
		s.bareEvent(v.ID, &sse.Event{At: c.At, User: c.User, Read: c.Read, Kernel: c.Kernel}, false, chunks, sharedParts{})
		j.firm()
	}
	delete(s.detailed, v.ID)
	j.close(v.ID)
	j.of("end", v.ID)
	s.ended = v
	s.request = result.RequestOf(&s.ended, f)
	if s.share != nil {
		j.any("request", s.share.end(v.ID, &s.request, f))
	} else {
		j.any("request", &s.request)
	}
	s.request, s.ended = result.Request{}, metrics.Stream{}
	j.firm()
}

// Close writes the rest, for at most closeWithin, and closes the file. It
// returns the first error of the session, or an error about dropped parts.
func (s *File) Close() error {
	s.mu.Lock()
	missing := s.journal.incomplete(slowDisk)
	if why := s.limit.reached(); why != "" {
		missing = errors.New(why)
		if !s.closed {
			s.journal.begin("limit")
			s.journal.int("bytes", s.limit.bytes)
			s.journal.int("requests_without_events", int64(s.limit.bare))
			s.journal.int("requests_left_out", int64(s.limit.unrecorded))
			s.journal.firm()
		}
	}
	if lost := s.journal.lost; lost > 0 && !s.closed {
		s.journal.begin("left_out")
		s.journal.int("lines", int64(lost))
		s.journal.firm()
	}
	already := s.closed
	s.closed = true
	s.mu.Unlock()
	err := s.journal.out.close(time.After(closeWithin))
	if !already {
		select {
		case <-s.journal.out.stopped:
			if cerr := s.f.Close(); err == nil {
				err = cerr
			}
		default: // the disk still blocks the writer
		}
	}
	if err == nil {
		err = missing
	}
	return err
}

var (
	_ io.Closer       = (*File)(nil)
	_ client.Recorder = (*File)(nil)
	_ client.Lossy    = (*File)(nil)
)
