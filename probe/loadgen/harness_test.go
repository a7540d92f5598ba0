package loadgen

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"go.uber.org/goleak"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/testkit"
	"tokscope/probe/client"
	"tokscope/probe/endpoint"
	"tokscope/probe/probetest"
	"tokscope/probe/sim"
)

func TestMain(m *testing.M) {
	probetest.Main() // the scripted endpoint of the benchmark of many users, in a process of its own
	goleak.VerifyTestMain(m)
}

// demo starts the embedded endpoint, behind wrap unless that is nil, and an
// engine; the test ends both.
func demo(t testing.TB, o sim.Options, wrap func(http.Handler) http.Handler) (*client.Engine, endpoint.Target) {
	t.Helper()
	srv := testkit.Must(sim.Start(o))(t)
	e := client.New(client.Options{})
	url := srv.URL()
	if wrap != nil {
		front := httptest.NewServer(wrap(srv.Handler()))
		url = front.URL + "/v1"
		t.Cleanup(front.Close)
	}
	t.Cleanup(func() {
		e.Close()
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		testkit.Is(t, srv.Close(ctx), nil)
	})
	return e, endpoint.Target{
		Endpoint: metrics.Endpoint{Kind: metrics.EndpointEmbedded, Name: "demo", URL: url, Model: sim.DefaultModel},
		Auth:     endpoint.AuthNone, Server: "tokscope",
	}
}

// virtualDemo is demo in a bubble of virtual time.
func virtualDemo(t *testing.T, o sim.Options) (*client.Engine, endpoint.Target) {
	t.Helper()
	wire := make(probetest.Pipes)
	o.Listener, o.Sleep = wire, time.Sleep
	srv := testkit.Must(sim.Start(o))(t)
	e := client.New(client.Options{NoPathProbe: true, Dial: wire.Dial, Proxy: func(*http.Request) (*url.URL,
		error) {
		return nil, nil
	}})
	t.Cleanup(func() {
		e.Close()
		testkit.OK(t, srv.Close(context.Background()))
	})
	return e, endpoint.Target{
		Endpoint: metrics.Endpoint{Kind: metrics.EndpointEmbedded, Name: "demo", URL: srv.URL(), Model: sim.DefaultModel},
		Auth:     endpoint.AuthNone, Server: "tokscope",
	}
}

// until waits for ok, for a minute at most.
func until(t testing.TB, l *Load, what string, ok func(v *loadstat.View) bool) loadstat.View {
	t.Helper()
	limit := time.After(time.Minute)
	for {
		v := l.View()
		if ok(&v) {
			return v
		}
		l.mu.Lock()
		figures := l.figures
		l.mu.Unlock()
		select {
		case <-figures:
		case <-l.Done():
			if v := l.View(); ok(&v) {
				return v
			}
			t.Fatalf("the load ended without: %s", what)
		case <-limit:
			t.Fatalf("not within a minute: %s (%+v)", what, v.Live)
		}
	}
}

// finish stops l and waits.
func finish(l *Load) loadstat.View {
	l.Stop()
	l.Wait()
	return l.View()
}
