package transport

import (
	"bytes"
	"net/http"

	"tokscope/metrics"
	"tokscope/probe/sse"
	"tokscope/probe/transport/stamp"
	"tokscope/probe/ws"
)

// intake cuts the body of one response into lines and queues them, with the
// stamps of the read that completed each. The goroutine that reads the response
// owns it; c.gotConn resets it before that goroutine sees the request.
type intake struct {
	c      *Capture
	walk   walker
	cutter sse.Cutter
	stamps stamp.Stamps // stamps of the current read
	base   int32        // reads of the connection before this response
	inRead int          // data lines of the current arrival
	block  int          // bytes since the last blank line, without comments
	size   int          // body bytes in the current read
	part   []byte       // those bytes, if kept
	form   sse.Form     // of the body
	start  []byte       // of the body, while its form is not that of events; at most errorBodyBytes
	failed bool         // a bound was exceeded: cutting has stopped
	most   int          // bytes of an event; 0 = unbounded
	// first is when the answer to the handshake of a WebSocket began.
	first metrics.Stamp
}

// restart prepares for the response of a request that has got a connection.
func (in *intake) restart(b *Bounds) {
	in.walk = walker{limit: b.HeaderBytes}
	in.cutter = sse.Cutter{Max: b.EventBytes}
	in.form, in.start, in.most = sse.Undecided, nil, b.EventBytes
	if w := in.c.socket; w != nil {
		in.walk.socket, in.form, in.most = true, sse.Lines, ws.DefaultMax
		if w.tap != nil {
			in.walk.state = inFrames // its handshake was another request's
		}
	}
}

// streams reports whether the body has a form that the capture follows.
func (in *intake) streams() bool { return in.c.follows(in.form) }

// fail ends the response because a bound was passed.
func (in *intake) fail(f *metrics.Fault) {
	in.failed = true
	in.publish()
	in.c.interrupt(f)
}

// feed ingests the bytes of one read of the connection, with its stamps, and
// returns the number of data lines they completed. It runs within that read.
func (in *intake) feed(p []byte, s stamp.Stamps) (data int) {
	if s.Read != in.stamps.Read {
		in.inRead = 0
	}
	in.stamps, in.size, in.part = s, 0, in.part[:0]
	events := in.c.counts.events.Load()
	in.walk.feed(p, in)
	in.readEnds()
	in.publish()
	return int(in.c.counts.events.Load() - events)
}

// publish hands over what a read has brought.
func (in *intake) publish() {
	if !in.c.queue.publish() {
		return
	}
	in.c.signal()
	if !in.failed {
		in.checkPending()
	}
}

// readEnds queues the current read, after the lines that it completed.
func (in *intake) readEnds() {
	if !in.c.reading || in.size == 0 || in.failed {
		return
	}
	in.c.queue.push(in.stamped(in.size), in.part, true)
}

// stamped returns the stamps of what the current read has completed, of that size on the
// wire.
func (in *intake) stamped(size int) sse.Line {
	s := &in.stamps
	return sse.Line{At: s.At, User: s.User, Read: s.Read - in.base, Bytes: int32(size), Kernel: s.Kernel}
}

// checkPending ends the response when the queue is too long.
func (in *intake) checkPending() {
	q, b := &in.c.queue, &in.c.bounds
	p := q.pending()
	switch {
	case b.PendingBytes > 0 && p.bytes > int64(b.PendingBytes):
		in.fail(behind("data", int64(b.PendingBytes), "B"))
	case b.PendingLines > 0 && p.entries > int64(b.PendingLines):
		// bytes come first on a slow machine: these are a flood of the shortest lines
		in.fail(tooLarge("number of lines not yet read by tokscope", int64(b.PendingLines), "lines"))
	case b.PendingTotal > 0 && q.total != nil && q.total.Load() > b.PendingTotal && p.memory > pendingShare:
		in.fail(behind("data of all streams", b.PendingTotal, "B"))
	}
}

// inStream reports whether the next bytes belong to the body of an event
// stream that the capture still follows. The stream must end where net/http
// sees its end, because net/http does not get control before. Reading
// goroutine.
func (in *intake) inStream() bool {
	return in.walk.stream && !in.walk.odd && !in.failed && in.walk.state >= inLength && in.walk.state < walkDone
}

// wholeChunks returns the whole chunks of a stream's framing in the last feed, which
// net/http need not see; nil where it must see all. It bounds chunks with extensions.
// Reading goroutine.
func (in *intake) wholeChunks() *wholeChunks {
	if in.walk.extended || !in.inStream() {
		return nil
	}
	return &in.walk.whole
}

// responseBegins marks the first byte; a final response overwrites an interim one.
func (in *intake) responseBegins() {
	in.c.mu.Lock()
	defer in.c.mu.Unlock()
	t := &in.c.timing
	if !t.state.Marks.FirstByte.Known() {
		in.base = in.stamps.Read
	}
	if in.inHandshake() {
		in.first = in.stamps.At
		return
	}
	in.c.change(func(s *RequestState) {
		s.Marks.FirstByte = in.stamps.At
		if t.wrote { // else the answer is here before net/http has said so: wroteRequest follows
			t.freezeSent(s)
		}
	})
}

func (in *intake) responseHeaders() {
	in.c.mu.Lock()
	defer in.c.mu.Unlock()
	in.c.change(func(s *RequestState) {
		switch m := &s.Marks; {
		case !in.inHandshake():
			m.Headers = in.stamps.At
		case in.walk.status == http.StatusSwitchingProtocols:
			m.Upgraded = in.stamps.At
		default:
			m.FirstByte, m.Headers = in.first, in.stamps.At
		}
	})
}

// inHandshake reports whether the response is that to the handshake of a WebSocket.
func (in *intake) inHandshake() bool { return in.walk.socket && in.walk.state != inFrames }

func (in *intake) responseBody(p []byte) {
	switch {
	case len(p) == 0:
		return
	case in.walk.state == inFrames:
		in.c.socket.feed(in, p)
		return
	}
	total := in.c.counts.bodyPart(in.stamps.Read, len(p))
	if in.size += len(p); in.c.keeping {
		in.part = append(in.part, p...)
	}
	if !in.streams() && len(in.start) < errorBodyBytes {
		p = in.look(p)
	}
	if in.walk.stream && !in.failed {
		in.cut(p)
		in.checkBody(total)
	}
}

// checkBody ends the response when its body is too long.
func (in *intake) checkBody(total int64) {
	if limit := in.c.bounds.BodyBytes; limit > 0 && total > limit && !in.failed {
		in.fail(tooLarge("body", limit, "B"))
	}
}

// message takes a message of a WebSocket as a line of the body. JSON may hold line ends
// between its words.
func (in *intake) message(text []byte) {
	if in.failed {
		return
	}
	if bytes.ContainsAny(text, "\r\n") {
		text = bytes.ReplaceAll(bytes.ReplaceAll(text, []byte{'\r'}, []byte{' '}), []byte{'\n'}, []byte{' '})
	}
	size := len(text) + 1
	total := in.c.counts.bodyPart(in.stamps.Read, size)
	if in.size += size; in.c.keeping {
		in.part = append(append(in.part, text...), '\n')
	}
	in.line(text, size)
	in.checkBody(total)
}

// look decides by the first bytes of a body what it is. p are the next, and it returns
// those to be cut: all so far where they turn a response into a stream.
func (in *intake) look(p []byte) []byte {
	all := p
	if len(in.start) > 0 {
		all = append(in.start, p...)
	}
	in.form = sse.FormOf(all)
	in.cutter.Array = in.streams() && in.form == sse.Array
	switch {
	case !in.streams():
		in.start = append(in.start, p[:min(len(p), errorBodyBytes-len(in.start))]...)
		return p
	case in.walk.unsaid:
		in.walk.stream = true
		p = all
	}
	in.start = nil
	return p
}

func (in *intake) responseEnds() {
	in.lastLine()
	in.c.mu.Lock()
	defer in.c.mu.Unlock()
	in.c.timing.bodyEnd = in.stamps.At
}

// lastLine queues a last line without a line end.
func (in *intake) lastLine() {
	if line, size, ok := in.cutter.Rest(); ok && !in.failed {
		in.line(line, size)
	}
}

// cut splits body bytes into lines.
func (in *intake) cut(p []byte) {
	for len(p) > 0 && !in.failed {
		line, size, rest, ok := in.cutter.Next(p)
		if !ok {
			if in.cutter.LineTooLong() {
				in.fail(tooLarge("event", int64(in.c.bounds.EventBytes), "B"))
			}
			return
		}
		in.line(line, size)
		p = rest
	}
}

// line queues one line and updates the counts.
func (in *intake) line(line []byte, size int) {
	kind := sse.KindOf(line)
	if in.form != sse.Events && kind == sse.Field {
		kind = sse.Data
		in.block = 0 // each line is an event
	}
	switch kind {
	case sse.Blank:
		in.block = 0
	case sse.Comment:
		in.c.timing.lastLine.Store(int64(in.stamps.User))
	case sse.Data:
		in.block += size
		in.inRead++
		in.c.counts.dataLine(&in.stamps, in.inRead)
		in.c.timing.lastData.Store(int64(in.stamps.User))
		in.c.timing.lastLine.Store(int64(in.stamps.User))
	default:
		in.block += size
	}
	in.c.queue.push(in.stamped(size), line, false)
	b := &in.c.bounds
	switch {
	case in.most > 0 && in.block > in.most:
		in.fail(tooLarge("event", int64(in.most), "B"))
	case b.Events > 0 && in.c.counts.events.Load() > int64(b.Events):
		in.fail(tooLarge("number of events", int64(b.Events), "events"))
	}
}

// bodyRead stamps a read of the body, the only stamp without a tap.
func (in *intake) bodyRead(p []byte) {
	now := in.c.clock.Now()
	in.stamps = stamp.Stamps{At: now, User: now, Read: in.stamps.Read + 1}
	in.inRead, in.size, in.part = 0, 0, in.part[:0]
	in.responseBody(p)
	in.readEnds()
	in.publish()
}
