package client

import (
	"net/http"
	"net/url"
	"sync"

	"tokscope/metrics"
	"tokscope/probe/endpoint"
	"tokscope/probe/transport"
)

// transportKey is how targets differ beneath HTTP. Those of one way share connections.
type transportKey struct {
	cacert    string // path of a PEM file with further root certificates, "" for none
	cert, key string // paths of the client certificate and its key, see endpoint.Target
	http2     bool
	direct    bool // without the proxy of the environment
}

// transports are an engine's stamped clients, one for each way, created on
// first use: a person may choose another profile while the program runs.
type transports struct {
	clock   *transport.Clock
	options transport.Options // of every way

	mu     sync.Mutex
	made   map[transportKey]*transport.Transport
	closed bool
}

// of returns the transport for t. Each engine reads the files of certificates once;
// after a failure it tries again the next time. The error is a
// *metrics.Fault.
func (x *transports) of(t *endpoint.Target) (*transport.Transport, error) {
	w := transportKey{t.CACert, t.Cert, t.CertKey, t.HTTP2, t.Direct}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return nil, &metrics.Fault{Kind: metrics.FaultCancelled, Message: "the program is closing"}
	}
	if tr := x.made[w]; tr != nil {
		return tr, nil
	}
	o, err := x.options, error(nil)
	o.HTTP2 = t.HTTP2
	if t.Direct {
		o.Proxy = noProxy
	}
	if o.RootCAs, err = t.Roots(); err != nil {
		return nil, err
	}
	if o.Certificate, err = t.Certificate(); err != nil {
		return nil, err
	}
	x.made[w] = transport.New(x.clock, o)
	return x.made[w], nil
}

// noProxy sends every request to its server itself.
func noProxy(*http.Request) (*url.URL, error) { return nil, nil }

// close closes all transports and prevents new ones.
func (x *transports) close() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.closed = true
	for _, tr := range x.made {
		tr.Close()
	}
}
