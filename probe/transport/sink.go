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
func (c *Capture) inStream() bool {
	return c.walk.stream && !c.walk.odd && !c.failed && c.walk.state >= inLength && c.walk.state < walkDone
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

func (c *Capture) responseBody(p []byte) {
	if len(p) == 0 {
		return
	}
	if n := int64(c.stamps.Read) + 1; c.lastRead.Load() != n {
		c.lastRead.Store(n)
		c.reads.Store(c.reads.Load() + 1)
	}
	total := c.body.Load() + int64(len(p))
	c.body.Store(total)
	if c.walk.stream && !c.failed {
		c.cut(p)
		if limit := c.bounds.BodyBytes; limit > 0 && total > limit && !c.failed {
			c.fail(tooLarge("body", limit, "B"))
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
func (c *Capture) lastLine() {
	if line, size, ok := c.cutter.Rest(); ok && !c.failed {
		c.line(line, size)
	}
}

// cut takes body bytes apart into lines.
func (c *Capture) cut(p []byte) {
	for len(p) > 0 && !c.failed {
		line, size, rest, ok := c.cutter.Next(p)
		if !ok {
			if c.cutter.Over() {
				c.fail(tooLarge("event", int64(c.bounds.EventBytes), "B"))
			}
			return
		}
		c.line(line, size)
		p = rest
	}
}

var dataField, errorField = []byte("data:"), []byte("error:")

// line queues one line and keeps the counts.
func (c *Capture) line(line []byte, size int) {
	l := sse.Line{At: c.stamps.At, User: c.stamps.User, Read: c.stamps.Read - c.base, Bytes: int32(size), Kernel: c.stamps.Kernel}
	switch {
	case len(line) == 0:
		c.block = 0
	case line[0] == ':':
	case bytes.HasPrefix(line, dataField):
		c.block += size
		if value := bytes.TrimSpace(line[len(dataField):]); len(value) > 0 {
			c.data(value)
		}
	case bytes.HasPrefix(line, errorField):
		c.block += size
		c.data(line[len(errorField):])
	default:
		c.block += size
	}
	c.queue.put(l, line)
	b := &c.bounds
	switch {
	case b.EventBytes > 0 && c.block > b.EventBytes:
		c.fail(tooLarge("event", int64(b.EventBytes), "B"))
	case b.Events > 0 && c.events.Load() > int64(b.Events):
		c.fail(tooLarge("number of events", int64(b.Events), "events"))
	case b.PendingBytes > 0 && c.queue.pending() > int64(b.PendingBytes):
		c.fail(tooLarge("data not yet taken by this program", int64(b.PendingBytes), "B"))
	}
}

// data counts a data line.
func (c *Capture) data(value []byte) {
	c.events.Store(c.events.Load() + 1)
	switch c.inRead++; c.inRead {
	case 1:
	case 2:
		c.shared.Store(c.shared.Load() + 2)
	default:
		c.shared.Store(c.shared.Load() + 1)
	}
	if c.stamps.Kernel {
		c.kernel.Store(c.kernel.Load() + 1)
		d, _ := c.stamps.User.Sub(c.stamps.At)
		c.lag.add(d)
		if d > lateBy {
			c.late.Store(c.late.Load() + 1)
		}
	} else {
		c.user.Store(c.user.Load() + 1)
	}
	first := !metrics.Stamp(c.lastData.Load()).Known()
	c.lastData.Store(int64(c.stamps.User))
	if string(value) == "[DONE]" && !metrics.Stamp(c.doneMarker.Load()).Known() {
		c.doneMarker.Store(int64(c.stamps.At))
		c.rearm()
	} else if first {
		c.rearm()
	}
}
