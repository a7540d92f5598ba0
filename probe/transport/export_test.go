package transport

import (
	"context"
	"net"
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
