package session_test

import (
	"bytes"
	"net/http"
	"os"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/client"
	"tokscope/probe/session"
	"tokscope/probe/sse"
	"tokscope/probe/transport"
)

// shown holds the happenings of one request, in the reader's types.
type shown struct {
	q    session.Recorded
	done bool
}

// Reading a file returns everything recorded of several simultaneous
// requests. That is the heads, the sending, all reads with their numbers,
// both stamps and sizes, the bytes of the body, and the events.
func TestSessionFileRoundTrip(t *testing.T) {
	dir, started := t.TempDir(), time.Unix(9, 0)
	rapid.Check(t, func(t *rapid.T) {
		raw := rapid.Bool().Draw(t, "raw")
		started = started.Add(time.Second) // for a different file name
		f := testkit.Must(session.Create(dir, session.Options{Version: "v", Started: started, Raw: raw}))(t)
		var all []*shown
		stamp := rapid.Custom(func(t *rapid.T) metrics.Stamp {
			return metrics.Stamp(rapid.Int64Range(0, 1<<60).Draw(t,
				"stamp"))
		})
		text := rapid.SliceOfN(rapid.Byte(), 0, 40)
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			var s *shown
			if len(all) > 0 {
				s = all[rapid.IntRange(0, len(all)-1).Draw(t, "which")]
			}
			if s == nil || s.done {
				v := metrics.Stream{ID: len(all) + 1, Marks: metrics.NewMarks(), Usage: metrics.NoUsage(), LiveTokens: -1}
				v.Marks.Start, v.Work.Concurrency = stamp.Draw(t, "start"), rapid.SampledFrom([]int{1, 16, 17}).Draw(t, "users")
				s = &shown{q: session.Recorded{ID: v.ID, Start: v.Marks.Start, Detailed: v.Work.Concurrency <= 16}}
				all = append(all, s)
				f.Begin(v)
				if d := f.Detail(v.ID); s.q.Detailed != (d >= client.DetailEvents) || s.q.Detailed &&
					raw != (d == client.DetailBytes) {
					t.Fatalf("detail %v of %d users, raw %v", d, v.Work.Concurrency, raw)
				}
			}
			s.step(t, f, raw, stamp, text)
		}
		testkit.OK(t, f.Close())
		rec := testkit.Must(session.Read(bytes.NewReader(mustRead(t, f.Path()))))(t)
		if rec.Bodies != raw || len(rec.Requests) != len(all) || rec.Unread != 0 || rec.Cut {
			t.Fatalf("%d requests of %d, raw %v: %+v", len(rec.Requests), len(all), raw, rec)
		}
		for i, s := range all {
			have := *rec.Requests[i]
			testkit.Is(t, have.End != nil, s.done, "request", i, "ended …, end", have.End)
			have.End, have.Endpoint, have.Workload = nil, metrics.Endpoint{}, metrics.Workload{}
			testkit.Same(t, have, s.q, "request", i)
		}
	})
}

// step shows f one possible next happening of the request.
func (s *shown) step(t *rapid.T, f *session.File, raw bool, stamp *rapid.Generator[metrics.Stamp],
	text *rapid.Generator[[]byte]) {
	id := s.q.ID
	last := func() *session.Attempt {
		if len(s.q.Attempts) == 0 {
			s.q.Attempts = append(s.q.Attempts, session.Attempt{Sent: metrics.NoStamp})
		}
		return &s.q.Attempts[len(s.q.Attempts)-1]
	}
	switch what := rapid.SampledFrom([]string{"sent", "head", "event", "read", "read", "body", "end"}).Draw(t, "what"); {
	case what == "sent":
		at := stamp.Draw(t, "sent")
		f.Sent(id, at)
		s.q.Attempts = append(s.q.Attempts, session.Attempt{Sent: at})
	case what == "head":
		if len(s.q.Attempts) == 0 || last().Head != nil {
			return // a response requires a request
		}
		h := client.Head{At: metrics.NoStamp, Status: rapid.IntRange(100, 599).Draw(t, "status"), Proto: "HTTP/1.1",
			Headers: http.Header{"X-A": {rapid.StringMatching(`[ -~]{0,9}`).Draw(t, "value")}}}
		if rapid.Bool().Draw(t, "cookie") {
			h.At, h.Withheld = stamp.Draw(t, "at"), []string{"Set-Cookie"}
		}
		f.Head(id, &h)
		last().Head = &h
	case what == "end":
		v := metrics.Stream{ID: id, State: metrics.Done, Marks: metrics.NewMarks(), Usage: metrics.NoUsage(), LiveTokens: -1}
		session.Finish(f, v)
		s.done = true
	case !s.q.Detailed:
	case what == "event":
		ev := sse.Event{
			Name: []byte(rapid.SampledFrom([]string{"", "message"}).Draw(t, "name")),
			Data: bytes.ToValidUTF8(text.Draw(t, "data"), []byte("\ufffd")),
			At:   stamp.Draw(t, "at"), User: stamp.Draw(t, "user"), Read: 3, Bytes: rapid.Int32Range(1, 1<<20).Draw(t, "bytes"),
			Kernel: rapid.Bool().Draw(t, "kernel"), Comment: rapid.Bool().Draw(t, "comment"),
		}
		f.Event(&client.Folded{ID: id, Event: &ev})
		s.q.Events = append(s.q.Events, ev)
	case what == "read":
		r := transport.Read{At: stamp.Draw(t, "at"), User: stamp.Draw(t, "user"), Number: rapid.Int32Range(0, 1<<30).Draw(t,
			"number"), Bytes: rapid.Int32Range(1, 1<<20).Draw(t, "bytes"), Kernel: rapid.Bool().Draw(t, "kernel")}
		f.Read(id, &r)
		last().Reads = append(last().Reads, r)
	case what == "body" && raw:
		part := append(text.Draw(t, "bytes"), '\n')
		f.Body(id, part)
		last().Body = append(last().Body, part...)
	}
}

func mustRead(t *rapid.T, path string) []byte {
	data := testkit.Must(os.ReadFile(path))(t)
	return data
}

// Every read of a measured response is in the file, with its stamps, as the
// transport counted them. With --record=raw so are all bytes of the body, with keys
// overwritten in place. Each end has its state, and why it failed.
func TestSessionFileHasReadsAndBytes(t *testing.T) {
	f := testkit.Must(session.Create(t.TempDir(), session.Options{Version: "v", Started: time.Now(), Raw: true}))(t)
	runs := measure(t, server(t).URL, f)
	testkit.OK(t, f.Close())
	data := read(t, f.Path())
	rec := testkit.Must(session.Read(bytes.NewReader(data)))(t)
	for _, l := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
		validate(t, "session-v1", l)
	}
	for i, q := range rec.Requests {
		v := &runs[i].Stream
		a := q.Attempts[len(q.Attempts)-1]
		size, numbers := int64(0), map[int32]bool{}
		for _, r := range a.Reads {
			size += int64(r.Bytes)
			numbers[r.Number] = true
		}
		if size != v.BodyBytes || int64(len(a.Body)) != v.BodyBytes || len(numbers) != v.Reads || v.BodyBytes == 0 {
			t.Errorf("request %d: %d bytes in reads, %d bytes of body, %d reads; measured %d bytes, %d reads", i, size,
				len(a.Body), len(numbers), v.BodyBytes, v.Reads)
		}
		// The mark is corrected when the response came before the write returned, and
		// was read more than 2 ms later: then the line has the write's end.
		corrected := v.Marks.Sent < a.Sent && v.Marks.FirstByte < a.Sent
		if a.Sent != v.Marks.Sent && !corrected || a.Head == nil || a.Head.At != v.Marks.Headers {
			t.Errorf("request %d: sent %d, head %+v; measured %+v", i, a.Sent, a.Head, v.Marks)
		}
		if bytes.Contains(a.Body, []byte(key)) || bytes.Contains(a.Body, []byte("0123456789abcdef")) ||
			!bytes.Contains(a.Body, []byte("****")) {
			t.Errorf("request %d: the body holds the key, or it was not there: %s", i, a.Body)
		}
	}
	if good, bad := rec.Requests[0].End, rec.Requests[1].End; good.State != metrics.Done || bad.State != metrics.Failed ||
		bad.Fault.Status != 500 {
		t.Errorf("ends: %+v, %+v", good, bad)
	}
	good, bad := rec.Requests[0].Attempts[0], rec.Requests[1].Attempts[0]
	if good.Head.Status != 200 || bad.Head.Status != 500 || good.Head.Headers["Content-Type"][0] != "text/event-stream" {
		t.Errorf("heads %+v, %+v", good.Head, bad.Head)
	}
	if c := good.Head.Withheld; len(c) != 1 || c[0] != "Set-Cookie" || good.Head.Headers["Set-Cookie"] != nil {
		t.Errorf("left out %v of %v", c, good.Head.Headers)
	}
}
