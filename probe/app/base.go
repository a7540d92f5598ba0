package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/pick"
	"tokscope/probe/endpoint"
	"tokscope/probe/files"
)

// base is what the backends of all screens share. Its mutex also guards theirs.
type base struct {
	o Options

	mu      sync.Mutex
	target  endpoint.Target
	version uint64         // of the endpoint, the runs and the loads
	wg      sync.WaitGroup // streams and loads under way
}

// latest is the present or last of the loads, or of the races, of a session. The mutex
// of base guards it.
type latest[R interface {
	comparable
	Version() uint64
}] struct {
	*base
	run    R      // nil before any
	before uint64 // versions of those before run
}

// present returns the present or last one, nil before any.
func (l *latest[R]) present() R {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.run
}

// with calls f with the present or last one, unless there was none yet.
func (l *latest[R]) with(f func(R)) {
	var none R
	if r := l.present(); r != none {
		f(r)
	}
}

// changes changes with each of them, and whenever what run shows would differ by more
// than the clock.
func (l *latest[R]) changes() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := l.version + l.before
	var none R
	if l.run != none {
		n += l.run.Version()
	}
	return n
}

// notify calls Options.Notify.
func (s *base) notify() {
	s.mu.Lock()
	f := s.o.Notify
	s.mu.Unlock()
	f()
}

// SetNotify sets the callback for rare events; before the first Begin.
func (s *base) SetNotify(f func()) {
	s.mu.Lock()
	s.o.Notify = f
	s.mu.Unlock()
}

// Now returns the current moment on the clock of the stamps.
func (s *base) Now() metrics.Stamp { return s.o.Engine.Clock().Now() }

// Endpoint returns the current endpoint with its configured price, without a
// key in its address.
func (s *base) Endpoint() metrics.Endpoint {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.o.Engine.Shown(s.target)
	e.Price = s.target.Price()
	return e
}

// Endpoints lists those measured last, then the embedded endpoint, profiles, providers
// with a key, and the servers found on this machine.
func (s *base) Endpoints(ctx context.Context) []metrics.Endpoint {
	var all []metrics.Endpoint
	if s.o.Embedded != nil {
		if t, err := s.o.Embedded(""); err == nil {
			all = append(all, t.Endpoint)
		}
	}
	all = append(all, s.o.Resolver.Known()...)
	if !s.o.Discover {
		return recentFirst(s.recent(), all)
	}
	embeddedURL := ""
	if len(all) > 0 && all[0].Kind == metrics.EndpointEmbedded {
		embeddedURL = all[0].URL
	}
	for _, e := range (endpoint.Discoverer{Do: s.o.Engine.Ask()}).Run(ctx) {
		if e.URL != embeddedURL {
			all = append(all, e)
		}
	}
	return recentFirst(s.recent(), all)
}

// targetOf resolves an endpoint from a list or from input.
func (s *base) targetOf(e metrics.Endpoint) (endpoint.Target, error) {
	if e.Kind == metrics.EndpointEmbedded && s.o.Embedded != nil {
		return s.o.Embedded(e.Model)
	}
	if e.Kind == "" {
		e.Kind = metrics.EndpointURL
	}
	s.mu.Lock()
	current := s.target
	s.mu.Unlock()
	if shown := s.o.Engine.Shown(current); e.Same(&shown) {
		e.URL = current.URL // what was shown may have had its key redacted
	}
	return s.o.Resolver.ForEndpoint(e)
}

// Models asks e for the models it serves.
func (s *base) Models(ctx context.Context, e metrics.Endpoint) ([]string, error) {
	t, err := s.targetOf(e)
	if err != nil {
		return nil, err
	}
	ask, err := s.o.Engine.AskOf(t)
	if err != nil {
		return nil, err
	}
	t, models, err := endpoint.Locate(ctx, ask, t, s.o.Engine.Scrubber())
	if err != nil {
		return nil, errors.New(s.o.Engine.Scrubber().String(err.Error()))
	}
	s.o.Resolver.Remember(t)
	return pick.Each(models, func(m *endpoint.Model) string { return m.ID }), nil
}

// Select makes e the endpoint of the next request, with the certificates and
// the protocol of its profile. It sends nothing to the server; discovery runs
// when the request begins. After an error the previous endpoint stays.
func (s *base) Select(e metrics.Endpoint) error {
	t, err := s.targetOf(e)
	if err != nil {
		return err
	}
	return s.use(t)
}

// use makes t the target of the next request.
func (s *base) use(t endpoint.Target) error {
	if err := s.o.Engine.Prepare(t); err != nil {
		return err
	}
	s.mu.Lock()
	s.target = t
	s.version++
	s.mu.Unlock()
	return nil
}

// errUnrecorded says why nothing can be saved beside the recording.
var errUnrecorded = errors.New("nothing is recorded in this session: start without --record=false to save")

// write writes a document beside the recording, with the recording's name and
// that ending.
func (s *base) write(ending string, to func(io.Writer) error) (string, error) {
	if s.o.File == nil {
		return "", errUnrecorded
	}
	path := strings.TrimSuffix(s.o.File.Path(), ".ndjson") + ending
	var data bytes.Buffer
	if err := to(&data); err != nil {
		return "", fmt.Errorf("write the result as JSON: %w", err)
	}
	if err := replace(path, data.Bytes()); err != nil {
		return "", fmt.Errorf("save the result: %w", err)
	}
	return path, nil
}

// replace writes a file beside the recording as a whole.
func replace(path string, data []byte) error {
	return files.Replace(path, false, func(f *os.File) error {
		_, err := f.Write(data)
		return err
	})
}

// SaveText writes a text beside a result that was saved at path, with another ending,
// and returns its path.
func (s *base) SaveText(_ context.Context, path, ending string, text []byte) (string, error) {
	path = strings.TrimSuffix(path, filepath.Ext(path)) + ending
	return path, replace(path, text)
}

// SaveScreen writes a picture of a screen and its text beside the recording,
// as screen-DATE-TIMEZ-NAME.svg and .txt, with the time in UTC. It returns the
// path of the picture.
func (s *base) SaveScreen(_ context.Context, name string, picture, text []byte) (string, error) {
	if s.o.File == nil {
		return "", errUnrecorded
	}
	path := filepath.Join(filepath.Dir(s.o.File.Path()),
		"screen-"+time.Now().UTC().Format("20060102-150405.000")+"Z-"+name)
	for ending, data := range map[string][]byte{".svg": picture, ".txt": text} {
		if err := replace(path+ending, data); err != nil {
			return "", fmt.Errorf("save the screen: %w", err)
		}
	}
	return path + ".svg", nil
}

// SessionPath returns the recording's file, "" without one.
func (s *base) SessionPath() string { return s.o.Path() }
