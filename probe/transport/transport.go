package transport

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"tokscope/metrics/loadstat"
	"tokscope/probe/transport/stamp"
	"tokscope/probe/ws"
)

// maxConns is the number of idle connections kept per host: those of a load's users.
const maxConns = loadstat.MaxUsers

// keepAlive is how long a connection may stay idle.
const keepAlive = 5 * time.Minute

// Options configures a Transport. Start from DefaultBounds.
type Options struct {
	// UserStamps uses only the user-space clock at the return of a read, and not the
	// kernel's receive stamps where the platform has them.
	UserStamps bool
	// HTTP2 offers HTTP/2. If the server accepts it, its streams share a
	// connection, and stamps are those of body reads.
	HTTP2   bool
	RootCAs *x509.CertPool
	// Certificate is shown to servers that ask for a client certificate; nil: none.
	Certificate *tls.Certificate
	// Proxy returns the proxy of a request; nil reads the environment, see ProxyVariable.
	Proxy  func(*http.Request) (*url.URL, error)
	Bounds Bounds
	// Dial makes the connections; nil: TCP.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
}

// Transport sends requests and stamps their responses. It is safe for
// concurrent use. It offers no compression and follows no redirect. It has no
// overall timeout: Bounds end requests that hang.
type Transport struct {
	clock        *Clock
	o            Options
	kernel       bool
	base         *http.Transport
	stopStamping func()          // disables kernel stamping
	ctx          context.Context // done after Close
	close        context.CancelFunc
	dialRaw      func(ctx context.Context, network, addr string) (net.Conn, error)
	pending      atomic.Int64 // memory of lines that no consumer has taken yet

	mu      sync.Mutex
	links   map[net.Conn]*link
	stash   map[string][]*link      // made by warm and not used yet, by transport key
	sockets map[string][]*websocket // that wait for a request, the latest last
	hold    map[string]int          // idle connections promised by warm, by transport key
}

// New returns a Transport that stamps with clock.
func New(clock *Clock, o Options) *Transport {
	if o.Proxy == nil {
		o.Proxy = environment()
	}
	o.Proxy = spoken(o.Proxy)
	t := &Transport{
		clock: clock, o: o,
		kernel: !o.UserStamps && stamp.KernelStamps,
		links:  map[net.Conn]*link{},
		stash:  map[string][]*link{}, hold: map[string]int{}, sockets: map[string][]*websocket{},
	}
	t.ctx, t.close = context.WithCancel(context.Background())
	dialer := &net.Dialer{KeepAlive: 15 * time.Second}
	t.stopStamping = func() {}
	if t.kernel {
		t.stopStamping = sync.OnceFunc(stamp.Enable())
		dialer.Control = stamp.Control
	}
	t.dialRaw = dialer.DialContext
	if o.Dial != nil {
		t.dialRaw = o.Dial
	}
	t.base = t.newHTTP(maxConns)
	return t
}

// newHTTP returns a net/http transport on this package's connections. It
// keeps at most idle idle connections per host; below 0 it keeps none.
func (t *Transport) newHTTP(idle int) *http.Transport {
	protos := new(http.Protocols)
	protos.SetHTTP1(true)
	protos.SetHTTP2(t.o.HTTP2)
	h := &http.Transport{
		Proxy: func(req *http.Request) (*url.URL, error) {
			if r, ok := req.Context().Value(routeKey{}).(route); ok && !r.tunnel() {
				return r.proxy, nil
			}
			return nil, nil
		},
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			return t.dial(ctx, network, addr, false)
		},
		// net/http also calls it for TLS to a proxy.
		DialTLSContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			return t.dial(ctx, network, addr, true)
		},
		DisableCompression:     true,
		MaxIdleConnsPerHost:    idle,
		IdleConnTimeout:        keepAlive,
		MaxResponseHeaderBytes: int64(t.o.Bounds.HeaderBytes),
		// A thousand connections hold a thousand of each; the default of net/http
		// is 4 KB.
		ReadBufferSize:    connRead,
		WriteBufferSize:   connWrite,
		Protocols:         protos,
		ForceAttemptHTTP2: t.o.HTTP2,
	}
	if !t.o.HTTP2 {
		h.TLSNextProto = map[string]func(string, *tls.Conn) http.RoundTripper{}
	}
	return h
}

// CloseIdle closes all connections without a request.
func (t *Transport) CloseIdle() {
	t.base.CloseIdleConnections()
	t.mu.Lock()
	stash := t.stash
	t.stash = map[string][]*link{}
	sockets := t.sockets
	t.sockets = map[string][]*websocket{}
	t.mu.Unlock()
	for _, list := range sockets {
		for _, w := range list {
			w.idle.Stop()
			w.close(ws.CloseNormal)
		}
	}
	for _, list := range stash {
		for _, l := range list {
			_ = l.conn.Close()
		}
	}
}

// Close cancels current dials and closes idle connections. Requests end with
// their own contexts.
func (t *Transport) Close() {
	t.close()
	t.CloseIdle()
	t.stopStamping()
}
