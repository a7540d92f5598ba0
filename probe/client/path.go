package client

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"tokscope/metrics"
	"tokscope/probe/path"
)

// maxPathStreams is the number of concurrent requests up to which the network
// beneath them is looked at. A load has more, and its streams have no place
// where one stall is explained.
const maxPathStreams = 4

// connectWithin bounds a connect during a silence.
const connectWithin = 3 * time.Second

// pathWatch looks at the network beneath one attempt. The ingester and the end
// of the stream call look.
type pathWatch struct {
	attempt *attempt
	s       *Stream
	ctx     context.Context              // of the request
	last    atomic.Pointer[metrics.Path] // nil before the first look

	mu sync.Mutex // guards w; never held while a sink runs or a connect waits
	w  *path.Watcher
}

// watchPath prepares a look at the network beneath a, unless s is one of many.
// The request ends with ctx.
func (s *Stream) watchPath(ctx context.Context, a *attempt, concurrency int) {
	if s.unobserved || s.v.Load > 0 || concurrency > maxPathStreams {
		return
	}
	connect := !s.engine.opt.NoPathProbe && concurrency <= 1
	a.path = &pathWatch{attempt: a, s: s, ctx: ctx, w: path.New(a.capture.TCPInfo, connect)}
}

// known returns what is known of the network, nil for nothing.
func (p *pathWatch) known() *metrics.Path {
	if p == nil {
		return nil
	}
	return p.last.Load()
}

// sweep looks once, and reports whether the attempt goes on.
func (p *pathWatch) sweep() (more bool) {
	p.look(false)
	at, _ := p.attempt.capture.End()
	return !at.Known()
}

// look reads the socket where that is due, and shows what became known. The
// last look is that at the stream's end; later ones do nothing.
func (p *pathWatch) look(last bool) {
	if p == nil {
		return
	}
	e, state := p.s.engine, p.attempt.state()
	remote := state.Conn.Remote
	l := path.Look{
		Now: e.clock.Now(), GotConn: state.Marks.GotConn, Sent: metrics.NoStamp, FirstByte: state.Marks.FirstByte,
		Chunks: chunksOf(p.s, p.attempt), Body: p.attempt.capture.Counts().Body,
		Local: remote != "" && loopback(remote), Proxied: state.Conn.Proxy != "", Ended: last,
	}
	if at, final := state.SentAt(l.Now); final {
		l.Sent = at
	}
	connect := false
	p.change(func(w *path.Watcher) { connect = w.Look(&l) })
	if connect {
		e.running.Add(1)
		go p.connect(remote)
	}
}

// change lets f use the watcher, and then makes visible what became known.
func (p *pathWatch) change(f func(w *path.Watcher)) {
	changed, news := func() (bool, []path.Event) {
		p.mu.Lock()
		defer p.mu.Unlock()
		f(p.w)
		now, news := p.w.Changes()
		if now != nil {
			p.last.Store(now)
		}
		return now != nil, news
	}()
	if changed {
		p.s.audience.showPath(p.attempt.sent(), news)
		p.s.engine.changed()
	}
}

// connect opens a connection to addr and closes it again. It ends with the
// request, and at the latest after connectWithin.
func (p *pathWatch) connect(addr string) {
	defer p.s.engine.running.Done()
	ctx, cancel := context.WithTimeout(p.ctx, connectWithin)
	defer cancel()
	begin := p.s.engine.clock.Now()
	c, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
	elapsed := p.s.engine.clock.Now() - begin
	switch {
	case err == nil:
		_ = c.Close()
	case p.ctx.Err() != nil:
		return // the request has ended: nothing is known
	}
	p.change(func(w *path.Watcher) {
		w.Connected(metrics.PathConnect{At: begin, Elapsed: time.Duration(elapsed), Result: connectResult(err)})
	})
}

func connectResult(err error) metrics.ConnectResult {
	switch {
	case err == nil:
		return metrics.ConnectOK
	case errors.Is(err, syscall.ECONNREFUSED):
		return metrics.ConnectRefused
	case errors.Is(err, os.ErrDeadlineExceeded),
		errors.Is(err, context.DeadlineExceeded), errors.Is(err, syscall.ETIMEDOUT):
		return metrics.ConnectTimeout
	}
	return metrics.ConnectFailed
}

// loopback reports whether addr, a host and a port or the file of a unix socket, is this
// machine's own.
func loopback(addr string) bool {
	if filepath.IsAbs(addr) {
		return true
	}
	ap, err := netip.ParseAddrPort(addr)
	return err == nil && ap.Addr().Unmap().IsLoopback()
}

// chunksOf returns the chunks so far, none where a is not the current attempt.
// The caller only reads them.
func chunksOf(s *Stream, a *attempt) []metrics.Chunk {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current != a {
		return nil
	}
	return s.v.Chunks[:len(s.v.Chunks):len(s.v.Chunks)]
}

// pathEnds takes the last look at the network beneath s.
func (s *Stream) pathEnds() {
	s.mu.Lock()
	a := s.current
	s.mu.Unlock()
	if a != nil {
		a.path.look(true)
	}
}

// showPath shows the recorders what became known of the network.
func (a *audience) showPath(sent metrics.Stamp, news []path.Event) {
	if len(news) == 0 {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, l := range a.listeners {
		for i := range news {
			if l.recorder != nil {
				l.recorder.PathEvent(a.id, sent, &news[i])
			}
		}
	}
}
