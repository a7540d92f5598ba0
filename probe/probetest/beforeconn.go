package probetest

import (
	"context"
	"net/http/httptrace"
)

// BeforeConn returns a context whose HTTP requests wait before net/http takes or
// makes a connection for them. Each sends to arrived, and goes on after open.
// Call open once.
func BeforeConn(ctx context.Context) (held context.Context, arrived <-chan struct{}, open func()) {
	here, gate := make(chan struct{}), make(chan struct{})
	trace := &httptrace.ClientTrace{GetConn: func(string) {
		select {
		case here <- struct{}{}:
			<-gate
		case <-gate:
		}
	}}
	return httptrace.WithClientTrace(ctx, trace), here, func() { close(gate) }
}
