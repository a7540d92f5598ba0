package session

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/client"

	"tokscope/probe/sse"
	"tokscope/probe/transport"
)

// streams is the number of generated streams.
const streams = 40

// arrival is one read of the body, a time after the one before it.
type arrival struct {
	gap  time.Duration
	data []byte
}

// generated returns the body of a random stream as it arrives: line ends of all
// kinds, comments, reads that end inside an event or a character, gaps from
// 0.3 ms to 20 s, several events in a read, errors and truncation.
func generated(r *rand.Rand) (all []arrival) {
	end := []string{"\n", "\r\n", "\r"}[r.IntN(3)]
	var b bytes.Buffer
	event := func(json string) { fmt.Fprintf(&b, "data: %s%s%s", json, end, end) }
	flush := func() {
		gap := []time.Duration{300 * time.Microsecond, 7 * time.Millisecond, 7 * time.Millisecond, 9 * time.Millisecond,
			310 * time.Millisecond, 20 * time.Second}[min(r.IntN(30), 5)%6]
		if r.IntN(4) > 0 {
			gap = time.Duration(7e6 + r.Int64N(1e6))
		}
		data := bytes.Clone(b.Bytes())
		b.Reset()
		if n := len(data); n > 3 && r.IntN(4) == 0 {
			cut := 1 + r.IntN(n-1)
			all = append(all, arrival{gap, data[:cut]}, arrival{time.Duration(1 + r.Int64N(3e6)), data[cut:]})
			return
		}
		all = append(all, arrival{gap, data})
	}
	usage := r.IntN(3)
	words := []string{"Ünïcode ", "Hello ", "дом", "🙂", " a", "line\\n", "[redacted]", "\\u00e9"}
	for i := range 3 + r.IntN(60) {
		kind := "content"
		if i < 5 && usage == 1 {
			kind = "reasoning_content"
		}
		tail := ""
		if usage == 2 {
			tail = fmt.Sprintf(`,"usage":{"prompt_tokens":31,"completion_tokens":%d,"total_tokens":%d}`, i+1, i+32)
		}
		event(fmt.Sprintf(`{"id":"r","model":"m","choices":[{"index":0,"delta":{"%s":"%s"}}]%s}`, kind,
			words[r.IntN(len(words))], tail))
		if r.IntN(9) == 0 {
			fmt.Fprintf(&b, ": keep-alive%s%s", end, end)
		}
		if r.IntN(5) > 0 {
			flush()
		}
	}
	switch r.IntN(4) {
	case 0: // truncated
	case 1:
		event(`{"error":{"message":"out of memory","code":500}}`)
	default:
		event(`{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`)
		event(`{"choices":[],"usage":{"prompt_tokens":31,"completion_tokens":40,"total_tokens":71}}`)
		event("[DONE]")
	}
	flush()
	if r.IntN(3) == 0 {
		fmt.Fprintf(&b, "data: {\"choices\":[{\"delta\":{\"content\":\"cut") // a last line without an end
		flush()
	}
	return all
}

// write records the arrivals as request id, through the code that records real
// ones, and returns its record and its events.
func write(f *File, id int, start metrics.Stamp, raw bool, all []arrival) (metrics.Stream, []sse.Event) {
	v := metrics.Stream{
		ID: id, State: metrics.Connecting, Wall: time.Unix(1e9, 0).UTC(), Marks: metrics.NewMarks(),
		Usage: metrics.NoUsage(), LiveTokens: -1,
		Work: metrics.Workload{Name: "chat", Prompt: "say it", Concurrency: 1, MaxTokens: 99}, LastData: metrics.NoStamp,
		DataDeadline: metrics.NoStamp,
		Endpoint:     metrics.Endpoint{Kind: metrics.EndpointURL, Name: "host", URL: "http://host/v1", Model: "m"},
		Progress:     metrics.Progress{At: metrics.NoStamp},
	}
	v.Marks.Start = start
	f.Begin(v)
	sent := start + 2e6
	f.Sent(id, sent)
	head := client.Head{At: sent + 40e6, Status: 200, Proto: "HTTP/1.1",
		Headers: http.Header{"Content-Type": {"text/event-stream"}, "X-Request-Id": {"req-1"}}}
	f.Head(id, &head)
	r := client.NewRebuild(v)
	r.Head(head.Status, head.Proto, head.Headers)
	var (
		events []sse.Event
		cutter sse.Cutter
		asm    sse.Assembler
		at     = head.At
		body   int64
	)
	emit := func(ev sse.Event) {
		ev.Data, ev.Name = bytes.Clone(ev.Data), append([]byte{}, ev.Name...)
		before := len(r.View().Chunks)
		r.Event(ev, nil, nil)
		now := r.View()
		fo := client.Folded{ID: id, Event: &ev, Index: now.Events, First: before, Chunks: now.Chunks[before:]}
		for i := range fo.Chunks {
			fo.Texts = append(fo.Texts, now.ChunkText(before+i))
		}
		f.Event(&fo)
		events = append(events, ev)
	}
	for i, a := range all {
		at += metrics.Stamp(a.gap)
		l := sse.Line{At: at, User: at + 20_000, Read: int32(i + 1), Kernel: true}
		for rest := a.data; ; {
			line, size, next, ok := cutter.Next(rest)
			if !ok {
				break
			}
			l.Data, l.Bytes = line, int32(size)
			asm.Push(l, emit)
			rest = next
		}
		body += int64(len(a.data))
		f.Read(id, &transport.Read{At: at, User: at + 20_000, Number: int32(i + 1), Bytes: int32(len(a.data)), Kernel: true})
		if raw {
			f.Body(id, a.data)
		}
	}
	last := len(all)
	if line, size, ok := cutter.Rest(); ok {
		asm.Push(sse.Line{Data: line, Bytes: int32(size), At: at, User: at + 20_000, Read: int32(last), Kernel: true}, emit)
	}
	asm.Flush(emit)
	fault := r.End(true)
	v = r.View()
	v.Fault, v.State = fault, metrics.Done
	if fault != nil {
		v.State = metrics.Failed
	}
	if fault != nil && fault.Kind == metrics.FaultTruncated {
		v.State = metrics.Truncated
	}
	v.Marks.Sent, v.Marks.FirstByte, v.Marks.Headers, v.Marks.End, v.Marks.GotConn = sent, head.At, head.At, at, start+1e6
	v.Now, v.Stamps, v.Reads, v.BodyBytes = at, metrics.SourceKernel, len(all), body
	v.Observer = metrics.Observer{LateP99: 183, LateMax: 1234567, N: 77, KernelStamps: len(events), LagP50: 20_000,
		LagMax: 20_001}
	Finish(f, v)
	return v, events
}

// forty writes a session file of generated streams.
func forty(t testing.TB, raw bool, r *rand.Rand) (path string, views []metrics.Stream, events [][]sse.Event,
	arrivals [][]arrival) {
	t.Helper()
	f := testkit.Must(Create(t.TempDir(), Options{Version: "test", Started: time.Unix(1e9, 0), Raw: raw}))(t)
	start := metrics.Stamp(5e6)
	for i := range streams {
		all := generated(r)
		v, evs := write(f, i+1, start, raw, all)
		views, events, arrivals = append(views, v), append(events, evs), append(arrivals, all)
		start = v.Marks.End + 1e9
	}
	testkit.OK(t, f.Close())
	return f.Path(), views, events, arrivals
}

// A generated stream comes back as it was: figures to the digit, events and
// comments, which of them share a read, and with the bytes recorded the body.
func TestRoundTripOfGeneratedStreams(t *testing.T) {
	for _, raw := range []bool{false, true} {
		path, views, events, arrivals := forty(t, raw, testkit.Rand(t, 2))
		rec := testkit.Must(Open(path, nil))(t)
		for i, q := range rec.Requests {
			name := fmt.Sprintf("stream %d", i)
			sameRecord(t, name, &views[i], StreamOf(q))
			testkit.Same(t, q.Events, events[i], name, "events")
			var body []byte
			for k, a := range arrivals[i] {
				body = append(body, a.data...)
				have := q.Attempts[0].Reads[k]
				testkit.That(t, int(have.Bytes) == len(a.data) && int(have.Number) == k+1, "%s: read %d is %+v", name, k, have)
			}
			testkit.That(t, !raw || bytes.Equal(body, q.Attempts[0].Body), "%s: the bytes of the body differ", name)
		}
	}
}

// At every moment the record is a beginning of the last one, and what the screen
// samples at its end is the last one.
func TestMomentsOfAStream(t *testing.T) {
	path, views, _, _ := forty(t, false, testkit.Rand(t, 3))
	rec := testkit.Must(Open(path, nil))(t)
	for i, q := range rec.Requests[:8] {
		s := StreamOf(q)
		chunks, final := 0, s.Final()
		for at := s.Begin(); at < s.Last(); at += max((s.Last()-s.Begin())/97, 1) {
			v := s.At(at)
			testkit.Given(t, !v.State.Ended() && v.Now == at && len(v.Chunks) >= chunks,
				"stream %d at %d: %v, now %d, %d chunks after %d", i, at, v.State, v.Now, len(v.Chunks), chunks)
			if chunks = len(v.Chunks); chunks > 0 && (v.Chunks[chunks-1].At > at || chunks < len(final.Chunks) &&
				final.Chunks[chunks].At <= at) {
				t.Fatalf("stream %d at %d: %d chunks", i, at, chunks)
			}
			testkit.Given(t, strings.HasPrefix(string(final.Text), string(v.Text)) && !v.Marks.End.Known() && v.Fault == nil,
				"stream %d at %d: %+v", i, at, v)
		}
		if v := s.At(s.Last()); v.State != views[i].State || len(v.Chunks) != len(views[i].Chunks) {
			t.Errorf("stream %d ends as %v with %d chunks", i, v.State, len(v.Chunks))
		}
	}
}
