package client

import (
	"crypto/tls"
	"crypto/x509"
	"os"
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
	pool, err := roots(w.cacert)
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

// roots returns the system's certificate authorities and those in a PEM file;
// nil (the system's) when path is "".
func roots(path string) (*x509.CertPool, error) {
	if path == "" {
		return nil, nil
	}
	pem, err := os.ReadFile(path)
	if err != nil {
		return nil, &metrics.Fault{Kind: metrics.FaultConfig,
			Message: "the certificate authority " + path + " cannot be read: " + endpoint.Reason(err),
			Next:    "check --cacert, or cacert in the profile"}
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, &metrics.Fault{Kind: metrics.FaultConfig, Message: path + " holds no certificate",
			Next: "give a file in PEM form with --cacert, or cacert in the profile"}
	}
	return pool, nil
}
