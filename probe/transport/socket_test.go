package transport_test

import (
	"errors"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/probetest"
	"tokscope/probe/transport"
)

// TestSocketParts holds where an address of a unix socket is cut.
func TestSocketParts(t *testing.T) {
	for in, want := range map[string]string{
		"unix:///run/llama.sock":                "/run/llama.sock http://localhost",
		"unix:///run/llama.sock:":               "/run/llama.sock http://localhost",
		"unix:/run/llama.sock:/v1":              "/run/llama.sock http://localhost/v1",
		"unix:///run/a:b.sock:/v1/models?x=1":   "/run/a:b.sock http://localhost/v1/models?x=1",
		"unix:///run/a%20b.sock:/v%2F1":         "/run/a b.sock http://localhost/v%2F1",
		"unix:///C:/Users/me/llama.sock:/v1":    "C:/Users/me/llama.sock http://localhost/v1",
		"unix://run/llama.sock":                 "",
		"unix:llama.sock":                       "",
		"http://h/run/llama.sock:/v1":           "",
		"unix:///run/llama.sock:/v1/p:/further": "/run/llama.sock http://localhost/v1/p:/further",
	} {
		got := ""
		if file, over, ok := transport.Socket(testkit.Must(url.Parse(in))(t)); ok {
			got = file + " " + over.String()
		}
		testkit.Is(t, got, want, in)
	}
}

// overSocket runs f against a server on a unix socket.
func overSocket(t *testing.T, o transport.Options, f func(r *harness, file string)) {
	t.Helper()
	server := probetest.New(probetest.Options{})
	defer server.Close()
	file := filepath.Join(t.TempDir(), "llm a.sock")
	ln := testkit.Must(net.Listen("unix", file))(t)
	defer func() { _ = ln.Close() }()
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			go server.Serve(conn)
		}
	}()
	clock := transport.NewClock()
	r := &harness{t: t, clock: clock, tr: transport.New(clock, o), server: server}
	r.url = func(text string) string {
		return "unix://" + strings.ReplaceAll(file, " ", "%20") + ":/" + url.PathEscape(text) + "/v1"
	}
	defer r.tr.Close()
	f(r, file)
}

// TestUnixSocket holds that a stream over a unix socket is measured: without a name, a
// proxy and the network's counters, and with stamps that are said to be our own.
func TestUnixSocket(t *testing.T) {
	o := defaults()
	o.Proxy = func(*http.Request) (*url.URL, error) { return url.Parse("http://127.0.0.1:1") }
	overSocket(t, o, func(r *harness, file string) {
		for i, tune := range []func(*transport.Capture){cold, warm, func(*transport.Capture) {}} {
			got := r.ask("straddle; prefill 5ms; 5 tokens @ 2ms", tune)
			if got.err != nil || len(got.data()) != 7 {
				t.Fatalf("%d: %d events, ended with %v", i, len(got.data()), got.err)
			}
			testkit.That(t, got.conn.Remote == file && got.conn.Proxy == "" && got.conn.TLS == "" && got.conn.Reused == (i > 0),
				"%d: connection %+v", i, got.conn)
			testkit.Is(t, got.capture.Stamps(), metrics.SourceUser, i, "stamps")
			if _, err := got.capture.TCPInfo(); !errors.Is(err, transport.ErrUnixSocket) {
				t.Errorf("%d: TCP_INFO: %v", i, err)
			}
			m := got.marks
			testkit.That(t, !m.DNSStart.Known() && m.ConnectDone.Known() == (i == 0) && m.Sent.Known() && m.FirstByte >= m.Sent,
				"%d: marks %+v", i, m)
			// A late reader may find several tokens at once, but none before it was due.
			for token, e := range got.events[:5] {
				due := 5*time.Millisecond + time.Duration(token)*2*time.Millisecond
				after := time.Duration(e.At - m.Sent)
				testkit.That(t, after >= due, "%d: token %d was due %v after the request, and came after %v", i, token, due, after)
			}
		}
	})
}

// TestSocketsAreApart holds that requests to two sockets share no connection, and that
// their host is localhost.
func TestSocketsAreApart(t *testing.T) {
	tr := transport.New(transport.NewClock(), defaults())
	defer tr.Close()
	for _, name := range []string{"a", "b", "a"} {
		file := filepath.Join(t.TempDir(), name)
		ln := testkit.Must(net.Listen("unix", file))(t)
		s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Seen", name+" "+r.Host+" "+r.RequestURI)
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(map[bool]int{true: 200, false: 302}[r.URL.Path == "/v1/models"])
		})}
		go func() { _ = s.Serve(ln) }()
		aside := tr.Aside()
		for _, do := range []func(*http.Request) (*http.Response, error){tr.Do, aside.Do} {
			resp := testkit.Must(do(testkit.Must(http.NewRequest(http.MethodGet, "unix://"+file+":/v1/models?x=1", nil))(t)))(t)
			_ = resp.Body.Close()
			testkit.Is(t, resp.Header.Get("X-Seen"), name+" localhost /v1/models?x=1")
		}
		_, err := tr.Do(testkit.Must(http.NewRequest(http.MethodGet, "unix://"+file+":/v2", nil))(t))
		f, ok := errors.AsType[*metrics.Fault](err)
		testkit.That(t, ok && f.Location == "http://localhost/elsewhere", "a redirect: %+v", err)
		aside.Close()
		tr.CloseIdle()
		_ = s.Close()
	}
}

// TestSocketFaults holds what is said of a unix socket that takes no connection.
func TestSocketFaults(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	testkit.OK(t, os.WriteFile(file, nil, 0o600))
	left := filepath.Join(dir, "left")
	ln := testkit.Must(net.ListenUnix("unix", &net.UnixAddr{Name: left, Net: "unix"}))(t)
	ln.SetUnlinkOnClose(false)
	_ = ln.Close()
	locked := filepath.Join(dir, "locked")
	testkit.OK(t, os.Mkdir(locked, 0o700))
	inside := testkit.Must(net.Listen("unix", filepath.Join(locked, "s")))(t)
	defer func() { _ = inside.Close() }()
	testkit.OK(t, os.Chmod(locked, 0))
	defer func() { _ = os.Chmod(locked, 0o700) }()
	tr := transport.New(transport.NewClock(), defaults())
	defer tr.Close()
	for name, want := range map[string]string{
		filepath.Join(dir, "none"):     "there is no socket",
		file:                           "is no socket",
		dir:                            "is no socket",
		left:                           "nobody listens on the socket",
		filepath.Join(locked, "s"):     "this user may not connect",
		"/" + strings.Repeat("x", 200): "longer than 100 bytes",
	} {
		if want == "this user may not connect" && os.Geteuid() == 0 {
			continue // everything is allowed to it
		}
		_, err := tr.Do(testkit.Must(http.NewRequest(http.MethodGet, "unix://"+name+":/v1", nil))(t))
		f, ok := errors.AsType[*metrics.Fault](err)
		if !ok || f.Kind != metrics.FaultConnect || !strings.Contains(f.Message, want) || !strings.Contains(f.Message,
			name) || f.Next == "" {
			t.Errorf("%s: %+v", want, err)
		}
	}
}
