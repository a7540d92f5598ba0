package sim

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tokscope/metrics/testkit"
	"tokscope/probe/sim/engine"
	"tokscope/probe/sim/physics"
)

// Paused reports whether the clock is paused.
func (l *Steered) Paused() bool {
	l.d.mu.Lock()
	defer l.d.mu.Unlock()
	return l.d.control.paused
}

// Stats returns the engine's state and counters at the end of its last step.
func (l *Steered) Stats() engine.Stats { return l.d.view().stats }

// Setup returns the setup that new requests are planned for.
func (l *Steered) Setup() *physics.Setup { return l.d.currentSetup() }

// pipes is an in-memory listener, so that HTTP works in virtual time.
type pipes struct {
	conns chan net.Conn
	once  sync.Once
	done  chan struct{}
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), done: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.done) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }

func (p *pipes) dial(context.Context, string, string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case p.conns <- far:
		return near, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

// testServer is a server with a steered engine in virtual time, with a
// client.
type testServer struct {
	t       *testing.T
	s       *Server
	steered *Steered
	client  *http.Client
	mu      sync.Mutex
	steps   []engine.Step // ended ones
	due     []time.Time
	batch   [][]SteeredRequest // at the end of each step
	begun   int
}

// setupOf returns a model on hardware. It fails the test on an error.
func setupOf(t testing.TB, id string) *physics.Setup {
	t.Helper()
	f := testkit.Must(find(nil, id))(t)
	return f.setup
}

// steered runs f with a steered server in virtual time.
func steered(t *testing.T, c SteeredConfig, f func(t *testing.T, b *testServer)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := steeredServer(t, Options{}, c)
		defer b.close()
		f(t, b)
	})
}

func steeredServer(t *testing.T, o Options, c SteeredConfig) *testServer {
	t.Helper()
	ln := newPipes()
	o.Listener, o.Sleep = ln, time.Sleep
	s := testkit.Must(Start(o))(t)
	if c.Setup == nil {
		c.Setup = setupOf(t, DefaultModel)
	}
	steered := testkit.Must(s.Steered(c))(t)
	b := &testServer{t: t, s: s, steered: steered, client: &http.Client{Transport: &http.Transport{DialContext: ln.dial}}}
	steered.Observe(func(r *StepReport) {
		b.mu.Lock()
		defer b.mu.Unlock()
		if r.Begun {
			b.begun++
			return
		}
		b.steps = append(b.steps, *r.Step)
		b.due = append(b.due, steered.d.due)
		b.batch = append(b.batch, append([]SteeredRequest(nil), r.Batch...))
	})
	return b
}

// step returns the step of that number, and dueAt the wall time of its end.
func (b *testServer) step(i int) engine.Step {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.steps[i]
}

func (b *testServer) dueAt(i int) time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.due[i]
}

func (b *testServer) close() {
	b.t.Helper()
	if err := b.s.Close(b.t.Context()); err != nil {
		b.t.Errorf("close: %v", err)
	}
	b.client.CloseIdleConnections()
}

// ended returns the number of ended steps.
func (b *testServer) ended() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.steps)
}

// heard is what a client has received so far.
type heard struct {
	mu      sync.Mutex
	id      string
	code    int
	at      []time.Time    // of the chunks with text
	errs    string         // of error events
	done    bool           // [DONE]
	metrics map[string]any // of the usage chunk
	closed  bool           // the body has ended, or failed
	err     error
	cancel  context.CancelFunc
}

func (h *heard) chunks() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.at)
}

// ask streams a chat with this many prompt words and output tokens from the
// steered engine.
func (b *testServer) ask(words, tokens int, header ...string) *heard {
	ctx, cancel := context.WithCancel(b.t.Context())
	h := &heard{cancel: cancel}
	body := fmt.Sprintf(`{"model":"lab","messages":[{"role":"user","content":"%s"}],"stream":true,"max_tokens":%d,"stream_options":{"include_usage":true}}`, strings.Repeat("word ", words), tokens)
	go func() {
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, "POST", "http://localhost/v1/chat/completions", strings.NewReader(body))
		if err != nil {
			b.t.Error(err)
			return
		}
		req.Header.Set("Content-Type", "application/json")
		for i := 0; i+1 < len(header); i += 2 {
			req.Header.Set(header[i], header[i+1])
		}
		resp, err := b.client.Do(req)
		h.mu.Lock()
		if err != nil {
			h.err, h.closed = err, true
			h.mu.Unlock()
			return
		}
		h.id, h.code = resp.Header.Get("X-Request-Id"), resp.StatusCode
		h.mu.Unlock()
		defer resp.Body.Close()
		sc := bufio.NewScanner(resp.Body)
		for sc.Scan() {
			line := sc.Text()
			h.mu.Lock()
			switch {
			case strings.Contains(line, `"error"`):
				h.errs += line
			case strings.Contains(line, `"metrics":`):
				var c chunk
				if err := json.Unmarshal([]byte(strings.TrimPrefix(line, "data: ")), &c); err != nil {
					b.t.Error(err)
				}
				h.metrics = c.Metrics
			case line == "data: [DONE]":
				h.done = true
			case strings.Contains(line, `"content":"`) && !strings.Contains(line, `"role"`):
				h.at = append(h.at, time.Now())
			}
			h.mu.Unlock()
		}
		h.mu.Lock()
		h.closed, h.err = true, sc.Err()
		h.mu.Unlock()
	}()
	return h
}

func TestSteeredEngineServesARequest(t *testing.T) {
	steered(t, SteeredConfig{}, func(t *testing.T, b *testServer) {
		h := b.ask(100, 20)
		pass(time.Minute)
		testkit.Given(t, h.chunks() == 20 && h.done && h.err == nil, "%+v", h)
		if b.ended() != 20 || b.begun != 20 {
			t.Errorf("%d steps began, %d ended", b.begun, b.ended())
		}
		q, ok := b.steered.Of(h.id)
		testkit.Given(t, ok && q.ID == 1 && len(q.Emitted) == 20, "%v %+v", ok, q)
		for i, e := range q.Emitted {
			if e.Step != b.steps[i].Number || !e.Due.Equal(b.due[i]) || !h.at[i].Equal(e.Due) {
				t.Errorf("token %d: step %d at %v; the step reported is %d at %v; the client had it at %v", i, e.Step, e.Due,
					b.steps[i].Number, b.due[i], h.at[i])
			}
		}
		v := b.steered.Clock()
		testkit.That(t, v >= 60 && v <= 60.1, "the clock says %v after a minute", v)
	})
}

// pass advances virtual time and waits for everything due by then.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}
