package export

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/metrics/watchstat"
	"tokscope/probe/access"
)

// TestPageServer checks who gets the page, and in which form.
func TestPageServer(t *testing.T) {
	r := played(answer{id: 1, endpoint: "groq", model: "m", preset: "chat", chunks: []float64{5, 9}, prompt: -1,
		output: -1})
	for _, c := range []struct {
		name, method, path, host, accept, origin string
		page                                     Page
		status                                   int
		kind                                     string
	}{
		{name: "plain", status: 200, kind: access.PlainMetrics},
		{name: "Prometheus", accept: "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1", status: 200, kind: access.OpenMetrics},
		{name: "plain preferred", accept: "application/openmetrics-text;version=1.0.0;q=0.4,text/plain", status: 200,
			kind: access.PlainMetrics},
		{name: "another version", accept: "application/openmetrics-text;version=2.0.0", status: 200,
			kind: access.PlainMetrics},
		{name: "protobuf only", accept: "application/vnd.google.protobuf", status: 200, kind: access.PlainMetrics},
		{name: "rebinding", host: "evil.example", status: 403},
		{name: "a name that is allowed", host: "tokscope.monitoring:9464",
			page: Page{AllowHosts: []string{"tokscope.monitoring"}}, status: 200, kind: access.PlainMetrics},
		{name: "an address, remote", host: "10.1.2.3:9464", page: Page{Remote: true}, status: 200, kind: access.PlainMetrics},
		{name: "an address, not remote", host: "10.1.2.3:9464", status: 403},
		{name: "a web page", origin: "https://evil.example", status: 403},
		{name: "POST", method: http.MethodPost, status: 405},
		{name: "HEAD", method: http.MethodHead, status: 200, kind: access.PlainMetrics},
		{name: "another path", path: "/", status: 404},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.page.Addr = "127.0.0.1:0"
			e := testkit.Must(Start(Options{Version: "v1", Page: &c.page}))(t)
			defer func() { _ = e.Close(context.Background()) }()
			e.Add(&r.s, &r.f)
			c.path = cmp.Or(c.path, "/metrics")
			q := httptest.NewRequest(c.method, "http://127.0.0.1"+c.path, nil)
			q.Host = cmp.Or(c.host, q.Host)
			if c.origin != "" {
				q.Header.Set("Origin", c.origin)
			}
			q.Header.Set("Accept", c.accept)
			w := httptest.NewRecorder()
			e.page.ServeHTTP(w, q)
			testkit.Need(t, w.Code, c.status, "HTTP", w.Body)
			if c.status != 200 {
				return
			}
			testkit.Is(t, w.Header().Get("Content-Type"), c.kind, "the type")
			if c.method == http.MethodHead {
				testkit.That(t, w.Body.Len() <= 0, "HEAD has a body of %d bytes", w.Body.Len())
				return
			}
			testkit.That(t, len(read(t, w.Body.String(), c.kind == access.OpenMetrics)) >= 100, "few samples:\n%s", w.Body)
		})
	}
}

// TestPageOverHTTP scrapes a real page, and holds that a taken address is an error
// that says what to do.
func TestPageOverHTTP(t *testing.T) {
	e := testkit.Must(Start(Options{Version: "v1", Page: &Page{Addr: "127.0.0.1:0"}}))(t)
	resp, err := http.Get(e.Address())
	testkit.OK(t, err)
	body, _ := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	testkit.That(t, strings.Contains(string(body), `tokscope_build_info{version="v1"} 1`), "the page says:\n%s", body)
	addr := strings.TrimSuffix(strings.TrimPrefix(e.Address(), "http://"), "/metrics")
	_, err = Start(Options{Page: &Page{Addr: addr}})
	checkFault(t, err, "address already in use", "--metrics-addr")
	testkit.Is(t, e.Close(context.Background()), nil)
	testkit.Is(t, e.Close(context.Background()), nil, "the second time")
	if _, err := http.Get(e.Address()); err == nil {
		t.Error("the page is still there")
	}
	http.DefaultClient.CloseIdleConnections()
}

// TestPageAddresses checks which addresses are refused.
func TestPageAddresses(t *testing.T) {
	for addr, want := range map[string]string{
		"0.0.0.0:9464": "--metrics-remote", ":9464": "--metrics-remote", "[::]:9464": "--metrics-remote",
		"192.0.2.1:9464": "--metrics-remote",
		"9464":           "host and port", "": "host and port",
	} {
		_, err := Start(Options{Page: &Page{Addr: addr}})
		checkFault(t, err, addr, want)
	}
	_, err := Start(Options{Page: &Page{Addr: "127.0.0.1:0", AllowHosts: []string{"http://x"}}})
	checkFault(t, err, "--metrics-allow-host", "without scheme")
}

// checkFault checks that err is a fault of the configuration whose message and
// advice have these words.
func checkFault(t *testing.T, err error, message, next string) {
	t.Helper()
	if f, ok := errors.AsType[*metrics.Fault](err); !ok || f.Kind != metrics.FaultConfig || !strings.Contains(f.Message,
		message) || !strings.Contains(f.Next, next) {
		t.Errorf("the error is %#v, want a fault of the configuration with %q and %q", err, message, next)
	}
}

// TestNoExporter holds that nil does nothing.
func TestNoExporter(t *testing.T) {
	var e *Exporter
	r := played(answer{chunks: []float64{1}})
	e.NameSession("x")
	e.Add(&r.s, &r.f)
	e.AddUnrecorded(&r.s, &r.f)
	e.SetVerdicts(&watchstat.Target{})
	if err := e.Close(context.Background()); err != nil || e.Address() != "" {
		t.Error(err, e.Address())
	}
}
