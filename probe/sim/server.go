package sim

import (
	"context"
	"errors"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/pick"
	"tokscope/probe/access"
	"tokscope/probe/sim/engine"
	"tokscope/probe/sim/physics"
)

// Bounds of the server.
const (
	maxHeader     = 64 << 10
	headerTimeout = 10 * time.Second
	bodyTimeout   = 30 * time.Second
	writeTimeout  = 30 * time.Second // for one write to a client that does not read
	lastWords     = time.Second      // for the error events when the server closes
	maxEngines    = 64               // models requested at least once
)

// Server is a running embedded endpoint. It is safe for concurrent use.
type Server struct {
	o               Options
	started         time.Time
	ln              net.Listener
	http            *http.Server
	served          sync.WaitGroup // until Serve has returned
	active          sync.WaitGroup // active requests
	ids             atomic.Uint64
	ctx             context.Context // ends when the server closes: of sockets, which http.Server does not close
	stop            context.CancelFunc
	defaultScenario *Scenario // used by requests without a scenario; never nil
	words           *vocabulary
	access          access.Rules
	budgets         budgets

	mu      sync.Mutex
	engines []*driver // in the order of their start
	closed  bool
	closing bool // Close was called
}

// running returns the engine of that id, nil without one. The caller holds mu.
func (s *Server) running(id string) *driver {
	d, _ := pick.Value(s.engines, func(d **driver) bool { return (*d).id == id })
	return d
}

// Start listens and serves until Close. The engine of the default model is
// ready when it returns.
func Start(o Options) (*Server, error) {
	s, err := prepare(o)
	if err != nil {
		return nil, err
	}
	switch s.ln = s.o.Listener; {
	case s.ln != nil:
	case o.Addr == "":
		s.ln, err = loopback(net.Listen)
	default:
		s.ln, err = net.Listen("tcp", o.Addr)
	}
	if err != nil {
		s.stopEngines()
		return nil, err // it names the address
	}
	served := http.Handler(handler(s.answers))
	if o.Answers == nil {
		served = s.Handler()
	}
	s.http = &http.Server{
		Handler:           served,
		ReadHeaderTimeout: headerTimeout,
		MaxHeaderBytes:    maxHeader,
		IdleTimeout:       2 * time.Minute,
	}
	s.served.Go(func() {
		if err := s.http.Serve(s.ln); !errors.Is(err, http.ErrServerClosed) {
			s.o.Log.Error("serving ended", "error", err)
		}
	})
	return s, nil
}

// loopback listens on this machine alone: by IPv4, or by IPv6 where there is no IPv4.
func loopback(listen func(network, address string) (net.Listener, error)) (net.Listener, error) {
	ln, err := listen("tcp", "127.0.0.1:0")
	if err == nil {
		return ln, nil
	}
	if ln, six := listen("tcp", "[::1]:0"); six == nil {
		return ln, nil
	}
	return nil, &metrics.Fault{Kind: metrics.FaultLocal,
		Message: "this machine has no loopback address: " + err.Error(),
		Next:    "switch the interface on (ip link set lo up), or name another endpoint"}
}

func prepare(o Options) (*Server, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	s := &Server{o: o, started: time.Now(), words: newVocabulary(), budgets: newBudgets()}
	s.ctx, s.stop = context.WithCancel(context.Background())
	if s.access, err = access.New(o.Addr, o.Remote, o.AllowHosts, o.AllowOrigins); err != nil {
		return nil, err
	}
	if s.defaultScenario, err = ScenarioOf(o.Scenario); err != nil {
		return nil, err
	}
	if s.defaultScenario == nil {
		s.defaultScenario = &Scenario{}
	}
	if o.Answers != nil {
		return s, nil
	}
	if _, apiErr := s.driver(o.Model); apiErr != nil {
		return nil, errors.New(apiErr.Message)
	}
	return s, nil
}

// URL returns the base URL for an OpenAI client. It ends in /v1.
func (s *Server) URL() string { return "http://" + s.ln.Addr().String() + "/v1" }

// Model is the id of the model that answers where a request names none; "" where
// recorded answers are served.
func (s *Server) Model() string {
	if s.o.Answers != nil {
		return ""
	}
	return s.o.Model
}

// Close stops accepting and waits for open requests until ctx ends. It then
// cuts them with an error, within a second. It returns when no goroutine of
// the server is left.
//
// It resumes a paused engine first, because requests on a paused engine never
// end.
func (s *Server) Close(ctx context.Context) error {
	s.mu.Lock()
	s.closing = true
	s.stop()
	steered := s.running(SteeredModel)
	s.mu.Unlock()
	if steered != nil {
		steered.pause(false)
	}
	err := s.http.Shutdown(ctx)
	if err != nil {
		s.stopEngines() // every stream ends with an error event, and its handler returns
		// Closing the connections at once would cut off most of these events.
		late, cancel := context.WithTimeout(context.Background(), lastWords)
		defer cancel()
		if err = s.http.Shutdown(late); err != nil {
			err = s.http.Close()
		}
	}
	s.served.Wait()
	s.mu.Lock()
	s.closed = true // enter returns false from now on
	s.mu.Unlock()
	s.active.Wait()
	s.stopEngines()
	return err
}

func (s *Server) stopEngines() {
	s.mu.Lock()
	s.closed = true
	all := s.engines
	s.engines = nil
	s.mu.Unlock()
	for _, d := range all {
		d.close()
	}
}

// driver returns the engine of a model and starts it on the first request.
func (s *Server) driver(id string) (*driver, *apiError) {
	if id = strings.ToLower(strings.TrimSpace(id)); id == "" {
		id = s.o.Model
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if d := s.running(id); d != nil {
		return d, nil
	}
	if s.closed {
		return nil, closing()
	}
	if len(s.engines) >= maxEngines && !s.unload() {
		return nil, newError(http.StatusServiceUnavailable, "", "%d models run already; no more fit", maxEngines)
	}
	p, err := find(s.o.Catalogue, id)
	if err != nil {
		if _, ok := errors.AsType[*physics.FitError](err); ok {
			return nil, newError(http.StatusBadRequest, "model_does_not_fit", "%s does not fit: %v", clip(id), err)
		}
		return nil, newError(http.StatusNotFound, "model_not_found", "%v", err)
	}
	mode := p.mode
	if mode == engine.Continuous {
		mode = s.o.Mode
	}
	d := newDriver(id, s.o.Speed, &s.o)
	d.noPrefix = s.o.NoPrefixCache
	s.launch(d, engine.Options{Config: engine.Config{Setup: p.setup, Mode: mode}, Seed: s.o.Seed, MaxQueue: s.o.MaxQueue})
	return d, nil
}

// launch starts a driver's engine and registers it. The caller holds mu.
func (s *Server) launch(d *driver, o engine.Options) {
	if len(s.defaultScenario.slower) > 0 {
		// Steps begin on the engine's goroutine, which owns due.
		o.Slow = func(float64) engine.Slowness { return s.defaultScenario.slowness(d.due.Sub(s.started)) }
	}
	d.start(o)
	s.engines = append(s.engines, d)
}

// unload stops an unused engine to make room for another. It returns false if
// every engine is in use. The caller holds mu.
func (s *Server) unload() bool {
	for i, d := range s.engines {
		if d.id != s.o.Model && d.id != SteeredModel && !d.inUse() {
			d.close()
			s.engines = slices.Delete(s.engines, i, i+1)
			return true
		}
	}
	return false
}

// drivers returns the started engines, in the order of their start.
func (s *Server) drivers() []*driver {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.engines)
}

func closing() *apiError {
	return newError(http.StatusServiceUnavailable, "", "the server is shutting down")
}
