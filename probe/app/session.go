// Package session is what one sitting of a person needs: an endpoint that can
// be changed, one stream at a time, the runs so far, and the recording. The
// terminal interface drives it through the small interface it declares itself.
package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"

	"tokscope/metrics"
	"tokscope/probe/client"
	"tokscope/probe/endpoint"
	"tokscope/probe/explain/runner"
	"tokscope/probe/record"
	"tokscope/probe/sim"
)

// Options configure a Session.
type Options struct {
	Engine   *client.Engine
	Resolver *endpoint.Resolver
	Target   endpoint.Target
	File     *record.File // nil: no recording
	// Embedded resolves the embedded endpoint; nil without one.
	Embedded func() (endpoint.Target, error)
	// Server returns the embedded endpoint as a server, for the Explain screen;
	// nil without one. The first call starts it.
	Server func() (*sim.Server, error)
	// StateDir is the directory of the tour's progress; "" keeps none.
	StateDir string
	// Discover says whether Endpoints looks for servers on this machine.
	Discover bool
	// Notify is called when a stream begins or ends. It must not block.
	Notify  func()
	Version string
}

// Session implements the interface's backend. It is safe for concurrent use.
type Session struct {
	o Options

	mu      sync.Mutex
	target  endpoint.Target
	current *client.Stream
	runs    []metrics.Run
	version uint64
	sent    map[string]bool // endpoint, model and prompt of what was sent
	loads   loads
	bench   *runner.Runner
	wg      sync.WaitGroup
}

// New returns a session on o.Target.
func New(o Options) *Session {
	if o.Notify == nil {
		o.Notify = func() {}
	}
	s := &Session{o: o, target: o.Target, sent: map[string]bool{}}
	s.bench = s.newBench()
	return s
}

// SetNotify sets what is told of rare events; before the first Begin.
func (s *Session) SetNotify(f func()) {
	s.mu.Lock()
	s.o.Notify = f
	s.mu.Unlock()
}

// Begin cancels what runs and starts a request with w.
func (s *Session) Begin(w metrics.Workload) {
	s.mu.Lock()
	if s.current != nil {
		s.current.Cancel()
	}
	if w.Nonce == "" {
		// The same prompt again would come out of the server's prefix cache, and
		// its time to first token would say nothing about the prefill.
		key := s.target.URL + " " + s.target.Model + "\x00" + w.System + "\x00" + w.Prompt + strconv.Itoa(w.InputTokens)
		if s.sent[key] {
			w.Nonce = fmt.Sprintf("[request %08x]", rand.Uint32())
		}
		s.sent[key] = true
	}
	st := s.o.Engine.Start(context.Background(), s.target, w)
	s.current = st
	s.version++
	notify := s.o.Notify
	s.wg.Add(1)
	s.mu.Unlock()
	go func() {
		defer s.wg.Done()
		<-st.Done()
		v := st.Snapshot()
		run := metrics.Run{Stream: v, Figures: metrics.Measure(&v, metrics.Options{})}
		s.mu.Lock()
		// A new slice each time: the interface reads the old one without a lock.
		s.runs = append(append(make([]metrics.Run, 0, len(s.runs)+1), s.runs...), run)
		if len(s.runs) > maxRuns {
			s.runs = s.runs[len(s.runs)-maxRuns:]
		}
		s.version++
		s.mu.Unlock()
		notify()
	}()
	notify()
}

// Stop ends the running request.
func (s *Session) Stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current != nil {
		s.current.Cancel()
	}
}

// Wait stops a load and closes the engine laid open for good, and returns once
// every stream, load and user has ended.
func (s *Session) Wait() {
	s.endLoad()
	s.bench.Wait()
	s.wg.Wait()
}

// Version changes whenever Snapshot or Runs would differ.
func (s *Session) Version() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.version + s.o.Engine.Version()
}

// Snapshot is the current or last stream.
func (s *Session) Snapshot() metrics.Stream {
	s.mu.Lock()
	st := s.current
	s.mu.Unlock()
	if st == nil {
		n := metrics.NoStamp
		return metrics.Stream{Marks: metrics.NewMarks(), Usage: metrics.NoUsage(), LiveTokens: -1, LastData: n, DataDeadline: n, Now: s.Now()}
	}
	return st.Snapshot()
}

// Now is the moment by the clock of the stamps.
func (s *Session) Now() metrics.Stamp { return s.o.Engine.Clock().Now() }

// Runs are the ended requests, oldest first; read only.
func (s *Session) Runs() []metrics.Run {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.runs
}

// Observer is the program's own lateness of late.
func (s *Session) Observer() metrics.Observer { return s.o.Engine.Observer() }

// Endpoint is the one in use.
func (s *Session) Endpoint() metrics.Endpoint {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.target.Endpoint
}

// Endpoints lists the embedded endpoint, profiles, providers with a key, and
// the servers found on this machine.
func (s *Session) Endpoints(ctx context.Context) []metrics.Endpoint {
	var all []metrics.Endpoint
	if s.o.Embedded != nil {
		if t, err := s.o.Embedded(); err == nil {
			all = append(all, t.Endpoint)
		}
	}
	all = append(all, s.o.Resolver.Known()...)
	if !s.o.Discover {
		return all
	}
	embeddedURL := ""
	if len(all) > 0 && all[0].Kind == metrics.EndpointEmbedded {
		embeddedURL = all[0].URL
	}
	for _, e := range endpoint.Discover(ctx, s.o.Engine.Ask()) {
		if e.URL != embeddedURL {
			all = append(all, e)
		}
	}
	return all
}

// targetOf resolves an endpoint that a list or a person named.
func (s *Session) targetOf(e metrics.Endpoint) (endpoint.Target, error) {
	if e.Kind == metrics.EndpointEmbedded && s.o.Embedded != nil {
		t, err := s.o.Embedded()
		if err == nil && e.Model != "" {
			t.Model = e.Model
		}
		return t, err
	}
	if e.Kind == "" {
		e.Kind = metrics.EndpointURL
	}
	return s.o.Resolver.ForEndpoint(e)
}

// Models asks e for the models it serves.
func (s *Session) Models(ctx context.Context, e metrics.Endpoint) ([]string, error) {
	t, err := s.targetOf(e)
	if err != nil {
		return nil, err
	}
	for _, k := range t.Secrets() {
		s.o.Engine.Scrubber().Add(k)
	}
	ask, err := s.o.Engine.AskOf(t)
	if err != nil {
		return nil, err
	}
	t, models, err := endpoint.Locate(ctx, ask, t)
	if err != nil {
		return nil, errors.New(s.o.Engine.Scrubber().String(err.Error()))
	}
	s.o.Resolver.Remember(t)
	ids := make([]string, len(models))
	for i, m := range models {
		ids[i] = m.ID
	}
	return ids, nil
}

// Select makes e the endpoint of the next request, with the certificates and
// the protocol of its profile. It asks nothing of the server: that is done when
// the request begins. After an error the endpoint is the one before.
func (s *Session) Select(e metrics.Endpoint) error {
	t, err := s.targetOf(e)
	if err != nil {
		return err
	}
	if err := s.o.Engine.Prepare(t); err != nil {
		return err
	}
	s.mu.Lock()
	s.target = t
	s.version++
	s.mu.Unlock()
	return nil
}

// Save writes the ended runs as one JSON document beside the recording.
func (s *Session) Save(ctx context.Context) (string, error) {
	s.mu.Lock()
	runs := s.runs
	s.mu.Unlock()
	if len(runs) == 0 {
		return "", errors.New("nothing to save yet: no request has ended")
	}
	if s.o.File == nil {
		return "", errors.New("nothing is recorded in this session: start without --record=false to save")
	}
	doc := record.DocumentOf(s.o.Version, runs)
	return s.write(".json", doc.Write)
}

// write puts a document beside the recording, in a file of its name with that
// ending.
func (s *Session) write(ending string, to func(io.Writer) error) (string, error) {
	path := strings.TrimSuffix(s.o.File.Path(), ".ndjson") + ending
	var data bytes.Buffer
	if err := to(&data); err != nil {
		return "", fmt.Errorf("write the result as JSON: %w", err)
	}
	// Whole or not at all: a reader never sees half a document.
	tmp := path + ".part"
	if err := os.WriteFile(tmp, data.Bytes(), 0o600); err != nil {
		return "", fmt.Errorf("save the result: %w", err)
	}
	if err := os.Rename(tmp, path); err != nil {
		return "", fmt.Errorf("save the result: %w", err)
	}
	return path, nil
}

// SessionPath is the recording's file, "" when there is none.
func (s *Session) SessionPath() string {
	if s.o.File == nil {
		return ""
	}
	return s.o.File.Path()
}
