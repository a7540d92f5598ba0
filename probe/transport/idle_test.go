package transport_test

import (
	"runtime"
	"testing"
	"time"

	"tokscope/metrics/testkit"
	"tokscope/probe/probetest"
	"tokscope/probe/transport"
)

// A connection that is idle holds nothing of its last request: 5 kB for each of a
// thousand connections.
func TestIdleConnectionHoldsNoRequest(t *testing.T) {
	overTCP(t, defaults(), probetest.Options{}, func(r *harness) {
		freed := make(chan struct{})
		func() {
			c := newCapture(r)
			runtime.AddCleanup(c, func(freed chan struct{}) { close(freed) }, freed)
			_, err := r.tr.Do(r.request(transport.With(t.Context(), c), "3 tokens @ 1ms"))
			testkit.Given(t, err == nil, "%v", err)
			var b transport.Batch
			for more := true; more; {
				<-c.Wake()
				more = c.Drain(&b)
			}
			c.Free()
		}()
		for limit := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
			runtime.GC()
			select {
			case <-freed:
				return
			default:
			}
			testkit.Given(t, !time.Now().After(limit), "the idle connection holds its last request")
		}
	})
}
