package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/client"
	"tokscope/probe/endpoint"
	"tokscope/probe/sse"
	"tokscope/probe/transport"
)

// pipe is a writer that blocks until it is opened.
type pipe struct {
	open chan struct{}
	mu   sync.Mutex
	got  bytes.Buffer
}

func newPipe() *pipe { return &pipe{open: make(chan struct{})} }

func (p *pipe) Write(data []byte) (int, error) {
	<-p.open
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.got.Write(data)
}

func (p *pipe) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.got.String()
}

// A backlog writes what it accepted once, complete and in order, with any
// pauses of the callers and of the writer.
func TestBacklogWritesWhatItTook(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pause := rapid.SampledFrom([]time.Duration{0, 100 * time.Microsecond}).Draw(t, "pause")
		room := rapid.IntRange(50, 2000).Draw(t, "room")
		p := newPipe()
		b := newBacklog(p, "it", pause, room, room)
		opened := rapid.IntRange(0, 40).Draw(t, "opened")
		var want strings.Builder
		for i := range 40 {
			if i == opened {
				close(p.open)
			}
			n := rapid.IntRange(0, 300).Draw(t, "size")
			line := fmt.Sprintf("%d %s\n", i, strings.Repeat("x", n))
			if b.add([]byte(line), rapid.Bool().Draw(t, "detail")) {
				want.WriteString(line)
			}
			if rapid.Bool().Draw(t, "rest") {
				time.Sleep(20 * time.Microsecond)
			}
		}
		if opened == 40 {
			close(p.open)
		}
		testkit.OK(t, b.close(nil))
		testkit.Is(t, p.String(), want.String(), "written")
		testkit.That(t, !b.add([]byte("late"), false), "a closed backlog took something")
	})
}

// No caller waits for a blocked writer, the queue is bounded, and a close
// that gives up reports it.
func TestBacklogOfAStuckWriter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPipe()
		b := newBacklog(p, "the recording", writePause, 1000, 500)
		line := bytes.Repeat([]byte("y"), 100)
		details, others := 0, 0
		for range 100 {
			if b.add(line, true) {
				details++
			}
		}
		for range 100 {
			if b.add(line, false) {
				others++
			}
		}
		testkit.That(t, details == 10 && others == 5, "%d details and %d other lines wait, want 10 and 5", details, others)
		err := b.close(time.After(closeWithin))
		testkit.Refuses(t, err, "gave up, the last 1500 bytes")
		close(p.open)
		<-b.stopped
	})
}

// What waits takes its own size and a block, and nothing is copied to make room:
// a slice that grew took five times as much until the next collection.
func TestBacklogTakesWhatWaits(t *testing.T) {
	p := newPipe()
	b := newBacklog(p, "it", time.Hour, 16<<20, 0)
	line := bytes.Repeat([]byte("y"), 400)
	taken := 0
	took := testkit.Allocated(func() {
		for b.add(line, true) {
			taken += len(line)
		}
	})
	if most := uint64(taken + taken/4); took > most || taken < 15<<20 {
		t.Errorf("%d bytes that wait took %d, at most %d", taken, took, most)
	}
	close(p.open)
	if err := b.close(nil); err != nil || len(p.String()) != taken {
		t.Errorf("%d of %d bytes are written, %v", len(p.String()), taken, err)
	}
}

// Much that waits ends the pause between two writes, a little does not.
func TestBacklogHurries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPipe()
		close(p.open)
		b := newBacklog(p, "it", time.Hour, 16<<20, 0)
		line := bytes.Repeat([]byte("y"), 1<<10)
		want := 0
		add := func(n int) {
			t.Helper()
			for range n {
				testkit.Given(t, b.add(line, true), "no room")
			}
			synctest.Wait()
			testkit.Is(t, len(p.String()), want, "bytes are written")
		}
		want = len(line)
		add(1) // the first write is at once, then there is a pause
		add(hurryBytes/len(line) - 1)
		want += hurryBytes
		add(1)
		want += len(line)
		testkit.OK(t, b.close(nil))
	})
}

// A full backlog accepts details again once half of its room is free.
func TestBacklogTakesAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPipe()
		b := newBacklog(p, "it", 0, 1000, 0)
		line := bytes.Repeat([]byte("y"), 100)
		for b.add(line, true) {
		}
		synctest.Wait()
		close(p.open)
		synctest.Wait()
		testkit.That(t, b.add(line, true), "an empty backlog takes nothing")
		err := b.close(nil)
		testkit.That(t, err == nil && len(p.String()) == 1100, "%d bytes, %v", len(p.String()), err)
	})
}

// failing is a writer with a full disk, or with a bug.
type failing struct{ panics bool }

func (f failing) Write([]byte) (int, error) {
	if f.panics {
		panic("index out of range")
	}
	return 0, errors.New("no space left on device")
}

func TestBacklogKeepsTheFirstError(t *testing.T) {
	for panics, want := range map[bool]string{false: "write it: no space left on device",
		true: "write it: a bug in tokscope: index out of range"} {
		b := newBacklog(failing{panics}, "it", 0, 1000, 0)
		b.add([]byte("a"), false)
		err := b.close(nil)
		testkit.That(t, err != nil && err.Error() == want && b.fault() == err, "%v, want %s", err, want)
	}
}

// stuckFile returns a File whose disk blocks until p is opened. Its head is
// not written.
func stuckFile(t *testing.T, p *pipe, room int) *File {
	t.Helper()
	f := testkit.Must(os.Create(filepath.Join(t.TempDir(), "x")))(t)
	s := newFile(f, recordingName, true, room, 1<<20)
	_ = s.journal.out.close(nil)
	s.journal.out = newBacklog(p, "the recording", 0, room, 1<<20)
	return s
}

func begun(id int) metrics.Stream {
	return metrics.Stream{ID: id, Marks: metrics.NewMarks(), Usage: metrics.NoUsage(), LiveTokens: -1}
}

// Finish ends a stream in a sink, as the engine does.
func Finish(s client.Sink, v metrics.Stream) {
	f := metrics.Measure(&v, metrics.Options{})
	s.End(v, &f)
}

// A recording that cannot keep up continues. It reports the size of the gap
// in its place and in a note, and its Close returns an error.
func TestFileSaysWhatIsLeftOut(t *testing.T) {
	p := newPipe()
	s := stuckFile(t, p, 3000)
	s.Begin(begun(1))
	for i := range 100 {
		s.Event(&client.Folded{ID: 1, Event: &sse.Event{Data: []byte("a token"), Read: int32(i)}})
		s.Read(1, &transport.Read{Number: int32(i), Bytes: 9})
		s.Body(1, []byte("123456789"))
	}
	note, some := s.Lost(1)
	testkit.That(t, some && note.Code == incompleteCode && strings.Contains(note.Text, "too slow"),
		"the note: %v %+v", some, note)
	close(p.open)
	Finish(s, begun(1))
	err := s.Close()
	testkit.Refuses(t, err, "too slow")
	rec := testkit.Must(Read(strings.NewReader(head + p.String())))(t)
	q := rec.Requests[0]
	have := LeftOut{len(q.Events), len(q.Attempts[0].Reads), len(q.Attempts[0].Body)}
	have.add(q.LeftOut)
	testkit.That(t, have == (LeftOut{100, 100, 900}) && q.LeftOut.Events != 0 && q.End != nil,
		"%+v recorded or counted, %+v left out, end %v", have, q.LeftOut, q.End)
	if want := q.LeftOut.String(); !strings.Contains(note.Text, want) || !strings.Contains(err.Error(), want) {
		t.Errorf("the file lacks %s; the note says %q, the error %q", want, note.Text, err)
	}
}

// Without room for the first line of a request the whole request is dropped,
// and the file reports the number of missing lines.
func TestFileLeavesOutWholeRequests(t *testing.T) {
	p := newPipe()
	s := stuckFile(t, p, 0)
	n := 0
	for ; n < 20_000 && s.journal.lost == 0; n++ {
		s.Begin(begun(n + 1))
	}
	s.Sent(n, 5)
	s.Head(n, &client.Head{Status: 200})
	note, some := s.Lost(n)
	testkit.That(t, some && strings.Contains(note.Text, "nothing of this request"), "%v %+v", some, note)
	Finish(s, begun(n))
	close(p.open)
	for more := true; more; { // until the line that reports it has room
		s.journal.out.mu.Lock()
		more = s.journal.out.size+s.journal.out.busy > 0
		s.journal.out.mu.Unlock()
	}
	testkit.Refuses(t, s.Close(), "1 other lines")
	rec, err := Read(strings.NewReader(head + p.String()))
	testkit.That(t, err == nil && len(rec.Requests) == n-1 && rec.LeftOut == 1,
		"%d requests of %d, %+v", len(rec.Requests), n, err)
}

const head = `{"type":"session","schema":"tokscope/session/v1","version":"v","started":"2026-11-20T14:05:09Z","system":"x","bodies_recorded":true}` + "\n"

// The live lines of an unread pipe wait, then are dropped and reported in
// their place, in a note and by Close. The end of a request is always
// written.
func TestLiveSaysWhatIsLeftOut(t *testing.T) {
	p := newPipe()
	n := newLive(p, 3000, 1<<20)
	n.Begin(begun(1))
	for i := range 100 {
		n.Event(&client.Folded{ID: 1, Index: i, Event: &sse.Event{Data: []byte("a token")}})
	}
	note, some := n.Lost(1)
	testkit.That(t, some && strings.Contains(note.Text, "read too slowly"), "the note: %v %+v", some, note)
	close(p.open)
	Finish(n, begun(1))
	testkit.Refuses(t, n.Close(t.Context()), "events left out")
	events, endLines := 0, 0
	for l := range strings.Lines(p.String()) {
		var x struct {
			Type   string
			Events int
		}
		testkit.OK(t, json.Unmarshal([]byte(l), &x))
		switch x.Type {
		case "event":
			events++
		case "left_out":
			events += x.Events
		case "error":
			endLines++
		}
	}
	testkit.That(t, events == 100 && endLines == 1, "%d events written or counted, %d ends", events, endLines)
}

// Close waits for a slow pipe, and after an interrupt for liveGrace.
func TestLiveCloseWaitsUntilInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPipe()
		n := NewLive(p)
		n.Begin(begun(1))
		ctx, interrupt := context.WithCancel(t.Context())
		closed := make(chan error)
		began := time.Now()
		go func() { closed <- n.Close(ctx) }()
		time.Sleep(time.Hour)
		select {
		case err := <-closed:
			t.Fatalf("it did not wait: %v", err)
		default:
		}
		interrupt()
		if err := <-closed; err == nil || !strings.Contains(err.Error(), "gave up") ||
			time.Since(began) != time.Hour+liveGrace {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
		close(p.open)
		<-n.journal.out.stopped
	})
}

// A blocked disk and a blocked pipe delay no stream: each ends, is final and
// carries the note of the missing parts.
func TestStuckDiskDelaysNoStream(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for range 200 {
			_, _ = io.WriteString(w, "data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\n")
		}
		_, _ = io.WriteString(w, "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	}))
	defer srv.Close()
	disk, stdout := newPipe(), newPipe()
	file, lines := stuckFile(t, disk, 3000), newLive(stdout, 3000, 1<<20)
	e := client.New(client.Options{})
	e.AddSink(file)
	e.AddSink(lines)
	for range 3 {
		s := e.Start(t.Context(), endpoint.Target{Endpoint: metrics.Endpoint{URL: srv.URL, Model: "m"}, Server: "test"},
			metrics.Workload{Prompt: "x"})
		select {
		case <-s.Done():
		case <-time.After(20 * time.Second):
			t.Fatal("a stream waits for the disk")
		}
		v := s.Snapshot()
		codes := map[string]bool{}
		for _, n := range v.Notes {
			codes[n.Code] = true
		}
		testkit.That(t, v.State == metrics.Done && len(v.Chunks) == 200 && codes[incompleteCode] && codes["lines_incomplete"],
			"%v, %d chunks, notes %+v", v.State, len(v.Chunks), v.Notes)
	}
	e.Close()
	close(disk.open)
	close(stdout.open)
	if err := file.Close(); err == nil {
		t.Error("the file is not whole, and nobody says so")
	}
	if err := lines.Close(t.Context()); err == nil {
		t.Error("the lines are not whole, and nobody says so")
	}
}

// TestFlushWaitsForTheDisk checks that flush returns after the write of
// everything added before it, and gives up when its time is over.
func TestFlushWaitsForTheDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out slowWriter
		b := newBacklog(&out, "the recording", time.Hour, 1<<10, 1<<10)
		for i := range 3 {
			b.add([]byte("line\n"), false)
			b.flush(time.After(time.Minute))
			testkit.Is(t, out.n, 5*(i+1), "bytes written after flush", i+1)
		}
		out.takes = time.Hour
		b.add([]byte("line\n"), false)
		began := time.Now()
		b.flush(time.After(time.Second))
		testkit.Is(t, time.Since(began), time.Second, "flush waited … for a slow disk, want 1 s")
		_ = b.close(time.After(2 * time.Hour))
	})
}

// slowWriter takes its time for every write.
type slowWriter struct {
	takes time.Duration
	n     int
}

func (w *slowWriter) Write(b []byte) (int, error) {
	time.Sleep(w.takes)
	w.n += len(b)
	return len(b), nil
}
