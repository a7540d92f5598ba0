package client

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"tokscope/metrics"
	"tokscope/probe/endpoint"
	"tokscope/probe/transport"
)

// settleWithin bounds discovery before the first request to a server.
const settleWithin = 5 * time.Second

// resolvedModel is what the questions to one server have answered.
type resolvedModel struct {
	mu     sync.Mutex
	known  bool
	model  string
	server string
	base   string // where the models were found; "" without discovery
}

// resolveModel completes a target that names no model with the first model that its
// server lists, and asks a server on this machine which engine it is, so that
// requests use what it understands. Each server is asked once an engine. The
// questions share connections of their own, which are closed then: the first
// request of a run must not find a connection that a question has warmed.
//
// asking is called before the first question, unless nothing need be asked.
func (e *Engine) resolveModel(ctx context.Context, t *endpoint.Target, asking func()) error {
	local := t.Server == "" && endpoint.LoopbackURL(t.URL)
	if t.Model != "" && !local {
		return nil
	}
	e.mu.Lock()
	key := serverKey(&t.Endpoint)
	s := e.servers[key]
	if s == nil {
		s = &resolvedModel{}
		e.servers[key] = s
	}
	e.mu.Unlock()

	if !s.mu.TryLock() { // one goroutine asks, the others wait for the answer
		asking()
		s.mu.Lock()
	}
	defer s.mu.Unlock()
	if !s.known {
		asking()
		ctx, cancel := context.WithTimeout(ctx, settleWithin)
		defer cancel()
		tr, err := e.transports.of(t)
		if err != nil {
			return err
		}
		do := tr.Aside()
		defer do.Close()
		if t.Model == "" {
			found, models, err := endpoint.Locate(ctx, do, *t, e.scrub)
			if err != nil {
				return err
			}
			if len(models) == 0 {
				return &metrics.Fault{Kind: metrics.FaultConfig,
					Message: fmt.Sprintf("%s lists no models", t.Name), Next: "name one with --model"}
			}
			s.model, s.base = endpoint.Pick(models), found.URL
		}
		if local {
			s.server = endpoint.Fingerprint(ctx, do, *t)
		}
		s.known = true
	}
	t.Model = cmp.Or(t.Model, s.model)
	if s.base != "" {
		t.URL, t.Bases = s.base, nil
	}
	t.Server = cmp.Or(t.Server, s.server)
	return nil
}

// Forget makes the next request to t ask its server as the first one does, over a new
// connection: it may have another model.
func (e *Engine) Forget(t endpoint.Target) {
	e.mu.Lock()
	delete(e.servers, serverKey(&t.Endpoint))
	e.mu.Unlock()
	e.CloseIdle()
}

func serverKey(e *metrics.Endpoint) string {
	return strings.Join([]string{string(e.Kind), e.Name, e.API, e.URL}, " ")
}

// Resolved returns end with the model and the base URL that a request has found for
// it. It asks no server: end is returned as it is before such a request, and where it
// names a model.
func (e *Engine) Resolved(end metrics.Endpoint) metrics.Endpoint {
	if e == nil || end.Model != "" {
		return end
	}
	e.mu.Lock()
	s := e.servers[serverKey(&end)]
	e.mu.Unlock()
	if s == nil || !s.mu.TryLock() {
		return end
	}
	defer s.mu.Unlock()
	if s.known {
		end.Model = s.model
		end.URL = cmp.Or(s.base, end.URL)
	}
	return end
}

// oneShot sends requests and closes their connections.
type oneShot struct{ do endpoint.Doer }

func (o oneShot) Do(r *http.Request) (*http.Response, error) {
	r.Close = true
	return o.do.Do(r)
}

// Ask returns a client for discovery on servers of this machine. It closes
// each connection after the answer.
func (e *Engine) Ask() endpoint.Doer { return oneShot{e.plain} }

// AskOf is Ask for the server of t (/models and the like), with the
// certificates and settings of t. The error is that of Prepare.
func (e *Engine) AskOf(t endpoint.Target) (endpoint.Doer, error) {
	tr, err := e.transports.of(&t)
	if err != nil {
		return nil, err
	}
	return oneShot{tr}, nil
}

// TransportOf returns the transport of requests to t, for callers that look at
// its connections themselves. The error is that of Prepare.
func (e *Engine) TransportOf(t endpoint.Target) (*transport.Transport, error) {
	e.learn(t)
	return e.transports.of(&t)
}

// Direct returns an engine with the settings of e that uses no proxy. The
// caller must Close it. It has no sinks.
func (e *Engine) Direct() *Engine {
	o := e.opt
	o.Proxy = noProxy
	return New(o)
}
