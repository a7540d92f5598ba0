package tap

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"tokscope/metrics"
	"tokscope/metrics/turn"
	"tokscope/probe/client"
	"tokscope/probe/dialect"
	"tokscope/probe/endpoint"
	"tokscope/probe/secret"
	"tokscope/probe/transport"
	"tokscope/probe/ws"
)

// mostBodies is Options.Bodies of the zero Options.
const mostBodies = 64 << 20

// Bounds returns the bounds of a tap's engine: the client has its own patience, so none in
// time but for the end of an answer that the server leaves open.
func Bounds() transport.Bounds {
	b := transport.DefaultBounds()
	b.FirstByte, b.FirstToken, b.Idle = 0, 0, 0
	b.EventBytes = 16 << 20
	return b
}

// Options configure a Tap.
type Options struct {
	// Engine records the answers. It should have Bounds.
	Engine *client.Engine
	// Upstream is the base URL that requests are passed on to, without the path of an API.
	Upstream *url.URL
	// Hidden puts a random path before those that the client asks for: a page of a browser
	// cannot guess it. It is for clients that keep the path of their base URL.
	Hidden bool
	// Socket makes it listen on a socket in a folder, each of this user alone, in place of a port.
	// The client asks for Upstream's host there.
	Socket bool
	// Bodies bounds the bodies of requests that are in memory at once, in bytes; 0 is 64 MiB. One
	// that does not fit passes unread.
	Bodies int64
	// Price returns what the tokens of a model cost; nil: nobody knows.
	Price func(model string) metrics.Price
	// Also takes what Session takes: each turn when it begins and when what the tap knows of it
	// has changed, and the other requests. It must not wait. nil: nobody does.
	Also interface {
		Add(turn.Turn)
		Count(turn.Kind)
	}
}

// Tap is a proxy that runs.
type Tap struct {
	o      Options
	server *http.Server
	addr   string // host:port on loopback; that of Upstream with Options.Socket
	path   string // before the paths of requests, "" without Options.Hidden
	folder string // of the socket, "" for none
	bodies atomic.Int64
	came   atomic.Bool // a request
	ctx    context.Context
	stop   context.CancelFunc
	copies sync.WaitGroup // WebSockets, which the server has let go
	news   chan struct{}

	// mu is held for moments only: requests wait for it.
	mu   sync.Mutex
	open []*passing // whose end session has not taken

	look    sync.Mutex // held by View
	session turn.Session
}

// Open listens on a random port of loopback, or on a socket. The caller must Close the tap before its
// engine.
func Open(o Options) (*Tap, error) {
	if o.Also == nil {
		o.Also = &turn.Session{}
	}
	o.Bodies = cmp.Or(o.Bodies, mostBodies)
	t := &Tap{o: o, news: make(chan struct{}, 1)}
	network, at := "tcp", "127.0.0.1:0"
	if o.Socket {
		folder, err := os.MkdirTemp("", "tokscope-tap-") // 0700
		if err != nil {
			return nil, err
		}
		t.folder, network, at = folder, "unix", filepath.Join(folder, "tap")
	}
	l, err := net.Listen(network, at)
	if err == nil && o.Socket {
		err = os.Chmod(at, 0o600)
	}
	if err != nil {
		_ = os.RemoveAll(t.folder)
		return nil, fmt.Errorf("listen on %s: %w", at, err)
	}
	switch t.addr = l.Addr().String(); {
	case o.Socket:
		t.addr = o.Upstream.Host
	case o.Hidden:
		t.path = "/" + rand.Text()
	}
	t.ctx, t.stop = context.WithCancel(context.Background())
	t.server = &http.Server{Handler: t, ErrorLog: log.New(io.Discard, "", 0),
		BaseContext: func(net.Listener) context.Context { return t.ctx }}
	go func() { _ = t.server.Serve(l) }() // until Close
	return t, nil
}

// URL returns the base URL for the client, in place of the upstream's; unix: and its path for a socket.
func (t *Tap) URL() string {
	if t.o.Socket {
		return "unix:" + filepath.Join(t.folder, "tap")
	}
	return "http://" + t.addr + t.path
}

// Changed receives after changes of View, several may be one.
func (t *Tap) Changed() <-chan struct{} { return t.news }

// Close ends the tap: running answers break off.
func (t *Tap) Close() error {
	t.stop()
	err := t.server.Close()
	t.copies.Wait()
	return cmp.Or(err, os.RemoveAll(t.folder))
}

// View returns what the tap has seen so far. goesOn: the client does.
func (t *Tap) View(goesOn bool) turn.View {
	t.look.Lock()
	defer t.look.Unlock()
	t.mu.Lock()
	open := slices.Clone(t.open)
	t.open = slices.DeleteFunc(t.open, func(p *passing) bool { return p.left == 0 })
	t.mu.Unlock()
	for _, p := range open {
		if p.record == nil {
			t.session.Count(p.request.Kind)
			continue
		}
		x := p.turn()
		x.Run.Figures = p.figures.Measure(&x.Run.Stream, metrics.Options{}).Clone()
		t.session.Add(x)
	}
	return t.session.View(t.o.Engine.Clock().Now(), goesOn)
}

// ServeHTTP passes a request on.
func (t *Tap) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if status, why := t.refuses(r); status != 0 {
		http.Error(w, "tokscope tap: "+why, status)
		return
	}
	t.came.Store(true)
	p := &passing{tap: t, began: t.o.Engine.Clock().Now(), asks: strings.TrimPrefix(r.URL.RequestURI(), t.path),
		meter: meter{up: &leg{}}}
	t.learn(r)
	if !ws.Asks(r) { // else each message is a request
		var body []byte
		body, p.rest = t.take(r, io.TeeReader(r.Body, &p.meter.up.in))
		defer t.bodies.Add(-int64(len(body)))
		p.begins(dialect.Read("", r.Method, p.asks, r.Header, body))
	}
	err := p.pass(w, r)
	p.rest = nil
	if p.record != nil {
		p.over()
	}
	if err != nil {
		if !r.ProtoAtLeast(1, 1) {
			reset(w)
		}
		panic(http.ErrAbortHandler) // what has begun cannot end well
	}
}

// reset breaks off an answer to HTTP/1.0, where the end of the connection is a good end.
func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return // a WebSocket
	}
	if c, ok := conn.(*net.TCPConn); ok {
		_ = c.SetLinger(0)
	}
	_ = conn.Close()
}

// refuses says why a request may not pass, with a status; 0: it may. Loopback is open to
// every program and page of the machine.
func (t *Tap) refuses(r *http.Request) (status int, why string) {
	_, port, _ := net.SplitHostPort(t.addr)
	switch {
	case r.URL.IsAbs() || r.Method == http.MethodConnect:
		return http.StatusForbidden, "this is no forward proxy"
	case r.Host != t.addr && r.Host != net.JoinHostPort("localhost", port):
		return http.StatusForbidden, "the request is for another host"
	case len(r.Header["Origin"]) > 0 || len(r.Header["Sec-Fetch-Site"]) > 0: // a plain GET has no Origin
		return http.StatusForbidden, "the request comes from a page of a browser"
	case !strings.HasPrefix(r.URL.EscapedPath(), t.path+"/") && r.URL.EscapedPath() != t.path:
		return http.StatusNotFound, "the base URL is not the one that was given"
	}
	return 0, ""
}

// take reads in, the body of r, as far as there is room, and returns what is to be sent.
func (t *Tap) take(r *http.Request, in io.Reader) (body []byte, rest io.Reader) {
	most := t.o.Bodies - t.bodies.Load()
	if r.Body == http.NoBody || r.ContentLength > most || most <= 0 {
		return nil, in
	}
	body, _ = io.ReadAll(io.LimitReader(in, most)) // an error comes again behind it
	t.bodies.Add(int64(len(body)))
	return body, io.MultiReader(bytes.NewReader(body), in)
}

// keyed are the headers whose values, or last words, are keys.
var keyed = []string{"Authorization", "X-Api-Key", "X-Goog-Api-Key", "Api-Key", "Proxy-Authorization",
	"Chatgpt-Account-Id"}

// learn makes the scrubber know the keys of r: no text of its answer may repeat them.
func (t *Tap) learn(r *http.Request) {
	scrub := t.o.Engine.Scrubber()
	for _, name := range keyed {
		for _, value := range r.Header.Values(name) {
			scrub.Add(secret.NewSecret(value[strings.LastIndexByte(value, ' ')+1:]))
		}
	}
	for _, cookie := range r.Cookies() {
		scrub.Add(secret.NewSecret(cookie.Value))
	}
	for _, name := range []string{"key", "access_token"} {
		for _, value := range r.URL.Query()[name] {
			scrub.Add(secret.NewSecret(value))
		}
	}
}

// passing is one request on its way, or one message of a WebSocket.
type passing struct {
	tap   *Tap
	began metrics.Stamp
	asks  string    // path and query, without the path of the tap
	rest  io.Reader // what is to be sent
	meter meter
	// interim guards the header of the answer until it has come: the hook of interim ones may
	// still run when the request has failed.
	interim  sync.Mutex
	answered bool
	request  turn.Request
	record   *client.Adopted // nil: no turn
	left     int             // of the record and the copy, how many go on; the tap's mu is held
	figures  metrics.Meter   // of the record while it grows; View's
}

// begins notes what a request is, and begins the record of a turn.
func (p *passing) begins(r turn.Request) {
	t := p.tap
	p.request = r
	if r.Kind == turn.Asks {
		p.record = t.o.Engine.Adopt(t.target(&r), metrics.Workload{Name: "tap"}, r.Service, p.began)
	}
	t.mu.Lock()
	if p.record == nil {
		t.o.Also.Count(r.Kind)
	} else {
		t.o.Also.Add(p.turn())
		p.left = 2
	}
	t.open = append(t.open, p)
	t.mu.Unlock()
	if p.record != nil {
		p.record.OnEnd(p.over)
	}
	t.changes()
}

// changes says that there is something new.
func (t *Tap) changes() {
	select {
	case t.news <- struct{}{}:
	default:
	}
}

// target returns what r was sent to, as far as its record names it.
func (t *Tap) target(r *turn.Request) endpoint.Target {
	u := *t.o.Upstream
	u.User = nil
	api := r.API
	if api == dialect.Speaks("").Name {
		api = "" // see metrics.Endpoint
	}
	e := metrics.Endpoint{Kind: metrics.EndpointURL, Name: u.Host, URL: u.String(), Model: r.Model, API: api}
	if t.o.Price != nil {
		e.Price = t.o.Price(r.Model)
	}
	return endpoint.Target{Endpoint: e}
}

// turn returns the turn as it is now, without figures.
func (p *passing) turn() turn.Turn {
	s := p.record.Snapshot()
	x := turn.Turn{Request: p.request, Passed: p.meter.state(), Run: &metrics.Run{Stream: s}}
	x.Response = turn.DigestOf(s.ResponseID)
	return x
}

// over notes that the record of a turn has ended, or that its bytes have passed. Either may be
// first: a server may end an answer long before its body.
func (p *passing) over() {
	t := p.tap
	t.mu.Lock()
	p.left--
	p.meter.passes()
	t.o.Also.Add(p.turn())
	t.mu.Unlock()
	t.changes()
}

// hopByHop are headers of one connection (RFC 9110 §7.6.1), which a proxy does not pass on.
var hopByHop = []string{"Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Proxy-Connection",
	"Te", "Trailer", "Transfer-Encoding", "Upgrade"}

// endToEnd returns h without the headers of its connection.
func endToEnd(h http.Header) http.Header {
	out := maps.Clone(h)
	for _, list := range h["Connection"] {
		for name := range strings.SplitSeq(list, ",") {
			delete(out, textproto.CanonicalMIMEHeaderKey(strings.TrimSpace(name)))
		}
	}
	for _, name := range hopByHop {
		delete(out, name)
	}
	return out
}

// upstream returns r as it goes upstream.
func (p *passing) upstream(w http.ResponseWriter, r *http.Request) *http.Request {
	u := *p.tap.o.Upstream
	u.RawPath = u.EscapedPath() + strings.TrimPrefix(r.URL.EscapedPath(), p.tap.path)
	u.Path, _ = url.PathUnescape(u.RawPath)
	u.RawQuery, u.ForceQuery = r.URL.RawQuery, r.URL.ForceQuery
	h := endToEnd(r.Header)
	if len(h["Accept-Encoding"]) > 0 {
		h["Accept-Encoding"] = []string{"identity"} // the stamps would be those of a packed stream
	}
	if _, ok := h["User-Agent"]; !ok {
		h["User-Agent"] = []string{""} // else net/http names itself
	}
	if ws.Asks(r) {
		h["Connection"], h["Upgrade"] = []string{"Upgrade"}, r.Header["Upgrade"]
	}
	ctx := httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{
		Got1xxResponse: func(code int, early textproto.MIMEHeader) error {
			p.interim.Lock()
			defer p.interim.Unlock()
			if code == http.StatusContinue || p.answered { // the former net/http has sent
				return nil
			}
			maps.Copy(w.Header(), early)
			w.WriteHeader(code)
			clear(w.Header())
			return nil
		},
	})
	out := (&http.Request{Method: r.Method, URL: &u, Header: h, ContentLength: r.ContentLength,
		Trailer: r.Trailer, Host: u.Host}).WithContext(ctx)
	if r.ContentLength != 0 && !ws.Asks(r) {
		out.Body = struct {
			io.Reader
			io.Closer
		}{io.TeeReader(p.rest, &p.meter.up.out), r.Body}
	}
	return out
}

// pass sends the request and passes on its answer. An error is that of an answer which has
// begun and broke off.
func (p *passing) pass(w http.ResponseWriter, r *http.Request) error {
	// Else net/http closes the body with the answer's head, while it is still read on its way upstream.
	_ = http.NewResponseController(w).EnableFullDuplex()
	resp, socket, err := p.tap.o.Engine.Relay(p.upstream(w, r), p.record)
	p.interim.Lock()
	p.answered = true
	p.interim.Unlock()
	if p.record != nil {
		defer p.record.Ended(err)
	}
	if socket == nil && ws.Asks(r) { // refused
		p.begins(turn.Request{Kind: turn.Other})
	}
	if err != nil {
		p.fails(w, r, err)
		return nil
	}
	defer func() { _ = resp.Body.Close() }()
	if socket != nil {
		return p.socket(w, r, resp, socket)
	}
	h := w.Header()
	maps.Copy(h, endToEnd(resp.Header))
	if resp.StatusCode == http.StatusUpgradeRequired {
		h["Connection"], h["Upgrade"] = []string{"Upgrade"}, resp.Header["Upgrade"]
	}
	for _, name := range []string{"Date", "Content-Type"} {
		if _, ok := h[name]; !ok {
			h[name] = nil // else net/http makes one
		}
	}
	announced := maps.Clone(resp.Trailer)
	for name := range announced {
		h.Add("Trailer", name)
	}
	w.WriteHeader(resp.StatusCode)
	flush := http.NewResponseController(w).Flush
	_ = flush()
	reading, writing := pass(resp.Body, func(b []byte) (int, error) {
		n, err := w.Write(b)
		return n, cmp.Or(err, flush())
	}, p.meter.passed)
	for name, values := range resp.Trailer {
		if _, ok := announced[name]; !ok {
			name = http.TrailerPrefix + name
		}
		h[name] = values
	}
	if reading == io.EOF {
		return nil
	}
	return cmp.Or(reading, writing)
}

// fails answers a request that no answer came to.
func (p *passing) fails(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil {
		return // the client is gone
	}
	text := err.Error()
	if f, ok := errors.AsType[*metrics.Fault](err); ok {
		text = f.Message
	}
	http.Error(w, "tokscope tap: "+p.tap.o.Upstream.Host+" gave no answer: "+p.tap.o.Engine.Scrubber().String(text),
		http.StatusBadGateway)
}
