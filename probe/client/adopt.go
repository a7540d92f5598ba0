package client

import (
	"context"
	"net/http"
	"sync"
	"time"

	"tokscope/metrics"
	"tokscope/probe/dialect"
	"tokscope/probe/endpoint"
	"tokscope/probe/transport"
)

// Adopted is the record of a request that another program sends, and that a proxy passes on:
// first Relay, or Asks and Asked of a WebSocket, then Ended. Its methods belong to the
// goroutine that copies; those of Stream to any.
type Adopted struct {
	*Stream
	target  endpoint.Target
	attempt *attempt
	ctx     context.Context
	refused bool // the answer is no stream
	ended   sync.Once
}

// Adopt begins the record of a request to t, which says its API and the model asked for,
// and which began at start. It is nil after Close. Whoever calls it must call Ended.
func (e *Engine) Adopt(t endpoint.Target, w metrics.Workload, asked metrics.Service, start metrics.Stamp) *Adopted {
	if !e.runs() {
		return nil
	}
	ctx, cancel := context.WithCancelCause(e.ctx)
	w.Concurrency = max(w.Concurrency, 1)
	s := newStream(e, int(e.nextID.Add(1)), w, e.Shown(t), cancel)
	s.v.Asked, s.v.Marks.Start = asked, start
	s.v.Wall = s.v.Wall.Add(-time.Duration(s.v.Now - start))
	e.jitter.Start()
	s.release = func() {
		e.jitter.Stop()
		cancel(nil)
		e.running.Done()
	}
	e.announce(s)
	a := s.attempt(ctx, dialect.Speaks(t.API), w.Connection, &sending{target: &t, relayed: true})
	return &Adopted{Stream: s, target: t, attempt: a, ctx: ctx}
}

// Relay sends req, and makes its answer the record a; nil: nobody records it. The body of
// the response, which is as it came, is the caller's to read and to close: see
// transport.Relay.
func (e *Engine) Relay(req *http.Request, a *Adopted) (*http.Response, *transport.RelayedSocket, error) {
	if a == nil {
		return e.plain.Relay(req, nil)
	}
	resp, socket, err := e.plain.Relay(req, a.attempt.capture)
	e.answered(a.Stream, &a.target, a.attempt)
	a.audience.showHead(a.attempt)
	if a.refused = err != nil || resp.StatusCode < 200 || resp.StatusCode >= 300; !a.refused {
		a.arrives()
	}
	return resp, socket, err
}

// Asks makes a the record of the answer to the message that the proxy is about to write to
// s, which is free.
func (a *Adopted) Asks(s *transport.RelayedSocket) {
	s.Asks(a.ctx, a.attempt.capture)
	a.arrives()
}

// arrives makes the ingester take what comes, up to the end.
func (a *Adopted) arrives() {
	e, c := a.engine, a.attempt.capture
	e.ingester.enter(a.Stream, a.attempt, func() { e.ended(a.ctx, a.Stream, c) })
}

// Ended says that the proxy has closed the body of the response, or that there was none. err
// is that of Relay.
func (a *Adopted) Ended(err error) {
	if !a.refused {
		return // the last line ends it
	}
	a.ended.Do(func() {
		defer a.release()
		if err == nil {
			err = errRefused
		}
		a.Stream.refused(a.attempt.capture)
		f := a.engine.faultOf(a.ctx, &a.target, a.attempt, err)
		if f.Kind == metrics.FaultAuth {
			f.Next = "the key, or its absence, is the other program's: look at its settings, or log in there again"
		}
		a.engine.finish(a.Stream, f)
	})
}
