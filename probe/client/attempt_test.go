package client

import (
	"context"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/dialect"
	"tokscope/probe/endpoint"
	"tokscope/probe/secret"
	"tokscope/probe/transport"
)

// attempted returns the record of a stream with one attempt, whose transport
// is the test.
func attempted() (*Stream, *attempt) {
	e := &Engine{scrub: secret.NewScrubber(), clock: transport.NewClock()}
	e.jitter = transport.NewJitterMonitor(e.clock)
	s := newStream(e, 1, metrics.Workload{}, metrics.Endpoint{}, nil)
	a := newAttempt(e)
	s.begins(a, dialect.New())
	return s, a
}

// state returns a state of a request with these first marks.
func state(marks ...metrics.Stamp) *transport.RequestState {
	s := &transport.RequestState{Marks: metrics.NewRequestMarks(), End: metrics.NoStamp}
	m := &s.Marks
	for i, at := range []*metrics.Stamp{&m.ConnectStart, &m.ConnectDone, &m.GotConn, &m.Sent, &m.FirstByte, &m.Headers} {
		if i < len(marks) {
			*at = marks[i]
		}
	}
	return s
}

// A snapshot and a peek show what was pushed, without any chunk, and ask
// nobody: the transport itself knows none of it here.
func TestSnapshotShowsPushedMarks(t *testing.T) {
	s, a := attempted()
	for n, want := range []metrics.State{1: metrics.Connecting, 2: metrics.Connecting, 3: metrics.Connecting,
		4: metrics.Waiting, 5: metrics.Waiting, 6: metrics.Waiting} {
		if n == 0 {
			continue
		}
		pushed := state([]metrics.Stamp{10, 20, 30, 40, 50, 60}[:n]...)
		pushed.Conn.Remote = fmt.Sprint("connection ", n)
		before := s.engine.Version()
		a.RequestChanged(pushed)
		v := s.Snapshot()
		var peeked metrics.Stream
		s.Peek(&peeked, 0)
		testkit.Same(t, v.Marks.RequestMarks, pushed.Marks, "after", n, "marks")
		testkit.That(t, v.State == want && peeked.State == want && v.Conn == pushed.Conn,
			"after %d marks: %v, peeked %v, want %v; connection %+v", n, v.State, peeked.State, want, v.Conn)
		testkit.That(t, s.engine.Version() != before, "mark %d changed the snapshot and not the version", n)
	}
}

// A push never waits, also while the record is locked.
func TestPushWaitsForNobody(t *testing.T) {
	s, a := attempted()
	s.mu.Lock()
	pushed := make(chan struct{})
	go func() {
		a.RequestChanged(state(10, 20, 30, 40))
		close(pushed)
	}()
	select {
	case <-pushed:
	case <-time.After(10 * time.Second):
		t.Error("a push waits for the lock of the record")
	}
	s.mu.Unlock()
	<-pushed
	testkit.Is(t, s.Snapshot().Marks.Sent, 40, "sent")
}

// Late pushes change nothing: neither those of an earlier attempt nor those
// after the stream's end.
func TestLatePushChangesNothing(t *testing.T) {
	s, first := attempted()
	first.RequestChanged(state(1, 2, 3, 4))
	second := newAttempt(s.engine)
	s.begins(second, dialect.New())
	if v := s.Snapshot(); v.State != metrics.Connecting || v.Marks.RequestMarks != metrics.NewRequestMarks() {
		t.Errorf("a new attempt has marks of the one before: %v, %+v", v.State, v.Marks)
	}
	first.RequestChanged(state(1, 2, 3, 4, 5, 6))
	second.RequestChanged(state(11, 12, 13, 14, 15))
	if v := s.Snapshot(); v.Marks.RequestMarks != state(11, 12, 13, 14, 15).Marks {
		t.Errorf("%+v, want the marks of the second attempt", v.Marks)
	}
	s.end(100, nil)
	v := s.Snapshot()
	testkit.That(t, v.Marks.RequestMarks == state(11, 12, 13, 14, 15).Marks && v.Marks.End == 100,
		"at the end: %+v", v.Marks)
	late := state(11, 12, 13, 99, 15, 99)
	late.End = 99
	first.RequestChanged(late)
	second.RequestChanged(late)
	after := s.Snapshot()
	after.Now = v.Now // of the snapshot, not of the stream
	testkit.Same(t, after, v, "a push changed the finished record")
}

// The end of a stream is that of its body, not the moment at which the last
// line was ingested.
func TestEndIsThatOfTheBody(t *testing.T) {
	e := New(Options{})
	defer e.Close()
	k := &stuck{release: make(chan struct{}), in: make(chan struct{})}
	e.AddSink(k)
	s := e.Start(context.Background(), targetOf(streaming(t, 3)), metrics.Workload{Prompt: "x"})
	<-k.in // ingest stands still
	deadline := time.Now().Add(20 * time.Second)
	for !s.Snapshot().Marks.End.Known() && time.Now().Before(deadline) {
		time.Sleep(time.Millisecond)
	}
	released := e.clock.Now()
	close(k.release)
	<-s.Done()
	v := s.Snapshot()
	if last := v.Chunks[len(v.Chunks)-1].At; v.State != metrics.Done || !v.Marks.End.Known() || v.Marks.End > released ||
		v.Marks.End < last {
		t.Errorf("%v, end %d, last chunk %d; ingest went on at %d", v.State, v.Marks.End, last, released)
	}
}

// Marks of one attempt are never mixed with those of another, whatever looks
// at a request that is refused first, over kept and new connections and over
// HTTP/2. It fails under -race if a mark is shared without order.
func TestMarksOfRepeatedRequests(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		var asked atomic.Int32
		srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			if asked.Add(1); strings.Contains(string(body), "stream_options") {
				w.WriteHeader(http.StatusBadRequest)
				_, _ = io.WriteString(w, `{"error":{"message":"stream_options is not supported"}}`)
				return
			}
			w.Header().Set("Content-Type", "text/event-stream")
			for range 5 {
				_, _ = io.WriteString(w, "data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\n")
				w.(http.Flusher).Flush()
			}
			_, _ = io.WriteString(w, "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
		}))
		target := endpoint.Target{Endpoint: metrics.Endpoint{Model: "m"}, Server: "test", HTTP2: http2}
		if srv.EnableHTTP2 = http2; http2 {
			srv.StartTLS()
			target.CACert = filepath.Join(t.TempDir(), "roots.pem")
			block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: srv.Certificate().Raw})
			testkit.OK(t, os.WriteFile(target.CACert, block, 0o600))
		} else {
			srv.Start()
		}
		target.URL = srv.URL
		e := New(Options{})
		var all sync.WaitGroup
		for i := range 24 {
			w := metrics.Workload{Prompt: "x", Connection: []metrics.Reuse{metrics.ReuseAuto, metrics.ReuseCold}[i%2]}
			all.Go(func() {
				s := e.StartQuiet(context.Background(), target, w)
				var v, peeked metrics.Stream
				for !v.State.Ended() {
					v = s.Snapshot()
					s.Peek(&peeked, 0)
					checkOrder(t, &v)
				}
				<-s.Done()
				v = s.Snapshot()
				checkOrder(t, &v)
				testkit.That(t, v.State == metrics.Done && len(v.Notes) == 1 && v.Marks.Headers.Known(),
					"%v: %+v, notes %+v, marks %+v", v.State, v.Fault, v.Notes, v.Marks)
			})
		}
		all.Wait()
		testkit.Is(t, asked.Load(), 48, "HTTP/2", http2, "requests, want each one twice")
		e.Close()
		srv.Close()
	}
}

// checkOrder checks that the known marks of v are in the order of a request. A
// connection may have been dialed for another one that began earlier.
func checkOrder(t *testing.T, v *metrics.Stream) {
	t.Helper()
	m := &v.Marks
	for _, marks := range [][]metrics.Stamp{
		{m.Start, m.GotConn, m.Sent, m.FirstByte, m.Headers, m.End},
		{m.ConnectStart, m.ConnectDone, m.TLSStart, m.TLSDone, m.GotConn},
	} {
		last := metrics.NoStamp
		for i, at := range marks {
			if at.Known() && last.Known() && at < last {
				t.Errorf("mark %d is before its predecessor, in state %v: %+v", i, v.State, *m)
			}
			if at.Known() {
				last = at
			}
		}
	}
}
