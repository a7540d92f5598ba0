package client

import (
	"context"
	"crypto/x509"
	"errors"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"tokscope/metrics"
	"tokscope/probe/endpoint"
	"tokscope/probe/transport"
)

// errCancelled is the cause of a context that a person has stopped.
var errCancelled = errors.New("stopped")

// observerWindow is the time range of the lag on the screen, in ns.
const observerWindow = metrics.Stamp(5 * time.Second)

// errTimeout is the cause of a context whose request took longer than Options.Timeout.
var errTimeout = errors.New("too long")

// errClosing is the cause of a context that Engine.Close has canceled.
var errClosing = errors.New("closing")

// Options configure an Engine. The zero value measures with the best stamps
// there are. HTTP/2 and further certificates are the target's.
type Options struct {
	Stamps   transport.Mode
	Proxy    func(*http.Request) (*url.URL, error) // nil: from the environment
	Bounds   transport.Bounds                      // zero: wire.DefaultBounds
	MaxConns int                                   // idle connections kept per host; 0: 1024
	Timeout  time.Duration                         // of a whole request; 0: no bound
	Scrub    *endpoint.Scrubber                    // nil: a new one; every target's key is added to it
}

// Engine starts streams and keeps what they share: the clock, the transports,
// the folding goroutine and the observer. It is safe for concurrent use.
type Engine struct {
	opt        Options
	clock      *transport.Clock
	transports transports
	plain      *transport.Transport // the one of most targets
	jitter     *transport.JitterMonitor
	scrub      *endpoint.Scrubber
	ingester   *ingester

	version atomic.Uint64
	nextID  atomic.Int64
	running sync.WaitGroup
	close   sync.Once

	mu      sync.Mutex
	sinks   []Sink
	servers map[string]*resolvedModel
	closed  bool
	ctx     context.Context
	stop    context.CancelCauseFunc
}

// New returns an engine. Close it.
func New(o Options) *Engine {
	if o.Scrub == nil {
		o.Scrub = endpoint.NewScrubber()
	}
	if o.Bounds == (transport.Bounds{}) {
		o.Bounds = transport.DefaultBounds()
	}
	if o.MaxConns <= 0 {
		o.MaxConns = 1024
	}
	e := &Engine{opt: o, clock: transport.NewClock(), scrub: o.Scrub, servers: map[string]*resolvedModel{}}
	e.transports.made = map[transportKey]*transport.Transport{}
	e.transports.make = func(roots *x509.CertPool, http2 bool) *transport.Transport {
		return transport.New(e.clock, transport.Options{
			Stamps: o.Stamps, HTTP2: http2, MaxConns: o.MaxConns, RootCAs: roots, Proxy: o.Proxy, Bounds: o.Bounds,
		})
	}
	// Made now, not with the first request: the kernel begins to stamp some time
	// after it was asked to.
	e.plain, _ = e.transports.of(&endpoint.Target{})
	e.jitter = transport.NewJitterMonitor(e.clock)
	e.ctx, e.stop = context.WithCancelCause(context.Background())
	e.ingester = newIngester(e)
	return e
}

// Clock returns the clock of all stamps of the engine.
func (e *Engine) Clock() *transport.Clock { return e.clock }

// Prepare reads what t needs beneath HTTP, its certificates. The error is the
// one that a request to t would end with.
func (e *Engine) Prepare(t endpoint.Target) error {
	_, err := e.transports.of(&t)
	return err
}

// Scrubber knows every key the engine was given.
func (e *Engine) Scrubber() *endpoint.Scrubber { return e.scrub }

// Observer is this program's own lateness over the last seconds.
func (e *Engine) Observer() metrics.Observer { return e.jitter.Since(e.clock.Now() - observerWindow) }

// Version changes whenever the snapshot of any stream changes.
func (e *Engine) Version() uint64 { return e.version.Load() }

func (e *Engine) changed() { e.version.Add(1) }

// AddSink shows s all streams that begin from now on.
func (e *Engine) AddSink(s Sink) {
	e.mu.Lock()
	e.sinks = append(append([]Sink(nil), e.sinks...), s)
	e.mu.Unlock()
}

func (e *Engine) allSinks() []Sink {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.sinks
}

// Start begins a request and returns its live record at once.
func (e *Engine) Start(ctx context.Context, t endpoint.Target, w metrics.Workload) *Stream {
	return e.start(ctx, t, w, false)
}

// StartQuiet is Start for one of many: no sink hears of it. A load of a
// thousand streams would write a recording of gigabytes, and the writing would
// compete with the measuring.
func (e *Engine) StartQuiet(ctx context.Context, t endpoint.Target, w metrics.Workload) *Stream {
	return e.start(ctx, t, w, true)
}

func (e *Engine) start(ctx context.Context, t endpoint.Target, w metrics.Workload, quiet bool) *Stream {
	if w.Concurrency < 1 {
		w.Concurrency = 1
	}
	for _, k := range t.Secrets() {
		e.scrub.Add(k)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	s := newStream(e, int(e.nextID.Add(1)), w, t.Endpoint, cancel)
	s.unobserved, s.reportsQueue = quiet, t.TellsQueue()
	e.mu.Lock()
	closed := e.closed
	if !closed {
		e.running.Add(1)
	}
	e.mu.Unlock()
	if closed {
		e.finish(s, &metrics.Fault{Kind: metrics.FaultCancelled, Message: "the program is closing"})
		return s
	}
	unhook := context.AfterFunc(e.ctx, func() { cancel(errClosing) })
	e.jitter.Start()
	e.changed()
	if d := e.opt.Timeout; d > 0 {
		var release context.CancelFunc
		ctx, release = context.WithTimeoutCause(ctx, d, errTimeout)
		context.AfterFunc(ctx, release)
	}
	s.release = func() {
		e.jitter.Stop()
		cancel(nil)
		unhook()
		e.running.Done()
	}
	go e.run(ctx, s, t)
	return s
}

// Close cancels all running requests, waits until every goroutine of the
// engine has ended, and closes all connections. A second call does nothing.
func (e *Engine) Close() { e.close.Do(e.shut) }

func (e *Engine) shut() {
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	e.stop(errClosing)
	e.running.Wait()
	e.ingester.close()
	e.transports.close()
}

// finish ends s with fault (nil for a good end) and tells the sinks.
func (e *Engine) finish(s *Stream, fault *metrics.Fault) {
	at := e.clock.Now()
	s.end(at, e.scrubFault(fault))
	v := s.Snapshot()
	for _, k := range s.sinks() {
		k.End(v)
	}
	s.announceEnd()
	e.changed()
}

// scrubFault returns f with every key removed from its strings.
func (e *Engine) scrubFault(f *metrics.Fault) *metrics.Fault {
	if f == nil {
		return nil
	}
	c := *f
	c.Message, c.Next = e.scrub.String(f.Message), e.scrub.String(f.Next)
	c.Body, c.Code, c.Location = e.scrub.String(f.Body), e.scrub.String(f.Code), e.scrub.String(f.Location)
	return &c
}
