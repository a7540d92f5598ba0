package transport_test

import (
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"tokscope/probe/transport"
)

// Events of another content type are followed as any others, with and without a tap:
// each has its own time, and the connection is used again.
func TestEventsOfAnotherType(t *testing.T) {
	for _, http2 := range []bool{true, false} {
		s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, "\xef\xbb\xbf\r\n")
			for i := range 5 {
				_, _ = fmt.Fprintf(w, "data: {\"i\":%d}\n\n", i)
				w.(http.Flusher).Flush()
				time.Sleep(3 * time.Millisecond)
			}
			_, _ = io.WriteString(w, "data: [DONE]")
		}))
		s.EnableHTTP2 = http2
		s.StartTLS()
		pool := x509.NewCertPool()
		pool.AddCert(s.Certificate())
		clock := transport.NewClock()
		tr := transport.New(clock, transport.Options{Bounds: transport.DefaultBounds(), HTTP2: http2, RootCAs: pool, Proxy: noProxy})
		r := &harness{t: t, clock: clock, tr: tr, url: func(string) string { return s.URL }}
		for _, reused := range []bool{false, true} {
			got := r.ask("")
			events := got.data()
			if got.err != nil || len(events) != 6 || got.conn.Reused != reused {
				t.Fatalf("HTTP/2 %v: %d events, reused %v, ended with %v", http2, len(events), got.conn.Reused, got.err)
			}
			if apart := events[4].At - events[0].At; apart < 11e6 {
				t.Errorf("HTTP/2 %v: five events 3 ms apart took %d ns", http2, apart)
			}
		}
		tr.Close()
		s.Close()
	}
}
