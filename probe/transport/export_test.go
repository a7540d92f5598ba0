package transport

import (
	"context"
	"net"

	"tokscope/metrics"
)

// SetDial replaces how t makes TCP connections: tests in virtual time use
// pipes, because a bubble does not reach into the kernel.
func (t *Transport) SetDial(dial func(ctx context.Context, network, addr string) (net.Conn, error)) {
	t.dialRaw = dial
}

// Links returns how many connections t knows.
func (t *Transport) Links() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.links)
}

// State returns the present state of c's request.
func (c *Capture) State() *RequestState { return c.state() }

// DoneMarker returns when the end marker of c's stream arrived.
func (c *Capture) DoneMarker() metrics.Stamp { return metrics.Stamp(c.timing.doneMarker.Load()) }

// Pending is the memory of lines that no consumer has taken yet.
func (t *Transport) Pending() int64 { return t.pending.Load() }

// Withheld returns the bytes of c's body that net/http was not given.
func (c *Capture) Withheld() int64 { return c.counts.withheld.Load() }
