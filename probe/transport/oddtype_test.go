package transport_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
)

// Events of another content type are followed as any others, with and without a tap:
// each has its own time, before the next one is sent, and the connection is used again.
func TestEventsOfAnotherType(t *testing.T) {
	for _, http2 := range []bool{true, false} {
		var r *harness
		read := make(chan struct{}, 8)
		r = answering(t, http2, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, "\xef\xbb\xbf\r\n")
			for i := range 5 {
				_, _ = fmt.Fprintf(w, "data: {\"i\":%d,\"at\":%d}\n\n", i, r.clock.Now())
				w.(http.Flusher).Flush()
				select {
				case <-read:
				case <-time.After(10 * time.Second): // it was not followed
				}
			}
			_, _ = io.WriteString(w, "data: [DONE]")
		})
		r.seen = func() { read <- struct{}{} }
		for _, reused := range []bool{false, true} {
			got := r.ask("")
			events := got.data()
			testkit.Given(t, got.err == nil && len(events) == 6 && got.conn.Reused == reused,
				"HTTP/2 %v: %d events, reused %v, ended with %v", http2, len(events), got.conn.Reused, got.err)
			<-read // of the event that no other follows
			for i, e := range events[:5] {
				var sent struct{ At metrics.Stamp }
				if err := json.Unmarshal(e.Data, &sent); err != nil {
					t.Fatal(err)
				}
				testkit.That(t, e.At >= sent.At && (i <= 0 || events[i-1].At < sent.At),
					"HTTP/2 %v: event %d was sent at %d, read at %d", http2, i, sent.At, e.At)
			}
		}
		r.close()
	}
}
