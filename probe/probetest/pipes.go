package probetest

import (
	"context"
	"net"
)

// Pipes is a listener whose connections are pipes: a server and its clients can live in
// a bubble of virtual time. Close it once; Dial no more then.
type Pipes chan net.Conn

// Accept returns the server's end of what Dial makes.
func (p Pipes) Accept() (net.Conn, error) {
	if c, ok := <-p; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}

// Close ends Accept.
func (p Pipes) Close() error { close(p); return nil }

// Addr returns an address on loopback.
func (p Pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8000} }

// Dial connects, whatever the address.
func (p Pipes) Dial(context.Context, string, string) (net.Conn, error) {
	here, there := net.Pipe()
	p <- there
	return here, nil
}
