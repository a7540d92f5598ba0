package transport_test

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/probetest"
	"tokscope/probe/transport"
)

// TestClientCertificate holds that a server which demands a client certificate gets it, on
// every way to it, and what is said where it refuses.
func TestClientCertificate(t *testing.T) {
	from, to := time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	trusted := testkit.Must(probetest.SelfSigned("alice", from, to))(t)
	stranger := testkit.Must(probetest.SelfSigned("mallory", from, to))(t)
	pool := x509.NewCertPool()
	pool.AddCert(testkit.Must(x509.ParseCertificate(trusted.Certificate[0]))(t))
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		for _, http2 := range []bool{false, true} {
			s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = io.WriteString(w, "data: "+r.TLS.PeerCertificates[0].Subject.CommonName+"\n\n")
			}))
			s.Config.ErrorLog = log.New(io.Discard, "", 0)
			s.EnableHTTP2 = http2
			s.TLS = &tls.Config{ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool, MaxVersion: version}
			s.StartTLS()
			for _, c := range []struct {
				name      string
				cert      *tls.Certificate
				socks     bool
				say, next string
			}{
				{"trusted", &trusted, false, "", ""},
				{"trusted, through SOCKS", &trusted, true, "", ""},
				{"none", nil, false, "the server asks for a client certificate, none was sent", "--cert and --key"},
				{"a stranger's", &stranger, false, "client certificate", "must trust its authority"},
			} {
				o := defaults()
				o.Proxy, o.Certificate, o.HTTP2, o.RootCAs = noProxy, c.cert, http2, x509.NewCertPool()
				o.RootCAs.AddCert(s.Certificate())
				if c.socks {
					o.Proxy = newSOCKS(t, s.Listener.Addr().String(), "", 0).url("socks5h", "")
				}
				clock := transport.NewClock()
				r := &harness{t: t, clock: clock, tr: transport.New(clock, o), url: func(string) string { return s.URL }}
				for _, tune := range []func(*transport.Capture){cold, warm} {
					got := r.ask("", tune)
					switch {
					case c.say == "" && (got.err != nil || len(got.events) == 0 || string(got.events[0].Data) != "alice"):
						t.Errorf("%s, %x, HTTP/2 %v: %d events, %v", c.name, version, http2, len(got.events), got.err)
					case c.say != "" && (got.err == nil || !strings.Contains(got.err.Message, c.say) ||
						!strings.Contains(got.err.Next, c.next)):
						t.Errorf("%s, %x, HTTP/2 %v: %+v", c.name, version, http2, got.err)
					}
				}
				_, _, err := r.tr.Inspect(t.Context(), s.Listener.Addr().String(), "127.0.0.1", []string{"http/1.1"})
				if f, ok := errors.AsType[*metrics.Fault](err); ok && version == tls.VersionTLS12 && !strings.Contains(f.Message,
					"client certificate") ||
					err != nil && c.say == "" {
					t.Errorf("%s, %x, HTTP/2 %v: the handshake alone: %v", c.name, version, http2, err)
				}
				r.tr.Close()
			}
			s.Close()
		}
	}
}

// TestProxyGetsNoClientCertificate holds that a TLS proxy which asks for a client
// certificate is not shown that of the server.
func TestProxyGetsNoClientCertificate(t *testing.T) {
	mine := testkit.Must(probetest.SelfSigned("alice", time.Now().Add(-time.Hour), time.Now().Add(time.Hour)))(t)
	for _, target := range []string{"http://server.example/v1", "https://server.example/v1"} {
		shown := make(chan int, 1)
		s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			shown <- len(r.TLS.PeerCertificates)
			w.WriteHeader(http.StatusForbidden)
		}))
		s.TLS = &tls.Config{ClientAuth: tls.RequestClientCert}
		s.StartTLS()
		o := defaults()
		o.Certificate, o.RootCAs = &mine, x509.NewCertPool()
		o.RootCAs.AddCert(s.Certificate())
		o.Proxy = http.ProxyURL(testkit.Must(s.Client().Get(s.URL))(t).Request.URL)
		<-shown
		tr := transport.New(transport.NewClock(), o)
		if resp, err := tr.Do(testkit.Must(http.NewRequest(http.MethodGet, target, nil))(t)); err == nil {
			_ = resp.Body.Close()
		}
		testkit.Is(t, <-shown, 0, target, "the proxy was shown … certificates")
		tr.Close()
		s.Close()
	}
}
