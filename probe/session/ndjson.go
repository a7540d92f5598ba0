package session

import (
	"context"
	"io"
	"strconv"
	"sync"
	"time"

	"tokscope/metrics"
	"tokscope/probe/client"
	"tokscope/probe/result"
)

// LiveSchema names the format of the lines of `tokscope probe --ndjson`.
const LiveSchema = "tokscope/ndjson/v1"

// Bounds of the live lines.
const (
	// liveRoom is the number of bytes of events and chunks that may wait for an
	// unread pipe. liveReserve is the number of further bytes for other lines:
	// some 150,000 events.
	liveRoom, liveReserve = 64 << 20, 32 << 20
	// liveGrace is the remaining time for the pipe after an interrupt.
	liveGrace = 2 * time.Second
)

// slowPipe is the reason for dropped live lines.
const slowPipe = "lines are missing: stdout was read too slowly"

// Live writes one JSON object per line for every happening of a stream, as it
// happens: request, event, chunk, and done or error. Times are t_ms since the
// request was sent, with all nanoseconds (six decimals).
//
// A slow reader of the pipe delays no stamp and no other stream: lines wait
// in memory, and Close waits for them. When liveRoom is used up, events and
// their chunks are dropped. A left_out line reports their number in their
// place, the request has a note, and Close returns an error.
type Live struct {
	Sentences result.Sentences // of its requests; set before the first request begins

	mu      sync.Mutex
	journal journal
}

// NewLive returns a sink that writes to w. The caller must Close it.
func NewLive(w io.Writer) *Live { return newLive(w, liveRoom, liveReserve) }

func newLive(w io.Writer, room, reserve int) *Live {
	n := &Live{journal: journal{out: newBacklog(w, "stdout", 0, room, reserve), gaps: map[int]*omission{}}}
	n.journal.say = &n.Sentences
	return n
}

// Close waits until all lines are written, or until liveGrace after the end
// of ctx. It returns the first error of the writer, or an error about dropped
// lines.
func (n *Live) Close(ctx context.Context) error {
	n.mu.Lock()
	missing := n.journal.incomplete(slowPipe)
	n.mu.Unlock()
	stop := make(chan time.Time)
	forget := context.AfterFunc(ctx, func() { time.AfterFunc(liveGrace, func() { close(stop) }) })
	defer forget()
	if err := n.journal.out.close(stop); err != nil {
		return err
	}
	return missing
}

func (n *Live) Lost(id int) (metrics.Note, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.journal.note(id, "lines_incomplete", slowPipe)
}

func (n *Live) Begin(v metrics.Stream) {
	n.mu.Lock()
	defer n.mu.Unlock()
	j := &n.journal
	j.begin("request")
	j.str("schema", LiveSchema)
	j.int("id", int64(v.ID))
	j.key("t_ms")
	j.b = append(j.b, "null"...) // not sent yet
	j.str("started", v.Wall.UTC().Format(time.RFC3339Nano))
	j.any("endpoint", v.Endpoint)
	j.any("workload", v.Work)
	j.firm()
}

// Event implements client.Sink: a line for the event, then one for each of its
// chunks.
func (n *Live) Event(f *client.Folded) {
	n.mu.Lock()
	defer n.mu.Unlock()
	j, ev := &n.journal, f.Event
	j.of("event", f.ID)
	j.ms("t_ms", ev.At, f.Sent)
	j.int("event", int64(f.Index))
	j.int("read", int64(ev.Read))
	j.int("bytes", int64(ev.Bytes))
	j.str("stamp", stampWord(ev.Kernel))
	j.ms("user_t_ms", ev.User, f.Sent)
	j.bool("comment", ev.Comment)
	j.end()
	for i := range f.Chunks {
		c := &f.Chunks[i]
		j.of("chunk", f.ID)
		j.ms("t_ms", c.At, f.Sent)
		j.int("chunk", int64(f.First+i))
		j.int("event", int64(c.Event))
		j.int("read", int64(c.Read))
		j.str("stamp", stampWord(c.Kernel))
		j.str("kind", c.Kind.String())
		j.int("choice", int64(c.Choice))
		j.key("tokens")
		if c.Tokens < 0 {
			j.b = append(j.b, "null"...)
		} else {
			j.b = strconv.AppendInt(j.b, int64(c.Tokens), 10)
		}
		j.bytes("text", f.Texts[i])
		if n := min(int(c.Name), len(f.Texts[i])); n > 0 {
			j.bytes("function", f.Texts[i][:n])
		}
		j.end()
	}
	j.detail(f.ID, LeftOut{Events: 1})
}

// End implements client.Sink: "done" for a good end, "error" for any other.
func (n *Live) End(v metrics.Stream, f *metrics.Figures) {
	n.mu.Lock()
	defer n.mu.Unlock()
	j := &n.journal
	j.close(v.ID)
	kind := "done"
	if v.State != metrics.Done {
		kind = "error"
	}
	j.of(kind, v.ID)
	j.ms("t_ms", v.Marks.End, v.Marks.Sent)
	r := result.RequestOf(&v, f)
	j.any("request", &r)
	j.firm()
}

var _ client.Lossy = (*Live)(nil)
