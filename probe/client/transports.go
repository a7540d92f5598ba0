package client

import (
	"crypto/tls"
	"crypto/x509"
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
	make func(roots *x509.CertPool, cert *tls.Certificate, key transportKey) *transport.Transport

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
	pool, err := t.Roots()
	if err != nil {
		return nil, err
	}
	cert, err := t.Certificate()
	if err != nil {
		return nil, err
	}
	tr := x.make(pool, cert, w)
	x.made[w] = tr
	return tr, nil
}

// closeIdle closes all connections without a request.
func (x *transports) closeIdle() {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, tr := range x.made {
		tr.CloseIdle()
	}
}

// close closes all transports and prevents new ones.
func (x *transports) close() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.closed = true
	for _, tr := range x.made {
		tr.Close()
	}
}
