package transport

import (
	"context"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync"
	"time"

	"tokscope/metrics"
	"tokscope/probe/ws"
)

// Relay sends req for a proxy and records the answer in c. Every response is returned as it
// came: redirects, refusals and compressed ones too. Its body is the caller's to read to the
// end and to close, and reading it is what feeds c, which ends with it. What passes a bound
// of the transport ends c, never the response.
//
// Where the server changes to a WebSocket, the body is its connection, c has ended, and the
// RelayedSocket is not nil. With a nil c nothing is recorded but what a WebSocket brings.
//
// An error is a *metrics.Fault: there is no response.
func (t *Transport) Relay(req *http.Request, c *Capture) (*http.Response, *RelayedSocket, error) {
	upgrade, recorded := ws.Asks(req), c != nil
	if !recorded {
		c = NewCapture(t.clock, unheard{})
	}
	if upgrade {
		c.socket = &websocket{t: t, made: time.Now(), pings: make(chan []byte, 1), relays: true}
	}
	req, _, f := t.routed(req.WithContext(With(req.Context(), c)), false)
	if f != nil {
		c.finish(t.clock.Now(), f)
		return nil, nil, f
	}
	c.relays = new(sync.Mutex)
	ctx := req.Context()
	c.begin(ctx, t, c.settle)
	resp, f := t.send(ctx, t.base, c, req)
	if f != nil {
		c.finish(t.clock.Now(), f)
		return nil, nil, f
	}
	if tp := tapOf(c); upgrade && tp != nil && resp.StatusCode == http.StatusSwitchingProtocols {
		return resp, c.socket.relayed(c, tp, resp.Header), nil
	}
	if !recorded {
		c.relays.Lock()
		defer c.relays.Unlock()
		c.leave()
		c.finish(t.clock.Now(), nil)
		c.Free()
		return resp, nil, nil
	}
	success := resp.StatusCode >= 200 && resp.StatusCode < 300
	if success && encoded(resp.Header.Get("Content-Encoding")) {
		c.settle(compressedFault(resp)) // its stamps would be those of the packed stream
		return resp, nil, nil
	}
	resp.Body = &relayedBody{ReadCloser: resp.Body, c: c, ctx: ctx}
	return resp, nil, nil
}

// unheard takes no lines.
type unheard struct{}

func (unheard) Ready(bool)                   {}
func (unheard) RequestChanged(*RequestState) {}

// settle ends the record of a relayed response, which goes on, soon: what feeds it may call
// it. nil says that c has ended.
func (c *Capture) settle(cause error) {
	if cause == nil || !c.settles.CompareAndSwap(false, true) {
		return
	}
	go func() {
		ctx, cancel := context.WithCancelCause(context.Background())
		cancel(cause)
		c.relays.Lock()
		defer c.relays.Unlock()
		c.leave()
		c.finish(c.clock.Now(), c.endOf(ctx, cause))
	}()
}

// leave makes the connection go on without c.
func (c *Capture) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if l := c.timing.link; l != nil {
		l.drop(c)
	}
}

// relayedBody is the body of a relayed response. Its end is that of the capture.
type relayedBody struct {
	io.ReadCloser
	c     *Capture
	ctx   context.Context
	start []byte // of a response that is no success
}

func (b *relayedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if room := errorBodyBytes - len(b.start); b.c.status >= 300 && room > 0 {
		b.start = append(b.start, p[:min(n, room)]...)
	}
	if err != nil {
		b.end(err)
	}
	return n, err
}

func (b *relayedBody) Close() error {
	err := b.ReadCloser.Close()
	b.end(errUnread)
	return err
}

// errUnread ends a response that a proxy closes before its end.
var errUnread = &metrics.Fault{Kind: metrics.FaultCancelled, Message: "the client closed the connection"}

// end ends the capture. Later calls do nothing.
func (b *relayedBody) end(err error) {
	c := b.c
	c.relays.Lock()
	defer c.relays.Unlock()
	if c.ended.Load() || c.settles.Load() {
		return
	}
	fault := c.endOf(b.ctx, err)
	if fault == nil {
		if in := &c.intake; in.walk.state == inClose {
			in.lastLine() // the framing did not say where the body ends
			in.publish()
		}
		if !c.intake.streams() {
			c.keepStart(c.intake.start)
		}
	}
	if len(b.start) > 0 {
		c.keepStart(b.start)
	}
	c.leave()
	c.finish(c.clock.Now(), fault)
}

// RelayedSocket is a relayed WebSocket. The proxy copies the bytes of both directions and says
// here what it copies. Asks and Asked belong to one goroutine, Ended to another.
type RelayedSocket struct {
	w     *websocket
	first RequestState // of the handshake
	cold  bool         // no message has been asked for
	asked *Capture     // whose message is being written
	// FromClient reads the client's bytes. Its Sink is the proxy's.
	FromClient ws.Reader
}

// relayed makes w the reader of what the server sends.
func (w *websocket) relayed(c *Capture, tp *tap, h http.Header) *RelayedSocket {
	s := &RelayedSocket{w: w, first: *c.state(), cold: true, FromClient: ws.Reader{Client: true}}
	s.FromClient.Inflater, w.in.Inflater = ws.Inflaters(h)
	w.in.Max = w.t.o.Bounds.EventBytes
	w.tap = tp
	tp.l.socket.Store(w)
	c.leave()
	c.finish(c.clock.Now(), nil)
	return s
}

// Free reports whether no message is being answered.
func (s *RelayedSocket) Free() bool { return s.w.asks.Load() == nil && !s.w.dead.Load() }

// Asks makes c the record of the answer to a message that the proxy is about to pass on.
// The socket must be free.
func (s *RelayedSocket) Asks(ctx context.Context, c *Capture) {
	w := s.w
	c.socket, c.relays = w, new(sync.Mutex)
	c.begin(ctx, w.t, c.settle)
	c.gotConn(httptrace.GotConnInfo{Conn: w.tap, Reused: !s.cold, WasIdle: !s.cold})
	c.upgraded(!s.cold)
	if s.cold {
		c.mu.Lock()
		c.change(func(r *RequestState) { r.Marks.Upgraded = s.first.Marks.Upgraded })
		c.mu.Unlock()
	}
	s.cold, s.asked = false, c
	a := &asking{c: c, ctx: ctx, stop: func() bool { return true }, told: true, came: true}
	w.asks.Store(a)
	if w.dead.Load() && w.asks.CompareAndSwap(a, nil) {
		w.lost(a)
	}
}

// Asked says that the message of Asks is written.
func (s *RelayedSocket) Asked() {
	if s.asked != nil {
		s.asked.wroteMessage()
		s.asked = nil
	}
}

// Ended says how reading from the server ended: io.EOF is its end. nil says that the client
// has ended the connection.
func (s *RelayedSocket) Ended(err error) {
	w := s.w
	if w.dead.Load() {
		return
	}
	if w.ended = err; err == nil {
		w.broken = errUnread
	}
	w.dead.Store(true)
	if a := w.asks.Swap(nil); a != nil {
		w.lost(a)
	}
}

// lost ends the record of an answer whose connection has ended, or cannot be read further.
func (w *websocket) lost(a *asking) {
	a.c.relays.Lock()
	defer a.c.relays.Unlock()
	a.c.leave()
	w.fail(a)
}
