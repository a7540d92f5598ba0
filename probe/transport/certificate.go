package transport

import (
	"cmp"
	"crypto/tls"
	"strings"
	"sync/atomic"

	"tokscope/metrics"
)

// presenter answers a server that asks for a client certificate.
type presenter = func(*tls.CertificateRequestInfo) (*tls.Certificate, error)

// presents answers with the client certificate of t, or with none, and notes in asked
// that a server did. Which authorities the server says it trusts is
// no matter: its refusal says more than a certificate held back.
func (t *Transport) presents(asked *atomic.Bool) presenter {
	return func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
		asked.Store(true)
		return cmp.Or(t.o.Certificate, new(tls.Certificate)), nil
	}
}

// certificateFault returns f, of a connection that ended before an answer, where the
// server had asked for a client certificate.
func (t *Transport) certificateFault(f *metrics.Fault) *metrics.Fault {
	if f.Kind != metrics.FaultReset && f.Kind != metrics.FaultTLS {
		return f
	}
	if t.o.Certificate == nil {
		return &metrics.Fault{Kind: metrics.FaultTLS,
			Message: "the server asks for a client certificate, none was sent, and then: " + f.Message,
			Next:    "give yours with --cert and --key, or cert and cert_key in the profile"}
	}
	g := &metrics.Fault{Kind: f.Kind, Message: "the server was sent the client certificate, and then: " + f.Message,
		Next: "check --cert, or cert in the profile: the server must trust its authority, those in between belong " +
			"into the same file, and the server's log has more"}
	if _, alert, _ := strings.Cut(f.Message, "tls: "); strings.Contains(alert, "certificate") {
		g.Message = "the server refuses the client certificate: " + alert
	}
	return g
}
