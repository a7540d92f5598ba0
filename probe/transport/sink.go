package transport

import (
	"bytes"

	"tokscope/metrics"
	"tokscope/probe/sse"
	"tokscope/probe/transport/stamp"
)

// feed takes the bytes of one read of the connection, with its stamps, and
// returns how many data lines they completed. It runs within that read.
func (c *Capture) feed(p []byte, s stamp.Stamps) (data int) {
	if s.Read != c.stamps.Read {
		c.inRead = 0
	}
	c.stamps = s
	before, events := c.queue.in.Load(), c.events.Load()
	c.walk.feed(p, c)
	if c.queue.in.Load() != before {
		c.signal()
	}
	return int(c.events.Load() - events)
}

// inStream reports whether the next bytes belong to the body of an event
// stream that is still followed, and that ends where net/http sees its end:
// it is asked no more before. Reading goroutine.
func (in *Capture) inStream() bool {
	return in.walk.stream && !in.walk.odd && !in.failed && in.walk.state >= inLength && in.walk.state < walkDone
}

// responseBegins marks the first byte; a final response overwrites an interim one.
func (c *Capture) responseBegins() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.marks.FirstByte.Known() {
		c.base = c.stamps.Read
	}
	c.marks.FirstByte = c.stamps.At
	if c.wrote { // else the answer is here before net/http has said so: wroteRequest follows
		c.marks.Sent, c.frozen = c.sent(), true
	}
}

func (c *Capture) responseHeaders() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.marks.Headers = c.stamps.At
}

func (in *Capture) responseBody(p []byte) {
	if len(p) == 0 {
		return
	}
	if n := int64(in.stamps.Read) + 1; in.lastRead.Load() != n {
		in.lastRead.Store(n)
		in.reads.Store(in.reads.Load() + 1)
	}
	total := in.body.Load() + int64(len(p))
	in.body.Store(total)
	if in.walk.stream && !in.failed {
		in.cut(p)
		if limit := in.bounds.BodyBytes; limit > 0 && total > limit && !in.failed {
			in.fail(tooLarge("body", limit, "B"))
		}
	}
}

func (c *Capture) responseEnds() {
	c.lastLine()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bodyEnd = c.stamps.At
}

// lastLine queues a last line that came without its end.
func (in *Capture) lastLine() {
	if line, size, ok := in.cutter.Rest(); ok && !in.failed {
		in.line(line, size)
	}
}

// cut takes body bytes apart into lines.
func (in *Capture) cut(p []byte) {
	for len(p) > 0 && !in.failed {
		line, size, rest, ok := in.cutter.Next(p)
		if !ok {
			if in.cutter.LineTooLong() {
				in.fail(tooLarge("event", int64(in.bounds.EventBytes), "B"))
			}
			return
		}
		in.line(line, size)
		p = rest
	}
}

var dataField, errorField = []byte("data:"), []byte("error:")

// line queues one line and keeps the counts.
func (in *Capture) line(line []byte, size int) {
	l := sse.Line{At: in.stamps.At, User: in.stamps.User, Read: in.stamps.Read - in.base, Bytes: int32(size), Kernel: in.stamps.Kernel}
	switch {
	case len(line) == 0:
		in.block = 0
	case line[0] == ':':
	case bytes.HasPrefix(line, dataField):
		in.block += size
		if value := bytes.TrimSpace(line[len(dataField):]); len(value) > 0 {
			in.data(value)
		}
	case bytes.HasPrefix(line, errorField):
		in.block += size
		in.data(line[len(errorField):])
	default:
		in.block += size
	}
	in.queue.put(l, line)
	b := &in.bounds
	switch {
	case b.EventBytes > 0 && in.block > b.EventBytes:
		in.fail(tooLarge("event", int64(b.EventBytes), "B"))
	case b.Events > 0 && in.events.Load() > int64(b.Events):
		in.fail(tooLarge("number of events", int64(b.Events), "events"))
	case b.PendingBytes > 0 && in.queue.pending() > int64(b.PendingBytes):
		in.fail(tooLarge("data not yet taken by this program", int64(b.PendingBytes), "B"))
	}
}

// data counts a data line.
func (k *Capture) data(value []byte) {
	k.events.Store(k.events.Load() + 1)
	switch k.inRead++; k.inRead {
	case 1:
	case 2:
		k.shared.Store(k.shared.Load() + 2)
	default:
		k.shared.Store(k.shared.Load() + 1)
	}
	if k.stamps.Kernel {
		k.kernel.Store(k.kernel.Load() + 1)
		d, _ := k.stamps.User.Sub(k.stamps.At)
		k.lag.add(d)
		if d > lateBy {
			k.late.Store(k.late.Load() + 1)
		}
	} else {
		k.user.Store(k.user.Load() + 1)
	}
	first := !metrics.Stamp(k.lastData.Load()).Known()
	k.lastData.Store(int64(k.stamps.User))
	if string(value) == "[DONE]" && !metrics.Stamp(k.doneMarker.Load()).Known() {
		k.doneMarker.Store(int64(k.stamps.At))
		k.rearm()
	} else if first {
		k.rearm()
	}
}
