package transport

import (
	"context"
	"crypto/tls"
	"net/http/httptrace"

	"tokscope/metrics"
	"tokscope/probe/sse"
)

// begin makes c the capture of one request; false when it was used before.
func (c *Capture) begin(ctx context.Context, t *Transport, cancel context.CancelCauseFunc) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cancel != nil {
		return false
	}
	c.owner, c.bounds, c.cancel, c.ctx = t, t.o.Bounds, cancel, ctx
	c.marks.Start = c.clock.Now()
	return true
}

func (c *Capture) isCold() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cold
}

func (c *Capture) setDial(d *dialMarks) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dial = d
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

// trace returns the hooks of the request. They run on goroutines of net/http.
func (c *Capture) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		GotConn:              c.gotConn,
		TLSHandshakeStart:    func() { c.tlsMark(false) },
		TLSHandshakeDone:     func(tls.ConnectionState, error) { c.tlsMark(true) },
		WroteRequest:         func(httptrace.WroteRequestInfo) { c.wroteRequest() },
		GotFirstResponseByte: c.gotFirstByte,
		PutIdleConn: func(err error) {
			c.mu.Lock()
			defer c.mu.Unlock()
			if c.link != nil && err == nil {
				c.link.using.CompareAndSwap(c, nil)
			}
		},
	}
}

// tlsMark serves the one case in which net/http makes TLS itself (SOCKS).
func (c *Capture) tlsMark(done bool) {
	c.mu.Lock()
	d := c.dial
	c.mu.Unlock()
	switch now := c.clock.Now(); {
	case d == nil:
	case done:
		d.set(&d.tlsDone, now, false)
	default:
		d.set(&d.tlsStart, now, false)
	}
}

// gotConn begins the request on a connection; again when net/http found the
// first one dead and takes another.
func (c *Capture) gotConn(info httptrace.GotConnInfo) {
	tp, _ := info.Conn.(*tap)
	l := c.owner.linkOf(info.Conn)
	c.mu.Lock()
	if old := c.link; old != nil {
		old.using.CompareAndSwap(c, nil)
		if old.tap != nil {
			old.tap.cur.CompareAndSwap(c, nil)
		}
	}
	m := metrics.NewMarks()
	m.Start, m.GotConn = c.marks.Start, c.clock.Now()
	c.conn = metrics.Connection{Reused: info.Reused, Remote: info.Conn.RemoteAddr().String()}
	c.link, c.wrote, c.frozen = l, false, false
	c.walk = walker{limit: c.bounds.HeaderBytes}
	c.cutter = sse.Cutter{Max: c.bounds.EventBytes}
	if l != nil {
		l.using.Store(c)
		l.used.Store(true)
		if l.fresh.Swap(false) {
			c.conn.Reused = true
		}
		if !c.conn.Reused {
			l.dial.into(&m)
		}
		c.conn.Proxy, c.conn.TLS = l.proxy, l.tls
	}
	if tc, ok := info.Conn.(*tls.Conn); ok {
		c.conn.TLS = tls.VersionName(tc.ConnectionState().Version)
	}
	c.marks, c.dial = m, nil
	c.tapped.Store(tp != nil)
	c.mu.Unlock()
	if tp != nil {
		if c.owner.kernel {
			l.rx.Limit(shortRead) // the first token may find the reader late
		}
		tp.cur.Store(c)
	}
	c.owner.release(c)
	c.rearm()
}

// wroteRequest says that net/http has the whole request in its buffer or on
// the connection; the connection knows when its last byte left (sent).
func (c *Capture) wroteRequest() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wrote = true
	if c.marks.FirstByte.Known() && !c.frozen {
		// The answer began before this goroutine had the processor again; no
		// other request can have been written since.
		c.marks.Sent, c.frozen = c.sent(), true
	}
	if (c.link == nil || c.link.shared) && !c.frozen {
		c.marks.Sent, c.frozen = c.clock.Now(), true
	}
}

// gotFirstByte serves connections without a tap.
func (c *Capture) gotFirstByte() {
	if c.tapped.Load() {
		return
	}
	now := c.clock.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.marks.FirstByte.Known() {
		return
	}
	c.marks.FirstByte = now
	if !c.frozen {
		// HTTP/2 may say that the request is written after it was answered.
		c.wrote = true
		c.marks.Sent, c.frozen = c.sent(), true
	}
}
