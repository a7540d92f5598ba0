package record

import (
	"io"
	"strconv"
	"sync"
	"time"

	"tokscope/metrics"
	"tokscope/probe/client"
)

// LiveSchema names the format of the lines of `tokscope probe --ndjson`.
const LiveSchema = "tokscope/ndjson/v1"

// Live writes one JSON object a line for everything that happens to a stream,
// while it happens: request, event, chunk, and done or error. Times are
// t_ms since the request was sent, with all nanoseconds (six decimals).
type Live struct {
	mu  sync.Mutex
	w   io.Writer
	l   line
	buf []byte
	err error
}

// NewLive returns a sink that writes to w. Lines reach w in whole batches.
func NewLive(w io.Writer) *Live { return &Live{w: w} }

// Err is the first error of the writer.
func (b *Live) Err() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.err
}

// Begin implements probe.Sink.
func (n *Live) Begin(v metrics.Stream) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.l.begin("request")
	n.l.str("schema", LiveSchema)
	n.l.int("id", int64(v.ID))
	n.l.key("t_ms")
	n.l.b = append(n.l.b, "null"...) // not sent yet
	n.l.str("started", v.Wall.UTC().Format(time.RFC3339Nano))
	n.l.any("endpoint", endpointOf(v.Endpoint))
	n.l.any("workload", workloadOf(v.Work))
	n.write()
	n.flush()
}

// Event implements probe.Sink: a line for the event, then one for each of its
// chunks.
func (n *Live) Event(f *client.Folded) {
	n.mu.Lock()
	defer n.mu.Unlock()
	ev := f.Event
	n.l.begin("event")
	n.l.int("id", int64(f.ID))
	n.l.ms("t_ms", ev.At, f.Sent)
	n.l.int("event", int64(f.Index))
	n.l.int("read", int64(ev.Read))
	n.l.int("bytes", int64(ev.Bytes))
	n.l.str("stamp", stampWord(ev.Kernel))
	n.l.ms("user_t_ms", ev.User, f.Sent)
	n.l.bool("comment", ev.Comment)
	n.write()
	for i := range f.Chunks {
		c := &f.Chunks[i]
		n.l.begin("chunk")
		n.l.int("id", int64(f.ID))
		n.l.ms("t_ms", c.At, f.Sent)
		n.l.int("chunk", int64(f.First+i))
		n.l.int("event", int64(c.Event))
		n.l.int("read", int64(c.Read))
		n.l.str("stamp", stampWord(c.Kernel))
		n.l.str("kind", c.Kind.String())
		n.l.int("choice", int64(c.Choice))
		n.l.key("tokens")
		if c.Tokens < 0 {
			n.l.b = append(n.l.b, "null"...)
		} else {
			n.l.b = strconv.AppendInt(n.l.b, int64(c.Tokens), 10)
		}
		n.l.bytes("text", f.Texts[i])
		n.write()
	}
}

// Flush implements probe.Sink.
func (n *Live) Flush() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.flush()
}

// End implements probe.Sink: "done" for a good end, "error" for any other.
func (n *Live) End(v metrics.Stream) {
	f := metrics.Measure(&v, metrics.Options{})
	n.mu.Lock()
	defer n.mu.Unlock()
	kind := "done"
	if v.State != metrics.Done {
		kind = "error"
	}
	n.l.begin(kind)
	n.l.int("id", int64(v.ID))
	n.l.ms("t_ms", v.Marks.End, v.Marks.Sent)
	n.l.any("request", RequestOf(&v, &f))
	n.write()
	n.flush()
}

func (n *Live) write() {
	n.l.end()
	n.buf = append(n.buf, n.l.b...)
	n.l.b = n.l.b[:0]
}

func (n *Live) flush() {
	if len(n.buf) > 0 && n.err == nil {
		_, n.err = n.w.Write(n.buf)
	}
	n.buf = n.buf[:0]
}
