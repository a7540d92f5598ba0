package transport

import (
	"bufio"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"tokscope/metrics"
	"tokscope/probe/transport/stamp"
)

// proxyAnswerBytes bounds a proxy's answer to CONNECT, in bytes.
const proxyAnswerBytes = 64 << 10

// route is the way of a request to its server. A nil proxy is a direct
// connection.
type route struct {
	scheme  string
	proxy   *url.URL
	socket  string // the file of a unix socket, "" for none
	aside   bool   // of an Aside
	upgrade bool   // to a WebSocket
	// asked: a server asked for a client certificate in a handshake for the request. nil
	// where nobody wants to know.
	asked *atomic.Bool
}

type routeKey struct{}

// tunnel reports whether this package asks the proxy for a tunnel. net/http
// would do its TLS above the tap, which would see only ciphertext.
func (r route) tunnel() bool {
	return r.proxy != nil && (r.scheme == "https" || r.upgrade) || isSOCKS(r.proxy)
}

// keyOf returns the transport key: requests with equal keys can share a
// connection.
func keyOf(scheme, addr string, proxy *url.URL) string {
	p := ""
	if proxy != nil {
		p = proxy.Host
	}
	if scheme == "http" && p != "" && !isSOCKS(proxy) {
		addr = "" // one connection serves every server behind the proxy
	}
	return scheme + " " + addr + " " + p
}

// dial returns a connection that warm parked, or a new one: a tap on TCP, on a unix
// socket or, if secure, above TLS, through a proxy's tunnel if the route has one.
func (t *Transport) dial(ctx context.Context, network, target string, secure bool) (net.Conn, error) {
	r, _ := ctx.Value(routeKey{}).(route)
	first := target
	if r.tunnel() {
		first = HostPort(r.proxy)
	}
	c := from(ctx)
	if !r.aside && !r.upgrade && (c == nil || c.reuse != metrics.ReuseCold) {
		if l := t.unstash(keyOf(r.scheme, target, r.proxy)); l != nil {
			return l.conn, nil
		}
	}
	d := newDialMarks(t.clock.Now())
	if c != nil {
		c.setDial(d)
		d.watch(c)
		defer d.watch(nil) // the connection outlives the request
		var stop func()
		ctx, stop = c.withRequest(ctx)
		defer stop()
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(t.ctx, cancel)()
	l, err := t.connect(ctx, network, first, target, r, secure, d)
	if err != nil {
		return nil, err
	}
	return l.conn, nil
}

func (t *Transport) connect(ctx context.Context, network, first, target string,
	r route, secure bool, d *dialMarks) (*link, error) {
	l := &link{owner: t, dial: d, key: keyOf(r.scheme, target, r.proxy)}
	if r.socket != "" {
		network, first = "unix", r.socket
	}
	if r.proxy != nil {
		l.proxy = HostPort(r.proxy)
	}
	raw, err := t.dialTCP(ctx, network, first, d)
	if err != nil {
		return nil, err
	}
	l.rx = stamp.Wrap(raw, t.clock, t.kernel)
	l.rx.OnWrite(l.wrote)
	var conn net.Conn = &hooked{l.rx, l}
	if r.tunnel() {
		if conn, err = t.openTunnel(ctx, conn, target, r, d); err != nil {
			return nil, err
		}
	}
	if !secure {
		if !r.aside {
			l.rx.Attach()
		}
		return t.remember(newTap(l.rx, l)), nil
	}
	var presents presenter
	if r.scheme == "https" { // else it is TLS to a proxy
		presents = t.presents(r.asked)
	}
	protos := []string{"http/1.1"}
	if t.o.HTTP2 && !r.upgrade {
		protos = []string{"h2", "http/1.1"}
	}
	tc, err := t.handshake(ctx, conn, target, protos, d, presents)
	if err != nil {
		return nil, err
	}
	state := tc.ConnectionState()
	l.tls = tls.VersionName(state.Version)
	if state.NegotiatedProtocol == "h2" {
		l.conn, l.shared = tc, true
		return t.remember(l), nil
	}
	if !r.aside {
		l.rx.Attach()
	}
	return t.remember(newTap(tc, l)), nil
}

// dialTCP looks up the name and connects, within Bounds.Connect.
func (t *Transport) dialTCP(ctx context.Context, network, addr string, d *dialMarks) (net.Conn, error) {
	now := t.clock.Now
	dctx := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		DNSStart:     func(httptrace.DNSStartInfo) { d.set(&d.marks.DNSStart, now(), false) },
		DNSDone:      func(httptrace.DNSDoneInfo) { d.set(&d.marks.DNSDone, now(), true) },
		ConnectStart: func(string, string) { d.set(&d.marks.ConnectStart, now(), false) },
		ConnectDone: func(_, _ string, err error) {
			if err == nil {
				d.set(&d.marks.ConnectDone, now(), false) // of several addresses, the first to answer
			}
		},
	})
	dctx, cancel := bounded(dctx, t.o.Bounds.Connect, boundConnect)
	defer cancel()
	conn, err := t.dialRaw(dctx, network, addr)
	if err != nil {
		return nil, boundError(dctx, err)
	}
	return conn, nil
}

// handshake starts TLS on conn and closes conn on an error. presents answers who asks for a
// client certificate; nil: with none.
func (t *Transport) handshake(ctx context.Context, conn net.Conn,
	addr string, protos []string, d *dialMarks, presents presenter) (*tls.Conn, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		host = addr
	}
	tc := tls.Client(conn, &tls.Config{ServerName: host, RootCAs: t.o.RootCAs, NextProtos: protos,
		GetClientCertificate: presents})
	hctx, cancel := bounded(ctx, t.o.Bounds.TLS, boundTLS)
	defer cancel()
	d.set(&d.marks.TLSStart, t.clock.Now(), true)
	if err := tc.HandshakeContext(hctx); err != nil {
		_ = conn.Close()
		return nil, handshakeFault(hctx, err)
	}
	d.set(&d.marks.TLSDone, t.clock.Now(), true)
	return tc, nil
}

// handshakeFault returns the fault of a handshake that failed under ctx.
func handshakeFault(ctx context.Context, err error) *metrics.Fault {
	err = boundError(ctx, err)
	if f, ok := errors.AsType[*metrics.Fault](err); ok {
		return f
	}
	return cmp.Or(connectFault(err), &metrics.Fault{Kind: metrics.FaultTLS,
		Message: "the TLS handshake failed: " + reason(err), Next: "check that the port speaks TLS"})
}

// openTunnel asks the proxy of r on conn for a connection to addr. It closes conn
// on an error.
func (t *Transport) openTunnel(ctx context.Context, conn net.Conn,
	addr string, r route, d *dialMarks) (net.Conn, error) {
	ctx, cancel := bounded(ctx, t.o.Bounds.Connect, boundConnect)
	defer cancel()
	proxy := r.proxy
	if isSOCKS(proxy) {
		return conn, t.openSOCKS(ctx, conn, addr, r, d)
	}
	if proxy.Scheme == "https" {
		tc, err := t.handshake(ctx, conn, HostPort(proxy), []string{"http/1.1"}, newDialMarks(t.clock.Now()), nil)
		if err != nil {
			return nil, err
		}
		conn = tc
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	status, err := connectThrough(conn, addr, proxy)
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		_ = conn.Close()
		if closes(err) {
			err = tunnelFault(r, "closed the connection without a tunnel: "+reason(err), false)
		}
		return nil, boundError(ctx, fmt.Errorf("ask the proxy %s for a tunnel: %w", proxy.Host, err))
	}
	if status != "" {
		_ = conn.Close()
		return nil, tunnelFault(r, "refused the tunnel: "+status, strings.HasPrefix(status, "407"))
	}
	return conn, nil
}

// connectThrough sends CONNECT. It returns the status line of a refusal, or
// "". The server behind the tunnel does not speak first, so the buffered
// reader never reads ahead.
func connectThrough(conn net.Conn, addr string, proxy *url.URL) (refused string, err error) {
	req := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: addr}, Host: addr, Header: http.Header{}}
	if u := proxy.User; u != nil {
		password, _ := u.Password()
		req.Header.Set("Proxy-Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(u.Username()+":"+password)))
	}
	if err := req.Write(conn); err != nil {
		return "", err
	}
	answer := &limited{r: conn, what: "header of the proxy's answer to CONNECT", max: proxyAnswerBytes}
	resp, err := http.ReadResponse(bufio.NewReader(answer), req)
	if f := answer.passed(); err != nil && f != nil { // the error may be about the cut header
		return "", f
	}
	if err != nil {
		return "", err
	}
	if resp.StatusCode != http.StatusOK {
		return resp.Status, nil
	}
	return "", nil
}

// HostPort returns the host and port of u, with the scheme's default port.
func HostPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"https": "443", "socks5": "1080", "socks5h": "1080"}[u.Scheme]
		port = cmp.Or(port, "80")
	}
	return net.JoinHostPort(u.Hostname(), port)
}

// bounded limits ctx by a bound. d of 0 is no limit.
func bounded(ctx context.Context, d time.Duration, b *bound) (context.Context, context.CancelFunc) {
	if d <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, d, b.passed(d))
}

// boundError returns the bound that ended ctx, or err if none did.
func boundError(ctx context.Context, err error) error {
	if f, ok := errors.AsType[*metrics.Fault](context.Cause(ctx)); ok {
		return f
	}
	return err
}
