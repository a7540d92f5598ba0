package transport

import (
	"context"
	"net/http/httptrace"

	"tokscope/metrics"
)

// begin makes c the capture of one request. It returns false if c was used
// before.
func (c *Capture) begin(ctx context.Context, t *Transport, cancel context.CancelCauseFunc) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cancel != nil {
		return false
	}
	c.owner, c.bounds, c.cancel, c.ctx = t, t.o.Bounds, cancel, ctx
	c.queue.total = &t.pending
	return true
}

func (c *Capture) setDial(d *dialMarks) {
	c.mu.Lock()
	c.timing.dial = d
	c.mu.Unlock()
	c.dialed(d)
}

// dialed makes the marks of d those of the request while it waits for that dial.
func (c *Capture) dialed(d *dialMarks) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timing.dial == d {
		c.change(func(s *RequestState) {
			if !s.Marks.GotConn.Known() {
				d.into(&s.Marks)
			}
		})
	}
}

// withRequest returns a context that also ends with the request. Without it,
// net/http would go on dialing for the next caller. The caller calls the
// returned function when the dial ends.
func (c *Capture) withRequest(ctx context.Context) (context.Context, func()) {
	c.mu.Lock()
	req := c.ctx
	c.mu.Unlock()
	if req == nil {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(req, func() { cancel(context.Cause(req)) })
	return ctx, func() { stop(); cancel(nil) }
}

// trace returns the request's hooks. net/http runs them on its own
// goroutines.
func (c *Capture) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		GotConn:              c.gotConn,
		WroteRequest:         func(httptrace.WroteRequestInfo) { c.wroteRequest() },
		GotFirstResponseByte: c.gotFirstByte,
		PutIdleConn: func(err error) {
			c.mu.Lock()
			defer c.mu.Unlock()
			if l := c.timing.link; l != nil && err == nil {
				l.drop(c) // or an idle connection would hold what the request had
			}
		},
	}
}

// gotConn begins the request on a connection. net/http calls it again when it
// found the first one dead and uses another. A kept connection that has ended
// is closed here, before a byte is written: net/http then uses another one.
func (c *Capture) gotConn(info httptrace.GotConnInfo) {
	tp, _ := info.Conn.(*tap)
	l := c.owner.linkOf(info.Conn)
	if info.Reused && l != nil && !l.shared && !l.rx.Alive() {
		_ = l.rx.Close()
	}
	c.mu.Lock()
	t := &c.timing
	if t.link != nil {
		t.link.drop(c)
	}
	m := metrics.NewRequestMarks()
	m.GotConn = c.clock.Now()
	conn := metrics.Connection{Reused: info.Reused, Remote: info.Conn.RemoteAddr().String()}
	t.link, t.wrote, t.dial = l, false, nil
	c.intake.restart(&c.bounds)
	if l != nil {
		l.using.Store(c)
		l.used.Store(true)
		t.before = l.came.Load()
		if l.fresh.Swap(false) {
			conn.Reused = true
		}
		if !conn.Reused {
			l.dial.into(&m)
		}
		conn.Proxy, conn.TLS = l.proxy, l.tls
	}
	c.change(func(s *RequestState) { *s = RequestState{Marks: m, Conn: conn, End: metrics.NoStamp} })
	c.tapped.Store(tp != nil)
	c.mu.Unlock()
	if tp != nil && c.owner.kernel {
		l.rx.Limit(shortRead) // the reader may be late for the first token
	}
	c.owner.release(c)
	c.rearm()
}

// wroteRequest records that net/http has the whole request in its buffer or
// on the connection. The connection knows when its last byte left, see sent.
func (c *Capture) wroteRequest() {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &c.timing
	t.wrote = true
	c.change(func(s *RequestState) {
		switch {
		case s.SentFinal:
		case s.Marks.FirstByte.Known():
			// The answer began before this goroutine ran again. No other request can
			// have been written since.
			t.freezeSent(s)
		case t.link == nil || t.link.shared:
			s.Marks.Sent, s.SentFinal = c.clock.Now(), true
		default:
			t.setSent(s)
		}
	})
}

// written records a write on l, the request's connection. net/http writes the
// last bytes after it has reported the request as written.
func (c *Capture) written(l *link) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t := &c.timing; t.link == l {
		c.change(t.setSent)
	}
}

// gotFirstByte stamps the first byte on connections without a tap.
func (c *Capture) gotFirstByte() {
	if c.tapped.Load() {
		return
	}
	now := c.clock.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &c.timing
	c.change(func(s *RequestState) {
		if s.Marks.FirstByte.Known() {
			return
		}
		s.Marks.FirstByte = now
		if !s.SentFinal {
			// HTTP/2 may report the request as written after its answer.
			t.wrote = true
			t.freezeSent(s)
		}
	})
}
