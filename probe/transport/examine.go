package transport

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"sync/atomic"
)

// LookUp returns the addresses of a host name, within Bounds.Connect. The
// error is a *metrics.Fault.
func (t *Transport) LookUp(ctx context.Context, host string) ([]netip.Addr, error) {
	ctx, cancel := bounded(ctx, t.o.Bounds.Connect, boundConnect)
	defer cancel()
	found, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil, faultOf(ctx, boundError(ctx, err), unanswered)
	}
	for i := range found {
		found[i] = found[i].Unmap()
	}
	return found, nil
}

// Reach connects to an address, host:port of "tcp" or the file of "unix", and closes the
// connection, within Bounds.Connect. The error is a *metrics.Fault.
func (t *Transport) Reach(ctx context.Context, network, addr string) error {
	conn, err := t.dialTCP(ctx, network, addr, newDialMarks(t.clock.Now()))
	if err != nil {
		return faultOf(ctx, err, unanswered)
	}
	_ = conn.Close()
	return nil
}

// Inspect connects to addr, does a TLS handshake for host with protos as ALPN,
// and closes the connection. It sends no request, so it can show a certificate
// that is not valid: peer is known whenever the handshake got that far. asks
// reports that the server asked for a client certificate. The error is a
// *metrics.Fault, as a request would have.
func (t *Transport) Inspect(ctx context.Context, addr, host string,
	protos []string) (peer *tls.ConnectionState, asks bool, err error) {
	conn, err := t.dialTCP(ctx, "tcp", addr, newDialMarks(t.clock.Now()))
	if err != nil {
		return nil, false, faultOf(ctx, err, unanswered)
	}
	defer func() { _ = conn.Close() }()
	var invalid error
	var asked atomic.Bool
	tc := tls.Client(conn, &tls.Config{
		ServerName: host, NextProtos: protos,
		InsecureSkipVerify:   true, // verified below, so that the certificate can be shown
		GetClientCertificate: t.presents(&asked),
		VerifyConnection: func(s tls.ConnectionState) error {
			invalid = t.verify(&s, host)
			return nil
		},
	})
	hctx, cancel := bounded(ctx, t.o.Bounds.TLS, boundTLS)
	defer cancel()
	if err := tc.HandshakeContext(hctx); err != nil {
		f := handshakeFault(hctx, err)
		if asked.Load() {
			f = t.certificateFault(f)
		}
		return nil, false, f
	}
	s := tc.ConnectionState()
	if invalid != nil {
		return &s, asked.Load(), connectFault(invalid)
	}
	return &s, asked.Load(), nil
}

// verify checks a certificate as crypto/tls would.
func (t *Transport) verify(s *tls.ConnectionState, host string) error {
	if len(s.PeerCertificates) == 0 {
		return &tls.CertificateVerificationError{Err: errors.New("the server sent no certificate")}
	}
	between := x509.NewCertPool()
	for _, c := range s.PeerCertificates[1:] {
		between.AddCert(c)
	}
	_, err := s.PeerCertificates[0].Verify(x509.VerifyOptions{DNSName: host, Roots: t.o.RootCAs, Intermediates: between})
	if err != nil {
		return &tls.CertificateVerificationError{UnverifiedCertificates: s.PeerCertificates, Err: err}
	}
	return nil
}

// ProxyOf returns the proxy of requests to rawURL, nil for none. The error is
// a *metrics.Fault.
func (t *Transport) ProxyOf(rawURL string) (*url.URL, error) {
	u, err := url.Parse(rawURL)
	if err != nil {
		return nil, proxyConfigFault(err)
	}
	proxy, err := t.o.Proxy(&http.Request{Method: http.MethodPost, URL: u, Host: u.Host, Header: http.Header{}})
	if err != nil {
		return nil, proxyConfigFault(err)
	}
	return proxy, nil
}
