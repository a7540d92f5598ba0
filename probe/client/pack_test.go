package client

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/endpoint"
	"tokscope/probe/transport"
)

// TestLongStreamsArePacked: a long stream of a load shows every chunk at every
// moment, in a snapshot and to one who looks at what is new, and holds a quarter of the
// memory of its chunks.
func TestLongStreamsArePacked(t *testing.T) {
	const chunks = 2000
	s := bare(8)
	s.engine.clock = transport.NewClock()
	s.packs = true
	var all, seen []metrics.Chunk
	var v metrics.Stream
	for i := range chunks {
		c := metrics.Chunk{At: metrics.Stamp(i) * 20_013_000, User: metrics.Stamp(i)*20_013_000 + 4321, Read: int32(i),
			Event: int32(i),
			Bytes: 190, TextEnd: int32(5 * i), Tokens: 1, Kernel: true}
		all = append(all, c)
		s.v.Chunks = append(s.v.Chunks, c)
		before := s.Snapshot()
		s.pack(false)
		from := s.Peek(&v, len(seen))
		if i%7 == 0 { // who looks now and then
			testkit.Given(t, from <= len(seen), "chunk %d: %d are seen, and the first %d are packed", i, len(seen), from)
			seen = append(seen, v.Chunks[len(seen)-from:]...)
		}
		if i%50 == 0 {
			if d := cmp.Diff(all, s.Snapshot().Chunks) + cmp.Diff(all, before.Chunks); d != "" {
				t.Fatalf("after %d chunks:\n%s", i, d)
			}
		}
	}
	testkit.That(t, len(seen) >= chunks-7 && cmp.Diff(all[:len(seen)], seen) == "",
		"seen are %d of %d chunks, or others", len(seen), chunks)
	s.pack(true)
	if d := cmp.Diff(all, s.Snapshot().Chunks); d != "" || cap(s.v.Chunks) != 0 {
		t.Errorf("ended, with room for %d:\n%s", cap(s.v.Chunks), d)
	}
	bytes := s.packed.Bytes()
	testkit.That(t, bytes <= 11*chunks, "%d chunks take %d bytes, %.1f each", chunks, bytes, float64(bytes)/chunks)
}

// detailed is a sink of that detail, which counts the chunks that it is shown.
type detailed struct {
	eventText
	detail Detail
	chunks int
}

func (d *detailed) Detail(int) Detail { return d.detail }
func (d *detailed) Event(f *Folded)   { d.chunks += len(f.Chunks) }

// TestRecordedLoadsArePacked: a request of a recorded load is packed unless its events are
// recorded, and has all its chunks. All of them were kept whole: 90 MB of 1,000 users with
// 2,000 chunks each. A request alone, at which a screen looks all the time, never is.
func TestRecordedLoadsArePacked(t *testing.T) {
	const chunks = 300
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for range chunks {
			_, _ = io.WriteString(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"word \"}}]}\n\n")
		}
		_, _ = io.WriteString(w, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: "+
			"[DONE]\n\n")
	}))
	defer server.Close()
	for _, c := range []struct {
		load   int
		detail Detail
		packed int
		shown  int
	}{{1, DetailEnds, chunks, 0}, {1, DetailEvents, 0, chunks}, {0, DetailEnds, 0, 0}} {
		e := New(Options{NoPathProbe: true})
		sink := &detailed{detail: c.detail}
		e.AddSink(sink)
		target := endpoint.Target{Endpoint: metrics.Endpoint{Name: "test", URL: server.URL + "/v1", Model: "m"}}
		s := e.StartPart(t.Context(), target, metrics.Workload{Prompt: "x", MaxTokens: chunks}, c.load)
		<-s.Done()
		v := s.Snapshot()
		if s.packed.Len() != c.packed || len(v.Chunks) != chunks || sink.chunks != c.shown {
			t.Errorf("load %d, detail %d: %d of %d chunks are packed and %d were shown, want %d and %d",
				c.load, c.detail, s.packed.Len(), len(v.Chunks), sink.chunks, c.packed, c.shown)
		}
		if text := string(s.Packed(&v).Stream().Text); text != string(v.Text) || len(text) != 5*chunks {
			t.Errorf("load %d, detail %d: packed the text is %q", c.load, c.detail, text)
		}
		e.Close()
	}
}
