package transport_test

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
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

// socksProxy is a SOCKS5 proxy (RFC 1928, 1929) that connects to one server, whatever it is
// asked for.
type socksProxy struct {
	addr, to string
	password string // wanted, "" for none
	reply    byte   // to a request

	mu    sync.Mutex
	asked []string
}

func newSOCKS(t *testing.T, to, password string, reply byte) *socksProxy {
	t.Helper()
	ln := testkit.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	p := &socksProxy{addr: ln.Addr().String(), to: to, password: password, reply: reply}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			wg.Go(func() { p.serve(c) })
		}
	})
	t.Cleanup(func() { _ = ln.Close(); wg.Wait() })
	return p
}

func (p *socksProxy) url(scheme, password string) func(*http.Request) (*url.URL, error) {
	u := &url.URL{Scheme: scheme, Host: p.addr}
	if password != "" {
		u.User = url.UserPassword("user", password)
	}
	return func(*http.Request) (*url.URL, error) { return u, nil }
}

func (p *socksProxy) serve(c net.Conn) {
	defer func() { _ = c.Close() }()
	read := func(n byte) []byte {
		b := make([]byte, n)
		_, _ = io.ReadFull(c, b)
		return b
	}
	methods := read(read(2)[1])
	if p.password == "" {
		_, _ = c.Write([]byte{5, 0})
	} else {
		if !strings.Contains(string(methods), "\x02") {
			_, _ = c.Write([]byte{5, 0xff})
			return
		}
		_, _ = c.Write([]byte{5, 2})
		read(read(2)[1])
		good := string(read(read(1)[0])) == p.password
		_, _ = c.Write([]byte{1, map[bool]byte{true: 0, false: 1}[good]})
		if !good {
			return
		}
	}
	host := ""
	switch read(4)[3] {
	case 1:
		host = net.IP(read(4)).String()
	case 3:
		host = string(read(read(1)[0]))
	case 4:
		host = net.IP(read(16)).String()
	}
	port := binary.BigEndian.Uint16(read(2))
	p.mu.Lock()
	p.asked = append(p.asked, net.JoinHostPort(host, map[bool]string{true: "443", false: "80"}[port == 443]))
	p.mu.Unlock()
	_, _ = c.Write([]byte{5, p.reply, 0, 1, 0, 0, 0, 0, 0, 0})
	if p.reply != 0 {
		return
	}
	up, err := net.Dial("tcp", p.to)
	if err != nil {
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(up, c)
		_ = up.(*net.TCPConn).CloseWrite()
	}()
	_, _ = io.Copy(c, up)
	_ = c.Close()
	<-done
	_ = up.Close()
}

// TestSOCKS holds that a stream through a SOCKS proxy is stamped as one without it, over
// http and https, on new, kept and prepared connections.
func TestSOCKS(t *testing.T) {
	for _, c := range []struct {
		scheme, host, asked string
		secure              bool
	}{
		{"socks5h", "localhost", "localhost:80", false}, // the proxy looks the name up
		{"socks5h", "localhost", "localhost:80", true},
		{"socks5", "127.0.0.1", "127.0.0.1:80", true},
	} {
		server := testkit.Must(probetest.Listen(probetest.Options{TLS: c.secure}))(t)
		p := newSOCKS(t, server.Addr(), "proxy-secret", 0)
		o := defaults()
		o.Proxy, o.RootCAs = p.url(c.scheme, "proxy-secret"), server.Roots()
		clock := transport.NewClock()
		r := &harness{t: t, clock: clock, tr: transport.New(clock, o), server: server}
		r.url = func(text string) string { return strings.Replace(server.URL(text), "127.0.0.1", c.host, 1) }
		for i, tune := range []func(*transport.Capture){cold, warm, func(*transport.Capture) {}} {
			got := r.ask("straddle; prefill 2ms; 3 tokens @ 1ms", tune)
			if got.err != nil || len(got.data()) != 5 {
				t.Fatalf("%+v, %d: %d events, ended with %v", c, i, len(got.data()), got.err)
			}
			if got.conn.Proxy != p.addr || got.conn.Remote != p.addr || got.conn.Reused != (i > 0) ||
				(got.conn.TLS != "") != c.secure {
				t.Errorf("%+v, %d: connection %+v", c, i, got.conn)
			}
			s := got.capture.Stamps()
			testkit.That(t, s != metrics.SourceBody, "%+v, %d: stamps of the %v", c, i, s)
			if m := got.marks; i == 0 && (m.TLSDone.Known() != c.secure || !m.ConnectDone.Known() || m.Sent < m.ConnectDone) {
				t.Errorf("%+v, %d: marks %+v", c, i, m)
			}
		}
		p.mu.Lock()
		if len(p.asked) != 2 || p.asked[0] != c.asked { // the third request used the connection of the second
			t.Errorf("%+v: the proxy was asked for %q", c, p.asked)
		}
		p.mu.Unlock()
		r.tr.Close()
		server.Close()
	}
}

// TestSOCKSLooksUpHere holds that socks5 gives the proxy an address, and a name that is
// not found is said to be this machine's failure.
func TestSOCKSLooksUpHere(t *testing.T) {
	server := testkit.Must(probetest.Listen(probetest.Options{}))(t)
	defer server.Close()
	p := newSOCKS(t, server.Addr(), "", 0)
	o := defaults()
	o.Proxy = p.url("socks5", "")
	clock := transport.NewClock()
	r := &harness{t: t, clock: clock, tr: transport.New(clock, o), server: server}
	defer r.tr.Close()
	r.url = func(text string) string { return strings.Replace(server.URL(text), "127.0.0.1", "localhost", 1) }
	if got := r.ask("2 tokens @ 1ms"); got.err != nil || !got.marks.DNSDone.Known() ||
		got.marks.DNSStart < got.marks.ConnectDone {
		t.Errorf("ended with %v, marks %+v", got.err, got.marks)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	testkit.That(t, len(p.asked) == 1 && !strings.Contains(p.asked[0], "localhost"), "the proxy was asked for %q", p.asked)
}

// TestSOCKSFaults holds what is said where a SOCKS proxy does not connect.
func TestSOCKSFaults(t *testing.T) {
	http1 := newProxy(t)
	t.Setenv("HTTP_PROXY", "")
	t.Setenv("ALL_PROXY", "socks5h://x")
	for _, c := range []struct {
		name, wants, password string
		reply                 byte
		addr                  string // in place of the proxy
		say, next             string
	}{
		{name: "it wants a password", wants: "s3", say: "authentication", next: "user and password in ALL_PROXY"},
		{name: "wrong password", wants: "s3", password: "s4-wrong", say: "authentication failed",
			next: "user and password in ALL_PROXY"},
		{name: "nobody listens behind it", reply: 5, say: "connection refused", next: "ALL_PROXY"},
		{name: "no way behind it", reply: 4, say: "host unreachable", next: "NO_PROXY"},
		{name: "it is away", addr: probetest.Refuses(t), say: "the proxy cannot be reached", next: "ALL_PROXY"},
		{name: "an HTTP proxy", addr: http1.addr, say: "no answer of SOCKS5", next: "ALL_PROXY"},
	} {
		p := newSOCKS(t, "127.0.0.1:1", c.wants, c.reply)
		if c.addr != "" {
			p.addr = c.addr
		}
		o := defaults()
		o.Bounds.Connect = time.Second
		o.Proxy = p.url("socks5h", c.password)
		tr := transport.New(transport.NewClock(), o)
		req := testkit.Must(http.NewRequestWithContext(context.Background(), http.MethodGet, "http://server.example/v1",
			nil))(t)
		_, err := tr.Do(req)
		f, ok := errors.AsType[*metrics.Fault](err)
		if !ok || f.Kind != metrics.FaultConnect || !strings.Contains(f.Message, c.say) ||
			!strings.Contains(f.Next, c.next) || strings.Contains(f.Error(), "s4-wrong") {
			t.Errorf("%s: %+v", c.name, err)
		}
		tr.Close()
	}
}

// TestProxiesOfTheEnvironment holds which variable names the proxy of an address, and that
// none is left out in silence.
func TestProxiesOfTheEnvironment(t *testing.T) {
	for _, c := range []struct {
		env  string // NAME=value, separated by spaces
		url  string
		want string // the proxy, or a part of the error
	}{
		{"", "https://h.example/v1", ""},
		{"ALL_PROXY=socks5h://p:1", "https://h.example/v1", "socks5h://p:1"},
		{"ALL_PROXY=socks5h://p:1", "http://h.example/v1", "socks5h://p:1"},
		{"all_proxy=socks5://p:1", "http://h.example/v1", "socks5://p:1"},
		{"ALL_PROXY=p:1", "https://h.example/v1", "http://p:1"},
		{"ALL_PROXY=socks5://p:1 HTTPS_PROXY=http://q:2", "https://h.example/v1", "http://q:2"},
		{"ALL_PROXY=socks5://p:1 HTTPS_PROXY=http://q:2", "http://h.example/v1", "socks5://p:1"},
		{"ALL_PROXY=socks5://p:1 NO_PROXY=.example", "http://h.example/v1", ""},
		{"ALL_PROXY=socks5://p:1", "http://localhost:8080/v1", ""}, // net/http leaves it out too
		{"ALL_PROXY=socks5://p:1", "unix:///run/llm.sock:/v1", ""},
		{"ALL_PROXY=socks4://p:1", "http://h.example/v1", "ALL_PROXY names a proxy of socks4://"},
		{"https_proxy=quic://p:1", "https://h.example/v1", "https_proxy names a proxy of quic://"},
		{"HTTP_PROXY=http://u:hunter2@[::1", "http://h.example/v1", "HTTP_PROXY holds no address of a proxy"},
		{"ALL_PROXY=socks5h://", "http://h.example/v1", "ALL_PROXY holds no address of a proxy"},
		{"ALL_PROXY=socks4://p:1 NO_PROXY=h.example", "http://h.example/v1", ""},
	} {
		for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"} {
			t.Setenv(name, "")
			t.Setenv(strings.ToLower(name), "")
		}
		for _, v := range strings.Fields(c.env) {
			name, value, _ := strings.Cut(v, "=")
			t.Setenv(name, value)
		}
		tr := transport.New(transport.NewClock(), defaults())
		got := ""
		switch proxy, err := tr.ProxyOf(c.url); {
		case err != nil:
			got = err.Error()
		case proxy != nil:
			got = proxy.String()
		}
		tr.Close()
		if got != c.want && (!strings.Contains(c.want, " ") || !strings.Contains(got, c.want)) ||
			strings.Contains(got, "hunter2") {
			t.Errorf("%s, %s: %q, want %q", c.env, c.url, got, c.want)
		}
	}
}
