package transport

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"time"

	"tokscope/metrics"
	"tokscope/probe/sse"
)

const (
	// answerBytes bounds the returned part of a response other than 2xx.
	answerBytes = 64 << 10
	// pumpBytes is the buffer for one read of an untapped body. tappedBytes is
	// the buffer for a tapped one, whose bytes are only discarded.
	pumpBytes, tappedBytes = 4 << 10, 512
	// connRead and connWrite are the buffers of a connection. Bytes of one read
	// share a stamp, and an event has some 100 to 400 bytes. Trailers of a response must
	// fit into connRead. A request larger than connWrite bypasses it.
	connRead, connWrite = 2 << 10, 1 << 10
)

// Do sends req. With a Capture in the request's context (With) it stamps the
// response:
//
//   - A goroutine of the transport reads an event stream to its end, into the
//     capture. The returned response's body is empty, and closing it does not end
//     the stream; canceling the request's context does.
//   - A response other than 2xx is returned with (the first 64 KiB of) its body;
//     the capture keeps the start and ends without a fault. The caller makes one
//     from the status and the body.
//   - A redirect, a compressed response, and a 2xx that is not a stream, neither by its
//     content type nor by its first bytes, are a *metrics.Fault; the capture keeps the
//     start of the body. A stream by its type alone runs as one; if it was none, the
//     capture has its start at the end.
//
// Every error is a *metrics.Fault. Without a Capture it is a plain client
// under the same bounds, whose body the caller must close.
func (t *Transport) Do(req *http.Request) (*http.Response, error) {
	req, r, f := t.routed(req, false)
	ctx := req.Context()
	c := from(ctx)
	if f != nil {
		if c != nil {
			c.finish(t.clock.Now(), f)
		}
		return nil, f
	}
	if c != nil {
		return t.captured(ctx, c, req, r)
	}
	return t.plain(ctx, t.base, req)
}

// routed returns the way of req, and req as net/http sends it, with the way in its context.
func (t *Transport) routed(req *http.Request, aside bool) (*http.Request, route, *metrics.Fault) {
	proxy, err := t.o.Proxy(req)
	if err != nil {
		return req, route{}, proxyConfigFault(err)
	}
	r := route{scheme: req.URL.Scheme, proxy: proxy, aside: aside, asked: new(atomic.Bool)}
	if c := from(req.Context()); c != nil {
		r.upgrade = c.ends != nil || c.socket != nil
	}
	file, over, isSocket := Socket(req.URL)
	if isSocket {
		r.scheme, r.socket = over.Scheme, file
	}
	req = req.WithContext(context.WithValue(req.Context(), routeKey{}, r))
	if isSocket {
		req.Host = cmp.Or(req.Host, over.Host)
		over.Host = hex.EncodeToString([]byte(file)) // connections are kept by it
		req.URL = over
	}
	return req, r, nil
}

func proxyConfigFault(err error) *metrics.Fault {
	return &metrics.Fault{Kind: metrics.FaultConfig, Message: "the proxy settings cannot be used: " + err.Error(),
		Next: "check HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY; proxies are http, https, socks5 or socks5h, " +
			"and TARGET+direct uses none"}
}

func redirects(resp *http.Response) bool {
	return resp.StatusCode >= 300 && resp.StatusCode < 400 && resp.StatusCode != http.StatusNotModified
}

// plain sends req over connections of h, without a capture.
func (t *Transport) plain(ctx context.Context, h *http.Transport, req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	done := func() { cancel(nil) }
	if d := t.o.Bounds.FirstByte; d > 0 {
		timer := time.AfterFunc(d, func() { cancel(boundFirstByte.passed(d)) })
		done = func() { timer.Stop(); cancel(nil) }
	}
	resp, err := h.RoundTrip(req.WithContext(ctx))
	if err != nil {
		f := t.fault(ctx, err, unanswered)
		done()
		return nil, f
	}
	if redirects(resp) {
		_ = resp.Body.Close()
		done()
		return nil, redirectFault(req, resp)
	}
	resp.Body = &body{limited: limited{r: resp.Body, what: "body", max: t.o.Bounds.BodyBytes},
		under: resp.Body, done: done}
	return resp, nil
}

// fault converts an error of RoundTrip into a fault.
func (t *Transport) fault(ctx context.Context, err error, stage stage) *metrics.Fault {
	text, most := err.Error(), int64(t.o.Bounds.HeaderBytes)
	large := strings.Contains(text, "response headers exceeded") ||
		strings.Contains(text, "header list larger than advertised")
	broken := strings.Contains(text, "connection error: PROTOCOL_ERROR") ||
		strings.Contains(text, "connection error: COMPRESSION_ERROR")
	if c := from(ctx); c != nil && broken {
		// net/http says no more of headers of HTTP/2 that pass the bound, and finds that in
		// the first frame where one of them is so long.
		large = large || c.unheaded() > most/8
	}
	if large {
		return tooLarge("response headers", most, "B")
	}
	f := faultOf(ctx, err, stage)
	r, _ := ctx.Value(routeKey{}).(route)
	if r.asked != nil && r.asked.Load() && stage == unanswered {
		return t.certificateFault(f)
	}
	return f
}

// unheaded returns how many bytes have come for a request without the end of a
// response's headers.
func (c *Capture) unheaded() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if l := c.timing.link; l != nil && !c.timing.state.Marks.Headers.Known() {
		return l.came.Load() - c.timing.before
	}
	return 0
}

// captured sends req for a capture.
func (t *Transport) captured(ctx context.Context, c *Capture, req *http.Request, r route) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	if !c.begin(ctx, t, cancel) {
		cancel(nil)
		return nil, &metrics.Fault{Kind: metrics.FaultInternal, Message: "a capture was used for two requests"}
	}
	h, after, reuse := t.base, func() {}, c.reuse
	if reuse == metrics.ReuseCold {
		h = t.newHTTP(-1)
		after = h.CloseIdleConnections
	}
	end := func(err error) {
		c.finish(t.clock.Now(), err)
		t.release(c)
		after()
	}
	if reuse == metrics.ReuseWarm && c.ends == nil {
		if f := t.warm(ctx, c, req.URL, r); f != nil {
			end(f)
			return nil, f
		}
	}
	resp, f := t.send(ctx, h, c, req)
	if f != nil {
		end(f)
		return nil, f
	}
	switch ok := resp.StatusCode >= 200 && resp.StatusCode < 300; {
	case c.ends != nil && resp.Body == http.NoBody && resp.StatusCode == http.StatusOK:
		return resp, nil // the stream arrives
	case !ok && !redirects(resp):
		kept := c.keepBody(resp, nil, answerBytes)
		end(nil)
		resp.Body = io.NopCloser(bytes.NewReader(kept))
		resp.ContentLength = int64(len(kept))
		return resp, nil
	}
	says := streamable(resp.Header.Get("Content-Type"))
	first, f := c.opened(req, resp, says)
	if f != nil {
		_ = resp.Body.Close()
		end(f)
		return nil, f
	}
	body := resp.Body
	pump := func() { t.pump(ctx, c, body, first, after) }
	if tp := tapOf(c); tp == nil || !says || !tp.follow(c, resp, pump) {
		go pump()
	}
	resp.Body, resp.ContentLength = http.NoBody, 0
	return resp, nil
}

// send sends req for c over connections of h, and returns the head of the answer.
func (t *Transport) send(ctx context.Context, h *http.Transport, c *Capture,
	req *http.Request) (resp *http.Response, f *metrics.Fault) {
	var err error
	if c.ends != nil {
		resp, err = t.overSocket(ctx, h, c, req)
	} else if resp, err = h.RoundTrip(req.WithContext(httptrace.WithClientTrace(ctx, c.trace()))); err == nil {
		c.answered(resp)
	}
	if err == nil {
		return resp, nil
	}
	s, stage := c.state(), unanswered
	if s.Marks.FirstByte.Known() {
		stage = inHead
	}
	f = t.fault(ctx, err, stage)
	c.dropped(f, s)
	return nil, f
}

// opened says why an answer is no stream that can be read; says: its content type is that of
// one. first is what was read of the body for that.
func (c *Capture) opened(req *http.Request, resp *http.Response, says bool) (first []byte, f *metrics.Fault) {
	switch {
	case redirects(resp):
		return nil, redirectFault(req, resp)
	case encoded(resp.Header.Get("Content-Encoding")):
		return nil, compressedFault(resp)
	case says:
		return nil, nil
	}
	first, form := firstBytes(resp.Body)
	if !c.follows(form) {
		c.keepBody(resp, first, errorBodyBytes)
		f = notStreamFault(resp)
	}
	return first, f
}

// dropped marks the request as unanswered if f is the end of a kept connection
// before the first byte of a response.
func (c *Capture) dropped(f *metrics.Fault, s *RequestState) {
	if f.Kind != metrics.FaultReset || !s.Conn.Reused || s.Marks.FirstByte.Known() {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.unanswered = true
	if l := c.timing.link; l != nil {
		_, began := l.rx.LastWrite()
		c.reached = began.Known() && began >= s.Marks.GotConn
	}
}

// answered stores the response's head.
func (c *Capture) answered(resp *http.Response) {
	now := c.clock.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.status, c.header = resp.StatusCode, resp.Header // nobody changes it
	c.change(func(s *RequestState) {
		s.Conn.Proto = resp.Proto
		if e := resp.Header.Get("Content-Encoding"); encoded(e) {
			s.Conn.Encoding = e
		}
		if m := &s.Marks; !m.Headers.Known() && resp.StatusCode != http.StatusSwitchingProtocols {
			m.Headers = now
		}
	})
}

// firstBytes reads a body, in small pieces that do not wait for more than has come,
// until its first bytes say whether it is a stream of events.
func firstBytes(body io.Reader) (b []byte, form sse.Form) {
	for form == sse.Undecided && len(b) < errorBodyBytes {
		var piece [8]byte
		n, err := body.Read(piece[:])
		b = append(b, piece[:n]...)
		form = sse.FormOf(b)
		if err != nil {
			break
		}
	}
	return b, form
}

// keepBody reads up to limit bytes of a response that is not a stream, of which first
// were read before, keeps the start in the capture, and closes the body. The rest
// after an error is lost.
func (c *Capture) keepBody(resp *http.Response, first []byte, limit int) []byte {
	b := first
	if resp.StatusCode != http.StatusSwitchingProtocols {
		rest, _ := io.ReadAll(io.LimitReader(resp.Body, int64(limit-len(first))))
		b = append(b, rest...)
	}
	_ = resp.Body.Close()
	c.keepStart(b)
	return b
}

// keepStart keeps the start of what is not a stream.
func (c *Capture) keepStart(b []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.errBody = b[:min(len(b), errorBodyBytes)]
}

// pump reads a stream to its end, so that the tap sees it and the connection
// can be reused, and then ends the capture. first was read of it before.
func (t *Transport) pump(ctx context.Context, c *Capture, rc io.ReadCloser, first []byte, after func()) {
	var err error
	defer func() {
		if r := recover(); r != nil {
			err = PanicFault(r)
		}
		_ = rc.Close()
		c.finish(t.clock.Now(), err)
		t.release(c)
		after()
	}()
	tapped := c.tapped.Load()
	buf := make([]byte, tappedBytes)
	if !tapped {
		buf = make([]byte, pumpBytes)
		c.intake.walk.stream, c.intake.base = true, 1
		if len(first) > 0 {
			c.intake.bodyRead(first)
		}
	}
	total := int64(len(first))
	for {
		n, rerr := rc.Read(buf)
		if n > 0 && !tapped {
			c.intake.bodyRead(buf[:n])
		}
		total += int64(n)
		if rerr != nil {
			err = c.endOf(ctx, rerr)
			break
		}
	}
	if err != nil {
		return
	}
	if !tapped || c.intake.walk.state == inClose {
		c.intake.lastLine() // the framing did not say where the body ends
		c.intake.publish()
	}
	if !c.intake.streams() {
		c.keepStart(c.intake.start)
	}
	if tapped && total != c.counts.body.Load()-c.counts.withheld.Load() {
		err = c.breaksOff(&metrics.Fault{
			Kind: metrics.FaultProtocol, Message: "the response's framing was not understood",
			Next: "please report it with the server's name",
		})
	}
}

// limited reads at most max bytes (0 = unbounded) and then fails, instead of
// reporting a normal end.
type limited struct {
	r         io.Reader
	what      string // is bounded, in the fault
	max, read int64
}

func (l *limited) Read(p []byte) (int, error) {
	if err := l.passed(); err != nil {
		return 0, err
	}
	if l.max > 0 {
		p = p[:min(int64(len(p)), l.max-l.read)]
	}
	n, err := l.r.Read(p)
	l.read += int64(n)
	return n, err
}

// passed returns the fault of a reader that has read as much as it may, else
// nil.
func (l *limited) passed() error {
	if l.max <= 0 || l.read < l.max {
		return nil
	}
	return tooLarge(l.what, l.max, "B")
}

// body is a bounded body that ends its request's context when closed.
type body struct {
	limited
	under io.Closer
	done  func()
}

func (b *body) Close() error {
	defer b.done()
	return b.under.Close()
}
