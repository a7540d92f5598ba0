package probetest

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"

	"tokscope/metrics"
	"tokscope/probe/transport/stamp"
)

// Options configures a server.
type Options struct {
	TLS bool
	// Timed writes from one thread with its own schedule, for thousands of
	// writes per millisecond. Without it, every connection has a goroutine that
	// sleeps, which also works in virtual time.
	Timed bool
	// ChatOnly answers what is no chat completion with 404 and does not log it:
	// programs ask a server about itself before they measure it.
	ChatOnly bool
	// Metrics returns the page of GET /metrics after that many requests, and its
	// status. nil: such a request plays the script as any other. A server in a
	// process of its own has none.
	Metrics func(requests int) (status int, page string)
	// Logged is an expression that the body of a request must match for its log to
	// be kept; "" keeps all. A load of many minutes would fill the memory.
	Logged string
}

// Server plays scripts. The script of a request is the first segment of its path, see
// URL.
type Server struct {
	o      Options
	clock  *stamp.Clock
	base   int64
	logged *regexp.Regexp
	book   book
	ln     net.Listener
	cert   *tls.Config
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup
	engine *engine

	mu    sync.Mutex
	plans map[string]*Plan
	conns map[net.Conn]struct{}
}

// New returns a server without a listener. Pass connections to Serve.
func New(o Options) *Server {
	clock := stamp.NewClock()
	s := &Server{o: o, clock: clock, base: Base(clock), plans: map[string]*Plan{}, conns: map[net.Conn]struct{}{}}
	s.logged = regexp.MustCompile(o.Logged)
	s.book.changed.L = &s.book.mu
	s.ctx, s.cancel = context.WithCancel(context.Background())
	if o.Timed {
		s.engine = newEngine(s.base, clock)
	}
	return s
}

// Listen returns a server on a free loopback port.
func Listen(o Options) (*Server, error) {
	s := New(o)
	ln, err := (&net.ListenConfig{Control: stamp.Control}).Listen(s.ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen on loopback: %w", err)
	}
	s.ln = ln
	if o.TLS {
		s.cert = &tls.Config{Certificates: []tls.Certificate{certificate()}, NextProtos: []string{"http/1.1"}}
	}
	s.ServeOn(ln)
	return s, nil
}

// ServeOn also serves the connections of ln, until ln is closed.
func (s *Server) ServeOn(ln net.Listener) {
	s.wg.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			s.wg.Go(func() { s.Serve(c) })
		}
	})
}

// URL returns the base URL that selects this script.
func (s *Server) URL(text string) string {
	return baseURL(s.o.TLS, s.ln.Addr().String(), text)
}

func baseURL(secure bool, addr, text string) string {
	scheme := "http"
	if secure {
		scheme = "https"
	}
	return scheme + "://" + addr + "/" + url.PathEscape(text) + "/v1"
}

// Addr returns the listener's host:port.
func (s *Server) Addr() string { return s.ln.Addr().String() }

// Logs returns the logs of all requests so far, in the order of arrival. It
// waits until their responses are written.
func (s *Server) Logs() []*Log { return s.book.all() }

// Close ends all connections and waits for their goroutines.
func (s *Server) Close() {
	s.cancel()
	if s.ln != nil {
		_ = s.ln.Close()
	}
	s.CloseConns()
	s.wg.Wait()
	if s.engine != nil {
		s.engine.close()
	}
}

// CloseConns closes all connections.
func (s *Server) CloseConns() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		_ = c.Close()
	}
}

// Serve answers the requests of one connection until it ends.
func (s *Server) Serve(raw net.Conn) {
	s.mu.Lock()
	s.conns[raw] = struct{}{}
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.conns, raw)
		s.mu.Unlock()
		_ = raw.Close()
	}()
	k := newConn(raw, s.clock)
	var c net.Conn = k
	if s.cert != nil {
		c = tls.Server(k, s.cert)
	}
	br := bufio.NewReader(c)
	for s.ctx.Err() == nil {
		req, err := http.ReadRequest(br)
		if err != nil {
			return
		}
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return
		}
		if s.o.Metrics != nil && strings.HasSuffix(req.URL.Path, "/metrics") {
			status, page := s.o.Metrics(s.book.count())
			_, _ = fmt.Fprintf(c, "HTTP/1.1 %d %s\r\nContent-Length: %d\r\n\r\n%s",
				status, http.StatusText(status), len(page), page)
			continue
		}
		if s.o.ChatOnly && !strings.HasSuffix(req.URL.Path, "/chat/completions") {
			_, _ = io.WriteString(c, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
			continue
		}
		l := s.book.add(s.logged.Match(body))
		l.Arrived, l.Header, l.Body = abs(s.base, k.Last().At), req.Header, body
		plan, err := s.plan(req)
		if err != nil {
			s.book.done(l)
			_, _ = fmt.Fprintf(c, "HTTP/1.1 400 Bad Request\r\nContent-Length: %d\r\n\r\n%s", len(err.Error()), err)
			continue
		}
		if !s.play(plan, c, k, raw, br, l) {
			return
		}
	}
}

// plan returns the script of a request.
func (s *Server) plan(req *http.Request) (*Plan, error) {
	first, _, _ := strings.Cut(strings.TrimPrefix(req.URL.EscapedPath(), "/"), "/")
	text, err := url.PathUnescape(first)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.plans[text]; p != nil {
		return p, nil
	}
	p, err := Parse(text)
	if err == nil {
		s.plans[text] = p
	}
	return p, err
}

// play sends one response. It returns false if the connection must end.
func (s *Server) play(p *Plan, c net.Conn, k *conn, raw net.Conn, br *bufio.Reader, l *Log) bool {
	l.Writes = make([]Span, 0, len(p.Writes))
	var err error
	if s.engine != nil {
		err = s.engine.play(p, c, k, l)
	} else {
		err = s.sleepAndWrite(p, c, k, l)
	}
	s.book.done(l)
	if err != nil {
		return false
	}
	switch p.Ending {
	case "rst":
		reset(raw)
		return false
	case "cut", "close":
		return false
	case "hang":
		_, _ = br.ReadByte() // until the client leaves
		return false
	}
	return true
}

var errClosed = errors.New("the server is closed")

// sleepAndWrite plays a plan on the calling goroutine.
func (s *Server) sleepAndWrite(p *Plan, c net.Conn, k *conn, l *Log) error {
	due := s.clock.Now()
	for i, w := range p.Writes {
		due += metrics.Stamp(w.After)
		if d := time.Duration(due - s.clock.Now()); d > 0 {
			select {
			case <-time.After(d):
			case <-s.ctx.Done():
				return errClosed
			}
		}
		if err := writeLogged(c, k, l, s.base, p.bytes(i, l)); err != nil {
			return err
		}
	}
	return nil
}

// writeLogged writes one piece and logs it.
func writeLogged(c net.Conn, k *conn, l *Log, base int64, b []byte) error {
	_, err := c.Write(b)
	l.Writes = append(l.Writes, Span{abs(base, k.before), abs(base, k.after)})
	return err
}

// bytes returns the bytes of write i, with the request's number and key
// filled in.
func (p *Plan) bytes(i int, l *Log) []byte {
	b := p.Writes[i].Bytes
	marks := 0
	switch {
	case p.numbered:
		marks = -1
	case i == 0:
		marks = 1
	}
	if marks != 0 {
		b = bytes.Replace(b, []byte(idMark), fmt.Appendf(nil, "%0*d", len(idMark), l.ID), marks)
	}
	if i == 0 {
		if p.echo {
			key := strings.TrimPrefix(http.Header(l.Header).Get("Authorization"), "Bearer ")
			b = bytes.ReplaceAll(b, []byte(keyMark), []byte(key))
		}
	}
	return b
}

// reset closes a TCP connection with RST.
func reset(c net.Conn) {
	if t, ok := c.(*net.TCPConn); ok {
		_ = t.SetLinger(0)
	}
	_ = c.Close()
}
