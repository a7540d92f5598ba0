package load

import (
	"testing"

	"tokscope/metrics"
)

// Where nobody has ever answered, three refused connections are enough; where
// somebody has, the server may be restarting.
func TestNobodyIsThere(t *testing.T) {
	refused := &metrics.Fault{Kind: metrics.FaultConnect, Message: "connection refused"}
	var b breaker
	for i := 1; i < hopelessAfter; i++ {
		if why := b.fail(refused, 1); why != "" {
			t.Fatalf("stopped after %d: %s", i, why)
		}
	}
	if b.fail(refused, 1) == "" {
		t.Error("nobody listens, and the load goes on")
	}
	var known breaker
	known.ok()
	for range hopelessAfter {
		if why := known.fail(refused, 1); why != "" {
			t.Errorf("a server that had answered was given up: %s", why)
		}
	}
}
