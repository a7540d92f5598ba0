package transport_test

import (
	"context"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/dialect"
	"tokscope/probe/probetest"
	"tokscope/probe/sse"
	"tokscope/probe/transport"
)

// harness is a transport and a scripted endpoint, joined by pipes in virtual time
// or by TCP.
type harness struct {
	t      *testing.T
	clock  *transport.Clock
	tr     *transport.Transport
	server *probetest.Server
	url    func(text string) string
	seen   func() // nil, or called for each event when it has been read
	close  func() // of answering
}

// result is all that came of one request.
type result struct {
	events   []sse.Event // with copies of their data
	visible  []metrics.Stamp
	marks    metrics.Marks
	conn     metrics.Connection
	capture  *transport.Capture
	end      metrics.Stamp
	err      *metrics.Fault // how the stream ended, or why Do failed
	response *http.Response
	cutOff   bool // behind a whole answer
}

func noProxy(*http.Request) (*url.URL, error) { return nil, nil }

// virtual runs f in virtual time against a server whose connections are pipes:
// a write arrives at the very moment it is made.
func virtual(t *testing.T, o transport.Options, f func(r *harness)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		o.Proxy = noProxy
		clock := transport.NewClock()
		r := &harness{t: t, clock: clock, tr: transport.New(clock, o), server: probetest.New(probetest.Options{})}
		r.url = func(text string) string { return "http://scripted/" + url.PathEscape(text) + "/v1" }
		r.tr.SetDial(func(context.Context, string, string) (net.Conn, error) {
			here, there := net.Pipe()
			go r.server.Serve(there)
			return here, nil
		})
		f(r)
		r.tr.Close()
		r.server.Close()
	})
}

// answering starts a server over TLS that may speak HTTP/2, and a transport that offers it or not.
func answering(t *testing.T, http2 bool, answer http.HandlerFunc) *harness {
	s := httptest.NewUnstartedServer(answer)
	s.EnableHTTP2 = true
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())
	clock := transport.NewClock()
	tr := transport.New(clock, transport.Options{Bounds: transport.DefaultBounds(), HTTP2: http2, RootCAs: pool,
		Proxy: noProxy})
	r := &harness{t: t, clock: clock, tr: tr, url: func(string) string { return s.URL }}
	r.close = func() { tr.Close(); s.Close() }
	return r
}

// overTCP runs f against a server on loopback.
func overTCP(t *testing.T, o transport.Options, so probetest.Options, f func(r *harness)) {
	t.Helper()
	server := testkit.Must(probetest.Listen(so))(t)
	defer server.Close()
	if o.Proxy == nil {
		o.Proxy = noProxy
	}
	o.RootCAs = server.Roots()
	clock := transport.NewClock()
	r := &harness{t: t, clock: clock, tr: transport.New(clock, o), server: server, url: server.URL}
	defer r.tr.Close()
	f(r)
}

func defaults() transport.Options { return transport.Options{Bounds: transport.DefaultBounds()} }

func (r *harness) request(ctx context.Context, text string) *http.Request {
	r.t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.url(text)+"/chat/completions",
		strings.NewReader(`{"stream":true}`))
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer key-of-the-test")
	return req
}

// ask sends a request and reads its stream to the end.
func (r *harness) ask(text string, tune ...func(*transport.Capture)) result {
	r.t.Helper()
	return r.askCtx(context.Background(), text, tune...)
}

func (r *harness) askCtx(ctx context.Context, text string, tune ...func(*transport.Capture)) result {
	r.t.Helper()
	c := transport.NewWaking(r.clock)
	for _, f := range tune {
		f(c)
	}
	return r.follow(c, r.request(transport.With(ctx, c), text), 0)
}

// follow sends req and consumes its lines, sleeping after each batch. It checks
// the pushed states of the request.
func (r *harness) follow(c *transport.Capture, req *http.Request, sleep time.Duration) result {
	r.t.Helper()
	w := &watched{}
	c.Watch(w)
	return r.followWatched(c, w, req, sleep)
}

// followWatched is follow for a capture that w watches.
func (r *harness) followWatched(c *transport.Capture, w *watched, req *http.Request, sleep time.Duration) result {
	r.t.Helper()
	res := result{capture: c, marks: metrics.NewMarks()}
	res.marks.Start = r.clock.Now()
	resp, err := r.tr.Do(req)
	res.response = resp
	if err != nil && !errors.As(err, &res.err) {
		r.t.Errorf("Do: %v is no fault", err)
	}
	if resp != nil {
		_ = resp.Body.Close() // must not matter
	}
	var b transport.Batch
	a := sse.Assembler{Bare: c.Frames()}
	dec, out := dialect.New(), new(dialect.Out)
	emit := func(e sse.Event) {
		e.Data = append([]byte(nil), e.Data...)
		e.Name = append([]byte(nil), e.Name...)
		res.events = append(res.events, e)
		res.visible = append(res.visible, r.clock.Now())
		if r.seen != nil {
			r.seen()
		}
		dec.Event(e, out)
		if len(out.Deltas) > 0 {
			c.TokensCame()
		}
		if p := out.Progress; p != nil {
			c.Progressed(p.At, p.Processed)
		}
		c.Whole(dec.Whole())
		if out.Done {
			c.Complete(e.At)
		}
	}
	for more := true; more; {
		<-c.Wake()
		more = c.Drain(&b)
		for _, l := range b.Lines {
			a.Push(l, emit)
		}
		time.Sleep(sleep)
	}
	a.Flush(emit)
	c.Whole(dec.Whole())
	res.cutOff = c.CutOff()
	at, err := c.End()
	if err != nil && !errors.As(err, &res.err) {
		r.t.Errorf("End: %v is no fault", err)
	}
	w.check(r.t, c)
	s := c.State()
	res.end, res.conn = at, s.Conn
	res.marks.RequestMarks, res.marks.DoneMarker, res.marks.End = s.Marks, c.Completed(), s.End
	return res
}

// data returns the events that are no comments.
func (res result) data() []sse.Event {
	var out []sse.Event
	for _, e := range res.events {
		if !e.Comment {
			out = append(out, e)
		}
	}
	return out
}

// offsets returns when the data events arrived, since the request was sent.
func (res result) offsets() []time.Duration {
	var out []time.Duration
	for _, e := range res.data() {
		out = append(out, time.Duration(e.At-res.marks.Sent))
	}
	return out
}

func newCapture(r *harness) *transport.Capture { return transport.NewWaking(r.clock) }

func with(c *transport.Capture) context.Context { return transport.With(context.Background(), c) }
