package client

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"tokscope/metrics"
	"tokscope/probe/endpoint"
	"tokscope/probe/secret"
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

// Options configure an Engine. The zero value measures with the best
// available stamps. HTTP/2 and further certificates are settings of the
// target.
type Options struct {
	UserStamps bool                                  // see transport.Options
	Proxy      func(*http.Request) (*url.URL, error) // nil: from the environment
	Bounds     transport.Bounds                      // zero: transport.DefaultBounds
	Timeout    time.Duration                         // of a whole request; 0: unbounded
	// Dial makes the connections, such as pipes in virtual time; nil: TCP.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
	// NoPathProbe forbids connects to the server during a silence.
	NoPathProbe bool
	Scrub       *secret.Scrubber // nil: a new one; every target's key is added to it
	// Ended, when set, is called once for every stream, including quiet ones,
	// with the final record. It runs on a goroutine of the engine and must not
	// block.
	Ended func(v metrics.Stream)
}

// Engine starts streams and owns their shared parts: the clock, the
// transports, the ingest goroutine and the lag monitor. It is safe for
// concurrent use.
type Engine struct {
	opt        Options
	clock      *transport.Clock
	transports transports
	plain      *transport.Transport // the one of most targets
	jitter     *transport.JitterMonitor
	scrub      *secret.Scrubber
	ingester   *ingester
	enders     enders

	version  atomic.Uint64
	nextID   atomic.Int64
	scrubbed atomic.Pointer[scrubbed] // the last
	running  sync.WaitGroup
	close    sync.Once

	mu      sync.Mutex
	sinks   []Sink
	servers map[string]*resolvedModel
	closed  bool
	ctx     context.Context
	stop    context.CancelCauseFunc
}

// New returns an engine. The caller must Close it.
func New(o Options) *Engine {
	if o.Scrub == nil {
		o.Scrub = secret.NewScrubber()
	}
	if o.Bounds == (transport.Bounds{}) {
		o.Bounds = transport.DefaultBounds()
	}
	e := &Engine{opt: o, clock: transport.NewClock(), scrub: o.Scrub, servers: map[string]*resolvedModel{}}
	e.transports = transports{clock: e.clock, made: map[transportKey]*transport.Transport{},
		options: transport.Options{UserStamps: o.UserStamps, Proxy: o.Proxy, Bounds: o.Bounds, Dial: o.Dial}}
	// Created now, not with the first request: the kernel starts to stamp some
	// time after the request for stamps.
	e.plain, _ = e.transports.of(&endpoint.Target{})
	e.jitter = transport.NewJitterMonitor(e.clock)
	if o.Dial != nil {
		e.jitter.UseTimer()
	}
	e.ctx, e.stop = context.WithCancelCause(context.Background())
	e.ingester = newIngester(e)
	return e
}

// Gather takes what many streams bring in larger portions, for less CPU time. It is
// for callers without a screen: with 16 streams and more a snapshot and the sinks
// are then up to 64 ms behind. Stamps, ends and
// their order stay as they are.
func (e *Engine) Gather() { e.ingester.gathers.Store(true) }

// Clock returns the clock of all stamps of the engine.
func (e *Engine) Clock() *transport.Clock { return e.clock }

// Prepare makes the scrubber know the keys of t, reads the files that t needs for its
// connections, its certificates, and looks at the proxy that the environment names. The
// error is the one that a request to t would end with.
func (e *Engine) Prepare(t endpoint.Target) error {
	e.learn(t)
	tr, err := e.transports.of(&t)
	if err == nil {
		_, err = tr.ProxyOf(t.URL)
	}
	return err
}

// learn makes the scrubber know the keys of t.
func (e *Engine) learn(t endpoint.Target) {
	for _, k := range t.Secrets() {
		e.scrub.Add(k)
	}
}

// Shown returns the endpoint of t as it may be shown and recorded: a key in its
// address, in a path as well, is redacted. Requests go to t itself. A nil Engine
// knows no keys.
func (e *Engine) Shown(t endpoint.Target) metrics.Endpoint {
	if e == nil {
		return t.Endpoint
	}
	e.learn(t)
	return e.shown(t.Endpoint)
}

// scrubbed is an endpoint with and without the keys that were known.
type scrubbed struct {
	of, is metrics.Endpoint
	known  int
}

// shown returns end without the keys that are known. A screen asks for the same
// one with every frame, so the last answer is kept until another key is known.
func (e *Engine) shown(end metrics.Endpoint) metrics.Endpoint {
	known := e.scrub.Known()
	if last := e.scrubbed.Load(); last != nil && last.of == end && last.known == known {
		return last.is
	}
	is := end
	for _, s := range []*string{&is.Name, &is.URL, &is.Model, &is.Note, &is.Settings} {
		if e.scrub.Hit([]byte(*s)) || strings.Contains(*s, "%") {
			*s = e.scrub.String(*s)
		}
	}
	e.scrubbed.Store(&scrubbed{end, is, known})
	return is
}

// Scrubber returns the scrubber with every key of the engine.
func (e *Engine) Scrubber() *secret.Scrubber { return e.scrub }

// Observer is this program's own lateness over the last seconds.
func (e *Engine) Observer() metrics.Observer { return e.jitter.Since(e.clock.Now() - observerWindow) }

// WatchUse returns a function that says what this program has used of the machine
// since now, of the last five minutes at most.
func (e *Engine) WatchUse() func() metrics.Use {
	from := e.clock.Now()
	return func() metrics.Use { return e.jitter.Since(from).Use }
}

// Version changes whenever the snapshot of any stream changes.
func (e *Engine) Version() uint64 { return e.version.Load() }

func (e *Engine) changed() { e.version.Add(1) }

// Number returns the next number of a stream, for one that the engine did not
// start.
func (e *Engine) Number() int { return int(e.nextID.Add(1)) }

// AddSink shows s all streams that begin from now on.
func (e *Engine) AddSink(s Sink) {
	e.mu.Lock()
	e.sinks = append(append([]Sink(nil), e.sinks...), s)
	e.mu.Unlock()
}

// Start begins a request and returns its live record at once.
func (e *Engine) Start(ctx context.Context, t endpoint.Target, w metrics.Workload) *Stream {
	return e.start(ctx, t, w, 0, false)
}

// StartPart is Start for a request of the recorded load with this number,
// from 1.
func (e *Engine) StartPart(ctx context.Context, t endpoint.Target, w metrics.Workload, load int) *Stream {
	return e.start(ctx, t, w, load, false)
}

// StartQuiet is Start without sinks, for one of many requests. The recording
// of a thousand streams would take gigabytes, and writing it would compete
// with the measurement.
func (e *Engine) StartQuiet(ctx context.Context, t endpoint.Target, w metrics.Workload) *Stream {
	return e.start(ctx, t, w, 0, true)
}

func (e *Engine) start(ctx context.Context, t endpoint.Target, w metrics.Workload, load int, unobserved bool) *Stream {
	w.Concurrency = max(w.Concurrency, 1)
	ctx, cancel := context.WithCancelCause(ctx)
	s := newStream(e, int(e.nextID.Add(1)), w, e.Shown(t), cancel)
	s.unobserved, s.reportsQueue, s.v.Load = unobserved, t.TellsQueue(), load
	s.v.Asked = t.Asked()
	if !e.runs() {
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
	go e.run(ctx, s, &t)
	return s
}

// runs counts one more request that runs, unless the engine is closed.
func (e *Engine) runs() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.closed {
		e.running.Add(1)
	}
	return !e.closed
}

// CloseIdle closes all connections without a request. The next requests open
// new ones.
func (e *Engine) CloseIdle() {
	e.transports.mu.Lock()
	defer e.transports.mu.Unlock()
	for _, tr := range e.transports.made {
		tr.CloseIdle()
	}
}

// Close cancels all running requests, waits until every goroutine of the
// engine has ended, and closes all connections. It also waits for the functions
// of Stream.OnEnd, which must not call it. A second call does nothing.
func (e *Engine) Close() { e.close.Do(e.shut) }

func (e *Engine) shut() {
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	e.stop(errClosing)
	e.running.Wait()
	e.enders.wait()
	e.ingester.close()
	e.transports.close()
}

// finish ends s with fault (nil for a good end) and notifies the sinks.
func (e *Engine) finish(s *Stream, fault *metrics.Fault) {
	at := e.clock.Now()
	for _, n := range s.audience.lost() {
		n.At = at
		s.note(n)
	}
	s.pathEnds()
	s.end(at, e.ScrubFault(fault))
	if !s.unobserved || e.opt.Ended != nil {
		e.show(s)
	}
	s.announceEnd()
	e.changed()
}

// show shows the sinks, and whoever wants all ends, the end of s.
func (e *Engine) show(s *Stream) {
	v := s.Snapshot()
	if p := s.audience.end(v, func() *metrics.Figures { return s.measure(&v) }); p != nil {
		s.broke(transport.PanicFault(p))
	}
	if e.opt.Ended != nil {
		e.opt.Ended(v)
	}
}

// ScrubFault returns f with every key removed from its strings.
func (e *Engine) ScrubFault(f *metrics.Fault) *metrics.Fault { return scrubFault(f, e.scrub) }

func scrubFault(f *metrics.Fault, scrub *secret.Scrubber) *metrics.Fault {
	if f == nil {
		return nil
	}
	c := *f
	c.Message, c.Next = scrub.String(f.Message), scrub.String(f.Next)
	c.Body, c.Code, c.Location = scrub.String(f.Body), scrub.String(f.Code), scrub.String(f.Location)
	return &c
}
