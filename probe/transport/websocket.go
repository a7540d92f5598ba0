package transport

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"tokscope/metrics"
	"tokscope/probe/ws"
)

// ProtoSocket is metrics.Connection.Proto of a request over a WebSocket.
const ProtoSocket = "WebSocket"

// socketAge is how old a WebSocket may be for another request: servers end one after an hour.
const socketAge = 55 * time.Minute

// closeWithin bounds the write of a close frame.
const closeWithin = 100 * time.Millisecond

// websocket is a connection behind its handshake. It answers one request at a time, and
// waits between them as idle connections of net/http do. A goroutine reads it to its end:
// messages go to the request that asks, with the stamps of the read that completed them.
type websocket struct {
	t     *Transport
	key   string // requests with equal keys can share it
	made  time.Time
	tap   *tap
	pings chan []byte // the latest payload to send back
	idle  *time.Timer // closes it; the transport's mu is held
	// relays: a proxy reads and writes the connection, see Relay.
	relays bool

	mu   sync.Mutex             // held while writing
	asks atomic.Pointer[asking] // nil between two requests
	dead atomic.Bool            // nobody reads it any more; broken and ended stay as they are

	// These belong to the goroutine that reads.
	in     ws.Reader
	intake *intake // of the request that uses the connection, nil between two
	broken error   // *ws.Closed or *ws.Error
	ended  error   // of the last read
}

// asking is a request over a WebSocket. The goroutine that reads owns what is below settled
// until it closes that.
type asking struct {
	c       *Capture
	ctx     context.Context
	stop    func() bool   // ends the watch over ctx
	settled chan struct{} // closed by the first message of the answer, or by the end

	begun   bool           // a message of the answer has begun
	came    bool           // one is there
	told    bool           // settled is closed
	over    bool           // the answer is complete
	refusal *http.Response // an answer by one message, as if it were one of HTTP; nil for another
	fault   error          // the connection ended before the first message
}

// SetSocket makes the request the handshake of a WebSocket, and its body the first message
// over it. Each message that comes is a line of the answer. ends reports whether it is the
// last; with a status the first one is a refusal, which Do returns as a response with that
// status and header. Call it before the request.
func (c *Capture) SetSocket(ends func(message []byte) (end bool, status int, h http.Header)) {
	c.ends = ends
}

// overSocket sends the body of req as a message, and returns its answer: a response with
// http.NoBody where a stream begins. Where the server refuses the upgrade it returns its response.
func (t *Transport) overSocket(ctx context.Context, h *http.Transport, c *Capture,
	req *http.Request) (*http.Response, error) {
	message, err := io.ReadAll(req.Body)
	_ = req.Body.Close()
	if err != nil {
		return nil, err
	}
	w, resp, err := t.socket(ctx, h, c, req)
	if w == nil {
		return resp, err
	}
	a := &asking{c: c, ctx: ctx, settled: make(chan struct{})}
	w.ask(a, message)
	<-a.settled
	switch r := a.refusal; {
	case a.fault != nil:
		return nil, a.fault
	case r != nil:
		c.mu.Lock()
		c.status, c.header = r.StatusCode, r.Header
		c.mu.Unlock()
		return r, nil
	}
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, nil
}

// socket returns a WebSocket for c: one that is open, or a new one. Where the server refuses
// the upgrade it returns its response.
func (t *Transport) socket(ctx context.Context, h *http.Transport, c *Capture,
	req *http.Request) (*websocket, *http.Response, error) {
	req = req.Clone(ctx)
	req.Body, req.GetBody, req.ContentLength = nil, nil, 0
	req.Header.Del("Content-Type")
	req.Header.Del("Accept")
	key := socketKey(ctx, req)
	if c.reuse != metrics.ReuseCold {
		if w := t.takeSocket(key); w != nil {
			c.socket = w
			c.gotConn(httptrace.GotConnInfo{Conn: w.tap, Reused: true, WasIdle: true})
			c.upgraded(true)
			return w, nil, nil
		}
	}
	ws.Ask(req)
	w := &websocket{t: t, key: key, made: time.Now(), pings: make(chan []byte, 1)}
	c.socket = w
	trace := c.trace()
	trace.WroteRequest = nil // the request is the first message
	resp, err := h.RoundTrip(req.WithContext(httptrace.WithClientTrace(ctx, trace)))
	if err != nil {
		return nil, nil, err
	}
	c.answered(resp)
	if resp.StatusCode >= 300 {
		return nil, resp, nil
	}
	w.tap = tapOf(c)
	if f := upgradeFault(req, resp, w.tap); f != nil {
		_ = resp.Body.Close()
		return nil, nil, f
	}
	t.mu.Lock()
	w.tap.l.key = key
	t.mu.Unlock()
	w.tap.l.socket.Store(w)
	c.upgraded(c.reuse == metrics.ReuseWarm)
	go w.read()
	go w.answerPings()
	return w, nil, nil
}

// upgradeFault returns the fault of an answer below 300 to the handshake req, nil for none.
func upgradeFault(req *http.Request, resp *http.Response, tp *tap) *metrics.Fault {
	f := &metrics.Fault{Kind: metrics.FaultProtocol, Status: resp.StatusCode,
		Next: "check the address and the proxies on the way; --api responses uses no WebSocket"}
	switch err := ws.Agreed(req, resp.Header); {
	case resp.StatusCode != http.StatusSwitchingProtocols:
		f.Kind = metrics.FaultNotStream
		f.Message = fmt.Sprintf("the server answered the handshake of a WebSocket with HTTP %d", resp.StatusCode)
	case err != nil:
		f.Message = err.Error()
	case tp == nil:
		f.Message = "the server changed to a WebSocket over HTTP/2"
	default:
		return nil
	}
	return f
}

// socketKey returns the key of a handshake: two requests that differ in it must not share
// a connection. It holds no secret.
func socketKey(ctx context.Context, req *http.Request) string {
	r, _ := ctx.Value(routeKey{}).(route)
	var b bytes.Buffer
	b.WriteString(req.Host + " " + req.URL.RequestURI() + "\n")
	_ = req.Header.Write(&b) // sorted; never fails
	sum := sha256.Sum256(b.Bytes())
	return "websocket " + keyOf(r.scheme, HostPort(req.URL), r.proxy) + " " + string(sum[:])
}

// upgraded notes that c has a WebSocket. A warm request begins behind its handshake.
func (c *Capture) upgraded(warm bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.clock.Now()
	c.change(func(s *RequestState) {
		if warm {
			s.Marks = metrics.NewRequestMarks()
			s.Marks.GotConn = now
		}
		s.Conn.Reused, s.Conn.Proto = warm, ProtoSocket
	})
}

// ask writes the message of a.
func (w *websocket) ask(a *asking, message []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	frame := ws.Append(nil, ws.OpText, message, true)
	a.stop = context.AfterFunc(a.ctx, func() { w.close(ws.CloseNormal) })
	w.asks.Store(a)
	if _, err := w.tap.Write(frame); err != nil {
		_ = w.tap.Close() // whoever reads ends the request
	}
	a.c.wroteMessage()
	if w.dead.Load() && w.asks.CompareAndSwap(a, nil) {
		w.fail(a)
	}
}

// wroteMessage makes the last write the moment at which the request was sent.
func (c *Capture) wroteMessage() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.timing.wrote = true
	c.change(c.timing.freezeSent)
}

// read reads the connection to its end.
func (w *websocket) read() {
	buf := make([]byte, connRead)
	for w.broken == nil && w.ended == nil {
		_, w.ended = w.tap.Read(buf) // which feeds
	}
	code := ws.CloseNormal
	if e, ok := errors.AsType[*ws.Error](w.broken); ok {
		code = e.Code
	}
	w.close(code)
	w.t.dropSocket(w)
	close(w.pings)
	w.dead.Store(true)
	if a := w.asks.Swap(nil); a != nil {
		w.fail(a)
	}
}

// fail ends a request whose connection has ended.
func (w *websocket) fail(a *asking) {
	a.stop()
	err := w.ended
	if w.broken != nil {
		err = w.broken
	}
	stage, kind, when := unanswered, metrics.FaultReset, "without an answer"
	if a.begun {
		stage, kind, when = inBody, metrics.FaultTruncated, "before the answer was complete"
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
	}
	if closed, ok := errors.AsType[*ws.Closed](err); ok {
		err = &metrics.Fault{Kind: kind, Message: "the server closed the WebSocket " + when + ": " + closed.Error(),
			Next: "look at the server's log; what had arrived is kept"}
	} else if broke, ok := errors.AsType[*ws.Error](err); ok {
		kind = metrics.FaultProtocol
		if broke.Code == ws.CloseTooBig {
			kind = metrics.FaultTooLarge
		}
		err = &metrics.Fault{Kind: kind, Message: "the WebSocket cannot be read: " + broke.Text,
			Next: "look for a proxy on the way; --api responses uses no WebSocket"}
	}
	if !a.told {
		a.fault = faultOf(a.ctx, err, stage)
		close(a.settled)
		return
	}
	a.c.finish(w.t.clock.Now(), a.c.endOf(a.ctx, err))
}

// close sends a close frame, unless another write is under way, and closes the connection.
func (w *websocket) close(code int) {
	if w.mu.TryLock() {
		_ = w.tap.SetWriteDeadline(time.Now().Add(closeWithin))
		_, _ = w.tap.Write(ws.Append(nil, ws.OpClose, ws.AppendClose(nil, code, ""), true))
		w.mu.Unlock()
	}
	_ = w.tap.Close()
}

// answerPings answers the latest ping, on a goroutine of its own: a server that is writing
// may not read.
func (w *websocket) answerPings() {
	for payload := range w.pings {
		w.mu.Lock()
		_, _ = w.tap.Write(ws.Append(nil, ws.OpPong, payload, true))
		w.mu.Unlock()
	}
}

// feed takes the bytes of a read, for the request of in or, if that is nil, between two.
func (w *websocket) feed(in *intake, p []byte) {
	w.intake = in
	if err := w.in.Feed(p, w); err != nil && w.broken == nil {
		w.broken = err
	}
	unread := w.relays && is[*ws.Error](w.broken) // what follows passes unread
	if unread {
		w.dead.Store(true)
	}
	a := w.asks.Load()
	if a == nil || in == nil || a.c != in.c {
		return
	}
	if unread {
		if w.asks.CompareAndSwap(a, nil) {
			a.c.leave()
			w.fail(a)
		}
		return
	}
	if a.over {
		w.done(a, in)
	}
	if a.came && !a.told {
		a.told = true
		close(a.settled)
	}
}

// done ends a request that is answered, and keeps the connection for the next.
func (w *websocket) done(a *asking, in *intake) {
	if !a.stop() {
		return // its context closes the connection, and so ends it
	}
	w.asks.Store(nil)
	in.readEnds()
	in.size = 0
	in.publish()
	w.tap.l.drop(a.c)
	if !w.relays && (a.c.reuse == metrics.ReuseCold || !w.t.keepSocket(w)) {
		go w.close(ws.CloseNormal)
	}
	if a.refusal != nil {
		return
	}
	a.c.mu.Lock()
	a.c.timing.bodyEnd = in.stamps.At
	a.c.mu.Unlock()
	a.c.finish(w.t.clock.Now(), nil)
}

// answering returns the request whose answer comes, nil for none.
func (w *websocket) answering() *asking {
	if a := w.asks.Load(); a != nil && !a.over && w.intake != nil && w.intake.c == a.c {
		return a
	}
	return nil
}

// Begins implements ws.Sink.
func (w *websocket) Begins() {
	if a := w.answering(); a != nil && !a.begun {
		a.begun = true
		w.intake.responseBegins()
		w.intake.responseHeaders()
	}
}

// Message implements ws.Sink.
func (w *websocket) Message(op ws.Op, data []byte) {
	a := w.answering()
	if a == nil || !a.begun {
		return
	}
	if op != ws.OpText {
		w.broken = &ws.Error{Code: ws.CloseData, Text: "a message is binary"}
		return
	}
	end, status, header := a.c.ends(data)
	if status > 0 && !a.came {
		body := io.NopCloser(bytes.NewReader(bytes.Clone(data)))
		a.refusal = &http.Response{StatusCode: status, Header: header, Body: body}
	} else {
		w.intake.message(data)
	}
	a.came, a.over = true, end
}

// Control implements ws.Sink.
func (w *websocket) Control(op ws.Op, payload []byte) {
	switch op {
	case ws.OpPing:
		select {
		case <-w.pings: // only the latest is answered
		default:
		}
		w.pings <- bytes.Clone(payload)
	case ws.OpClose:
		w.broken = ws.Closing(payload)
	}
}

// takeSocket returns an open WebSocket that waits, or nil.
func (t *Transport) takeSocket(key string) *websocket {
	t.mu.Lock()
	defer t.mu.Unlock()
	return takeLast(t.sockets, key, func(w *websocket) bool {
		w.idle.Stop()
		if w.tap.l.rx.Alive() && time.Since(w.made) < socketAge {
			return true
		}
		go w.close(ws.CloseNormal)
		return false
	})
}

// keepSocket makes w wait for the next request, and reports whether it may.
func (t *Transport) keepSocket(w *websocket) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ctx.Err() != nil || len(t.sockets[w.key]) >= maxConns || w.broken != nil {
		return false
	}
	t.sockets[w.key] = append(t.sockets[w.key], w)
	w.idle = time.AfterFunc(keepAlive, func() {
		if t.dropSocket(w) {
			w.close(ws.CloseNormal)
		}
	})
	return true
}

// dropSocket removes w from those that wait, and reports whether it was one of them.
func (t *Transport) dropSocket(w *websocket) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.Index(t.sockets[w.key], w)
	if i < 0 {
		return false
	}
	w.idle.Stop()
	t.sockets[w.key] = slices.Delete(t.sockets[w.key], i, i+1)
	return true
}
