package transport_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/probetest"
	"tokscope/probe/transport"
)

// proxy is a small HTTP proxy on loopback.
type proxy struct {
	addr string
	mu   sync.Mutex
	seen []string // request lines and authorisations
}

func newProxy(t *testing.T) *proxy {
	t.Helper()
	p := &proxy{}
	s := httptest.NewServer(p)
	t.Cleanup(s.Close)
	p.addr = s.Listener.Addr().String()
	return p
}

func (p *proxy) url(user string) *url.URL {
	u := &url.URL{Scheme: "http", Host: p.addr}
	if user != "" {
		u.User = url.UserPassword(user, "secret")
	}
	return u
}

func (p *proxy) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	p.mu.Lock()
	p.seen = append(p.seen, req.Method+" "+req.RequestURI+" "+req.Header.Get("Proxy-Authorization"))
	p.mu.Unlock()
	up, err := net.Dial("tcp", req.URL.Host)
	if err != nil {
		return
	}
	defer up.Close()
	established := "HTTP/1.1 200 Connection established\r\n\r\n"
	if req.Method != http.MethodConnect {
		_, established = req.Write(up), ""
	}
	c, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	_, _ = io.WriteString(c, established)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(up, c)
		_ = up.(*net.TCPConn).CloseWrite()
	}()
	_, _ = io.Copy(c, up)
	_ = c.Close()
	<-done
}

// A proxy that nobody runs is named: the server behind it was never tried.
func TestProxyThatIsAway(t *testing.T) {
	o := defaults()
	o.Proxy = func(*http.Request) (*url.URL, error) { return url.Parse("http://127.0.0.1:1") }
	clock := transport.NewClock()
	tr := transport.New(clock, o)
	defer tr.Close()
	for _, target := range []string{"http://server.example/v1/chat/completions",
		"https://server.example/v1/chat/completions"} {
		c := transport.NewWaking(clock)
		req, err := http.NewRequestWithContext(transport.With(context.Background(), c), http.MethodPost, target,
			strings.NewReader("{}"))
		testkit.OK(t, err)
		_, err = tr.Do(req)
		if f, ok := errors.AsType[*metrics.Fault](err); !ok || f.Kind != metrics.FaultConnect || !strings.Contains(f.Message,
			"proxy") || !strings.Contains(f.Next, "NO_PROXY") {
			t.Errorf("%s: %v", target, err)
		}
	}
}

// A proxy of a kind that net/http does not speak is refused: it would be spoken to as
// HTTP.
func TestProxyOfAnotherKind(t *testing.T) {
	for _, kind := range []string{"socks4", "socks4a", "socks", "ftp", "quic"} {
		o := defaults()
		o.Proxy = func(*http.Request) (*url.URL, error) { return url.Parse(kind + "://127.0.0.1:1") }
		tr := transport.New(transport.NewClock(), o)
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://server.example/v1",
			strings.NewReader("{}"))
		testkit.OK(t, err)
		_, err = tr.Do(req)
		if f, ok := errors.AsType[*metrics.Fault](err); !ok || f.Kind != metrics.FaultConfig ||
			!strings.Contains(f.Message, kind+"://") || !strings.Contains(f.Next, "socks5h") {
			t.Errorf("%s: %v", kind, err)
		}
		tr.Close()
	}
}

func TestProxy(t *testing.T) {
	const basic = "Basic dXNlcjpzZWNyZXQ="
	for _, tt := range []struct {
		name   string
		secure bool
		want   string // what the proxy sees; %s = the server
	}{
		{"http", false, "POST http://%s"},
		{"https", true, "CONNECT %s " + basic},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newProxy(t)
			o := defaults()
			o.Proxy = func(*http.Request) (*url.URL, error) { return p.url("user"), nil }
			overTCP(t, o, probetest.Options{TLS: tt.secure}, func(r *harness) {
				defer r.tr.CloseIdle()
				got := r.ask("straddle; prefill 2ms; 3 tokens @ 1ms")
				if got.err != nil || len(got.data()) != 5 {
					t.Fatalf("%d events, ended with %v", len(got.data()), got.err)
				}
				testkit.That(t, got.conn.Proxy == p.addr && got.conn.Remote == got.conn.Proxy, "connection %+v", got.conn)
				s := got.capture.Stamps()
				testkit.That(t, s != metrics.SourceBody, "stamps are those of the %v", s)
				p.mu.Lock()
				defer p.mu.Unlock()
				want := fmt.Sprintf(tt.want, r.server.Addr())
				testkit.That(t, len(p.seen) == 1 && strings.HasPrefix(p.seen[0], want) && strings.HasSuffix(p.seen[0], basic),
					"the proxy saw %q, want %q", p.seen, want)
			})
		})
	}
	t.Run("warm through a tunnel", func(t *testing.T) {
		p := newProxy(t)
		o := defaults()
		o.Proxy = func(*http.Request) (*url.URL, error) { return p.url(""), nil }
		overTCP(t, o, probetest.Options{TLS: true}, func(r *harness) {
			defer r.tr.CloseIdle()
			got := r.ask("3 tokens @ 1ms", warm)
			testkit.That(t, got.err == nil && got.conn.Reused && got.conn.Proxy != "",
				"ended with %v over %+v", got.err, got.conn)
		})
	})
	t.Run("settings that cannot be used", func(t *testing.T) {
		o := defaults()
		o.Proxy = func(*http.Request) (*url.URL, error) { return nil, fmt.Errorf("no such scheme") }
		overTCP(t, o, probetest.Options{}, func(r *harness) {
			if got := r.ask(""); got.err == nil || got.err.Kind != metrics.FaultConfig {
				t.Errorf("ended with %+v", got.err)
			}
		})
	})
}

// fiveEvents sends five events and an end marker.
func fiveEvents(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	for i := range 5 {
		_, _ = fmt.Fprintf(w, "data: {\"i\":%d}\n\n", i)
		w.(http.Flusher).Flush()
	}
	_, _ = io.WriteString(w, "data: [DONE]")
}

func TestHTTP2(t *testing.T) {
	for _, offered := range []bool{true, false} {
		r := answering(t, offered, fiveEvents)
		for _, reused := range []bool{false, true} {
			got := r.ask("")
			if got.err != nil || len(got.data()) != 6 {
				t.Errorf("%d events, ended with %v", len(got.data()), got.err)
			}
			proto, source := "HTTP/1.1", got.capture.Stamps() != metrics.SourceBody
			if offered {
				proto, source = "HTTP/2.0", got.capture.Stamps() == metrics.SourceBody
			}
			if got.conn.Proto != proto || !source || got.conn.Reused != reused ||
				got.conn.TLS != tls.VersionName(tls.VersionTLS13) {
				t.Errorf("offered %v: connection %+v, stamps %v", offered, got.conn, got.capture.Stamps())
			}
			if info, err := got.capture.TCPInfo(); transport.SocketCounters && (err != nil || info.Received == 0 ||
				!info.Counts) {
				t.Errorf("offered %v: %+v, %v", offered, info, err)
			}
			m := got.marks
			if !m.Sent.Known() || m.FirstByte < m.Sent || m.Headers < m.FirstByte || m.End < m.Headers ||
				m.TLSDone.Known() == reused {
				t.Errorf("offered %v: marks %+v", offered, m)
			}
		}
		if got := r.ask("", warm); !got.conn.Reused || got.err != nil {
			t.Errorf("warm: reused = %v, %v", got.conn.Reused, got.err)
		}
		testkit.Is(t, r.tr.Links(), 1, "connections after a warm request that found one")
		if got := r.ask("", cold); got.conn.Reused || got.err != nil {
			t.Errorf("cold: reused = %v, %v", got.conn.Reused, got.err)
		}
		r.close()
		for r.tr.Links() > 0 {
			time.Sleep(time.Millisecond) // HTTP/2 closes on a goroutine of its own
		}
	}
}

// TestHTTP2HeadersAreBounded: headers above the bound are too large, as over HTTP/1.1,
// whichever way they are: many, long, alike, so compressed that few bytes come; those
// within it are an answer.
func TestHTTP2HeadersAreBounded(t *testing.T) {
	for name, x := range map[string]struct {
		headers, size int
		letters       string
		large         bool
	}{
		"few":                {30, 1000, "abcdefghijklmnopqrstuvwxyz", false},
		"a little too many":  {70, 1000, "abcdefghijklmnopqrstuvwxyz", true},
		"900 of 1 kB":        {900, 1000, "abcdefghijklmnopqrstuvwxyz", true},
		"short ones":         {4000, 20, "0123456789", true},
		"letters of 5 bits":  {500, 1000, "aceiost", true},
		"letters of 28 bits": {100, 3000, "\xf0\xe9", true},
		"a long one":         {1, 300_000, "xyz", true},
		"3 MB":               {1000, 3000, "abcdefghijklmnopqrstuvwxyz", true},
	} {
		for _, http2 := range []bool{true, false} {
			r := answering(t, http2, func(w http.ResponseWriter, _ *http.Request) {
				for i := range x.headers {
					value := strings.Repeat(x.letters, x.size/len(x.letters)+1)[:x.size]
					w.Header().Set(fmt.Sprintf("X-Header-%d", i), fmt.Sprint(i, value))
				}
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = io.WriteString(w, "data: [DONE]\n\n")
			})
			got := r.ask("")
			if large := got.err != nil && got.err.Kind == metrics.FaultTooLarge &&
				got.err.Bound == "response headers 64 KiB"; large != x.large || got.err != nil && !large {
				t.Errorf("%s, HTTP/2 %v: %+v", name, http2, got.err)
			}
			r.close()
		}
	}
}
