package probetest

import (
	"net"
	"testing"
)

// Refuses returns an address of this machine, host:port, that refuses every
// connection until the test ends. The port is that of a connection, so no other
// process can begin to listen there meanwhile.
func Refuses(t testing.TB) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() })
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}} // bound, as a listener would be
	c, err := d.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c.LocalAddr().String()
}
