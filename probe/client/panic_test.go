package client

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"sync"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/endpoint"
	"tokscope/probe/probetest"
	"tokscope/probe/secret"
)

const panicKey = "sk-panic-0123456789abcdef"

// clumsy is a sink that panics in one of its methods, with a secret in the
// message.
type clumsy struct{ in string }

func (c clumsy) at(method string) {
	if c.in == method {
		panic("sent with " + panicKey)
	}
}

func (c clumsy) Begin(metrics.Stream)                 { c.at("Begin") }
func (c clumsy) Event(*Folded)                        { c.at("Event") }
func (c clumsy) End(metrics.Stream, *metrics.Figures) { c.at("End") }

// streaming answers with one token per write.
func streaming(t *testing.T, tokens int) *httptest.Server {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for range tokens {
			_, _ = fmt.Fprint(w, "data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\n")
			w.(http.Flusher).Flush()
		}
		_, _ = fmt.Fprint(w, "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(srv.Close)
	return srv
}

func targetOf(srv *httptest.Server) endpoint.Target {
	return endpoint.Target{
		Endpoint: metrics.Endpoint{URL: srv.URL, Model: "m"}, Key: secret.NewSecret(panicKey), Auth: endpoint.AuthBearer,
		Server: "test",
	}
}

// A panic in this program ends the stream as a failure, not the program, also
// during snapshots. Its message holds no key.
func TestPanicEndsTheStreamAndHidesTheKey(t *testing.T) {
	probetest.TakesTime(t, "it waits for a second and more")
	srv := streaming(t, 20)
	for _, in := range []string{"Begin", "Event", "End"} {
		t.Run(in, func(t *testing.T) {
			e := New(Options{})
			defer e.Close()
			e.AddSink(clumsy{in})
			for range 3 {
				s := e.Start(context.Background(), targetOf(srv), metrics.Workload{Prompt: "x"})
				var watchers sync.WaitGroup
				for range 4 {
					watchers.Go(func() {
						for s.Snapshot().State <= metrics.Decoding {
						}
					})
				}
				<-s.Done()
				watchers.Wait()
				v := s.Snapshot()
				testkit.Given(t, v.State == metrics.Failed && v.Fault != nil && v.Fault.Kind == metrics.FaultInternal,
					"%v: %+v", v.State, v.Fault)
				testkit.Lacks(t, v.Fault.Message+v.Fault.Next+v.Fault.Body, "0123456789abcdef")
			}
		})
	}
}

// After a panic in one sink the other sinks still receive the end of the
// stream.
func TestPanicOfOneSinkLeavesTheOthers(t *testing.T) {
	e := New(Options{})
	defer e.Close()
	count := 0
	e.AddSink(clumsy{"End"})
	e.AddSink(counter{&count})
	<-e.Start(context.Background(), targetOf(streaming(t, 1)), metrics.Workload{Prompt: "x"}).Done()
	testkit.Is(t, count, 1, "the other sink was shown … ends")
}

// counter counts ends.
type counter struct{ count *int }

func (counter) Begin(metrics.Stream)                   {}
func (counter) Event(*Folded)                          {}
func (c counter) End(metrics.Stream, *metrics.Figures) { *c.count++ }

// A panic while another goroutine holds the stream's lock does not release
// that lock.
func TestPanicLeavesTheLockToItsHolder(t *testing.T) {
	e := New(Options{})
	defer e.Close()
	k := &interrupted{stream: make(chan *Stream, 1), done: make(chan struct{})}
	e.AddSink(k)
	s := e.Start(context.Background(), targetOf(streaming(t, 3)), metrics.Workload{Prompt: "x"})
	k.stream <- s
	<-s.Done()
	<-k.done
	v := s.Snapshot()
	testkit.That(t, v.Fault != nil && v.Fault.Kind == metrics.FaultInternal, "%v: %+v", v.State, v.Fault)
}

// interrupted is a sink that panics in its first event while another
// goroutine holds the stream's lock, as Snapshot does.
type interrupted struct {
	stream chan *Stream
	done   chan struct{}
	once   sync.Once
}

func (*interrupted) Begin(metrics.Stream)                 {}
func (*interrupted) End(metrics.Stream, *metrics.Figures) {}
func (k *interrupted) Event(*Folded) {
	k.once.Do(func() {
		s, held := <-k.stream, make(chan struct{})
		go func() {
			defer close(k.done)
			s.mu.Lock()
			close(held)
			for range 10_000 { // while the panic is met
				runtime.Gosched()
			}
			s.mu.Unlock()
		}()
		<-held
		panic("in the middle")
	})
}
