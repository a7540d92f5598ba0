package transport_test

import (
	"testing"

	"tokscope/metrics/testkit"
	"tokscope/probe/probetest"
	"tokscope/probe/transport"
)

// net/http is given the head of a stream and its end. The chunks of the framing in
// between would wake it for nothing: their bytes are only counted. The connection
// is in order afterwards: the next request uses it.
func TestWholeChunksAreWithheld(t *testing.T) {
	overTCP(t, transport.Options{Bounds: transport.DefaultBounds()}, probetest.Options{}, func(r *harness) {
		for request := range 3 {
			got := r.ask("1000 tokens @ 50us; finish; usage; done")
			testkit.Given(t, got.err == nil && len(got.events) >= 1000, "%d events, %v", len(got.events), got.err)
			body := got.capture.Counts().Body
			if withheld := got.capture.Withheld(); withheld < body/2 || withheld >= body {
				t.Errorf("%d of %d bytes are withheld from net/http", withheld, body)
			}
			testkit.That(t, got.conn.Reused == (request > 0),
				"request %d: its connection is a reused one: %v", request, got.conn.Reused)
		}
		// net/http bounds what chunks have beside their data.
		got := r.ask("extensions; 1000 tokens @ 50us; finish; usage; done")
		if withheld := got.capture.Withheld(); got.err != nil || withheld != 0 {
			t.Errorf("%d bytes of chunks with extensions are withheld, %v", withheld, got.err)
		}
	})
}
